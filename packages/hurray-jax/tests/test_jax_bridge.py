"""What hurray-jax promises today: it is found, it tells its objects, it refuses, and it imports no JAX."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_jax
import pytest


def foreign(module: str, name: str) -> object:
    """An object of a class that says it comes from ``module``."""
    return type(name, (), {"__module__": module})()


def test_registered_under_its_name() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="jax")
    assert entry.load() is hurray_jax.bridge
    assert hurray.bridges.get("jax") is hurray_jax.bridge
    assert hurray_jax.bridge.name == "jax"


def test_released_with_the_core() -> None:
    assert version("hurray-jax") == version("hurray-core-py") == hurray_jax.__version__ == hurray.__version__


def test_owns_objects_of_the_framework_and_their_subclasses() -> None:
    obj = foreign("jaxlib._jax", "ArrayImpl")
    sub = type("Mine", (type(obj),), {"__module__": "somewhere.else"})()
    assert hurray_jax.bridge.owns(obj)
    assert hurray_jax.bridge.owns(sub)


@pytest.mark.parametrize(
    "obj", [1, "text", b"bytes", [1.0], None, foreign("jaxlike", "Tensor"), foreign("numpy", "ndarray")]
)
def test_owns_nothing_else(obj: object) -> None:
    assert not hurray_jax.bridge.owns(obj)


@pytest.mark.parametrize("copy", [None, False, True])
def test_from_object_says_what_works_today(copy: bool | None) -> None:
    with pytest.raises(hurray.UnsupportedError, match=r"yet; .*hurray\.from_"):
        hurray_jax.bridge.from_object(foreign("jaxlib._jax", "ArrayImpl"), copy=copy)


def test_to_object_says_what_works_today() -> None:
    tensor = hurray.Tensor(bytes(4), hurray.float32, (1,))
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        hurray_jax.bridge.to_object(tensor)
    with pytest.raises(hurray.UnsupportedError, match="yet; "):
        tensor.to("jax")


def test_imports_no_framework() -> None:
    code = "import sys, hurray_jax; print([m for m in ['jax', 'jaxlib', 'numpy'] if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
