"""A tensor's bytes for a writer, which needs no alignment in memory."""

from __future__ import annotations

import ctypes
from typing import Any

import hurray
import torch

from hurray_torch._dtypes import PLAIN, VIEWED
from hurray_torch._storage import reach

__all__ = ["borrow", "memory"]

_TYPES = {**PLAIN, **VIEWED}
_E8M0 = hurray.dtype.float8_e8m0


def borrow(tensor: Any) -> tuple[Any, hurray.Dtype, tuple[int, ...], bool] | None:
    """(C-contiguous buffer, dtype, shape, Fortran order) of a plain tensor: its own memory, where that has no gaps.

    A view with gaps between its elements is gathered: a file holds its elements and not those of its storage. None for
    everything else: it has to become a tensor of the format first, or to be refused with its reason.
    """
    if type(tensor) is not torch.Tensor or tensor.layout is not torch.strided or not tensor.is_cpu:
        return None
    dtype = _TYPES.get(tensor.dtype)
    if dtype is None or dtype is _E8M0 or tensor.requires_grad or tensor.is_neg() or tensor.is_conj():
        return None
    fortran = not tensor.is_contiguous()
    if fortran and not tensor.permute(*reversed(range(tensor.dim()))).is_contiguous():
        if reach(tensor) <= tensor.numel():
            return None  # in some other order, or repeated: the layout says so
        tensor, fortran = tensor.contiguous(), False
    try:
        return memory(tensor), dtype, tuple(tensor.shape), fortran
    except RuntimeError:  # a tensor without memory of its own
        return None


def memory(tensor: torch.Tensor) -> Any:
    """The bytes from the first to the last element of a tensor without gaps, which the buffer keeps alive."""
    size = tensor.numel() * tensor.element_size()
    address = tensor.data_ptr()
    if not size:
        return b""
    if not address:
        raise RuntimeError("the tensor has no memory")
    held: Any = (ctypes.c_char * size).from_address(address)
    held.tensor = tensor
    return memoryview(held).cast("B")
