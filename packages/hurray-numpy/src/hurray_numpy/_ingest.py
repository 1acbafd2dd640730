"""Tensors out of arrays (requirements: NumPy Interoperability, copy on ingest)."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import hurray
import numpy as np
from hurray import CopyRequiredError, Tensor, UnsupportedError, bridges

from hurray_numpy._dtypes import NATIVE, from_ml, ml_name, native_order, way_out
from hurray_numpy._memory import aligned_empty, converted, reinterpreted
from hurray_numpy._packing import pack

__all__ = ["borrow", "from_object"]

_ndarray = np.ndarray
bridges.trust(_ndarray)
_from_buffer: Callable[..., Tensor] = Tensor.from_buffer


def from_object(obj: Any, *, copy: bool | None = None) -> Tensor:
    """An ndarray or a NumPy scalar as a tensor of the same shape; see :func:`hurray.from_numpy`.

    :raises CopyRequiredError: ``copy=False``, and the memory cannot be shared as it is.
    :raises UnsupportedError: the format has no such elements.
    :raises TypeError: ``obj`` is neither.
    """
    if type(obj) is _ndarray:
        try:
            return _from_buffer(obj, copy=copy)
        except CopyRequiredError:
            raise
        except (UnsupportedError, ValueError, builtins.BufferError):
            pass  # not one of NumPy's own numbers in native order, each of which has a format that the core reads
    return _from_any(obj, copy)


def borrow(array: Any) -> tuple[Any, hurray.Dtype, tuple[int, ...], bool] | None:
    """A contiguous array of ml_dtypes' for a writer: (C-contiguous buffer, dtype, shape, Fortran order).

    A file needs no alignment in memory, so nothing is copied. None for everything else: what NumPy has a type for
    the writer takes by itself, by the buffer protocol, and the rest has to be a tensor first.
    """
    if type(array) is not _ndarray:
        return None
    dtype = from_ml(ml_name(array.dtype) or "")
    if dtype is None or dtype.is_sub_byte or not array.dtype.isnative:
        return None
    fortran = not array.flags.c_contiguous
    if fortran and not array.flags.f_contiguous:
        return None
    plain = array.T if fortran else array
    return reinterpreted(plain, f"<u{array.dtype.itemsize}", array), dtype, array.shape, fortran


def _from_any(obj: Any, copy: bool | None) -> Tensor:
    if isinstance(obj, np.generic):
        _copy_needed(copy, f"the NumPy scalar {obj!r} is not memory of its own")
        obj = np.asarray(obj)
    if not isinstance(obj, _ndarray):
        kind = type(obj)
        raise TypeError(
            f"from_numpy takes an ndarray or a NumPy scalar, not a {kind.__module__}.{kind.__qualname__}: "
            "use hurray.asarray, or numpy.asarray(obj, dtype=...) first"
        )
    if isinstance(obj, np.ma.MaskedArray):
        raise UnsupportedError(
            f"{_named(obj)} is masked, and the format has no masks: pass array.filled(value), or array.data "
            "and array.mask as two tensors"
        )
    if obj.dtype in NATIVE:  # a subclass: memmap, matrix
        return _from_buffer(obj, copy=copy)
    if native_order(obj.dtype) in NATIVE:
        return _from_swapped(obj, copy)
    dtype = from_ml(ml_name(obj.dtype) or "")
    if dtype is None:
        raise UnsupportedError(f"{_named(obj)}: {way_out(obj.dtype)}")
    return _from_packable(obj, dtype, copy) if dtype.is_sub_byte else _from_whole(obj, dtype, copy)


def _from_swapped(array: np.ndarray[Any, Any], copy: bool | None) -> Tensor:
    _copy_needed(copy, f"{_named(array)} is in foreign byte order, and the format is little-endian")
    native = converted(array, array.dtype.newbyteorder("="))
    native.flags.writeable = _stays_writable(array, copy)
    return _from_buffer(native)


def _from_whole(array: np.ndarray[Any, Any], dtype: hurray.Dtype, copy: bool | None) -> Tensor:
    """ml_dtypes' elements of one or two bytes: the same bits under an integer's name."""
    typestr = f"{'<' if array.dtype.isnative else '>'}u{array.dtype.itemsize}"
    bits = reinterpreted(array, typestr, array)
    if dtype is hurray.dtype.float8_e8m0:
        _check_scales(array, bits)
    if bits.dtype not in NATIVE:
        _copy_needed(copy, f"{_named(array)} is in foreign byte order, and the format is little-endian")
        bits = converted(bits, bits.dtype.newbyteorder("="))
        bits.flags.writeable = _stays_writable(array, copy)
        copy = None
    return _from_buffer(bits, dtype, copy=copy)


def _from_packable(array: np.ndarray[Any, Any], dtype: hurray.Dtype, copy: bool | None) -> Tensor:
    """ml_dtypes' elements of 2, 4 and 6 bits, one a byte, packed in row-major order."""
    _copy_needed(copy, f"{_named(array)} has a byte for each element, and the format packs {dtype.name}")
    codes = reinterpreted(array, "|u1", array).reshape(-1)
    if dtype.is_float and codes.size and codes.max() >> dtype.bit_width:
        raise UnsupportedError(
            f"{_named(array)} has bits set above its {dtype.bit_width}, which have no place in the format: "
            f"clear them with array.view('uint8') & {(1 << dtype.bit_width) - 1}"
        )
    size = hurray.buffer_size_bytes(dtype, codes.size)
    packed = aligned_empty((size,), np.dtype(np.uint8))
    pack(codes, dtype.bit_width, packed)
    packed.flags.writeable = _stays_writable(array, copy)
    return Tensor(packed.data, dtype, array.shape)


def _stays_writable(array: np.ndarray[Any, Any], copy: bool | None) -> bool:
    """Whether a copy of ``array`` may be written to: one that was asked for, or one of what could be."""
    return bool(copy) or array.flags.writeable


def _check_scales(array: np.ndarray[Any, Any], bits: np.ndarray[Any, Any]) -> None:
    """float8_e8m0 may not hold the bytes 0x00 and 0xFF (format: element-types.md §4)."""
    if bits.size and (bits.min() == 0x00 or bits.max() == 0xFF):
        index = np.argwhere((bits == 0x00) | (bits == 0xFF))[0].tolist()
        raise UnsupportedError(
            f"{_named(array)} holds {array[tuple(index)]} at {index}: "
            "the format reserves this code of float8_e8m0"
        )


def _copy_needed(copy: bool | None, reason: str) -> None:
    """Refuse ``copy=False`` where only a copy will do."""
    if copy is not None and not copy:
        raise CopyRequiredError(f"{reason}: it takes a copy, and copy=False forbids it")


def _named(array: np.ndarray[Any, Any]) -> str:
    return f"an array of dtype {array.dtype} and shape {array.shape}"
