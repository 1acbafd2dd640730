"""COO, CSR and CSC: order, duplicates, explicit zeros and the coalesced flag kept."""

from __future__ import annotations

from typing import Any

import hurray
import pytest
import torch

ROWS = torch.tensor([[1, 0], [0, 1], [1, 0], [0, 0]])


def coo(coalesced: bool) -> torch.Tensor:
    values = torch.tensor([1.0, 2.0, 0.0, 4.0])
    made = torch.sparse_coo_tensor(ROWS.t(), values, (2, 2))
    return made.coalesce() if coalesced else made


@pytest.mark.parametrize("coalesced", [False, True])
def test_coo_comes_back_as_it_was(coalesced: bool) -> None:
    x = coo(coalesced)
    tensor = hurray.from_torch(x)
    assert tensor.layout == hurray.CooLayout(x._nnz(), coalesced)
    back: Any = tensor.to("torch", sparse=True)
    assert back.is_coalesced() is coalesced
    assert torch.equal(back._indices(), x._indices())
    assert torch.equal(back._values(), x._values())


@pytest.mark.parametrize("name", ["csr", "csc"])
def test_compressed_is_shared_both_ways(name: str) -> None:
    pointers, minor = torch.tensor([0, 2, 3]), torch.tensor([1, 0, 1])
    values = torch.tensor([5.0, 0.0, 7.0])
    x = getattr(torch, f"sparse_{name}_tensor")(pointers, minor, values, (2, 2))
    tensor = hurray.from_torch(x, copy=False)
    assert tensor.layout.name == name
    back: Any = tensor.to("torch", sparse=True, copy=False)
    assert back.layout == x.layout
    assert back.values().data_ptr() == values.data_ptr()
    assert torch.equal(back.values(), values)


def test_to_torch_rejects_what_is_not_dense_and_names_the_layout() -> None:
    """to_torch MUST reject non-dense layouts, naming the layout in the error message."""
    tensor = hurray.from_torch(coo(True))
    with pytest.raises(hurray.UnsupportedError, match=r"layout coo.*sparse=True"):
        tensor.to_torch()


def test_narrow_indices_are_widened_by_a_copy() -> None:
    x = torch.sparse_csr_tensor(
        torch.tensor([0, 1, 1], dtype=torch.int32),
        torch.tensor([1], dtype=torch.int32),
        torch.ones(1),
        (2, 2),
    )
    assert hurray.from_torch(x).row_ptr.tolist() == [0, 1, 1]
    with pytest.raises(hurray.CopyRequiredError, match="int32"):
        hurray.from_torch(x, copy=False)


@pytest.mark.parametrize(
    "x",
    [
        torch.sparse_coo_tensor(torch.tensor([[5], [0]]), torch.ones(1), (2, 2)),
        torch.sparse_coo_tensor(torch.tensor([[-1], [0]]), torch.ones(1), (2, 2)),
        torch.sparse_csr_tensor(torch.tensor([0, 1, 1]), torch.tensor([7]), torch.ones(1), (2, 2)),
        torch.sparse_csr_tensor(torch.tensor([0, 9, 1]), torch.tensor([0]), torch.ones(1), (2, 2)),
    ],
)
def test_indices_outside_are_refused_on_the_way_in(x: torch.Tensor) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match=r"index|pointers"):
        hurray.from_torch(x)


def test_indices_outside_are_refused_on_the_way_out() -> None:
    words = (7).to_bytes(8, "little") + bytes(8)
    tensor = hurray.Tensor(bytes(4), hurray.float32, (2, 2), aux_buffers=[words], layout=hurray.CooLayout(1))
    with pytest.raises(hurray.InvalidDescriptorError, match="index 7 in dimension 0"):
        tensor.to("torch", sparse=True)
