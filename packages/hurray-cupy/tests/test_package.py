"""The distribution: found under its name, released with the core, importing no CuPy before it is needed."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points, version

import hurray
import hurray_cupy


def test_registered_under_its_name() -> None:
    (entry,) = entry_points(group="hurray.bridges", name="cupy")
    assert entry.load() is hurray_cupy.bridge
    assert hurray.bridges.get("cupy") is hurray_cupy.bridge


def test_released_with_the_core() -> None:
    assert (
        version("hurray-cupy") == version("hurray-core-py") == hurray_cupy.__version__ == hurray.__version__
    )


def test_importing_it_imports_no_framework() -> None:
    code = (
        "import sys, hurray_cupy; hurray_cupy.bridge.owns(1); "
        "print([m for m in ['cupy', 'cupyx', 'numpy'] if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_cupy_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['cupy'] = None; import hurray\n"
        "try: hurray.Tensor(bytes(4), hurray.float32, (1,)).to('cupy')\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("CuPy is not installed: pip install cupy-cuda12x")
