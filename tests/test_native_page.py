"""The C of the page about the native protocol compiles with the command that the page gives, and runs."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import hurray
import pytest

from tools.repository import ROOT, code_blocks


def test_the_example_in_c_reads_a_capsule(tmp_path: Path) -> None:
    if shutil.which("cc") is None or sys.platform != "linux":
        pytest.skip("no C compiler is found")
    page = (ROOT / "docs" / "native.md").read_text(encoding="utf-8")
    (command,), (source,) = code_blocks(page, "sh"), code_blocks(page, "c")
    (tmp_path / "peer.c").write_text(source)
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-c", command], cwd=tmp_path, env={**os.environ, "PATH": path}, check=True)
    peer = ctypes.PyDLL(str(tmp_path / "peer.so"))
    capsule: Any = hurray.Tensor(bytes([7, 8]), hurray.uint8, (2,)).__hurray__()
    api = ctypes.PyDLL(None, handle=ctypes.pythonapi._handle)
    api.PyCapsule_GetPointer.restype = api.PyCapsule_GetContext.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetContext.argtypes = [ctypes.py_object]
    pointer = api.PyCapsule_GetPointer(capsule, b"hurray_tensor")
    assert peer.first_byte(ctypes.c_void_p(pointer), ctypes.c_void_p(api.PyCapsule_GetContext(capsule))) == 7
