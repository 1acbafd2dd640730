"""The distribution: found under its name, released with the core, importing no JAX before it is needed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_jax
import jax
import jax.numpy as jnp
import pytest


def test_registered_under_its_name() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="jax")
    assert entry.load() is hurray_jax.bridge
    assert hurray.bridges.get("jax") is hurray_jax.bridge


def test_released_with_the_core() -> None:
    assert version("hurray-jax") == version("hurray-core-py") == hurray_jax.__version__ == hurray.__version__


def test_importing_it_imports_no_framework() -> None:
    code = (
        "import sys, hurray_jax; hurray_jax.bridge.owns(1); "
        "print([m for m in ['jax', 'jaxlib', 'numpy', 'ml_dtypes'] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "obj", [1, "text", [1.0], None, jax.Array, jnp.float32, jax.ShapeDtypeStruct((1,), "f4")]
)
def test_owns_arrays_alone(obj: object) -> None:
    assert hurray_jax.bridge.owns(jnp.ones(1)) is True
    assert hurray_jax.bridge.owns(obj) is False


def test_without_jax_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['jax'] = None; import hurray\n"
        "try: hurray.Tensor(bytes(4), hurray.float32, (1,)).to('jax')\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "JAX is not installed: pip install jax"
