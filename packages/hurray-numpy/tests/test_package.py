"""The distribution: entry points, versions, and what is imported when."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import hurray
import hurray_numpy
import numpy as np
from hurray import bridges, formats


def run(code: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def test_the_plugins_are_registered() -> None:
    bridge: object = bridges.get("numpy")
    npy: object = formats.get("npy")
    npz: object = formats.get("npz")
    assert (bridge, npy, npz) == (hurray_numpy.bridge, hurray_numpy.npy, hurray_numpy.npz)
    (found,) = [found for found in bridges.report() if found.name == "numpy"]
    assert (found.distribution, found.version, found.state) == (
        "hurray-numpy",
        hurray_numpy.__version__,
        "ok",
    )


def test_the_versions_agree() -> None:
    """STYLE, mistake 5: one version, pinned with ``==`` and compared at import."""
    assert hurray_numpy.__version__ == hurray.__version__ == metadata.version("hurray-numpy")
    assert f"hurray-core-py=={hurray.__version__}" in (metadata.requires("hurray-numpy") or [])


def test_finding_the_plugins_imports_no_numpy() -> None:
    """DESIGN rule 4: nothing imports NumPy until it is handed an array or asked for one."""
    code = (
        "import sys, hurray\n"
        "from hurray import bridges, formats\n"
        "bridges.get('numpy').owns(object()), bridges.report(), formats.get('npy'), formats.get('npz')\n"
        "print('numpy' in sys.modules)\n"
        "class Foreign: pass\n"
        "bridges.find(Foreign()); print('numpy' in sys.modules)\n"
    )
    assert run(code) == ["False", "False"]


def test_owns_arrays_of_any_subclass_and_scalars() -> None:
    owns = hurray_numpy.bridge.owns
    for obj in (np.zeros(1), np.zeros((1, 1)).view(np.matrix), np.ma.masked_array([1]), np.float32(1)):
        assert owns(obj)
    for other in (np.dtype("f4"), np, [1], None, np.random.default_rng()):
        assert not owns(other)


def test_a_core_of_another_version_is_refused() -> None:
    code = (
        "import hurray; hurray.__version__ = '9.9'\n"
        "try: hurray.from_numpy(None)\n"
        "except ImportError as error: print(error)\n"
    )
    (text,) = run(code)
    assert "hurray-numpy" in text
    assert "pip install hurray-numpy==9.9" in text
