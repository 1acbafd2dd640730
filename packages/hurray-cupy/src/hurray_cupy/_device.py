"""Whether a device is there, which one it is to the format, and how a stream is named."""

from __future__ import annotations

from typing import Any

import cupy
from hurray import UnsupportedError

__all__ = ["handle", "kind", "need_device", "on"]

# What DLPack calls CUDA's default streams; 0 could be either and is none.
_LEGACY_DEFAULT = 1


def kind() -> str:
    """The kind of device that this CuPy was built for."""
    return "rocm" if cupy.cuda.runtime.is_hip else "cuda"


def need_device(what: str) -> None:
    """Refuse where CuPy is installed and has nothing to run on.

    :raises UnsupportedError: no device, with the driver's reason.
    """
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise UnsupportedError(f"{what}: CuPy finds no {kind()} device here: {error}") from error
    if not count:
        raise UnsupportedError(f"{what}: CuPy finds no {kind()} device here")


def handle(stream: Any) -> int | None:
    """A stream as DLPack names it: None, a CuPy stream, or a handle (04-tables.md §2).

    :raises TypeError: it is neither.
    :raises ValueError: a handle that names no stream.
    """
    if stream is None:
        return None
    if isinstance(stream, (cupy.cuda.Stream, cupy.cuda.ExternalStream)):
        return stream.ptr or (0 if kind() == "rocm" else _LEGACY_DEFAULT)
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(
            f"stream takes None, a cupy.cuda.Stream or a handle, not a {type(stream).__module__}."
            f"{type(stream).__qualname__}"
        )
    lowest = 0 if kind() == "rocm" else 1
    if stream < lowest:
        raise ValueError(
            f"stream={stream} names no stream: a handle is {lowest} or more, and 1 is CUDA's default stream"
        )
    return stream


class _External:
    """A stream of somebody else's, in CUDA's protocol for them."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.number


def on(stream: Any) -> Any:
    """A CuPy stream or a handle as a block that makes it the current one."""
    if not isinstance(stream, int):
        return stream
    if stream == _LEGACY_DEFAULT:
        return cupy.cuda.Stream.null
    adopt = getattr(cupy.cuda.Stream, "from_external", None)
    # CuPy before 14 lacks the protocol, and later releases warn of the class.
    return adopt(_External(stream)) if adopt else cupy.cuda.ExternalStream(stream)
