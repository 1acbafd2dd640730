"""Every field of every layout, scheme and section: in --json, in the table, in --descriptor.

Clauses: format/layouts.md, quantization.md, descriptor.md §6.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import pack
from typing import Any

import hurray as library
import pytest
from cli_helpers import ROOT, hurray, on_terminal
from cli_kinds import INT8, KINDS, LAYOUTS, NONE, QUANTIZED, SECTIONS, WITH_SECTIONS, Kind
from hrry_files import (
    FLOAT32,
    MEMBER,
    QUANTIZATION,
    SHARD,
    container,
    descriptor,
)
from hurray_cli.inspection.annotate import annotate, structure


@pytest.fixture
def written(tmp_path: Path, kind: Kind) -> Path:
    path = tmp_path / "a.hrry"
    path.write_bytes(container([("w", kind.blob, kind.sizes)]))
    return path


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
class TestEveryKind:
    def test_in_json(self, written: Path, kind: Kind) -> None:
        done = hurray("inspect", "--json", written)
        assert done.status == 0, done
        (tensor,) = json.loads(done.out)["tensors"]
        assert tensor["layout"].pop("name") == library.Descriptor.decode(kind.blob).layout.name
        expected = {"layout": {}, **kind.fields}
        assert {name: tensor[name] for name in expected} == expected
        others = {"quantization", "shard", "statistics", "extension_type", "member_role"} - set(kind.fields)
        assert not others & set(tensor)

    def test_in_the_table(self, written: Path, kind: Kind) -> None:
        done = hurray("inspect", written, "w")
        header, line = done.out.splitlines()
        if kind.text:
            assert header.split()[-1] == "more"
            assert line.endswith(f"  {kind.text}")

    def test_by_its_bytes(self, written: Path, kind: Kind) -> None:
        """Each byte stands once in the listing, and each name and value of the fields in its text."""
        out = hurray("inspect", "--descriptor", "w", written).out.splitlines()[1:]
        assert b"".join(bytes.fromhex(line[8:31]) for line in out) == kind.blob
        fields = [field for field in annotate(kind.blob) if field.path]
        assert len({field.path for field in fields}) == len(fields)
        for field in fields:
            if len(field.path) > 1 and field.value is not None and not isinstance(field.value, bool):
                assert str(field.value) in field.text, field.text

    def test_is_what_the_format_allows(self, written: Path, kind: Kind) -> None:
        """The buffers are filled with ones, which are no zero points of int8."""
        problems = {problem.code for problem in library.verify(written)}
        assert problems == ({"Q-28"} if kind is QUANTIZED["per_channel"] else set())


def attributes(layout: Any, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for name in names:
        value = getattr(layout, name)
        if isinstance(value, library.Layout):
            value = dict(attributes(value, names))
        yield name, list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("kind", LAYOUTS.values(), ids=LAYOUTS)
def test_the_layout_s_class_says_the_same(kind: Kind) -> None:
    """Two readers of the same bytes: the walk of the command, and the library's decoder with its class."""
    decoded = library.Descriptor.decode(kind.blob).layout
    fields = structure(kind.blob)["layout"]
    assert dict(attributes(decoded, list(fields))) == fields
    assert set(fields) == properties(decoded) - properties(library.RowMajorLayout())


def properties(thing: object) -> set[str]:
    """The names of what its class says, methods aside."""
    return {name for name in dir(thing) if name[0] != "_" and not callable(getattr(thing, name))}


@pytest.mark.parametrize("kind", WITH_SECTIONS.values(), ids=WITH_SECTIONS)
def test_the_section_s_class_says_the_same(written: Path, kind: Kind) -> None:
    """docs/cli.md: a section's fields in JSON stand under the names of its class, with the same values."""
    decoded = library.Descriptor.decode(kind.blob)
    (tensor,) = json.loads(hurray("inspect", "--json", written).out)["tensors"]
    for section in kind.fields:
        thing, fields = getattr(decoded, section), tensor[section]
        if section == "quantization":
            assert fields.pop("scheme") == type(thing).__name__
            assert fields.pop("scheme_version") == 1
        # The mask says which of the others are None.
        assert set(fields) == properties(thing) - {"computed_mask"}
        for name, value in fields.items():
            found = getattr(thing, name)
            if isinstance(found, library.Dtype):
                found = found.name
            assert value == (list(found) if isinstance(found, tuple) else found), name


def test_on_a_terminal(tmp_path: Path) -> None:
    """Fields are long: they follow the table, broken between them, and no line is wider than the terminal."""
    path = tmp_path / "a.hrry"
    path.write_bytes(container([(name, kind.blob, kind.sizes) for name, kind in KINDS.items()]))
    status, out = on_terminal("inspect", path, NO_COLOR="1", COLUMNS="80")
    assert status == 0
    lines = out.split("\r\n")
    assert max(map(len, lines[1:])) <= 80
    table = next(line for line in lines if line.startswith("name "))
    assert table.split() == ["name", "dtype", "shape", "layout", "bytes", "stored"]
    details = out.partition(table)[2].partition("\r\n\r\n")[2].split("\r\n")
    found = " ".join(line.strip() if line.startswith("  ") else f"|{line}|" for line in details if line)
    for name, kind in KINDS.items():
        if kind.text:
            assert f"|{name}| {kind.text}" in found


@pytest.mark.parametrize("role", ["base", "correction"])
def test_the_members_of_an_overlay(tmp_path: Path, role: str) -> None:
    sections = pack("<QQ", 4, 0)
    head = descriptor(FLOAT32, 11, (4,), (), payload=pack("<BBHI", 2, 2, 0, 2))
    members = [
        descriptor(FLOAT32, 1, (4,), (16,), sections=sections + pack("<B15x", code), flags=SHARD | MEMBER)
        for code in (1, 0)
    ]
    path = tmp_path / "a.hrry"
    path.write_bytes(
        container([("w", head, ()), ("base", members[0], (16,)), ("correction", members[1], (16,))])
    )
    assert library.verify(path) == []
    tensors = {
        tensor["name"]: tensor for tensor in json.loads(hurray("inspect", "--json", path).out)["tensors"]
    }
    assert tensors["w"]["layout"] == {
        "name": "composite",
        "composition_rule": "overlay",
        "combine_op": "add",
        "member_count": 2,
    }
    assert tensors[role]["member_role"] == role
    assert f"member_role={role}" in hurray("inspect", path, role).out


class TestPrivate:
    """What is private or not assigned is called so, in every mode that shows it."""

    def test_a_layout(self, tmp_path: Path) -> None:
        blob = descriptor(FLOAT32, 0xF2, (4,), (16,), payload=pack("<QI", 7, 3) + b"\0\1\2")
        fields = {"tag": 0xF2, "extension_layout_id": 7, "extension_data": b"\0\1\2"}
        assert structure(blob)["layout"] == fields
        path = tmp_path / "a.hrry"
        path.write_bytes(container([("w", blob, (16,))]))
        (tensor,) = json.loads(hurray("inspect", "--json", path).out)["tensors"]
        assert tensor["layout"] == {"name": "extension", **fields, "extension_data": {"bytes": "AAEC"}}
        assert "tag=242, extension_layout_id=7, extension_data=3_bytes" in hurray("inspect", path).out

    def test_element_types(self, tmp_path: Path) -> None:
        """Two private types are two: in the table, the histogram and JSON, by the names that ``str`` gives them."""
        path = tmp_path / "a.hrry"
        blobs = {}
        for tag in (0xF2, 0xF3):
            blob = bytearray(SECTIONS["extension type"].blob)
            blob[14] = tag
            blobs[f"extension(0x{tag:X})"] = bytes(blob)
        path.write_bytes(container([(f"of {name}", blob, (64,)) for name, blob in blobs.items()]))
        screen = hurray("inspect", path).out
        table = hurray("inspect", path, "of *").out
        tensors = json.loads(hurray("inspect", "--json", path).out)["tensors"]
        assert (
            [tensor["dtype"] for tensor in tensors] == list(blobs) == ["extension(0xF2)", "extension(0xF3)"]
        )
        for name in blobs:
            assert any(line.split()[:2] == [name, "1"] for line in screen.splitlines())
            assert any(line.split()[:3] == ["of", name, name] for line in table.splitlines())

    @pytest.mark.parametrize(
        ("at", "value", "text"),
        [
            (57, 0xF0, "buffer 0: device 0xf0 private"),
            (57, 0x33, "buffer 0: device 0x33, not assigned"),
            (58, 0x03, "buffer 0: sync mode 0x03, not assigned"),
            (59, 0xF1, "buffer 0: memory class 0xf1 private"),
            (59, 0x04, "buffer 0: memory class 0x04, not assigned"),
            (14, 0xF0, "type_tag 0xf0 extension(0xF0)"),
            (14, 0x47, "type_tag 0x47 not assigned"),
            (15, 0xFE, "layout_tag 0xfe private"),
        ],
    )
    def test_a_tag(self, at: int, value: int, text: str) -> None:
        blob = bytearray(SECTIONS["shard"].blob)
        blob[at] = value
        assert text in [field.text for field in annotate(bytes(blob))]

    @pytest.mark.parametrize(
        ("scheme_tag", "text"), [(0xF3, "scheme 0xf3 private"), (0x41, "scheme 0x41, not assigned")]
    )
    def test_a_scheme(self, scheme_tag: int, text: str) -> None:
        body = pack("<I", 8) + pack("<BBHI", scheme_tag, 1, 0, 9)
        blob = descriptor(INT8, 1, (4,), (4,), sections=body, flags=QUANTIZATION)
        texts = [field.text for field in annotate(blob)]
        assert text in texts
        assert texts[-1] == "4 more bytes of the quantization section"

    def test_a_rule_of_composition(self) -> None:
        blob = descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 0xF0, 0, 0, 0))
        assert "composition_rule 0xf0 private" in [field.text for field in annotate(blob)]

    def test_flags_of_a_scheme(self) -> None:
        body = pack("<I", 20) + pack("<BBHIIIB3x", 2, 1, 0x8001, 1, 1, NONE, 3)
        blob = descriptor(INT8, 1, (4, 2), (8, 8), sections=body, flags=QUANTIZATION)
        assert "scheme flags SYMMETRIC, reserved bits 0x8000" in [field.text for field in annotate(blob)]

    def test_statistics_that_are_not_computed(self) -> None:
        texts = [field.text for field in annotate(SECTIONS["statistics that know little"].blob)]
        assert "statistics: value_min -1.0" in texts
        assert "statistics: nnz 8, not computed" in texts


GOLDEN = json.loads((ROOT / "conformance/vectors/golden/manifest.json").read_text())["descriptors"]


@pytest.mark.parametrize("vector", GOLDEN, ids=lambda vector: Path(vector["file"]).stem)
def test_the_golden_vectors(vector: dict[str, Any]) -> None:
    data = (ROOT / "conformance/vectors/golden" / vector["file"]).read_bytes()
    fields, expect = list(annotate(data)), vector["expect"]
    assert b"".join(field.data for field in fields) == data
    found = structure(data)
    assert found["layout_tag"] == expect["layout_tag"]
    assert found["type_tag"] == expect["element_type_tag"]
    assert found.get("shape", []) == expect["shape"]
    assert found["byte_offset"] == expect["byte_offset"]
    sizes = [field.value for field in fields if field.path and str(field.path[0]).endswith("byte_size")]
    assert sizes == expect["buffer_byte_sizes"]
    assert ("quantization" in found, "shard" in found) == (expect["has_quantization"], expect["has_shard"])
