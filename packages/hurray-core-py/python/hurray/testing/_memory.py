"""Where tensors lie, what they hold, and how much of memory a process has."""

from __future__ import annotations

import ctypes
import mmap
from math import prod
from pathlib import Path
from typing import Any

import hurray

__all__ = ["addresses", "filled", "pattern", "resident"]


# CPython's ``Py_buffer``, 11 words on a 64-bit machine, as numbers: the address comes first, the length third.
_View = ctypes.c_size_t * 11
_ADDRESS, _LENGTH = 0, 2

# A handle of our own: what is declared of ``ctypes.pythonapi`` is declared for everybody.
_api = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)
_get = _api.PyObject_GetBuffer
_get.argtypes = [ctypes.py_object, ctypes.POINTER(_View), ctypes.c_int]
_release = _api.PyBuffer_Release
_release.argtypes = [ctypes.POINTER(_View)]
_release.restype = None


def addresses(tensor: hurray.Tensor) -> tuple[int, ...]:
    """Where each buffer of a CPU tensor begins, buffer 0 at element [0, …, 0]; 0 for an empty one."""
    found = []
    for index in range(tensor.buffer_count):
        view = _View()
        _get(tensor.buffer(index), ctypes.byref(view), 0)
        offset = tensor.byte_offset if index == 0 else 0
        found.append(view[_ADDRESS] + offset if view[_LENGTH] else 0)
        _release(ctypes.byref(view))
    return tuple(found)


def pattern(dtype: str, shape: tuple[int, ...]) -> bytes:
    """Row-major elements as the format packs them, all bytes between 2 and 252, unused bits 0."""
    kind = hurray.Dtype.from_name(dtype)
    count = prod(shape)
    data = bytearray((at * 37 + 11) % 251 + 2 for at in range(hurray.buffer_size_bytes(kind, count)))
    bits = count * kind.bit_width
    for at in range(bits // 8, len(data)):
        data[at] &= (1 << max(0, bits - 8 * at)) - 1
    return bytes(data)


def filled(data: bytes) -> mmap.mmap:
    """Writable memory at the start of a page, which no allocator shares with anything else."""
    memory = mmap.mmap(-1, max(len(data), 1))
    memory[: len(data)] = data
    return memory


def resident() -> int:
    """Bytes of this process in memory: now where the system says so, else the most there ever were."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        import resource

        most: Any = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return int(most)
    return pages * mmap.PAGESIZE
