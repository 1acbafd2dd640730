"""PyTorch tensors out of tensors (requirements: PyTorch Interoperability; rulings 7 and 9 of 04-tables.md)."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import hurray
import torch
from hurray import CopyRequiredError, Tensor, UnsupportedError
from torch.utils.dlpack import from_dlpack

from hurray_torch._dtypes import PLAIN, TO_TORCH

__all__ = ["copy_needed", "named", "to_object"]

_PLAIN = frozenset(PLAIN.values())
_STRIDES = frozenset({"row_major", "col_major", "strided"})
_REARRANGED = frozenset({"tiled", "morton", "hilbert"})
_SPARSE = frozenset({"coo", "csr", "csc"})
# The capsule of DLPack before 1.0, which every release of PyTorch reads and none can be told in that memory is
# read-only: the core then hands over a private copy, or refuses where copy=False.
_LEGACY = (0, 8)
# What from_dlpack itself calls for a capsule, after it has asked whether it is one.
_from_capsule: Callable[[Any], torch.Tensor] = getattr(torch._C, "_from_dlpack", from_dlpack)


def to_object(tensor: Tensor, *, copy: bool | None = None, sparse: bool = False) -> Any:
    """``tensor`` as a PyTorch tensor of its shape, sharing the memory where PyTorch can express it.

    ``copy``: None copies if needed, True always, False never. A copy it is for read-only memory, bool, tiles, curves
    and negative strides, none of which PyTorch has. ``sparse=True`` also hands out COO, CSR and CSC as PyTorch's,
    sharing all parts; their indices are looked at first, since PyTorch does not.

    float8 and float4 become PyTorch's own types; ``float4_e2m1fn_x2`` counts bytes in its last dimension.

    :raises CopyRequiredError: ``copy=False``, and it takes a copy.
    :raises UnsupportedError: PyTorch has no such elements or layout, or cannot reach the memory.
    :raises InvalidDescriptorError: sparse indices outside the shape.
    """
    try:
        return _from_capsule(tensor.__dlpack__(max_version=_LEGACY, copy=copy))
    except (builtins.BufferError, RuntimeError) as error:
        return _to_any(tensor, copy, sparse, error)


def _to_any(tensor: Tensor, copy: bool | None, sparse: bool, refused: Exception) -> Any:
    """All that is no plain capsule; ``refused`` says why it is not."""
    layout = tensor.layout.name
    here = tensor.device.kind == "cpu"
    if layout in _SPARSE and sparse and here:
        from hurray_torch._sparse_export import to_sparse

        return to_sparse(tensor, copy)
    _check(tensor, layout)
    if not here:
        return _elsewhere(tensor)
    if tensor.dtype is hurray.dtype.bool:
        copy_needed(tensor, copy, "is packed, and PyTorch has a byte for each element")
        return _over(tensor.unpack(), torch.bool).reshape(_shape(tensor))
    theirs = TO_TORCH[tensor.dtype]
    if layout in _REARRANGED:
        copy_needed(tensor, copy, "has tiles or a curve for a layout, and PyTorch has strides alone")
    elif isinstance(tensor.layout, hurray.StridedLayout) and min(tensor.layout.strides, default=0) < 0:
        copy_needed(tensor, copy, "has negative strides, which PyTorch lacks")
    elif tensor.readonly and copy is not None and not copy:
        copy_needed(tensor, copy, "is read-only, which PyTorch cannot express")
    elif tensor.dtype in _PLAIN:
        raise UnsupportedError(f"{named(tensor)} cannot cross to PyTorch: {refused}") from refused
    elif not tensor.dtype.is_sub_byte or layout == "row_major":
        return _bytes(tensor, copy, theirs)
    else:
        copy_needed(tensor, copy, f"is packed in the layout {layout}, and PyTorch packs in row-major order")
    return _over(bytearray(tensor.tobytes()), theirs).reshape(_shape(tensor))


def _check(tensor: Tensor, layout: str) -> None:
    """Refuse what is no plain array of numbers."""
    problem = None
    if layout in _SPARSE:
        problem = f"has the layout {layout}, which is no dense one: t.to('torch', sparse=True) gives a sparse tensor"
    elif layout not in _STRIDES | _REARRANGED:
        problem = f"has the layout {layout}, which PyTorch lacks; t.buffer(i) has its parts"
    elif tensor.quantization is not None:
        problem = "is quantised, and its codes are not its values: t.buffer(0) has the codes"
    elif None in tensor.shape:
        problem = f"has a dimension that is not known yet, dimension {tensor.shape.index(None)} is dynamic"
    elif tensor.dtype not in TO_TORCH:
        problem = "has elements that PyTorch has no type for; t.tobytes() has the bytes"
    elif tensor.dtype is hurray.dtype.float4_e2m1 and (
        not tensor.ndim or _shape(tensor)[-1] * 2 != tensor.shape[-1]
    ):
        problem = (
            "has an odd last dimension or none, and torch.float4_e2m1fn_x2 has two elements a byte: "
            "t.tobytes() has the bytes"
        )
    if problem is not None:
        raise UnsupportedError(f"{named(tensor)} {problem}")


def _elsewhere(tensor: Tensor) -> Any:
    """Memory of another device, which PyTorch reaches where it was built for it."""
    try:
        return from_dlpack(tensor)
    except (builtins.BufferError, RuntimeError, AssertionError) as error:
        raise UnsupportedError(
            f"{named(tensor)} is on {tensor.device.kind}, and this PyTorch cannot take it: {error}"
        ) from error


def _bytes(tensor: Tensor, copy: bool | None, theirs: torch.dtype) -> Any:
    """Elements of a byte, or two in one: by a capsule of the bytes, and PyTorch's own view of them (ruling 9)."""
    memory = tensor.buffer(0)
    if not tensor.size:
        return torch.empty(_shape(tensor), dtype=theirs)
    whole = _from_capsule(memory.__dlpack__(max_version=_LEGACY))
    shape = _shape(tensor)
    layout = tensor.layout
    strides = layout.strides if isinstance(layout, hurray.StridedLayout) else _strides(shape, layout.name)
    out = whole.as_strided(shape, strides, tensor.byte_offset).view(theirs)
    return out.clone() if copy and not memory.readonly else out


def _strides(shape: tuple[int, ...], layout: str) -> tuple[int, ...]:
    """The strides in elements of contiguous memory, the last dimension innermost but for col_major."""
    strides, step = [], 1
    for size in shape if layout == "col_major" else reversed(shape):
        strides.append(step)
        step *= size
    return tuple(strides if layout == "col_major" else reversed(strides))


def _over(memory: bytearray, dtype: torch.dtype) -> torch.Tensor:
    """One dimension of elements over memory of our own."""
    if not memory:
        return torch.empty(0, dtype=dtype)
    return torch.frombuffer(memory, dtype=torch.uint8).view(dtype)


def _shape(tensor: Tensor) -> tuple[int, ...]:
    """The shape as PyTorch counts it."""
    shape: Any = tensor.shape
    if tensor.dtype is hurray.dtype.float4_e2m1 and shape:
        return (*shape[:-1], shape[-1] // 2)
    return tuple(shape)


def copy_needed(tensor: Tensor, copy: bool | None, reason: str) -> None:
    """Refuse ``copy=False`` where only a copy will do."""
    if copy is not None and not copy:
        raise CopyRequiredError(f"{named(tensor)} {reason}: it takes a copy, and copy=False forbids it")


def named(tensor: Tensor) -> str:
    """The tensor in an error."""
    return f"a tensor of dtype {tensor.dtype} and shape {tensor.shape}"
