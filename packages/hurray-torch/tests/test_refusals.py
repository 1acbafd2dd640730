"""Tensors without plain memory: a specific error with the way out, never a crash."""

from __future__ import annotations

import re
from typing import Any

import hurray
import pytest
import torch
from torch._subclasses import FakeTensorMode


def fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.empty(3)


def nested() -> torch.Tensor:
    return torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)


UINT4: Any = vars(torch)["uint4"]  # PyTorch's stubs lack it
REFUSED = {
    "grad": (torch.ones(2, requires_grad=True), "t.detach()"),
    "parameter": (torch.nn.Parameter(torch.ones(2)), "t.detach()"),
    "meta": (torch.empty(2, device="meta"), "no data"),
    "fake": (fake(), "FakeTensorMode"),
    "nested": (nested(), "t.unbind()"),
    "bsr": (torch.eye(4).to_sparse_bsr((2, 2)), "to_sparse_csr()"),
    "complex32": (torch.empty(2, dtype=torch.complex32), "complex64"),
    "fnuz": (torch.zeros(2, dtype=torch.uint8).view(torch.float8_e4m3fnuz), "float16"),
    "uint4": (torch.zeros(2, dtype=torch.uint8).view(UINT4), "view(torch.uint8)"),
    "hybrid": (torch.ones(3, 2).to_sparse(1), "to_dense()"),
    "batched csr": (torch.ones(2, 3, 3).to_sparse_csr(), "unbind()"),
}


@pytest.mark.parametrize(("tensor", "way"), REFUSED.values(), ids=REFUSED)
def test_refused_with_the_way_out(tensor: Any, way: str) -> None:
    for door in (hurray.from_torch, hurray.asarray):
        with pytest.raises(hurray.UnsupportedError, match=re.escape(way)):
            door(tensor)


def test_inside_a_transform() -> None:
    def inner(x: torch.Tensor) -> torch.Tensor:
        with pytest.raises(hurray.UnsupportedError, match="transform"):
            hurray.from_torch(x)
        return x

    torch.vmap(inner)(torch.ones(3, 2))


def test_no_tensor_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match=r"builtins\.list"):
        hurray.from_torch([1.0])


def test_a_frozen_parameter_and_a_plain_subclass_are_shared() -> None:
    parameter = torch.nn.Parameter(torch.arange(4.0), requires_grad=False)
    assert hurray.from_torch(parameter, copy=False).tolist() == [0, 1, 2, 3]
    mine: Any = torch.arange(4.0).as_subclass(type("Mine", (torch.Tensor,), {}))
    assert hurray.from_torch(mine, copy=False).tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("tensor", "values"),
    [
        (torch.tensor([1 + 2j]).conj(), [1 - 2j]),
        (torch.tensor([1 + 2j]).conj().imag, [-2.0]),
        (torch._neg_view(torch.tensor([2.0])), [-2.0]),
        (torch._efficientzerotensor((2,)), [0.0, 0.0]),
    ],
)
def test_what_is_put_off_is_worked_out(tensor: torch.Tensor, values: list[complex]) -> None:
    assert hurray.from_torch(tensor).tolist() == values
    with pytest.raises(hurray.CopyRequiredError):
        hurray.from_torch(tensor, copy=False)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a CUDA device is here: the error is of its absence")
def test_a_device_that_is_absent() -> None:
    tensor = hurray.Tensor(bytes(64), hurray.float32, (16,), hurray.Device("cuda"))
    with pytest.raises((hurray.UnsupportedError, BufferError)):
        tensor.to_torch()
