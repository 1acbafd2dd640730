"""``hurray.aligned_allocator`` for NumPy: a data-memory handler for a block (NEP 49).

NumPy keeps the current handler in a context variable, and with each array the handler that made it. Ours is
four C functions of the core, which need no interpreter; it is made once and never freed, since arrays that it
made may be the last to go.
"""

from __future__ import annotations

import ctypes
import importlib
import re
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import hurray
import numpy as np

if TYPE_CHECKING:
    from types import TracebackType

__all__ = ["AlignedAllocator", "make"]

# Its place in NumPy's table of C functions, the same in every release that has it (1.22 and later).
_SET_HANDLER = 304
_CAPSULE_NAME = b"mem_handler"


class _Handler(ctypes.Structure):
    """PyDataMem_Handler, version 1."""

    _fields_ = (
        ("name", ctypes.c_char * 127),
        ("version", ctypes.c_uint8),
        ("ctx", ctypes.c_void_p),
        ("malloc", ctypes.c_void_p),
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.c_void_p),
    )


_preparing = threading.Lock()
_set_handler: Any = None
_capsule: Any = None
# The blocks that are open in a context, oldest first, each with the handler that its end puts back.
_open: ContextVar[tuple[tuple[AlignedAllocator, object], ...]] = ContextVar(
    "hurray_aligned_allocator", default=()
)


class AlignedAllocator:
    """The context manager of :func:`hurray.aligned_allocator`; it may be entered again, and inside itself."""

    def __enter__(self) -> None:
        _open.set((*_open.get(), (self, _set_handler(_capsule))))

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        blocks = _open.get()
        place = max((at for at, (owner, _) in enumerate(blocks) if owner is self), default=None)
        if place is None:
            raise RuntimeError(
                "the block of an aligned_allocator ends in another thread or context than it began in, "
                "whose memory handler it cannot put back"
            )
        _, before = blocks[place]
        later = blocks[place + 1 :]
        if not later:
            _set_handler(before)
        elif later[0][1] is _capsule:
            # A younger block is still open: what was there before this one is there again when that one ends.
            later = ((later[0][0], before), *later[1:])
        _open.set((*blocks[:place], *later))


def make() -> AlignedAllocator:
    """A block to enter.

    :raises UnsupportedError: NumPy is older than 1.22.
    """
    _check_version()
    with _preparing:
        if _capsule is None:
            _prepare()
    return AlignedAllocator()


def _check_version() -> None:
    found = re.match(r"(\d+)\.(\d+)", np.__version__)
    if found is not None and tuple(map(int, found.groups())) < (1, 22):
        raise hurray.UnsupportedError(
            f"NumPy {np.__version__} has no data-memory handlers (NEP 49), which came with 1.22: "
            "pip install --upgrade numpy"
        )


def _prepare() -> None:
    global _set_handler, _capsule
    python = ctypes.pythonapi
    get_pointer, new = python.PyCapsule_GetPointer, python.PyCapsule_New
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    functions = ctypes.cast(get_pointer(_c_module()._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    handler = _Handler(b"hurray aligned", 1, None, *hurray.aligned_functions())
    for kept in (handler, _CAPSULE_NAME):
        python.Py_IncRef(ctypes.py_object(kept))
    capsule = new(ctypes.addressof(handler), _CAPSULE_NAME, None)
    prototype = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)
    _set_handler, _capsule = prototype(functions[_SET_HANDLER] or 0), capsule


def _c_module() -> Any:
    """The module with NumPy's table of C functions, whose package was renamed in 2.0."""
    try:
        return importlib.import_module("numpy._core._multiarray_umath")
    except ModuleNotFoundError:
        return importlib.import_module("numpy.core._multiarray_umath")
