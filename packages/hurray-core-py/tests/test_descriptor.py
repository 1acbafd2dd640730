"""hurray.Descriptor (requirements: Descriptor Encoding; descriptor.md)."""

from __future__ import annotations

import json
import types
from pathlib import Path
from struct import pack, pack_into
from typing import Any

import hurray
import pytest
from core_files import (
    BOOL,
    EXTENSION,
    FLOAT32,
    INT4,
    QUANTIZATION,
    SHARD,
    STATISTICS,
    descriptor,
    handle,
)
from core_memory import aligned

GOLDEN = Path(__file__).resolve().parents[3] / "conformance" / "vectors" / "golden"
if not GOLDEN.is_dir():
    pytest.skip(f"the golden vectors are not beside this distribution: {GOLDEN}", allow_module_level=True)
VECTORS = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))["descriptors"]
VALUE_ERRORS = (hurray.InvalidDescriptorError, hurray.BufferError, hurray.UnsupportedError)

# Worked example A of descriptor.md §9, byte for byte.
EXAMPLE = bytes.fromhex(
    "48525259 0100 3d000000 00000000 03 01 02000000 0300000000000000 0400000000000000"
    "0000000000000000 01 3000000000000000 40000000 00 00 00 00"
)


def vector(entry: dict[str, Any]) -> bytes:
    path: Path = GOLDEN / entry["file"]
    return path.read_bytes()


def per_block(
    axis: int = 1, block: int = 4, scale: int = 1, zero: int = 0xFFFFFFFF, flags: int = 1, kind: int = 1
) -> bytes:
    return pack("<I", 24) + pack("<BBHIIIIB3x", 3, 1, flags, axis, block, scale, zero, kind)


def test_there_are_eleven_golden_vectors() -> None:
    assert len(VECTORS) == 11


@pytest.mark.parametrize("entry", VECTORS, ids=lambda entry: entry["file"])
def test_golden_vectors_decode_and_encode_again(entry: dict[str, Any]) -> None:
    """The binding MUST decode every descriptor in the corpus and re-encode it to byte-identical output."""
    data, expect = vector(entry), entry["expect"]
    one = hurray.Descriptor.decode(data)
    assert type(one) is hurray.Descriptor
    assert one.encode() == data
    # encoded_len MUST equal len(encode()).
    assert one.encoded_len == len(data)
    assert one.version == (expect["version_major"], expect["version_minor"])
    assert (one.dtype.name, one.shape) == (expect["element_type"], tuple(expect["shape"]))
    assert (one.ndim, one.byte_offset) == (len(expect["shape"]), expect["byte_offset"])
    assert one.layout.tag == expect["layout_tag"]
    assert [handle.byte_size for handle in one.buffer_handles] == expect["buffer_byte_sizes"]
    assert one.buffer_count == len(one.buffer_handles)


@pytest.mark.parametrize("entry", VECTORS, ids=lambda entry: entry["file"])
def test_decode_ignores_what_follows_and_refuses_what_is_cut(entry: dict[str, Any]) -> None:
    """Decode MUST accept trailing bytes and ignore them."""
    data = vector(entry)
    one = hurray.Descriptor.decode(data)
    for tail in (b"\0", b"HRRY", data):
        assert hurray.Descriptor.decode(data + tail) == one
    for length in range(len(data)):
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Descriptor.decode(data[:length])


@pytest.mark.parametrize("entry", VECTORS, ids=lambda entry: entry["file"])
def test_a_changed_byte_is_refused_or_kept(entry: dict[str, Any]) -> None:
    """No panic and no silent repair: what decodes is written back as it was."""
    data = vector(entry)
    kept = refused = coded = 0
    for at in range(len(data)):
        for value in {0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1, data[at] ^ 0x10} - {data[at]}:
            changed = data[:at] + bytes([value]) + data[at + 1 :]
            try:
                one = hurray.Descriptor.decode(changed)
            except VALUE_ERRORS as error:
                coded += bool(getattr(error, "code", None))
                refused += 1
                continue
            kept += 1
            repr(one), one.size, one.layout, one.buffer_handles
            if one.version[1] == 0:
                assert one.encode() == changed
    assert kept > 10
    assert coded == refused > 100


def test_a_tensors_descriptor_is_the_worked_example() -> None:
    """encode() MUST produce the binary descriptor exactly as it appears on the wire."""
    tensor = hurray.Tensor(aligned(48, 64), hurray.float32, (3, 4))
    assert tensor.descriptor.encode() == EXAMPLE
    assert hurray.Descriptor.decode(EXAMPLE) == tensor.descriptor


TENSORS = [
    hurray.Tensor(aligned(24), hurray.float32, (2, 3)),
    hurray.Tensor(aligned(24), hurray.float32, (2, 3)).T,
    hurray.Tensor(aligned(24), hurray.float32, (2, 3), layout=hurray.StridedLayout((0, 1))),
    hurray.Tensor(bytes(3), hurray.dtype.int4, (5,)),
    hurray.Tensor(b"", hurray.float64, (0, 4)),
    hurray.Tensor(bytes(8), hurray.float64, ()),
    hurray.Tensor(bytes(8), hurray.uint8, (None, 2)),
    hurray.Tensor(bytes(8), hurray.uint8, (8,), hurray.Device("cuda", 0, "unified")),
    hurray.Tensor.from_buffer(memoryview(bytearray(b"12345678"))[::-1]),
]


@pytest.mark.parametrize("tensor", TENSORS, ids=repr)
def test_a_descriptor_agrees_with_its_tensor(tensor: hurray.Tensor) -> None:
    """A Descriptor MUST agree with the tensor it came from on every one of its properties."""
    one = tensor.descriptor
    again = hurray.Descriptor.decode(one.encode())
    assert again == one
    assert hash(again) == hash(one)
    for name in ("dtype", "shape", "ndim", "size", "layout", "buffer_handles", "buffer_count", "device"):
        assert getattr(tensor, name) == getattr(one, name) == getattr(again, name)
    assert one.version == again.version == (1, 0)
    assert one.byte_offset == again.byte_offset
    assert one.encoded_len == len(one.encode()) == again.encoded_len


def test_byte_offset_is_where_element_zero_lies() -> None:
    assert TENSORS[0].descriptor.byte_offset == 0
    assert TENSORS[-1].descriptor.byte_offset == 7
    assert TENSORS[-1].layout == hurray.StridedLayout((-1,))


def test_descriptors_are_values_that_python_cannot_make() -> None:
    """It MUST NOT be constructible from Python."""
    with pytest.raises(TypeError):
        hurray.Descriptor()
    with pytest.raises(TypeError):
        types.new_class("Mine", (hurray.Descriptor,))
    one = TENSORS[0].descriptor
    with pytest.raises(AttributeError):
        one.shape = (1,)  # type: ignore[misc]
    assert len({tensor.descriptor for tensor in TENSORS}) == len(TENSORS)
    data: Any = one.encode()
    assert one != data
    assert hurray.Descriptor.__module__ == "hurray"
    for part in ("(2, 3)", "float32", "RowMajorLayout()", "cpu"):
        assert part in repr(one)


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_decode_takes_any_buffer(kind: Any) -> None:
    assert hurray.Descriptor.decode(kind(EXAMPLE)).shape == (3, 4)


@pytest.mark.parametrize("data", ["text", 5, None, [72, 82]])
def test_decode_of_what_is_no_buffer_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        hurray.Descriptor.decode(data)


def changed(at: int, form: str, value: Any, base: bytes = EXAMPLE) -> bytes:
    """``base`` with one field another."""
    out = bytearray(base)
    pack_into(form, out, at, value)
    return bytes(out)


SHARDED = descriptor(shape=(8, 4), sizes=(128,), sections=pack("<QQQQ", 8, 8, 0, 4), flags=SHARD)
COUNTED = descriptor(sections=pack("<II", 1, 0) + bytes(64), flags=STATISTICS)
QUANTISED = descriptor(INT4, shape=(4, 4), sizes=(8, 16), sections=per_block(), flags=QUANTIZATION)
EXTENDED = descriptor(0xF0, sections=pack("<IBB14x", 32, 1, 0), flags=EXTENSION)

# Rule -> a descriptor that breaks it, alone (descriptor.md §8, layouts.md §13, quantization.md §9).
BROKEN: list[tuple[str, bytes]] = [
    ("D-1", EXAMPLE[:60]),
    ("D-1", changed(6, "<I", 62)),
    ("D-2", changed(0, "4s", b"HRRX")),
    ("D-3", changed(4, "B", 2)),
    ("D-4", changed(4, "B", 0)),
    ("D-5", changed(6, "<I", 19)),
    ("D-6", changed(10, "<I", 0x20)),
    ("D-6", changed(10, "<I", 0x80000000)),
    ("D-7", changed(14, "B", 0)),
    ("D-7", changed(14, "B", 0xFF)),
    ("D-8", changed(14, "B", 0x47)),
    ("D-8", changed(14, "B", 0x05)),
    ("D-9", changed(14, "B", 0xF0)),
    ("D-9", descriptor(sections=pack("<IBB14x", 32, 1, 0), flags=EXTENSION)),
    ("D-13", changed(16, "<I", 65)),
    ("D-13", changed(16, "<I", 2**32 - 1)),
    ("D-15", changed(36, "<Q", 49)),
    ("D-15", changed(36, "<Q", 2**64 - 1)),
    ("D-16", descriptor(layout=6, sizes=(8, 16), payload=pack("<QQ", 2, 0), byte_offset=4)),
    ("D-29", descriptor(sizes=())),
    ("D-31", descriptor(sizes=(8, 8))),
    ("D-32", changed(53, "<I", 32)),
    ("D-32", changed(53, "<I", 0)),
    ("D-32", changed(53, "<I", 96)),
    ("D-33", changed(57, "B", 9)),
    ("D-33", changed(57, "B", 0xFF)),
    ("D-34", changed(58, "B", 3)),
    ("D-34", changed(58, "B", 1)),
    ("D-35", changed(59, "B", 4)),
    ("D-36", changed(59, "B", 3)),
    ("D-37", changed(60, "B", 1)),
    (
        "D-38",
        descriptor(
            INT4,
            shape=(4, 4),
            sizes=(8, 8),
            handles=handle(8) + handle(8, device=1),
            sections=per_block(),
            flags=QUANTIZATION,
        ),
    ),
    ("D-44", changed(len(SHARDED) - 8, "<Q", 5, SHARDED)),
    ("D-44", changed(len(SHARDED) - 8, "<Q", 2**64 - 1, SHARDED)),
    ("D-45", descriptor(shape=(2**64 - 1,), sections=pack("<QQ", 2**64 - 1, 0), flags=SHARD)),
    ("D-47", changed(len(COUNTED) - 72, "<I", 0x40, COUNTED)),
    ("D-47", changed(len(COUNTED) - 1, "B", 1, COUNTED)),
    ("D-48", changed(len(EXTENDED) - 20, "<I", 3, EXTENDED)),
    ("D-48", changed(len(EXTENDED) - 1, "B", 1, EXTENDED)),
    ("D-51", descriptor(sections=b"\0")),
    ("L-1", changed(15, "B", 0)),
    ("L-1", changed(15, "B", 0xFF)),
    ("L-2", changed(15, "B", 0x0C)),
    ("L-6", descriptor(layout=2, shape=(), sizes=(4,))),
    ("L-12", changed(45, "<Q", 47)),
    ("L-12", changed(20, "<Q", 2**63)),
    ("L-13", descriptor(layout=3, payload=pack("<q", 2))),
    ("L-13", descriptor(layout=3, payload=pack("<q", -(2**63)))),
    ("L-14", descriptor(layout=4, payload=pack("<QBBH", 0, 1, 1, 0))),
    ("L-17", descriptor(layout=5, payload=pack("<I", 0))),
    ("L-18", descriptor(layout=5, shape=(3,), sizes=(12,), payload=pack("<I", 1))),
    ("L-20", descriptor(0x11, 0x40, (2, 2), (4,), payload=pack("<II", 0, 2))),
    ("L-21", descriptor(0x11, 0x40, (2, 3), (8,), payload=pack("<II", 1, 2))),
    ("L-23", descriptor(layout=7, shape=(1, 1), sizes=(0, 0, 16), payload=pack("<QQ", 0, 1))),
    ("L-24", descriptor(layout=6, sizes=(0, 0), payload=pack("<QQ", 0, 2))),
    ("L-25", descriptor(layout=7, shape=(1,), sizes=(0, 0, 16), payload=pack("<QQ", 0, 0))),
    ("L-26", descriptor(layout=9, shape=(1, 1), sizes=(0,) * 5, payload=pack("<QIIQ", 0, 0, 1, 0))),
    ("L-27", descriptor(layout=9, shape=(1, 1, 1), sizes=(0,) * 7, payload=pack("<QIIIQ", 0, 0, 1, 1, 0))),
    ("L-29", descriptor(layout=7, shape=(1, 1), sizes=(0, 0, 8), payload=pack("<QQ", 0, 0))),
    ("L-29", descriptor(layout=6, sizes=(8, 16), payload=pack("<QQ", 2**63, 0))),
    ("L-43", descriptor(layout=11, sizes=(), payload=pack("<BBHI", 4, 0, 0, 0))),
    ("L-44", descriptor(layout=11, sizes=(), payload=pack("<BBHI", 1, 1, 0, 1))),
    ("L-45", descriptor(layout=11, sizes=(), payload=pack("<BBHI", 3, 0, 0, 2**32 - 1))),
    ("Q-1", descriptor(INT4, shape=(4, 4), sizes=(8, 8), sections=pack("<IB", 1, 3), flags=QUANTIZATION)),
    ("Q-2", changed(len(QUANTISED) - 24, "B", 0, QUANTISED)),
    ("Q-3", changed(len(QUANTISED) - 24, "B", 0x20, QUANTISED)),
    ("Q-4", changed(len(QUANTISED) - 23, "B", 2, QUANTISED)),
    ("Q-6", changed(len(QUANTISED) - 22, "<H", 0x8001, QUANTISED)),
    ("Q-7", changed(14, "B", FLOAT32, QUANTISED)),
    ("Q-8", changed(len(QUANTISED) - 20, "<I", 2, QUANTISED)),
    ("Q-17", changed(len(QUANTISED) - 12, "<I", 2, QUANTISED)),
    ("Q-18", changed(len(QUANTISED) - 12, "<I", 0, QUANTISED)),
    ("Q-22", changed(len(QUANTISED) - 16, "<I", 3, QUANTISED)),
]


@pytest.mark.parametrize(
    ("code", "data"), BROKEN, ids=[f"{code}-{at}" for at, (code, _) in enumerate(BROKEN)]
)
def test_a_broken_rule_raises_its_class_with_its_code(code: str, data: bytes) -> None:
    """Constructor checks: InvalidDescriptorError; buffer-size tier: hurray.BufferError (04-tables.md §2)."""
    kind = hurray.BufferError if code in ("D-15", "L-12", "L-13", "L-29") else hurray.InvalidDescriptorError
    with pytest.raises((hurray.InvalidDescriptorError, hurray.BufferError)) as caught:
        hurray.Descriptor.decode(data)
    error: Any = caught.value
    assert (error.code, type(error)) == (code, kind)
    assert str(error)


@pytest.mark.parametrize("good", [EXAMPLE, SHARDED, COUNTED, QUANTISED, EXTENDED])
def test_what_the_table_breaks_was_good_before(good: bytes) -> None:
    """Optional sections survive: MUST re-encode to byte-identical output."""
    assert hurray.Descriptor.decode(good).encode() == good


def test_optional_sections_make_descriptors_different() -> None:
    plain = hurray.Descriptor.decode(descriptor(shape=(8, 4), sizes=(128,)))
    assert hurray.Descriptor.decode(SHARDED) != plain
    assert hurray.Descriptor.decode(QUANTISED) != hurray.Descriptor.decode(
        changed(len(QUANTISED) - 16, "<I", 2, QUANTISED)
    )


def test_a_newer_minor_version_is_read_as_far_as_known() -> None:
    """versioning: a newer minor is read; its extra bytes are covered by descriptor_length."""
    data = descriptor(BOOL, shape=(10,), sizes=(2,), version=(1, 7), sections=b"newer")
    one = hurray.Descriptor.decode(data)
    assert (one.version, one.dtype, one.shape) == ((1, 7), hurray.bool, (10,))
