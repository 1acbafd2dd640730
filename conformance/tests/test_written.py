"""What hurray writes, the reference reads: the same names, descriptors, bytes, values and metadata."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import hurray
import pytest

from conformance.generator.corpus import FOLDER, content_of
from conformance.generator.vector import item_facts
from conformance.judge.verdicts import manifest
from conformance.reference.composite import Composite
from conformance.reference.descriptor import Descriptor
from conformance.reference.file import parse_file
from conformance.reference.stream import parse_stream
from conformance.reference.tensor import Tensor

STREAMS = [entry for entry in manifest() if entry["path"].startswith("valid/tensors/")]
FILES = [
    entry
    for entry in manifest()
    if entry["path"].startswith("valid/files/") and "composite" not in entry["path"]
]


def unaligned(descriptor: Descriptor) -> Descriptor:
    """Equal in everything but the measured alignment (requirements: 04-tables §3.11)."""
    return replace(descriptor, handles=tuple(replace(one, alignment=64) for one in descriptor.handles))


def read_back(path: Path) -> dict[str, Tensor]:
    file, report = parse_file(path.read_bytes())
    assert [str(fault) for fault in report.faults] == []
    assert file is not None
    return {entry.name: entry.tensor for entry in file.entries}


@pytest.mark.parametrize("entry", STREAMS, ids=lambda entry: str(entry["path"]))
def test_saved_tensors(entry: dict[str, Any], tmp_path: Path) -> None:
    items, _ = parse_stream(content_of(FOLDER / entry["path"]))
    assert items
    given: dict[str, Tensor] = {}
    made: dict[str, hurray.Tensor] = {}
    for number, item in enumerate(items):
        assert not isinstance(item, Composite)
        given[f"t{number}"] = item
        descriptor = hurray.Descriptor.decode(item.descriptor.encode())
        made[f"t{number}"] = hurray.Tensor.from_descriptor(descriptor, item.buffers)
    hurray.save(tmp_path / "saved.hrry", made)
    found = read_back(tmp_path / "saved.hrry")
    assert list(found) == list(given)
    for name, tensor in given.items():
        assert unaligned(found[name].descriptor) == unaligned(tensor.descriptor)
        assert found[name].buffers == tensor.buffers
        assert item_facts(found[name])["values"] == item_facts(tensor)["values"]


@pytest.mark.parametrize("entry", FILES, ids=lambda entry: str(entry["path"]))
def test_files_saved_again(entry: dict[str, Any], tmp_path: Path) -> None:
    source = tmp_path / "source.hrry"
    source.write_bytes(content_of(FOLDER / entry["path"]))
    # requirements: 04-tables §2, KV values: an int outside int64 is refused, though a file may hold one.
    kv = {key: value for key, value in hurray.load_kv(source).items() if not key.startswith("uint64")}
    hurray.save(tmp_path / "saved.hrry", hurray.load(source), kv=kv)
    before, after = read_back(source), read_back(tmp_path / "saved.hrry")
    assert list(after) == list(before)
    assert [one.buffers for one in after.values()] == [one.buffers for one in before.values()]
    assert hurray.load_kv(tmp_path / "saved.hrry") == kv
