"""A DLPack producer that plays a CUDA device, and a real one where there is one."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "hurray-core-py/tests/dlpack_producer.c"
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


class Fake:
    """Float32 of shape (2, 3) on a device that is not there: who touches a byte of it dies of SIGSEGV."""

    def __init__(self, library: Any, kind: int = 2) -> None:
        self.c, self.kind = library, kind
        self.address: int = library.producer_memory(ctypes.c_size_t(1 << 16), 1)
        self.start = int(library.producer_deleted())
        self.asked: list[dict[str, Any]] = []

    @property
    def deleted(self) -> int:
        return int(self.c.producer_deleted()) - self.start

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.kind, 0

    def __dlpack__(self, **options: Any) -> Any:
        self.asked.append(options)
        shape = (ctypes.c_int64 * 2)(2, 3)
        head = (ctypes.c_uint32(1), ctypes.c_uint64(0), self.kind, 0, ctypes.c_uint8(2), ctypes.c_uint8(32))
        memory = (ctypes.c_void_p(self.address), ctypes.c_uint64(0))
        return self.c.producer_make(*head, 2, shape, None, *memory)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if COMPILER is None or sys.platform == "win32":
        pytest.skip("no C compiler is found")
    target = tmp_path_factory.mktemp("producer") / "producer.so"
    flags = ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else []
    command = [COMPILER, "-std=gnu11", "-fPIC", "-shared", *flags, "-o", str(target), str(SOURCE)]
    subprocess.run(command, check=True)
    found: Any = ctypes.PyDLL(str(target))
    found.producer_make.restype = ctypes.py_object
    found.producer_memory.restype = ctypes.c_void_p
    found.producer_deleted.restype = ctypes.c_long
    return found


@pytest.fixture
def fake(library: Any) -> Fake:
    return Fake(library)


@pytest.fixture
def rocm(library: Any) -> Fake:
    return Fake(library, 10)
