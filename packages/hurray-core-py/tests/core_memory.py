"""Memory at chosen addresses, buffers as C sees them, and fresh interpreters."""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = 4096

# Flags of PyObject_GetBuffer (CPython: Include/cpython/pybuffer.h).
SIMPLE, WRITABLE, FORMAT, ND = 0, 1, 4, 8
STRIDES = 0x10 | ND
C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS = 0x20 | STRIDES, 0x40 | STRIDES, 0x80 | STRIDES
INDIRECT = 0x100 | STRIDES


class PyBuffer(ctypes.Structure):
    """CPython's ``Py_buffer``."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.POINTER(ctypes.c_ssize_t)),
        ("strides", ctypes.POINTER(ctypes.c_ssize_t)),
        ("suboffsets", ctypes.POINTER(ctypes.c_ssize_t)),
        ("internal", ctypes.c_void_p),
    )


_get = ctypes.pythonapi.PyObject_GetBuffer
_get.argtypes = [ctypes.py_object, ctypes.POINTER(PyBuffer), ctypes.c_int]
_get.restype = ctypes.c_int
_release = ctypes.pythonapi.PyBuffer_Release
_release.argtypes = [ctypes.POINTER(PyBuffer)]
_release.restype = None


@contextlib.contextmanager
def exported(obj: Any, flags: int) -> Iterator[PyBuffer]:
    """What ``obj`` exports to a consumer that asks with ``flags``."""
    view = PyBuffer()
    _get(obj, ctypes.byref(view), flags)
    try:
        yield view
    finally:
        _release(ctypes.byref(view))


def address(obj: Any) -> int:
    """Where the first element of an exporter lies."""
    with exported(obj, STRIDES) as view:
        return int(view.buf or 0)


def aligned(count: int, shift: int = 0, *, to: int = PAGE) -> memoryview:
    """``count`` zero bytes that begin ``shift`` bytes past a multiple of ``to``."""
    store = bytearray(count + 2 * to)
    start = (shift - address(store)) % to
    return memoryview(store)[start : start + count]


def python(
    code: str, *arguments: object, timeout: float = 60, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run ``code`` in a fresh interpreter; ``core_*`` helpers can be imported there."""
    paths = filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH")))
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def run(code: str, *arguments: object, timeout: float = 60, **environment: str) -> str:
    """What ``code`` prints in a fresh interpreter, which must end well."""
    done = python(code, *arguments, timeout=timeout, **environment)
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


def limit_memory(room: int) -> None:
    """Let this process map at most ``room`` bytes more than it has mapped (Linux)."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def resident(kind: str = "VmRSS") -> int:
    """Bytes of this process in memory (Linux): ``VmRSS``, or ``VmHWM`` for the most there ever were."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{kind}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(kind)
