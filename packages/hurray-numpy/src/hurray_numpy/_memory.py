"""Arrays over memory that somebody else owns, and arrays over memory aligned as the format wants it."""

from __future__ import annotations

from math import prod
from typing import Any, Literal

import numpy as np
from hurray import MIN_BUFFER_ALIGNMENT

__all__ = ["aligned_empty", "converted", "reinterpreted"]


class _Held:
    """Memory of ``array`` read as another dtype of the same width, holding on to ``owner``."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, array: np.ndarray[Any, Any], typestr: str, owner: object) -> None:
        interface = array.__array_interface__
        self.owner = (owner, array)
        self.__array_interface__ = {
            "version": 3,
            "typestr": typestr,
            "shape": array.shape,
            "strides": array.strides,
            "data": (interface["data"][0], not array.flags.writeable),
        }


def reinterpreted(array: np.ndarray[Any, Any], typestr: str, owner: object) -> np.ndarray[Any, Any]:
    """``array``'s bytes as ``typestr`` elements, whose base chain leads to ``owner``.

    ``array.view()`` would skip ``owner`` where it is itself a view: NumPy shortens chains of bases.
    """
    held: np.ndarray[Any, Any] = np.asarray(_Held(array, typestr, owner))
    return held


def aligned_empty(
    shape: tuple[int, ...], dtype: np.dtype[Any], order: Literal["C", "F"] = "C"
) -> np.ndarray[Any, Any]:
    """An uninitialised array whose first byte is aligned to 64 bytes, so that a tensor can share it."""
    store = np.empty(prod(shape) * dtype.itemsize + MIN_BUFFER_ALIGNMENT, np.uint8)
    offset = -store.__array_interface__["data"][0] % MIN_BUFFER_ALIGNMENT
    return np.ndarray(shape, dtype, buffer=store, offset=offset, order=order)


def converted(array: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """An aligned copy of ``array`` with its values as ``dtype``, in Fortran order where it has that only."""
    flags = array.flags
    copy = aligned_empty(array.shape, dtype, "F" if flags.f_contiguous and not flags.c_contiguous else "C")
    np.copyto(copy, array)
    return copy
