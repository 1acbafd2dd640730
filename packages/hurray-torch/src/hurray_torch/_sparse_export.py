"""COO, CSR and CSC into PyTorch's sparse tensors, all parts shared, the indices looked at first."""

from __future__ import annotations

from math import prod
from typing import Any

import torch
from hurray import CooLayout, InvalidDescriptorError, Tensor, UnsupportedError

from hurray_torch._export import named, to_object

__all__ = ["to_sparse"]

_MOST = 2**63 - 1


def to_sparse(tensor: Tensor, copy: bool | None) -> Any:
    """``tensor`` as a sparse tensor of PyTorch with the same entries in the same order.

    A COO whose layout says that it is sorted is coalesced for PyTorch: the format has no duplicates in those.

    :raises InvalidDescriptorError: indices lie outside the shape, or pointers do not rise to the entries there are.
    :raises UnsupportedError: PyTorch cannot count so many elements, or a dimension is dynamic.
    """
    shape = _shape(tensor)
    values = to_object(tensor.values, copy=copy)
    if isinstance(tensor.layout, CooLayout):
        indices = _words(tensor.indices, copy).t()
        for at, extent in enumerate(shape):
            _check(tensor, indices[at], extent, f"dimension {at}")
        return torch.sparse_coo_tensor(
            indices, values, shape, is_coalesced=tensor.layout.is_sorted, check_invariants=False
        )
    by_rows = tensor.layout.name == "csr"
    pointers = _words(tensor.row_ptr if by_rows else tensor.col_ptr, copy)
    minor = _words(tensor.col_indices if by_rows else tensor.row_indices, copy)
    _check_pointers(tensor, pointers)
    _check(tensor, minor, shape[1 if by_rows else 0], f"dimension {1 if by_rows else 0}")
    make = torch.sparse_csr_tensor if by_rows else torch.sparse_csc_tensor
    return make(pointers, minor, values, shape, check_invariants=False)


def _shape(tensor: Tensor) -> tuple[int, ...]:
    shape: Any = tensor.shape
    if None in shape:
        raise UnsupportedError(f"{named(tensor)} has a dimension that is not known yet")
    if tensor.quantization is not None:
        raise UnsupportedError(f"{named(tensor)} is quantised, and its codes are not its values")
    if prod(shape) > _MOST:
        raise UnsupportedError(f"{named(tensor)} has more elements than PyTorch can count")
    return tuple(shape)


def _words(part: Tensor, copy: bool | None) -> torch.Tensor:
    """uint64 indices under PyTorch's name for an index; those past 2^63 look negative, and are refused so."""
    words: torch.Tensor = to_object(part, copy=copy)
    return words.view(torch.int64)


def _check(tensor: Tensor, indices: torch.Tensor, extent: int, where: str) -> None:
    if not indices.numel():
        return
    low, high = (int(bound) for bound in indices.aminmax())
    if low < 0 or high >= extent:
        raise InvalidDescriptorError(
            f"{named(tensor)} has the index {low % 2**64 if low < 0 else high} in {where}, which ends at {extent - 1}: "
            "t.validate() lists every such place"
        )


def _check_pointers(tensor: Tensor, pointers: torch.Tensor) -> None:
    rising = bool((pointers[1:] >= pointers[:-1]).all())
    if int(pointers[0]) != 0 or int(pointers[-1]) != tensor.nnz or not rising:
        raise InvalidDescriptorError(
            f"{named(tensor)} has pointers that do not rise from 0 to its {tensor.nnz} entries: "
            "t.validate() lists every such place"
        )
