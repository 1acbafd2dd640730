"""A bridge of somebody else's, as a distribution that pip installs (DESIGN: the two plugin points)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from core_memory import run
from core_wheels import install, wheel

TINY = (Path(__file__).parent / "tiny_plugin" / "hurray_tiny.py").read_text(encoding="utf-8")
ENTRY = "[hurray.bridges]\ntiny = hurray_tiny:bridge\n"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the distribution is installed."""
    folder, target = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("site")
    install(target, wheel(folder, "hurray-tiny", ENTRY, {"hurray_tiny.py": TINY}))
    return target


def printed(code: str, *sites: Path) -> list[str]:
    """The lines that ``code`` prints where the folders are on the module path."""
    path = os.pathsep.join(filter(None, (*map(str, sites), os.environ.get("PYTHONPATH"))))
    return run(code, PYTHONPATH=path).splitlines()


def test_it_is_found_by_its_entry_point(site: Path) -> None:
    code = """
import hurray
from hurray import bridges
from hurray_tiny import Row
row = Row([1, 2, 255])
t = hurray.asarray(row)
print(t.dtype.name, t.shape, type(t.to("tiny")).__name__, t.to("tiny"), bridges.get("tiny").owns(row))
print([(f.distribution, f.version, f.state) for f in bridges.report() if f.name == "tiny"])
"""
    assert printed(code, site) == ["uint8 (3,) Row [1, 2, 255] True", "[('hurray-tiny', '0.1', 'ok')]"]


def test_two_distributions_with_one_name_are_an_error_that_names_both(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "site"
    modules = {"hurray_teeny.py": TINY}
    install(
        other, wheel(tmp_path, "hurray-teeny", ENTRY.replace("hurray_tiny", "hurray_teeny"), modules, "7")
    )
    code = """
import hurray
from hurray import bridges
t = hurray.Tensor(bytes(3), hurray.uint8, (3,))
try: t.to("tiny")
except ImportError as error: print(error)
print(sorted((f.distribution, f.state) for f in bridges.report() if f.name == "tiny"))
print(hurray.asarray(b"ab").shape)
"""
    said, report, shape = printed(code, site, other)
    assert "hurray-tiny 0.1" in said
    assert "hurray-teeny 7" in said
    assert report == "[('hurray-teeny', 'duplicate'), ('hurray-tiny', 'duplicate')]"
    assert shape == "(2,)"


def test_one_that_does_not_import_harms_nothing(site: Path, tmp_path: Path) -> None:
    other = tmp_path / "site"
    entry = "[hurray.bridges]\ntorn = hurray_torn:bridge\n"
    install(other, wheel(tmp_path, "hurray-torn", entry, {"hurray_torn.py": "1 / 0\n"}, "3"))
    code = """
import hurray
from hurray import bridges
from hurray_tiny import Row
print(hurray.asarray(Row([1])).to("tiny"))
print([(f.name, f.state, f.detail) for f in bridges.report() if f.name == "torn"])
try: hurray.zeros((2,)).to("torn")
except ImportError as error: print(error)
"""
    row, report, said = printed(code, site, other)
    assert row == "[1]"
    text = "the bridge 'torn' of hurray-torn 3 fails to load: ZeroDivisionError: division by zero"
    assert report == f"[('torn', 'broken', \"{text}\")]"
    assert said == text


@pytest.mark.parametrize("method", ["to_torch", "to_scipy"])
def test_a_method_without_its_plugin_says_what_to_install(method: str) -> None:
    """Packaging MUST: ImportError with the command that mends it; 04-tables §4: never by the bare name."""
    code = f"""
import hurray
try: hurray.zeros((2, 2)).{method}()
except ImportError as error: print(error)
"""
    name = method.removeprefix("to_")
    # Nothing is installed, as far as discovery says.
    nothing = "from hurray import bridges\nbridges._registry._entries = {}\n"
    assert printed(nothing + code) == [f"the bridge {name!r} is not installed: pip install hurray-{name}"]
