"""C sources of the tests, built with the system's compiler."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hurray import native

HERE = Path(__file__).parent
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def build(source: str, folder: Path, *libraries: str, include: str | None = None) -> Path:
    """Compile a C file of this folder into a shared library."""
    if COMPILER is None or sys.platform == "win32":
        pytest.skip("no C compiler is found")
    target = folder / Path(source).with_suffix(".so").name
    flags = ["-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    # What Python defines is found in the process that loads the library.
    flags += ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    flags += ["-I", include] if include else []
    command = [COMPILER, *flags, "-o", str(target), str(HERE / source), *libraries]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


def dlpack_producer(folder: Path) -> ctypes.CDLL:
    """The library of dlpack_producer.c. Its calls keep the GIL."""
    library = ctypes.PyDLL(str(build("dlpack_producer.c", folder)))
    library.producer_make.restype = ctypes.py_object
    library.producer_memory.restype = ctypes.c_void_p
    library.producer_deleted.restype = ctypes.c_long
    library.producer_destroyed.restype = ctypes.c_long
    return library


def native_peer(folder: Path) -> ctypes.CDLL:
    """The library of native_peer.c, linked against the extension module. Its calls keep the GIL."""
    library = ctypes.PyDLL(str(build("native_peer.c", folder, native.library(), include=native.include())))
    for name in ("peer_produce", "peer_rewrap", "peer_broken"):
        getattr(library, name).restype = ctypes.py_object
    library.peer_released.restype = ctypes.c_long
    return library
