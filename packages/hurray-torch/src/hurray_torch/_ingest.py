"""Tensors out of PyTorch's (requirements: PyTorch Interoperability, copy on ingest)."""

from __future__ import annotations

from typing import Any

import hurray
import torch
from hurray import CopyRequiredError, Tensor, UnsupportedError, from_dlpack

from hurray_torch import _refuse
from hurray_torch._dtypes import FLOAT4, FROM_TORCH, PLAIN, VIEWED
from hurray_torch._storage import ALIGNED, Held, in_storage, to_capsule

__all__ = ["copy_needed", "from_object", "resolved"]

_Tensor = torch.Tensor
_strided = torch.strided


def from_object(obj: Any, *, copy: bool | None = None) -> Tensor:
    """A PyTorch tensor as a tensor of the same shape, bit for bit; see :func:`hurray.from_torch`.

    Contiguous memory becomes row-major, a transposed matrix col-major, any other strides strided. bool is packed and
    lazy conjugates and negatives are resolved: both are copies. COO, CSR and CSC keep their entries and their order;
    only COO has its indices the other way round, a copy unless they were made so. ``float4_e2m1fn_x2`` has twice the
    elements that PyTorch counts in the last dimension.

    :raises CopyRequiredError: ``copy=False``, and the memory cannot be shared as it is.
    :raises UnsupportedError: the format cannot express it, it has no data, or it requires grad.
    :raises InvalidDescriptorError: a sparse tensor whose indices lie outside its shape.
    :raises TypeError: ``obj`` is no PyTorch tensor.
    """
    # What is asked costs more than the sharing itself: the fewest questions that tell a plain tensor.
    if (
        type(obj) is _Tensor
        and (dtype := obj.dtype) in PLAIN
        and obj.is_cpu
        and obj.layout is _strided
        and not (obj.requires_grad or obj.is_neg() or (dtype.is_complex and obj.is_conj()))
    ):
        try:
            if not obj.data_ptr() % ALIGNED:
                return from_dlpack(Held(to_capsule(obj)), copy=copy)
        except (RuntimeError, hurray.BufferError):
            pass  # it has no memory of its own; what it is will be found out
    return _from_any(obj, copy)


def _from_any(obj: Any, copy: bool | None) -> Tensor:
    _refuse.check(obj)
    tensor = _refuse.plain(obj)
    if tensor.layout is not _strided:
        from hurray_torch._sparse_ingest import from_sparse

        return from_sparse(tensor, copy)
    if not tensor.is_cpu:
        return from_dlpack(tensor, copy=copy)
    solid = resolved(tensor, copy)
    if solid is not tensor:
        copy = None  # nobody else has this memory
    dtype = FROM_TORCH[solid.dtype]
    if solid.dtype is FLOAT4:
        return _packed(solid, dtype, copy)
    if dtype is hurray.dtype.float8_e8m0:
        _check_scales(solid)
    if dtype is not hurray.dtype.bool and copy is not True:
        shared = in_storage(solid, dtype)
        if shared is not None:
            return shared
    if solid.dtype in VIEWED:
        return Tensor.from_buffer(_exported(solid.view(torch.uint8), copy), dtype)
    return _exported(solid, copy)


def _exported(tensor: torch.Tensor, copy: bool | None) -> Tensor:
    return from_dlpack(Held(to_capsule(tensor)), copy=copy)


def resolved(tensor: torch.Tensor, copy: bool | None) -> torch.Tensor:
    """The tensor with its values in its memory: what PyTorch puts off (conjugates, negatives, zeros) is worked out."""
    if tensor.is_conj() or tensor.is_neg():
        which = "conjugate" if tensor.is_conj() else "negative"
        copy_needed(copy, f"{_refuse.named(tensor)} is the {which} of what its memory holds")
        return tensor.resolve_conj().resolve_neg()
    if tensor._is_zerotensor():
        copy_needed(copy, f"{_refuse.named(tensor)} holds zeros without memory")
        return tensor.clone()
    return tensor


def _packed(tensor: torch.Tensor, dtype: hurray.Dtype, copy: bool | None) -> Tensor:
    """Two elements a byte: the shape counts elements in the format and bytes in PyTorch."""
    if tensor.dim() == 0:
        raise UnsupportedError(
            f"{_refuse.named(tensor)} is two elements with no dimension to count them in: pass t.reshape(1)"
        )
    codes = tensor.view(torch.uint8)
    shape = (*tensor.shape[:-1], 2 * tensor.shape[-1])
    if not codes.is_contiguous():
        copy_needed(
            copy, f"{_refuse.named(tensor)} is not contiguous, and packed elements are in row-major order"
        )
        codes, copy = codes.contiguous(), None
    elif codes.data_ptr() % ALIGNED:
        copy_needed(copy, f"{_refuse.named(tensor)} is not aligned to {ALIGNED} bytes")
    return Tensor(_exported(codes.reshape(-1), copy), dtype, shape)


def _check_scales(tensor: torch.Tensor) -> None:
    """float8_e8m0 may not hold the bytes 0x00 and 0xFF (format: element-types.md §4)."""
    codes = tensor.view(torch.uint8)
    wrong = (codes == 0x00) | (codes == 0xFF)
    if bool(wrong.any()):
        index = wrong.nonzero()[0].tolist()
        code = int(codes[tuple(index)])
        raise UnsupportedError(
            f"{_refuse.named(tensor)} holds the code {code:#04x} at {index}, which the format reserves in float8_e8m0"
        )


def copy_needed(copy: bool | None, reason: str) -> None:
    """Refuse ``copy=False`` where only a copy will do."""
    if copy is not None and not copy:
        raise CopyRequiredError(f"{reason}: it takes a copy, and copy=False forbids it")
