"""For programs in C and languages that speak C: where the header and the library of the native protocol are.

A capsule of :meth:`hurray.Tensor.__hurray__` is read and made with the functions of ``hurray.h``. Its handles are
opaque, and only the library that made them knows what is in them: link against the one that :func:`library`
names, or look the functions up in it.
"""

from __future__ import annotations

__all__ = ["include", "library"]


def include() -> str:
    """The folder that holds ``hurray.h``, the header of the C ABI (version 4), for a compiler's ``-I``."""
    import os

    return os.path.join(os.path.dirname(__file__), "include")


def library() -> str:
    """The path of the shared library with the functions of ``hurray.h``: the extension module itself."""
    from hurray import _core

    path = _core.__file__
    assert path is not None  # noqa: S101 - an extension module is a file
    return path
