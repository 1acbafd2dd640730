"""Bridges: finding the one that owns an object, and what is said when there is none."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import hurray
import pytest
from hurray import bridges
from hurray._plugins import VARIABLE, Registry

TINY = Path(__file__).parent / "tiny_plugin"


def run(code: str, *, path: Path | None = None, **environment: str) -> str:
    """What ``code`` prints in a fresh interpreter, with ``path`` in front of the module path."""
    env = {key: value for key, value in os.environ.items() if key != VARIABLE}
    if path is not None:
        env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(path), env.get("PYTHONPATH"))))
    done = subprocess.run(  # noqa: PLW1510
        [sys.executable, "-c", code], env={**env, **environment}, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


class FakeBridge:
    """A bridge that owns the objects of one class."""

    def __init__(self, name: str, kind: type, owns: Any = None) -> None:
        self.name = name
        self.kind = kind
        self.asked = 0
        self._owns = owns

    def owns(self, obj: object) -> bool:
        self.asked += 1
        return self._owns(obj) if self._owns else isinstance(obj, self.kind)

    def from_object(self, obj: Any, *, copy: bool | None = None) -> hurray.Tensor:
        return hurray.Tensor(bytearray(4), hurray.float32, (1,))

    def to_object(self, tensor: hurray.Tensor, **options: Any) -> Any:
        return (self.name, tensor, options)


@pytest.fixture
def registry() -> Iterator[Registry]:
    """The registry of bridges, for a while without what is installed."""
    found = bridges._registry
    put(found)
    yield found
    found.clear()


def put(registry: Registry, *plugins: FakeBridge) -> None:
    """Install ``plugins`` under their names."""
    entries: Any = {
        plugin.name: [
            SimpleNamespace(load=lambda plugin=plugin: plugin, name=plugin.name, dist=None, value="x:y")
        ]
        for plugin in plugins
    }
    registry.clear()
    registry._entries = entries


class Foreign:
    """An object of a framework."""


def test_a_real_plugin_of_somebody_else() -> None:
    """DESIGN: a bridge needs only the public surface, and asarray, to() and find() reach any of them."""
    out = run(
        "import hurray, hurray_tiny\n"
        "from hurray import bridges\n"
        "row = hurray_tiny.Row([1, 2, 255])\n"
        "tensor = hurray.asarray(row)\n"
        "print(tensor.dtype.name, tensor.shape, tensor.to('tiny'), type(tensor.to('tiny')).__name__)\n"
        "print(bridges.find(row).name, bridges.find([1]), 'tiny' in bridges.names())\n"
        "print([(f.name, f.distribution, f.version, f.state) for f in bridges.report() if f.name == 'tiny'])\n"
        "try: hurray.asarray(row, copy=False)\n"
        "except hurray.CopyRequiredError as error: print(error)\n",
        path=TINY,
    )
    assert out.splitlines() == [
        "uint8 (3,) [1, 2, 255] Row",
        "tiny None True",
        "[('tiny', 'hurray-tiny', '0.1', 'ok')]",
        "a Row is not contiguous memory",
    ]


def test_the_environment_switches_a_real_plugin_off() -> None:
    code = "from hurray import bridges; print(bridges.names())"
    assert "tiny" in run(code, path=TINY)
    assert run(code, path=TINY, **{VARIABLE: "0"}) == "()\n"
    assert run(code, path=TINY, **{VARIABLE: "tiny"}) == "('tiny',)\n"


def test_importing_hurray_looks_for_no_plugin_and_loads_no_framework() -> None:
    """DESIGN rule 4: nothing imports a framework until it is handed one of its objects or asked for one."""
    code = (
        "import sys; before = set(sys.modules); import hurray; new = set(sys.modules) - before\n"
        "print(sorted(new & {'importlib.metadata', 'numpy', 'typing', 'dataclasses', 'threading', 'warnings'}))\n"
        "hurray.asarray(b'x')\n"
        "print('importlib.metadata' in sys.modules, 'numpy' in sys.modules)\n"
    )
    assert run(code, path=TINY).splitlines() == ["[]", "False False"]


def test_a_broken_plugin_never_breaks_the_import(tmp_path: Path) -> None:
    """DESIGN: a broken plugin never breaks ``import hurray``."""
    info = tmp_path / "hurray_torn-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hurray-torn\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[hurray.bridges]\ntorn = hurray_torn:bridge\n")
    (tmp_path / "hurray_torn.py").write_text("raise RuntimeError('no luck')")
    code = (
        "import warnings, hurray\n"
        "from hurray import bridges\n"
        "class Other: pass\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    print(bridges.find(Other()), bridges.find(Other()))\n"
        "print([str(w.message) for w in seen if 'torn' in str(w.message)])\n"
        "print(hurray.asarray(b'ab').shape)\n"
    )
    assert run(code, path=tmp_path).splitlines() == [
        "None None",
        "[\"the bridge 'torn' of hurray-torn 1.0 fails to load: RuntimeError: no luck\"]",
        "(2,)",
    ]


@pytest.mark.parametrize("name", ["numpy", "torch", "scipy"])
def test_a_bridge_that_is_not_installed_names_the_command(registry: Registry, name: str) -> None:
    """Packaging MUST: interop functions raise ImportError if what they need is not installed."""
    convert = getattr(hurray, f"from_{name}")
    with pytest.raises(
        ImportError, match=f"the bridge '{name}' is not installed: pip install hurray-{name}$"
    ):
        convert(object())


def test_to_asks_the_bridge_with_the_options(registry: Registry) -> None:
    put(registry, FakeBridge("foreign", Foreign))
    tensor = hurray.Tensor(bytearray(4), hurray.float32, (1,))
    assert tensor.to("foreign", speed=3) == ("foreign", tensor, {"speed": 3})
    with pytest.raises(LookupError, match="there is no bridge 'strange'; installed: foreign"):
        tensor.to("strange")


def test_find_asks_the_bridge_named_like_the_package_first(registry: Registry) -> None:
    package = Foreign.__module__.partition(".")[0]
    own, other = FakeBridge(package, Foreign), FakeBridge("aaa", Foreign)
    put(registry, other, own)
    assert bridges.find(Foreign()) is own
    assert other.asked == 0


def test_find_asks_the_others_then(registry: Registry) -> None:
    wanted = FakeBridge("zzz", Foreign)
    put(registry, FakeBridge("aaa", int), wanted)
    assert bridges.find(Foreign()) is wanted
    assert bridges.find(SimpleNamespace()) is None


def test_find_asks_nobody_about_built_in_objects(registry: Registry) -> None:
    eager = FakeBridge("eager", object)
    put(registry, eager)
    assert bridges.find(b"x") is None
    assert bridges.find([1]) is None
    assert eager.asked == 0


def test_a_bridge_that_fails_to_answer_is_passed_over(registry: Registry) -> None:
    def fail(obj: object) -> bool:
        raise ZeroDivisionError("oops")

    wanted = FakeBridge("bbb", Foreign)
    put(registry, FakeBridge("aaa", Foreign, fail), wanted)
    with pytest.warns(RuntimeWarning, match="the bridge 'aaa' fails on .*Foreign.*ZeroDivisionError: oops"):
        assert bridges.find(Foreign()) is wanted


def test_a_plugin_of_another_version_is_refused() -> None:
    """STYLE, mistake 5: distributions released together check each other's version at import."""
    bridges.require_core("hurray-x", hurray.__version__)
    with pytest.raises(
        ImportError, match=r"hurray-x 9\.9 needs hurray-core-py 9\.9, .*pip install hurray-x=="
    ):
        bridges.require_core("hurray-x", "9.9")
