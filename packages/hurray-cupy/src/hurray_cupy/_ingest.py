"""Tensors out of CuPy arrays (requirements: DLPack, copy on ingest; 04-tables.md §2 ``stream``)."""

from __future__ import annotations

from typing import Any

import cupy
from hurray import Tensor, UnsupportedError, from_dlpack

from hurray_cupy._device import handle, need_device
from hurray_cupy._dtypes import NAMES, way_out

__all__ = ["Streamed", "from_object"]

_DO_NOT_WAIT = -1


class Streamed:
    """A producer that is asked with a stream, which :func:`hurray.from_dlpack` names to nobody by itself."""

    def __init__(self, producer: Any, stream: int) -> None:
        self.producer, self.stream = producer, stream

    def __dlpack_device__(self) -> Any:
        return self.producer.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> Any:
        return self.producer.__dlpack__(stream=self.stream, **options)


def from_object(obj: Any, *, copy: bool | None = None, stream: Any = None) -> Tensor:
    """A CuPy array as a tensor of the same shape on its device, sharing the memory; strides become the layout.

    A tensor says that its memory is ready. ``stream=None`` makes that true by waiting for the current stream of the
    array's device. With a :class:`cupy.cuda.Stream`, or a handle as DLPack counts them, nobody waits: that stream does,
    on the device, and only what is queued there may read the tensor.

    ``copy=True`` copies on the device, in the current stream; None and False share. No byte comes to the host.

    :raises UnsupportedError: the format has no such elements, they would have to be packed on the device (bool),
        the array is sparse, or there is no device.
    :raises TypeError: ``obj`` is no CuPy array, or ``stream`` no stream.
    :raises ValueError: a handle that names no stream.
    """
    _check(obj)
    number = handle(stream)
    need_device(named(obj))
    with obj.device:
        array = obj.copy() if copy else obj
        if number is None:
            cupy.cuda.get_current_stream().synchronize()
            number = _DO_NOT_WAIT
        return from_dlpack(Streamed(array, number))


def _check(obj: Any) -> None:
    kind = type(obj)
    if not isinstance(obj, cupy.ndarray):
        where = f"{kind.__module__}.{kind.__qualname__}"
        if where.startswith("cupyx.scipy.sparse"):
            raise UnsupportedError(
                f"a {where} is sparse: hurray.from_scipy(x.get()) takes it by way of the host, or pass x.data, "
                "x.indices and x.indptr as tensors"
            )
        raise TypeError(
            f"the cupy bridge takes a cupy.ndarray, not a {where}: use hurray.asarray, or cupy.asarray(obj) first"
        )
    if obj.dtype.name not in NAMES:
        raise UnsupportedError(f"{named(obj)} {way_out(obj.dtype.name)}")


def named(array: Any) -> str:
    """The array in an error."""
    return f"a CuPy array of dtype {array.dtype} and shape {array.shape}"
