"""What the documentation repeats is compared with what it repeats."""

from __future__ import annotations

import re
import subprocess
import sys

import hurray
import pytest

from tools import codes
from tools.repository import ROOT


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
