"""What a stream may be read from and written to (04-tables.md §2, Stream sources and destinations).

A descriptor is taken only where its bytes are those that the object itself would give or take: those of a gzip
file are the compressed ones, those of a TLS socket the encrypted ones.
"""

import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BUFFERED = (io.BufferedReader, io.BufferedWriter, io.BufferedRandom)


def source(given: "Any") -> "tuple[str, Any, Any, float | None, bytes]":
    """How to read ``given``: ("path", bytes, …), ("descriptor", int, …) or ("memory", buffer, …).

    Behind the target: its name for messages, its timeout in seconds, and what was already read of it.
    """
    if isinstance(given, io.BytesIO):
        raise TypeError("an io.BytesIO has no descriptor; read its bytes: hurray.StreamReader(f.getvalue())")
    try:
        return _transport(given, "read from")
    except _NoTransport as refused:
        try:
            return "memory", memoryview(given), None, None, b""
        except TypeError:
            raise TypeError(str(refused)) from None


def destination(given: "Any") -> "tuple[str, Any, Any, float | None, bytes]":
    """How to write to ``given``; what a buffered file holds back is written first."""
    if isinstance(given, io.BytesIO):
        raise TypeError(
            "an io.BytesIO has no descriptor; build the stream in memory: hurray.StreamWriter() and getvalue()"
        )
    try:
        return _transport(given, "written to")
    except _NoTransport as refused:
        raise TypeError(str(refused)) from None


class _NoTransport(Exception):
    pass


def _transport(given: "Any", done: str) -> "tuple[str, Any, Any, float | None, bytes]":
    if isinstance(given, (str, os.PathLike)):
        return "path", os.fsencode(given), given, None, b""
    if isinstance(given, bool):
        raise TypeError(f"a stream is {done} a path, a socket, an open file or a descriptor; got bool")
    if isinstance(given, int):
        return "descriptor", given, None, None, b""
    file = getattr(given, "file", given) if type(given).__module__ == "tempfile" else given
    name = getattr(file, "name", None)
    if isinstance(file, io.TextIOBase):
        raise TypeError("the file is open as text; open it with mode 'rb' or 'wb', or pass its .buffer")
    if isinstance(file, io.FileIO):
        return "descriptor", file.fileno(), name, None, b""
    if isinstance(file, _BUFFERED) and isinstance(file.raw, io.FileIO):
        number = file.fileno()
        return "descriptor", number, name, None, _settled(file)
    if _is_socket(file):
        return "descriptor", file.fileno(), None, file.gettimeout(), b""
    if not hasattr(file, "fileno"):
        kind = type(file).__name__
        raise _NoTransport(
            f"a stream is {done} a path, a socket, a pipe or an open file; a {kind} has no descriptor"
        )
    if any(hasattr(file, method) for method in ("read", "write", "recv", "send")):
        kind = type(file).__name__
        raise TypeError(
            f"the descriptor of a {kind} may carry other bytes than the object itself (compressed, encrypted, "
            "framed); pass fileno() if they are the stream, or the whole content as bytes"
        )
    return "descriptor", file.fileno(), name, None, b""


def _is_socket(given: "Any") -> bool:
    """A plain socket; a class that receives in another way gives other bytes than its descriptor."""
    module = sys.modules.get("socket")
    if module is None or not isinstance(given, module.socket):
        return False
    return type(given).recv_into is module.socket.recv_into


def _settled(file: "Any") -> bytes:
    """Brings a buffered file and its descriptor together: pending bytes out, bytes read ahead taken over."""
    if not isinstance(file, io.BufferedReader):
        file.flush()
        return b""
    if file.seekable():
        return bytes(file.read(os.lseek(file.fileno(), 0, os.SEEK_CUR) - file.tell()))
    # peek() of an empty buffer would wait for the pipe: for that one call, the pipe has nothing to give.
    file.raw.readinto = lambda _: None
    try:
        ahead = len(file.peek())
    finally:
        del file.raw.readinto
    return bytes(file.read(ahead)) if ahead else b""
