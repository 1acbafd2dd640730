"""What the documentation repeats is compared with what it repeats."""

from __future__ import annotations

import re
import subprocess
import sys

import hurray
import pytest
from hurray._named_stream import NAMES

from tools import codes
from tools.repository import ROOT

STUBS = ("scipy",)


def read(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_page_of_codes_is_the_table_of_rules() -> None:
    assert len(codes.rows()) > 100
    assert read("codes.md") == codes.page(), "run python -m tools.codes"


@pytest.mark.parametrize("command", ["convert", "inspect", "verify", "doctor"])
def test_every_option_of_a_command_is_described(command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hurray_cli", command, "--help"], capture_output=True, text=True, check=True
    )
    options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", done.stdout)) - {"--help"}
    section = re.search(rf"^## hurray {command}\b.*?(?=^## |\Z)", read("cli.md"), re.MULTILINE | re.DOTALL)
    assert section is not None
    described = set(re.findall(r"--[a-z][a-z-]+", section.group() + read("cli.md").partition("## ")[0]))
    assert sorted(options - described) == []
    assert sorted(set(re.findall(r"--[a-z][a-z-]+", section.group())) - options) == []


def test_every_exception_is_described() -> None:
    errors = [name for name in hurray.__all__ if name.endswith("Error")]
    assert len(errors) >= 7
    assert [name for name in errors if f"`hurray.{name}`" not in read("errors.md")] == []


def test_table_of_element_types_is_what_they_say() -> None:
    rows = re.findall(
        r"^\| `(\w+)` \| (0x..) \| (.) \| (\d+) \| (.) \| (\d+) \| (.*?) ?\|$",
        read("dtypes.md"),
        re.MULTILINE,
    )
    found = {name: row for name, *row in rows}
    assert sorted(found) == sorted(hurray.dtype.__all__)
    for name, (tag, tier, bits, kind, alignment, typestr) in found.items():
        dtype = getattr(hurray.dtype, name)
        said = (
            int(tag, 16),
            int(tier),
            int(bits),
            kind,
            int(alignment),
            typestr.strip("`").replace("\\", "") or None,
        )
        true = (dtype.tag, dtype.tier, dtype.bit_width, dtype.kind, dtype.element_alignment, dtype.typestr)
        assert said == true, name


def test_every_page_is_reachable() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert len(pages) > 8
    assert [page for page in pages if page not in navigation] == []


def test_the_element_types_are_listed() -> None:
    """The page of the interface leaves them out as attributes, and names them in a line."""
    types = {name for name in hurray.__all__ if isinstance(getattr(hurray, name), hurray.Dtype)}
    assert len(types) >= 13
    assert types == set(re.findall(r"`hurray\.(\w+)`", read("api/hurray.md"))) - {"dtype"}


def promised() -> list[tuple[str, str]]:
    """(file, name) of everything of ours that a page, a README or a bridge that is not there yet speaks of."""
    pages = [ROOT / "README.md", *ROOT.glob("packages/*/README.md"), *ROOT.glob("docs/*.md")]
    stubs = [ROOT / f"packages/hurray-{name}/src/hurray_{name}/__init__.py" for name in STUBS]
    found = []
    for path in (*pages, *stubs):
        # Blocks of code are run by a test of their own.
        text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        # A path, a group of entry points and a file's key are no names of the module.
        names = re.findall(r"(?<![\w/.\-\"'`])hurray\.[A-Za-z_]\w*(?:\.\w+)*", text.replace("`", " "))
        names += [f"hurray.{name}" for name in re.findall(r"(?<![\w.])(?:from|to)_[a-z]+\b", text)]
        found += [(path.relative_to(ROOT).as_posix(), name) for name in names]
    return found


def exists(name: str) -> bool:
    """Whether the module has the name, or a tensor or bridge has, as methods go by themselves in a text."""
    if name == NAMES:  # a key of metadata, reserved by its prefix
        return True
    first, *rest = name.removeprefix("hurray.").split(".")
    for owner in (hurray, hurray.Tensor, hurray.bridges.Bridge):
        found = getattr(owner, first, None)
        for part in rest:
            found = getattr(found, part, None)
        if found is not None:
            return True
    return False


def test_no_page_speaks_of_what_is_not_there() -> None:
    names = promised()
    assert len(names) > 40
    assert {"hurray.from_torch", "hurray.UnsupportedError"} <= {name for _, name in names}
    assert [(path, name) for path, name in names if not exists(name)] == []
