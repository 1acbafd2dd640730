"""The distribution: found under its names, released with the core, importing no PyTorch before it is needed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_torch
import pytest
import torch


def test_registered_under_its_names() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="torch")
    assert entry.load() is hurray_torch.bridge
    (entry,) = entry_points(group="hurray.formats", name="pt")
    assert entry.load() is hurray_torch.pt
    assert hurray.bridges.get("torch") is hurray_torch.bridge


def test_released_with_the_core() -> None:
    assert (
        version("hurray-torch") == version("hurray-core-py") == hurray_torch.__version__ == hurray.__version__
    )


def test_importing_it_imports_no_framework() -> None:
    code = (
        "import sys, hurray_torch; hurray_torch.bridge.owns(1); "
        "print([m for m in ['numpy', 'torch'] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_nothing_else() -> None:
    assert [name for name in hurray_torch.__all__ if not hasattr(hurray_torch, name)] == []
    assert not hasattr(hurray_torch, "nothing")


@pytest.mark.parametrize("obj", [1, "text", [1.0], None, torch.Tensor, torch.float32])
def test_owns_tensors_alone(obj: object) -> None:
    assert hurray_torch.bridge.owns(torch.ones(1)) is True
    assert hurray_torch.bridge.owns(torch.nn.Parameter(torch.ones(1))) is True
    assert hurray_torch.bridge.owns(obj) is False
