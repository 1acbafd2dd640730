"""Composites on the command line: shown as trees, checked, kept from .hrry to .hrry (issue 6; file.md §7)."""

from __future__ import annotations

import json
from pathlib import Path

import hurray as library
import pytest
from cli_helpers import hurray

F32 = library.float32


def part(shape: tuple[int, ...], offset: tuple[int, ...]) -> library.Tensor:
    data = library.ones(shape, dtype=F32).tobytes()
    return library.Tensor(data, F32, shape, shard=library.Shard((4, 4), offset))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    halves = [part((2, 4), (0, 0)), part((2, 4), (2, 0))]
    inner = library.Composite("partition", shape=(4, 4), dtype=F32, members=halves)
    group = library.Composite("group", shape=(), dtype=F32, members=[inner, *[part((1, 4), (3, 0))] * 11])
    library.save(tmp_path / "a.hrry", {"z": part((4, 4), (0, 0)), "g": group})
    return tmp_path / "a.hrry"


def test_inspect_shows_members_below_their_heads_in_their_order(source: Path) -> None:
    done = hurray("inspect", source)
    assert done.status == 0, done
    lines = done.out.splitlines()
    assert "  tensors     14" in lines
    assert "  composites  2" in lines
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("name")) + 1 :]
    names = [line[: len(line) - len(line.lstrip())] + line.split()[0] for line in table]
    members = [f"  g.{at}" for at in range(1, 12)]
    assert names == ["g", "  g.0", "    g.0.0", "    g.0.1", *members, "z"]


def test_a_member_asked_for_stands_by_itself(source: Path) -> None:
    table = hurray("inspect", source, "g.0.1", "g.3").out.splitlines()[-2:]
    assert [line.split()[0] for line in table] == ["g.0.1", "g.3"]
    assert not any(line.startswith(" ") for line in table)


def test_json_names_members_and_heads(source: Path) -> None:
    rows = {row["name"]: row for row in json.loads(hurray("inspect", "--json", source).out)["tensors"]}
    assert rows["g"]["members"] == [f"g.{at}" for at in range(12)]
    assert rows["g.0"]["members"] == ["g.0.0", "g.0.1"]
    assert (rows["g.0"]["head"], rows["g.0.1"]["head"]) == ("g", "g.0")
    assert "head" not in rows["g"]
    assert "members" not in rows["z"]
    assert "head" not in rows["z"]


def test_verify_checks_them_and_convert_keeps_them(source: Path, tmp_path: Path) -> None:
    assert hurray("verify", source).status == 0
    assert hurray("convert", source, tmp_path / "b.hrry").status == 0
    assert (tmp_path / "b.hrry").read_bytes() == source.read_bytes()
    refused = hurray("convert", source, tmp_path / "b.safetensors")
    assert refused.status == 1
    assert (
        "tensor 'g': it is the head of a composite; safetensors has no place for it, .hrry has" in refused.err
    )
    assert not (tmp_path / "b.safetensors").exists()


def test_a_torn_composite_is_found(source: Path, tmp_path: Path) -> None:
    """F-42: the head claims more members than tensors follow; everything else is still shown."""
    data = bytearray(source.read_bytes())
    with library.open(source) as file:
        entry = file.entry("g")
    end = entry.descriptor_offset + entry.descriptor_length
    # The payload ends before the buffer count, its last field is the count of members (layouts.md §11).
    assert data[end - 5 : end - 1] == (12).to_bytes(4, "little")
    data[end - 5 : end - 1] = (99).to_bytes(4, "little")
    torn = tmp_path / "torn.hrry"
    torn.write_bytes(data)
    done = hurray("verify", torn)
    assert done.status == 1
    assert "F-42" in done.out + done.err
    shown = hurray("inspect", torn)
    assert shown.status == 1
    assert "F-42" in shown.out + shown.err
    assert any(line.split()[:2] == ["z", "float32"] for line in shown.out.splitlines())
