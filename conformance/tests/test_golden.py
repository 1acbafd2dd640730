"""The golden vectors of the format: each decodes to the manifest's values and re-encodes to the same bytes.

The descriptor's quantization and shard have no getter yet; that re-encoding keeps them byte for byte is tested here.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import hurray
import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "vectors" / "golden"
MANIFEST = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))
DESCRIPTORS: list[dict[str, Any]] = MANIFEST["descriptors"]
FILES: list[dict[str, Any]] = MANIFEST["files"]


def name_of(vector: dict[str, Any]) -> str:
    return str(vector["file"])


each_descriptor = pytest.mark.parametrize("vector", DESCRIPTORS, ids=name_of)
each_file = pytest.mark.parametrize("vector", FILES, ids=name_of)


def test_no_set_is_empty_and_every_vector_is_listed() -> None:
    assert len(DESCRIPTORS) == 11
    assert len(FILES) == 1
    listed = {name_of(vector) for vector in (*DESCRIPTORS, *FILES)}
    present = {path.relative_to(GOLDEN).as_posix() for path in GOLDEN.glob("*/*")}
    assert listed == present


def test_vectors_are_as_published() -> None:
    sums = [line.split("  ") for line in (GOLDEN / "SHA256SUMS").read_text().splitlines()]
    assert len(sums) == len(DESCRIPTORS) + len(FILES) + 1
    for digest, name in sums:
        assert hashlib.sha256((GOLDEN / name).read_bytes()).hexdigest() == digest, name


@each_descriptor
def test_decodes_to_the_values_of_the_manifest(vector: dict[str, Any]) -> None:
    expect = vector["expect"]
    descriptor = hurray.Descriptor.decode((GOLDEN / vector["file"]).read_bytes())
    assert descriptor.version == (expect["version_major"], expect["version_minor"])
    assert descriptor.dtype.tag == expect["element_type_tag"]
    assert descriptor.dtype.name == expect["element_type"]
    assert descriptor.dtype is hurray.Dtype.from_name(expect["element_type"])
    assert descriptor.shape == tuple(expect["shape"])
    assert descriptor.byte_offset == expect["byte_offset"]
    assert descriptor.layout.tag == expect["layout_tag"]
    assert [handle.byte_size for handle in descriptor.buffer_handles] == expect["buffer_byte_sizes"]


@each_descriptor
@pytest.mark.parametrize("trailing", [b"", b"\x00", b"HRRY"], ids=["alone", "zero", "magic"])
def test_reencodes_to_the_same_bytes(vector: dict[str, Any], trailing: bytes) -> None:
    data = (GOLDEN / vector["file"]).read_bytes()
    descriptor = hurray.Descriptor.decode(data + trailing)
    assert descriptor.encode() == data
    assert descriptor.encoded_len == len(data)


@each_descriptor
def test_refuses_what_is_cut_short(vector: dict[str, Any]) -> None:
    data = (GOLDEN / vector["file"]).read_bytes()
    for length in range(len(data)):
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Descriptor.decode(data[:length])


@each_file
def test_file_reads_as_the_manifest_says(vector: dict[str, Any]) -> None:
    path = GOLDEN / vector["file"]
    assert hurray.verify(path) == []
    loaded = hurray.load(path)
    assert list(loaded) == [tensor["name"] for tensor in vector["tensors"]]
    for expect in vector["tensors"]:
        tensor = loaded[expect["name"]]
        assert tensor.dtype.tag == expect["element_type_tag"]
        assert tensor.dtype.name == expect["element_type"]
        assert tensor.shape == tuple(expect["shape"])
        assert tensor.nbytes == expect["data_bytes"]
        assert bytes(tensor) == bytes(expect["data_bytes"])


@each_file
def test_file_metadata_reads_as_the_manifest_says(vector: dict[str, Any]) -> None:
    expect = {entry["key"]: entry[f"value_{entry['kind'].removesuffix('64')}"] for entry in vector["kv"]}
    assert hurray.load_kv(GOLDEN / vector["file"]) == expect


@each_file
def test_descriptors_of_the_file_reencode_to_the_same_bytes(vector: dict[str, Any]) -> None:
    with hurray.open(GOLDEN / vector["file"]) as opened:
        for name in opened:
            assert opened.descriptor(name).encode() == opened.descriptor_bytes(name)


@each_file
def test_file_saved_again_reads_the_same(vector: dict[str, Any], tmp_path: Path) -> None:
    source, copy = GOLDEN / vector["file"], tmp_path / "copy.hrry"
    tensors, kv = hurray.load(source), hurray.load_kv(source)
    hurray.save(copy, tensors, kv=kv)
    again = hurray.load(copy)
    assert list(again) == list(tensors)
    assert [bytes(tensor) for tensor in again.values()] == [bytes(tensor) for tensor in tensors.values()]
    assert hurray.load_kv(copy) == kv
