"""What a relay reads it writes back: unknown layouts, and fields of a newer minor version.

layouts.md §12, versioning.md §2 and §6, descriptor.md §7.
"""

from __future__ import annotations

import copy
import pickle
from struct import pack
from typing import Any

import core_files
import hurray
import pytest
from core_files import EXTENSION, FLOAT32, INT8, QUANTIZATION, SHARD, STATISTICS
from core_payloads import RESERVED
from hypothesis import given, settings
from hypothesis import strategies as st

AFFINE = pack("<I", 16) + pack("<BBHfi4x", 1, 1, 0, 0.5, 3)
SHARDED = pack("<4Q", 8, 8, 0, 4)
COUNTED = pack("<IIQ", 1, 0, 2) + bytes(56)
PRIVATE_TYPE = pack("<IBBBBBBHIBB2x", 16, 1, 1, 0, 1, 5, 10, 0, 15, 1, 1)

# Payloads that look like parts of a descriptor: counts, handles, tables.
HANDLE = core_files.handle(8)
TABLES = [b"", b"\x01", b"\x01" * 40, bytes(40), HANDLE, b"\x01" + HANDLE, b"\x02" + HANDLE * 2, HANDLE * 3]
PAYLOADS = st.one_of(
    st.binary(max_size=64),
    st.lists(st.sampled_from(TABLES), max_size=4).map(b"".join),
)


def unknown(payload: bytes, tag: int = 0x0C, sizes: Any = (8,), **more: Any) -> bytes:
    return core_files.descriptor(more.pop("dtype", FLOAT32), tag, (2, 3), sizes, payload=payload, **more)


def test_strict_is_the_default() -> None:
    """Strict is the default; permissive must be switched on explicitly."""
    with pytest.raises(hurray.InvalidDescriptorError, match="permissive=True") as caught:
        hurray.Descriptor.decode(unknown(b"ab"))
    assert caught.value.code == "L-2"
    with pytest.raises(hurray.InvalidDescriptorError):
        hurray.Descriptor.decode(unknown(b"ab"), permissive=False)
    with pytest.raises(TypeError):
        hurray.Descriptor.decode(unknown(b"ab"), True)  # type: ignore[call-arg]


@pytest.mark.parametrize("tag", [0x00, 0xFF])
def test_an_invalid_tag_is_refused_in_every_mode(tag: int) -> None:
    """L-1."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Descriptor.decode(unknown(b"", tag), permissive=True)
    assert caught.value.code == "L-1"


@given(
    PAYLOADS,
    RESERVED,
    st.lists(st.sampled_from([0, 1, 64, 2**40, 257, 0x0101010101010101]), min_size=1, max_size=5),
)
@settings(max_examples=300)
def test_an_unknown_layout_of_version_1_0_is_told_from_what_follows_it(
    payload: bytes, tag: int, sizes: list[int]
) -> None:
    """No handle ends in anything but 0, so that the table stands in one place, whatever the payload looks like."""
    blob = unknown(payload, tag, sizes)
    decoded = hurray.Descriptor.decode(blob + b"HRRY behind it", permissive=True)
    assert decoded.layout == hurray.UnknownLayout(tag, payload)
    assert [handle.byte_size for handle in decoded.buffer_handles] == sizes
    assert decoded.encode() == blob
    assert decoded.encoded_len == len(blob)


@pytest.mark.parametrize(
    ("flags", "sections", "dtype"),
    [
        (SHARD, SHARDED, FLOAT32),
        (STATISTICS, COUNTED, FLOAT32),
        (EXTENSION, PRIVATE_TYPE, 0xF0),
        (SHARD | STATISTICS | EXTENSION, SHARDED + COUNTED + PRIVATE_TYPE, 0xF0),
        (QUANTIZATION, AFFINE, INT8),
        (QUANTIZATION | SHARD | STATISTICS, AFFINE + SHARDED + COUNTED, INT8),
    ],
)
@pytest.mark.parametrize("payload", [b"", b"ab", b"\x01" + HANDLE])
def test_the_sections_behind_an_unknown_layout(
    flags: int, sections: bytes, dtype: int, payload: bytes
) -> None:
    blob = unknown(payload, sizes=(64, 0), flags=flags, sections=sections, dtype=dtype)
    decoded = hurray.Descriptor.decode(blob, permissive=True)
    assert decoded.encode() == blob
    assert decoded.layout == hurray.UnknownLayout(0x0C, payload)
    assert decoded.buffer_count == 2
    assert (decoded.shard is not None) is bool(flags & SHARD)
    assert (decoded.statistics is not None) is bool(flags & STATISTICS)
    assert (decoded.quantization is not None) is bool(flags & QUANTIZATION)
    assert (decoded.extension_type is not None) is bool(flags & EXTENSION)


@given(PAYLOADS, PAYLOADS)
@settings(max_examples=200)
def test_what_cannot_be_told_apart_is_not_guessed(payload: bytes, trailing: bytes) -> None:
    """At a newer minor version bytes may follow the sections: encode() is right, or nothing else is said."""
    blob = unknown(payload, sections=trailing, version=(1, 1))
    decoded = hurray.Descriptor.decode(blob, permissive=True)
    assert decoded.encode() == blob
    assert (decoded.shape, decoded.dtype, decoded.byte_offset) == ((2, 3), hurray.float32, 0)
    raw = decoded.layout
    assert isinstance(raw, hurray.UnknownLayout)
    try:
        assert decoded.buffer_count == 1
        assert raw.raw_bytes == payload
    except hurray.UnsupportedError:
        assert raw.raw_bytes == payload + b"\x01" + HANDLE + trailing


def test_an_undivided_descriptor_says_what_it_knows_and_refuses_the_rest() -> None:
    """Metadata only: rank, shape and byte_offset can be shown, but the buffer table cannot be located."""
    blob = unknown(b"\x01" + HANDLE, version=(1, 1), byte_offset=4)
    decoded = hurray.Descriptor.decode(blob, permissive=True)
    assert (decoded.version, decoded.shape, decoded.ndim, decoded.size) == ((1, 1), (2, 3), 2, 6)
    assert (decoded.dtype, decoded.byte_offset) == (hurray.float32, 4)
    assert decoded.layout == hurray.UnknownLayout(0x0C, (b"\x01" + HANDLE) * 2)
    for name in ("buffer_handles", "buffer_count", "device", "quantization", "shard", "statistics"):
        with pytest.raises(hurray.UnsupportedError, match="0x0C"):
            getattr(decoded, name)
    with pytest.raises(hurray.UnsupportedError, match="0x0C"):
        hurray.Tensor.from_descriptor(decoded, [bytes(8)])
    assert "buffers=?" in repr(decoded)
    assert decoded == hurray.Descriptor.decode(blob, permissive=True) == pickle.loads(pickle.dumps(decoded))
    assert hash(decoded) == hash(hurray.Descriptor.decode(blob, permissive=True))
    assert copy.deepcopy(decoded).encode() == blob


@pytest.mark.parametrize(
    ("blob", "code"),
    [
        (unknown(b"")[:-30], "D-1"),
        (unknown(b"", length=40), "D-1"),
        (unknown(b"", flags=0x20), "D-6"),
        (unknown(b"", dtype=0x00), "D-7"),
        (unknown(b"", dtype=0x52), "D-8"),
        (unknown(b"", dtype=0xF0), "D-9"),
        (unknown(b"", flags=EXTENSION), "D-9"),
        (unknown(b"", rank=65), "D-13"),
        (unknown(b"", rank=2**32 - 1), "D-13"),
        (unknown(b"", version=(2, 0)), "D-3"),
        (unknown(b"", version=(0, 9)), "D-4"),
    ],
)
def test_what_every_descriptor_begins_with_is_checked(blob: bytes, code: str) -> None:
    """The rules of descriptor.md §8 on what can be read under any layout."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Descriptor.decode(blob, permissive=True)
    assert caught.value.code == code


@given(st.binary(max_size=200), RESERVED, st.integers(0, 31), st.integers(0, 3), st.integers(0, 1))
@settings(max_examples=400)
def test_noise_is_refused_or_written_back(rest: bytes, tag: int, flags: int, rank: int, minor: int) -> None:
    """An InvalidDescriptorError, or a descriptor that re-encodes to what was read."""
    body = bytes([FLOAT32, tag]) + pack("<I", rank) + rest
    blob = b"HRRY" + bytes([1, minor]) + pack("<II", 14 + len(body), flags) + body
    try:
        decoded = hurray.Descriptor.decode(blob, permissive=True)
    except (hurray.InvalidDescriptorError, hurray.BufferError):
        return
    assert decoded.encode() == blob
    assert pickle.loads(pickle.dumps(decoded)).encode() == blob


@given(st.binary(max_size=40), st.integers(1, 255))
def test_fields_of_a_newer_minor_version_are_kept(trailing: bytes, minor: int) -> None:
    """Minor > 0: ignore what is left, and keep the raw bytes if the descriptor may be re-emitted."""
    blob = core_files.descriptor(version=(1, minor), sections=trailing)
    for decoded in (
        hurray.Descriptor.decode(blob),
        hurray.Descriptor.decode(blob + b"more", permissive=True),
    ):
        assert decoded.encode() == blob
        assert decoded.encoded_len == len(blob)
        assert decoded.version == (1, minor)
        assert decoded.buffer_count == 1
        again = pickle.loads(pickle.dumps(decoded))
        assert again == decoded
        assert again.encode() == blob
    plain = hurray.Descriptor.decode(core_files.descriptor(version=(1, minor)))
    assert (decoded == plain) is (trailing == b"")


def test_a_relay_in_full() -> None:
    """It reads a descriptor and buffers, rebuilds the tensor, and writes both back out."""
    blob = unknown(b"\x01\x02", 0x41, (8, 16))
    buffers = [bytes(range(8)), bytes(range(16))]
    read = hurray.Descriptor.decode(blob, permissive=True)
    tensor = hurray.Tensor.from_descriptor(read, buffers)
    rebuilt = hurray.Tensor(buffers[0], read.dtype, read.shape, aux_buffers=buffers[1:], layout=read.layout)
    for one in (tensor, rebuilt, pickle.loads(pickle.dumps(tensor)), copy.deepcopy(tensor)):
        assert one.layout == hurray.UnknownLayout(0x41, b"\x01\x02")
        assert [one.buffer(at).tobytes() for at in range(2)] == buffers
        # Ruling 11: equal in everything but the measured alignment.
        written = hurray.Descriptor.decode(one.descriptor.encode(), permissive=True)
        assert written == one.descriptor
        assert [handle.byte_size for handle in written.buffer_handles] == [8, 16]


def test_a_pickled_tensor_need_not_look_for_the_end() -> None:
    """Where a quantization section leaves two readings, the pickle still says which it is."""
    # The payload reads as a table and a section that is longer than its scheme, too.
    behind = AFFINE[4:] + b"\x01" + HANDLE + AFFINE
    payload = b"\x01" + HANDLE + pack("<I", len(behind)) + AFFINE[4:]
    scheme = hurray.PerTensorAffine(0.5, 3)
    layout = hurray.UnknownLayout(0x0C, payload)
    tensor = hurray.Tensor(bytes(8), hurray.int8, (8,), layout=layout, quantization=scheme)
    decoded = hurray.Descriptor.decode(tensor.descriptor.encode(), permissive=True)
    assert decoded.encode() == tensor.descriptor.encode()
    with pytest.raises(hurray.UnsupportedError):
        _ = decoded.buffer_count
    for again in (pickle.loads(pickle.dumps(tensor)), pickle.loads(pickle.dumps(tensor.descriptor))):
        assert again.layout == layout
        assert again.quantization == scheme
        assert again.buffer_count == 1
