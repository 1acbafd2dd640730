"""Each module imports alone in a fresh interpreter, and none brings a framework along."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import files

import pytest

from tools.repository import projects

FRAMEWORKS = ("numpy", "torch", "scipy", "jax", "jaxlib", "cupy", "safetensors", "ml_dtypes")


def modules_of(distribution: str) -> list[str]:
    """The importable modules that an installed distribution brings."""
    names = []
    for path in files(distribution) or []:
        if path.suffix == ".py" and ".dist-info" not in path.parts[0] and path.name != "__main__.py":
            parts = path.with_suffix("").parts
            names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return sorted(names)


MODULES = [(name, module) for name in projects() for module in modules_of(name)]


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_there_are_modules_of_every_distribution() -> None:
    with_code = {name for name in projects() if name != "hurray"}
    assert {name for name, _ in MODULES} == with_code
    assert modules_of("hurray") == []


@pytest.mark.parametrize(("distribution", "module"), MODULES, ids=[module for _, module in MODULES])
def test_module_imports_alone(distribution: str, module: str) -> None:
    found = fresh(f"import sys, {module}; print([m for m in {FRAMEWORKS} if m in sys.modules])")
    if distribution == "hurray-core-py":
        assert found == "[]", f"{module} imports {found}"


@pytest.mark.parametrize(
    "module", ["hurray", "hurray_cli", *(f"hurray_{name}" for name in ("torch", "scipy", "jax", "cupy"))]
)
def test_package_imports_no_framework(module: str) -> None:
    assert fresh(f"import sys, {module}; print([m for m in {FRAMEWORKS} if m in sys.modules])") == "[]"


def test_numpy_bridge_is_found_without_importing_numpy() -> None:
    code = "import sys, hurray; hurray.bridges.names(); print('numpy' in sys.modules)"
    assert fresh(code) == "False"
