"""CuPy arrays out of tensors (requirements: DLPack; 04-tables.md §2 ``stream``)."""

from __future__ import annotations

import builtins
from contextlib import nullcontext
from typing import Any

import cupy
from hurray import CopyRequiredError, Tensor, UnsupportedError

from hurray_cupy._device import handle, kind, need_device, on
from hurray_cupy._dtypes import NAMES

__all__ = ["to_object"]

_STRIDES = frozenset({"row_major", "col_major", "strided"})
_REARRANGED = frozenset({"tiled", "morton", "hilbert"})


def to_object(tensor: Tensor, *, copy: bool | None = None, stream: Any = None) -> Any:
    """``tensor`` as a CuPy array of its shape.

    Memory of CuPy's device is shared, read-only memory excepted, of which CuPy knows nothing. Host memory is copied to
    the current device; tiles and curves are put in row-major order on the way, and bool gets a byte for each element.

    The work is queued in ``stream`` (a :class:`cupy.cuda.Stream` or a handle), or in the current one. ``copy``: None
    copies if needed, True always, False never.

    :raises CopyRequiredError: ``copy=False``, and the tensor is in host memory.
    :raises UnsupportedError: CuPy has no such elements or layout, or the tensor's device is not here.
    :raises TypeError: ``stream`` is no stream.
    :raises ValueError: a handle that names no stream.
    """
    handle(stream)
    here = tensor.device.kind == "cpu"
    _check(tensor, here)
    if here and copy is not None and not copy:
        raise CopyRequiredError(
            f"{named(tensor)} is in host memory: it takes a copy to the device, and copy=False forbids it"
        )
    need_device(named(tensor))
    with nullcontext() if stream is None else on(stream):
        if here:
            return cupy.asarray(tensor.to("numpy"))
        with cupy.cuda.Device(tensor.device.device_id or 0):
            array = _shared(tensor)
            return array.copy() if copy else array


def _shared(tensor: Tensor) -> Any:
    try:
        return cupy.from_dlpack(tensor)
    except builtins.BufferError as error:
        raise UnsupportedError(f"{named(tensor)} cannot cross to CuPy: {error}") from error


def _check(tensor: Tensor, here: bool) -> None:
    """Refuse what is no plain array of numbers, and what is on another kind of device."""
    problem = None
    layout, dtype = tensor.layout.name, tensor.dtype.name
    if layout not in _STRIDES | (_REARRANGED if here else frozenset()):
        problem = (
            f"has the layout {layout}, which a CuPy array lacks; t.buffer(i) has its parts, and "
            "cupyx.scipy.sparse takes what hurray's to_scipy() gives"
        )
    elif tensor.quantization is not None:
        problem = "is quantised, and its codes are not its values: t.buffer(0) has the codes"
    elif None in tensor.shape:
        problem = f"has a dimension that is not known yet, dimension {tensor.shape.index(None)} is dynamic"
    elif dtype not in NAMES and not (here and dtype == "bool"):
        problem = "has elements that CuPy has no type for"
        if tensor.extension_type is not None:
            problem = "has elements of an extension type, and CuPy has no type for them"
    elif not here and tensor.device.kind != kind():
        problem = f"is on {tensor.device.kind}, and this CuPy is for {kind()}"
    if problem is not None:
        raise UnsupportedError(f"{named(tensor)} {problem}")


def named(tensor: Tensor) -> str:
    """The tensor in an error."""
    return f"a tensor of dtype {tensor.dtype} and shape {tensor.shape}"
