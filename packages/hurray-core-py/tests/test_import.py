"""``import hurray`` in a fresh interpreter: what it brings in, and each module alone (DESIGN, rule 4)."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import hurray
import pytest
from core_memory import run

FRAMEWORKS = ("numpy", "torch", "scipy", "jax", "cupy", "ml_dtypes", "safetensors", "click", "rich")
MODULES = sorted(f"hurray.{info.name}" for info in pkgutil.iter_modules(hurray.__path__))

# What our own code imports beyond a bare interpreter; site and what pip's .pth files bring do not count.
IMPORTED = "import sys; before = set(sys.modules); {code}; print(*sorted(set(sys.modules) - before))"


def imported(code: str) -> set[str]:
    """The modules that ``code`` imports in a fresh interpreter without site packages of its own making."""
    return set(run(IMPORTED.format(code=code)).split())


def test_import_brings_no_framework() -> None:
    """Optional dependencies: none required at import time. import hurray imports no NumPy."""
    found = imported("import hurray")
    assert found.isdisjoint(FRAMEWORKS)
    assert not any(name.startswith(("hurray_", "importlib.metadata")) for name in found)


def test_import_brings_little_of_the_standard_library() -> None:
    """Issue 3: ≤ 5 ms over the bare interpreter; what is heavy is imported when it is needed."""
    heavy = {
        "typing",
        "inspect",
        "dataclasses",
        "re",
        "asyncio",
        "json",
        "tempfile",
        "shutil",
        "subprocess",
        "logging",
    }
    found = imported("import hurray")
    assert found.isdisjoint(heavy)
    assert len(found) < 40


@pytest.mark.parametrize("name", ["bridges", "formats", "convert"])
def test_what_only_some_need_is_imported_when_it_is_asked_for(name: str) -> None:
    module = {"bridges": "hurray.bridges", "formats": "hurray.formats", "convert": "hurray._convert"}[name]
    if name != "bridges":
        assert module not in imported("import hurray")
    assert module in imported(f"import hurray; hurray.{name}")
    assert module in imported(f"from hurray import {name}")


def test_plain_use_brings_no_framework(tmp_path: Path) -> None:
    """Nothing imports NumPy, torch … until it is handed one of their objects or asked for one."""
    code = """
import sys, hurray
path = sys.argv[1]
t = hurray.Tensor(bytearray(24), hurray.float32, (2, 3))
hurray.save(path, {"w": t, "raw": b"abc", "view": memoryview(bytes(8)).cast("d")}, kv={"k": [1, 2]})
loaded = hurray.load(path)
for tensor in loaded.values():
    repr(tensor), tensor.tolist(), bytes(tensor), memoryview(tensor), tensor.__dlpack__(), tensor.descriptor.encode()
hurray.from_dlpack(t), hurray.asarray(t), hurray.asarray(bytearray(3)), hurray.verify(path), hurray.load_kv(path)
with hurray.open(path, io="read") as file:
    dict(file)
try:
    hurray.load(path + ".missing")
except hurray.FileError:
    pass
print(*sorted(name for name in sys.argv[2:] if name in sys.modules))
"""
    assert run(code, tmp_path / "a.hrry", *FRAMEWORKS) == ""


@pytest.mark.parametrize("name", MODULES)
def test_each_module_is_importable_alone(name: str) -> None:
    """STYLE 12: each module importable alone in a fresh interpreter."""
    assert run(f"import {name}; print({name}.__name__)") == name


def test_there_are_modules_to_import() -> None:
    assert {"hurray._core", "hurray.dtype", "hurray.device"} <= set(MODULES)


def test_the_exports_are_complete_and_every_name_has_a_docstring() -> None:
    """STYLE 12: exports sorted and complete, every public name documented."""
    assert len(set(hurray.__all__)) == len(hurray.__all__)
    for name in hurray.__all__:
        value = getattr(hurray, name)
        assert getattr(value, "__doc__", None) or isinstance(value, (int, str)), name
        assert name in dir(hurray)
    public = {name for name in vars(hurray) if not name.startswith("_")} - {"TYPE_CHECKING"}
    assert public <= {*hurray.__all__, *(module.removeprefix("hurray.") for module in MODULES)}


def test_every_method_and_property_has_a_docstring() -> None:
    kinds = [value for value in vars(hurray).values() if isinstance(value, type)]
    bare = [
        f"{kind.__name__}.{name}"
        for kind in kinds
        for name, value in vars(kind).items()
        if not name.startswith("_") and name not in ("code",) and not getattr(value, "__doc__", None)
    ]
    assert len(kinds) > 15
    assert bare == []


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="hurray"):
        _ = hurray.nothing
    with pytest.raises(ImportError):
        importlib.import_module("hurray.nothing")


@pytest.mark.parametrize("flags", [["-I"], ["-S"], ["-OO"], ["-W", "error"], ["-X", "dev"]], ids=str)
def test_other_ways_to_start_the_interpreter(flags: list[str]) -> None:
    """Isolated, without docstrings, with every warning an error."""
    code = "import sys; sys.path[:0] = sys.argv[1:]; import hurray; print(hurray.asarray(b'abc').tolist())"
    parent = str(Path(hurray.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, *flags, "-c", code, parent], capture_output=True, text=True, timeout=60, check=True
    )
    assert (done.stdout.strip(), done.stderr) == ("[97, 98, 99]", "")


def test_a_subinterpreter_or_a_second_import_does_no_harm() -> None:
    code = """
import sys, hurray
first = hurray.float32
for name in [name for name in sys.modules if name.startswith("hurray")]:
    if name != "hurray._core":
        del sys.modules[name]
import hurray as again
print(again.float32 is first, again.Tensor is hurray.Tensor)
"""
    assert run(code) == "True True"
