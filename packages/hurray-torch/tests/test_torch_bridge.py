"""What hurray-torch promises today: it is found, it tells its objects, it refuses, and it imports no PyTorch."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_torch
import pytest


def foreign(module: str, name: str) -> object:
    """An object of a class that says it comes from ``module``."""
    return type(name, (), {"__module__": module})()


def test_registered_under_its_name() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="torch")
    assert entry.load() is hurray_torch.bridge
    assert hurray.bridges.get("torch") is hurray_torch.bridge
    assert hurray_torch.bridge.name == "torch"


def test_released_with_the_core() -> None:
    assert (
        version("hurray-torch") == version("hurray-core-py") == hurray_torch.__version__ == hurray.__version__
    )


def test_owns_objects_of_the_framework_and_their_subclasses() -> None:
    obj = foreign("torch", "Tensor")
    sub = type("Mine", (type(obj),), {"__module__": "somewhere.else"})()
    assert hurray_torch.bridge.owns(obj)
    assert hurray_torch.bridge.owns(sub)


@pytest.mark.parametrize(
    "obj", [1, "text", b"bytes", [1.0], None, foreign("torchlike", "Tensor"), foreign("numpy", "ndarray")]
)
def test_owns_nothing_else(obj: object) -> None:
    assert not hurray_torch.bridge.owns(obj)


@pytest.mark.parametrize("copy", [None, False, True])
def test_from_object_says_what_works_today(copy: bool | None) -> None:
    with pytest.raises(hurray.UnsupportedError, match=r"yet; .*hurray\.from_"):
        hurray_torch.bridge.from_object(foreign("torch", "Tensor"), copy=copy)


def test_to_object_says_what_works_today() -> None:
    tensor = hurray.Tensor(bytes(4), hurray.float32, (1,))
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        hurray_torch.bridge.to_object(tensor)
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        tensor.to("torch")


def test_imports_no_framework() -> None:
    code = "import sys, hurray_torch; print([m for m in ['numpy', 'torch'] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
