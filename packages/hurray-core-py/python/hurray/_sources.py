"""What a caller may name a file by, and where bytes may go."""

import io
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_REAL = (io.FileIO, io.BufferedReader, io.BufferedRandom, io.BufferedWriter)


def source(file: "Any") -> "tuple[str, Any, Any]":
    """How to read ``file``: ("path", bytes, name), ("descriptor", int, name) or ("memory", buffer, name).

    A ``str`` or path-like names a file; ``bytes`` and other buffers are a file's content. An open file
    of the operating system is read whole through its descriptor, whatever its position; any other
    object with ``read()``, such as one that decompresses, is read from its position to its end.
    """
    if isinstance(file, (str, os.PathLike)):
        return "path", os.fsencode(file), file
    if isinstance(file, bool):
        raise TypeError("a file is a path, an open file, a descriptor or bytes; got bool")
    if isinstance(file, int):
        return "descriptor", file, None
    real = _real(file)
    if real is not None:
        if real.writable():
            real.flush()
        return "descriptor", real.fileno(), getattr(real, "name", None)
    if isinstance(file, io.BytesIO):
        return "memory", file.getbuffer(), None
    if hasattr(file, "read"):
        return "memory", _content(file), getattr(file, "name", None)
    return "memory", file, None


def _real(file: "Any") -> "Any":
    """The file object whose descriptor holds exactly what reading it gives, if there is one."""
    file = getattr(file, "file", file) if type(file).__module__ == "tempfile" else file
    if isinstance(file, io.TextIOBase):
        raise TypeError("the file is open as text; open it with mode 'rb'")
    raw = getattr(file, "raw", file)
    return file if isinstance(file, _REAL) and isinstance(raw, io.FileIO) else None


def _content(file: "Any") -> bytes:
    data = file.read()
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(
            f"read() of {type(file).__name__} gave {type(data).__name__}, not bytes; open it as binary"
        )
    return bytes(data)


def sink(file: "Any") -> "Any":
    """A descriptor to write to, or a ``write`` method.

    A file of the operating system is written through its descriptor, after what it holds buffered.
    """
    if isinstance(file, int) and not isinstance(file, bool):
        return file
    real = _real(file)
    if real is not None:
        if not real.writable():
            raise io.UnsupportedOperation("the file is not open for writing")
        real.flush()
        return real.fileno()
    write = getattr(file, "write", None)
    if write is None:
        raise TypeError(f"bytes go to an open file or a descriptor, got {type(file).__name__}")
    return write
