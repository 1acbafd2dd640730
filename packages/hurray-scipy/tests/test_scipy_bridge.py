"""What hurray-scipy promises today: it is found, it tells its objects, it refuses, and it imports no SciPy."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_scipy
import pytest


def foreign(module: str, name: str) -> object:
    """An object of a class that says it comes from ``module``."""
    return type(name, (), {"__module__": module})()


def test_registered_under_its_name() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="scipy")
    assert entry.load() is hurray_scipy.bridge
    assert hurray.bridges.get("scipy") is hurray_scipy.bridge
    assert hurray_scipy.bridge.name == "scipy"


def test_released_with_the_core() -> None:
    assert (
        version("hurray-scipy") == version("hurray-core-py") == hurray_scipy.__version__ == hurray.__version__
    )


def test_owns_objects_of_the_framework_and_their_subclasses() -> None:
    obj = foreign("scipy.sparse._csr", "csr_matrix")
    sub = type("Mine", (type(obj),), {"__module__": "somewhere.else"})()
    assert hurray_scipy.bridge.owns(obj)
    assert hurray_scipy.bridge.owns(sub)


@pytest.mark.parametrize(
    "obj", [1, "text", b"bytes", [1.0], None, foreign("scipylike", "Tensor"), foreign("numpy", "ndarray")]
)
def test_owns_nothing_else(obj: object) -> None:
    assert not hurray_scipy.bridge.owns(obj)


@pytest.mark.parametrize("copy", [None, False, True])
def test_from_object_says_what_works_today(copy: bool | None) -> None:
    with pytest.raises(hurray.UnsupportedError, match=r"yet; .*hurray\.from_"):
        hurray_scipy.bridge.from_object(foreign("scipy.sparse._csr", "csr_matrix"), copy=copy)


def test_to_object_says_what_works_today() -> None:
    tensor = hurray.Tensor(bytes(4), hurray.float32, (1,))
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        hurray_scipy.bridge.to_object(tensor)
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        tensor.to("scipy")


def test_imports_no_framework() -> None:
    code = "import sys, hurray_scipy; print([m for m in ['numpy', 'scipy'] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
