"""bool, float8 and float4 (rulings 6, 8 and 9)."""

from __future__ import annotations

import hurray
import pytest
import torch


def test_float4_counts_elements_in_the_format_and_bytes_in_pytorch() -> None:
    x = torch.arange(12, dtype=torch.uint8).reshape(3, 4).view(torch.float4_e2m1fn_x2)
    tensor = hurray.from_torch(x, copy=False)
    assert (tensor.dtype, tensor.shape) == (hurray.dtype.float4_e2m1, (3, 8))
    back = tensor.to_torch()
    assert back.dtype is torch.float4_e2m1fn_x2
    assert back.shape == (3, 4)
    assert back.data_ptr() == x.data_ptr()


def test_float4_of_an_odd_length_has_no_place_in_pytorch() -> None:
    tensor = hurray.Tensor(bytes(2), hurray.dtype.float4_e2m1, (3,))
    with pytest.raises(hurray.UnsupportedError, match="odd last dimension"):
        tensor.to_torch()


@pytest.mark.parametrize("code", [0x00, 0xFF])
def test_reserved_codes_of_e8m0_are_refused(code: int) -> None:
    x = torch.tensor([127, code], dtype=torch.uint8).view(torch.float8_e8m0fnu)
    with pytest.raises(hurray.UnsupportedError, match=rf"{code:#04x} at \[1\]"):
        hurray.from_torch(x)


def test_bool_is_packed_and_unpacked_by_a_copy() -> None:
    x = torch.tensor([[True, False, True]] * 3)
    tensor = hurray.from_torch(x)
    assert tensor.nbytes == 2
    assert torch.equal(tensor.to_torch(), x)
    with pytest.raises(hurray.CopyRequiredError):
        hurray.from_torch(x, copy=False)
    with pytest.raises(hurray.CopyRequiredError, match="packed"):
        tensor.to("torch", copy=False)
