"""Arrays out of tensors (requirements: NumPy Interoperability; rulings 6 and 8).

NumPy itself takes what the buffer protocol can say, without coming here. What is left is bool and bfloat16,
tiles and curves, a cast or a copy that NumPy asks for, and the refusals.
"""

from __future__ import annotations

import builtins
from math import prod
from typing import Any, NoReturn

import hurray
import numpy as np
from hurray import CopyRequiredError, Tensor, UnsupportedError

from hurray_numpy._dtypes import ML_NAMES, NATIVE_OF, ml_dtype
from hurray_numpy._memory import reinterpreted
from hurray_numpy._packing import unpack

__all__ = ["to_object"]

_SHARED = {"row_major", "col_major", "strided"}
_COPIED = {"tiled", "morton", "hilbert"}
_PACKED = "is packed, and NumPy has a byte for each element"
_REARRANGED = "has tiles or a curve for a layout, and NumPy has strides alone"


def to_object(tensor: Tensor, *, dtype: Any = None, copy: bool | None = None, ml_dtypes: bool = False) -> Any:
    """``tensor`` as an ndarray of its shape, sharing the memory where NumPy can express it.

    ``dtype`` and ``copy`` are NumPy's ``__array__`` protocol: cast to ``dtype``; None copies if needed, True
    always, False never. ``ml_dtypes=True`` also hands out the small types that only ml_dtypes has:
    float8 shared, the packed ones as a copy with one element a byte.

    Tiled, Morton and Hilbert tensors become arrays in C order, a copy: NumPy has no such layouts.

    :raises CopyRequiredError: ``copy=False``, and it takes a copy (bool is packed, the layout is no strides, a
        cast is asked for).
    :raises UnsupportedError: NumPy has no such elements or layout, or the data is not in host memory.
    """
    array, shared = _array(tensor, copy, ml_dtypes)
    if dtype is not None and np.dtype(dtype) != array.dtype:
        if copy is not None and not copy:
            raise CopyRequiredError(
                f"{_named(tensor)}: a cast to {np.dtype(dtype)} takes a copy, not copy=False"
            )
        return array.astype(dtype)
    return array.copy("K") if copy and shared else array


def _array(tensor: Tensor, copy: bool | None, ml_dtypes: bool) -> tuple[np.ndarray[Any, Any], bool]:
    """The tensor as an array, and whether it shares the tensor's memory."""
    _check_dense(tensor)
    dtype = tensor.dtype
    if dtype is hurray.dtype.bool:
        _copy_needed(tensor, copy, _PACKED)
        return np.ndarray(tensor.shape, np.bool_, buffer=tensor.unpack()), False  # type: ignore[arg-type]
    native = NATIVE_OF.get(dtype)
    if native is None and dtype is not hurray.dtype.bfloat16 and not ml_dtypes:
        _refuse_small(tensor)
    theirs = native if native is not None else ml_dtype(dtype)
    if dtype.is_sub_byte:
        _copy_needed(tensor, copy, _PACKED)
        return _unpacked(tensor).view(theirs), False
    if tensor.layout.name in _COPIED:
        _copy_needed(tensor, copy, _REARRANGED)
        return _rearranged(tensor).view(theirs), False
    if native is not None:
        return _shared(tensor), True
    return _over_bytes(tensor).view(theirs), True


def _check_dense(tensor: Tensor) -> None:
    """Refuse what is no plain array of numbers in host memory."""
    problem = None
    if tensor.device.kind != "cpu":
        problem = f"is on {tensor.device.kind}, and NumPy has host memory only: copy it there first"
    elif None in tensor.shape:
        index = tensor.shape.index(None)
        problem = (
            f"has a dimension that is not known yet, dimension {index} is dynamic: resolve its shape first"
        )
    elif getattr(tensor, "quantization", None) is not None:
        problem = "is quantised, and its codes are not its values: dequantise it first"
    elif tensor.layout.name not in _SHARED | _COPIED:
        problem = f"has the layout {tensor.layout.name}, which NumPy lacks; tensor.buffer(i) has its parts"
    if problem is not None:
        raise UnsupportedError(f"{_named(tensor)} {problem}")


def _shared(tensor: Tensor) -> np.ndarray[Any, Any]:
    # memoryview first: np.asarray(tensor) would come back here through __array__ if there were no buffer.
    try:
        return np.asarray(memoryview(tensor))
    except (builtins.BufferError, ValueError) as error:
        raise UnsupportedError(f"{_named(tensor)} cannot be an ndarray: {error}") from error


def _over_bytes(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The elements of one or two bytes as unsigned integers, by way of the tensor's first buffer."""
    width = tensor.dtype.bit_width // 8
    layout = tensor.layout
    strides = (
        [stride * width for stride in layout.strides] if isinstance(layout, hurray.StridedLayout) else None
    )
    array: np.ndarray[Any, Any] = np.ndarray(
        tensor.shape,  # type: ignore[arg-type]
        f"<u{width}",
        buffer=memoryview(tensor.buffer(0)),
        offset=tensor.descriptor.byte_offset,
        strides=strides,
        order="F" if layout.name == "col_major" else "C",
    )
    return reinterpreted(array, array.dtype.str, tensor)


def _unpacked(tensor: Tensor) -> np.ndarray[Any, Any]:
    shape: Any = tensor.shape
    packed = np.frombuffer(tensor.tobytes(), np.uint8)
    codes: np.ndarray[Any, Any] = unpack(packed, tensor.dtype.bit_width, prod(shape))
    return codes.reshape(shape)


def _rearranged(tensor: Tensor) -> np.ndarray[Any, Any]:
    """The elements of whole bytes in C order, as numbers of their width in memory of their own."""
    shape: Any = tensor.shape
    width = tensor.dtype.bit_width // 8
    kind = f"<u{width}" if width <= 8 else "<c16"
    return np.frombuffer(tensor.tobytes(), kind).reshape(shape).copy()


def _refuse_small(tensor: Tensor) -> NoReturn:
    name = tensor.dtype.name
    way = "tensor.tobytes() has its bytes"
    if name in ML_NAMES:
        way = f"tensor.to('numpy', ml_dtypes=True) gives ml_dtypes.{ML_NAMES[name]}"
    raise UnsupportedError(f"{_named(tensor)}: NumPy has no dtype for {tensor.dtype}; {way}")


def _copy_needed(tensor: Tensor, copy: bool | None, reason: str) -> None:
    if copy is not None and not copy:
        raise CopyRequiredError(f"{_named(tensor)} {reason}: it takes a copy, and copy=False forbids it")


def _named(tensor: Tensor) -> str:
    return f"a tensor of dtype {tensor.dtype} and shape {tensor.shape}"
