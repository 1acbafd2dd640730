"""One version: the workspace states it, and everything released together repeats it."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import hurray
import pytest

from tools.repository import ROOT, projects, workspace_version

VERSION = workspace_version()


def requirements(project: dict[str, Any]) -> list[str]:
    """All that a distribution depends on, its extras included."""
    table = project["project"]
    extras = table.get("optional-dependencies", {}).values()
    return [*table.get("dependencies", []), *(one for extra in extras for one in extra)]


def test_all_distributions_are_here() -> None:
    names = {"core-py", "numpy", "torch", "scipy", "jax", "cupy", "cli"}
    assert set(projects()) == {"hurray", *(f"hurray-{name}" for name in names)}


@pytest.mark.parametrize("name", sorted(projects()))
def test_states_the_version_of_the_workspace(name: str) -> None:
    table = projects()[name]["project"]
    assert table["name"] == name
    assert table["version"] == VERSION
    assert version(name) == VERSION
    assert table["requires-python"] == ">=3.10"
    assert table["license"] == "MIT OR Apache-2.0"


@pytest.mark.parametrize("name", sorted(projects()))
def test_pins_its_siblings_exactly(name: str) -> None:
    ours = [one for one in requirements(projects()[name]) if one.startswith("hurray")]
    assert ours or name == "hurray-core-py"
    # The umbrella's own extras may name each other.
    assert [one for one in ours if not one.endswith(f"=={VERSION}") and not one.startswith("hurray[")] == []


def test_module_states_the_version() -> None:
    assert hurray.__version__ == VERSION


def test_changelogs_speak_of_the_version() -> None:
    changelogs = [ROOT / "CHANGELOG.md", *sorted(ROOT.glob("packages/*/CHANGELOG.md"))]
    assert len(changelogs) == len(projects()) + 1
    assert [str(path) for path in changelogs if VERSION not in path.read_text(encoding="utf-8")] == []


def test_compatibility_matrix_speaks_of_the_series() -> None:
    series = VERSION.rpartition(".")[0]
    assert f"| {series} |" in (ROOT / "COMPAT-MATRIX.md").read_text(encoding="utf-8")
