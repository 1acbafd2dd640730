"""COO, CSR and CSC out of PyTorch (format: layouts.md §7 to §9): order, duplicates and explicit zeros as they are."""

from __future__ import annotations

from typing import Any

import hurray
import torch
from hurray import InvalidDescriptorError, Tensor, UnsupportedError

from hurray_torch import _refuse
from hurray_torch._ingest import copy_needed, from_object

__all__ = ["from_sparse"]


def from_sparse(tensor: torch.Tensor, copy: bool | None) -> Tensor:
    """A sparse tensor with the parts that PyTorch keeps; ``copy`` is decided for each of them.

    ``is_sorted`` of a COO is PyTorch's word that it is coalesced.

    :raises CopyRequiredError: ``copy=False``, and a part cannot be shared as it is.
    :raises InvalidDescriptorError: indices lie outside the shape.
    :raises UnsupportedError: its values are no single numbers, or it is a batch of matrices.
    """
    if tensor.dense_dim():
        raise UnsupportedError(
            f"{_refuse.named(tensor)} is sparse in some dimensions and dense in others, which the format has no layout "
            "for: pass t.to_dense(), or t.to_dense().to_sparse()"
        )
    if not tensor.is_cpu:
        raise UnsupportedError(f"{_refuse.named(tensor)} is on {tensor.device}: pass t.cpu()")
    if tensor.layout is torch.sparse_coo:
        return _coo(tensor, copy)
    if tensor.dim() != 2:
        raise UnsupportedError(
            f"{_refuse.named(tensor)} is a batch of sparse matrices, and the format has one: pass each of t.unbind()"
        )
    return _compressed(tensor, copy)


def _coo(tensor: torch.Tensor, copy: bool | None) -> Tensor:
    indices, values = tensor._indices(), tensor._values()
    _check_places(tensor, indices, tensor.shape)
    rows = indices.t()
    if not rows.is_contiguous():
        copy_needed(copy, f"the indices of {_refuse.named(tensor)} are one dimension after the other")
    layout = hurray.CooLayout(tensor._nnz(), tensor.is_coalesced())
    return _assembled(tensor, values, [_words(rows, copy)], layout, copy)


def _compressed(tensor: torch.Tensor, copy: bool | None) -> Tensor:
    by_rows = tensor.layout is torch.sparse_csr
    pointers = tensor.crow_indices() if by_rows else tensor.ccol_indices()
    minor = tensor.col_indices() if by_rows else tensor.row_indices()
    extent = tensor.shape[1 if by_rows else 0]
    _check_pointers(tensor, pointers, minor.numel())
    _check_places(tensor, minor[None], (extent,))
    nnz = minor.numel()
    layout = hurray.CsrLayout(nnz) if by_rows else hurray.CscLayout(nnz)
    words = [_words(part, copy) for part in (minor, pointers)]
    return _assembled(tensor, tensor.values(), words, layout, copy)


def _assembled(
    tensor: torch.Tensor, values: torch.Tensor, words: list[Tensor], layout: hurray.Layout, copy: bool | None
) -> Tensor:
    stored = _part(values.detach(), copy)
    return Tensor(stored, stored.dtype, tuple(tensor.shape), aux_buffers=words, layout=layout)


def _words(indices: torch.Tensor, copy: bool | None) -> Tensor:
    """Indices as the uint64 that the format stores: int64 ones are not negative, and shared."""
    if indices.dtype is not torch.int64:
        copy_needed(copy, f"the indices are {indices.dtype}, and the format has 64 bits for each")
        indices, copy = indices.to(torch.int64), None
    return _part(indices.view(torch.uint64), copy)


def _part(part: torch.Tensor, copy: bool | None) -> Tensor:
    """A component by itself, contiguous from the first byte of its buffer."""
    if not part.is_contiguous():
        copy_needed(copy, f"a part of the sparse tensor, {_refuse.named(part)}, is not contiguous")
        part, copy = part.contiguous(), None
    made = from_object(part, copy=copy)
    if made.byte_offset:  # a view that begins inside its storage: sparse layouts have no such offset
        copy_needed(copy, f"a part of the sparse tensor, {_refuse.named(part)}, is not aligned to 64 bytes")
        made = from_object(part, copy=True)
    return made


def _check_places(tensor: torch.Tensor, indices: torch.Tensor, extents: Any) -> None:
    """PyTorch itself does not look at indices unless it is told to."""
    if not indices.numel():
        return
    for at, (row, extent) in enumerate(zip(indices, extents, strict=True)):
        low, high = (int(bound) for bound in row.aminmax())
        if low < 0 or high >= extent:
            raise InvalidDescriptorError(
                f"{_refuse.named(tensor)} has the index {low if low < 0 else high} in dimension {at} of its indices, "
                f"which goes from 0 to {extent - 1}: build it with check_invariants=True to find the place"
            )


def _check_pointers(tensor: torch.Tensor, pointers: torch.Tensor, nnz: int) -> None:
    rising = bool((pointers[1:] >= pointers[:-1]).all())
    if int(pointers[0]) != 0 or int(pointers[-1]) != nnz or not rising:
        raise InvalidDescriptorError(
            f"{_refuse.named(tensor)} has pointers that do not rise from 0 to its {nnz} entries: "
            "build it with check_invariants=True to find the place"
        )
