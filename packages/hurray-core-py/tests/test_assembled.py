"""Tensor.from_descriptor: a container of one's own (requirements: Descriptor Encoding; copy on ingest)."""

from __future__ import annotations

import itertools
import json
from struct import pack
from typing import Any

import core_files
import hurray
import pytest
from core_files import FLOAT32, handle
from core_memory import address, aligned
from core_tensors import EVERY, bare, contents, csr, floats, placed, same, words


@pytest.mark.parametrize("kind", EVERY)
def test_a_descriptor_and_its_buffers_make_the_tensor(kind: str) -> None:
    """Every layout and section, byte_offset and version included; alignment is measured."""
    tensor = EVERY[kind]()
    parts = [placed(part) for part in contents(tensor)]
    again = hurray.Tensor.from_descriptor(hurray.Descriptor.decode(tensor.descriptor.encode()), parts)
    assert same(tensor, again)
    assert (again.byte_offset, again.descriptor.version) == (tensor.byte_offset, tensor.descriptor.version)
    for at, part in enumerate(parts):
        if part.nbytes:
            assert address(again.buffer(at)) == address(part)
            assert again.buffer_handles[at].alignment == 4096


def test_a_container_of_ones_own_carries_tensors() -> None:
    """The reason for Descriptor: JSON with hexadecimal bytes is a container, too."""
    written = json.dumps(
        {
            kind: [make().descriptor.encode().hex(), *(b.hex() for b in contents(make()))]
            for kind, make in EVERY.items()
        }
    )
    for kind, (head, *buffers) in json.loads(written).items():
        descriptor = hurray.Descriptor.decode(bytes.fromhex(head))
        tensor = hurray.Tensor.from_descriptor(descriptor, map(bytes.fromhex, buffers))
        assert same(tensor, EVERY[kind]())


def test_the_members_section_and_the_minor_version_stay() -> None:
    """A relay keeps what it does not use: an overlay's role, and the version."""
    member = pack("<B15x", 1)
    blob = core_files.descriptor(sections=member, flags=core_files.MEMBER)
    tensor = hurray.Tensor.from_descriptor(hurray.Descriptor.decode(blob), [floats(1, 2)])
    assert tensor.descriptor.encode().endswith(member)
    newer = core_files.descriptor(version=(1, 7))
    assert hurray.Tensor.from_descriptor(
        hurray.Descriptor.decode(newer), [floats(1, 2)]
    ).descriptor.version == (1, 7)


def test_a_device_and_its_mode_stay() -> None:
    """A declaration is relayed: the mode is not the caller's to set, and nothing is read."""
    blob = core_files.descriptor(handles=handle(8, device=1, sync=2, memory=1))
    descriptor = hurray.Descriptor.decode(blob)
    tensor = hurray.Tensor.from_descriptor(descriptor, [floats(1, 2)])
    assert tensor.device is descriptor.device
    assert (tensor.buffer_handles[0].sync_mode, tensor.device.memory_class) == (
        "consumer_stream",
        "host_pinned",
    )
    with pytest.raises(hurray.UnsupportedError, match="consumer_stream"):
        tensor.buffer(0)


# --- count and size ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 2, 4, 255, 300])
def test_there_is_one_buffer_for_each_handle(count: int) -> None:
    """Rejecting any whose buffer count disagrees with its descriptor."""
    with pytest.raises(hurray.InvalidDescriptorError, match=r"speaks of 3 buffers") as caught:
        hurray.Tensor.from_descriptor(csr().descriptor, [bytes(64)] * count)
    assert caught.value.code == "D-31"


def test_an_endless_iterator_ends() -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match="256"):
        hurray.Tensor.from_descriptor(csr().descriptor, itertools.repeat(bytes(64)))


@pytest.mark.parametrize("at", range(3))
def test_each_buffer_has_the_declared_bytes(at: int) -> None:
    """Too few bytes: BufferError that says which and how many; what lies behind the declared ones is left out."""
    parts = contents(csr())
    short = [part[:-1] if at == number else part for number, part in enumerate(parts)]
    text = rf"buffers\[{at}\] is {len(parts[at]) - 1} bytes, but the descriptor declares {len(parts[at])}"
    with pytest.raises(hurray.BufferError, match=text):
        hurray.Tensor.from_descriptor(csr().descriptor, short)
    longer = [part + bytes(100) for part in parts]
    tensor = hurray.Tensor.from_descriptor(csr().descriptor, longer)
    assert contents(tensor) == parts
    assert bare(tensor.descriptor) == bare(csr().descriptor)


def test_an_empty_buffer_is_whatever_is_there() -> None:
    """An empty handle takes any exporter and nothing of it."""
    descriptor = hurray.Tensor(b"", hurray.float32, (0, 2)).descriptor
    for data in (b"", bytes(9)):
        tensor = hurray.Tensor.from_descriptor(descriptor, [data])
        assert (tensor.nbytes, tensor.buffer_handles[0].alignment) == (0, 1)


@pytest.mark.parametrize(
    ("buffers", "error", "text"),
    [
        (5, TypeError, "buffers is a sequence"),
        (bytes(48), TypeError, r"buffers is a sequence.*\[buffer\]"),
        (csr(), TypeError, r"buffers is a sequence.*\[buffer\]"),
        ([bytes(8), "x", bytes(24)], TypeError, r"buffers\[1\]"),
        ([bytes(8), memoryview(bytes(64))[::2], bytes(24)], hurray.BufferError, r"buffers\[1\].*contiguous"),
    ],
    ids=["int", "bytes", "tensor", "str", "strided"],
)
def test_buffers_are_buffers(buffers: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        hurray.Tensor.from_descriptor(csr().descriptor, buffers)


@pytest.mark.parametrize("given", [None, b"HRRY", csr, hurray.CsrLayout(nnz=2)])
def test_a_descriptor_is_one(given: Any) -> None:
    """A TypeError, not an attempt to decode."""
    with pytest.raises(TypeError, match="descriptor"):
        hurray.Tensor.from_descriptor(given, contents(csr()))


def test_the_head_of_a_composite_is_another_class() -> None:
    """A composite MUST NOT be a hurray.Tensor."""
    blob = core_files.descriptor(layout=0x0B, sizes=(), payload=pack("<BBHI", 3, 0, 0, 2))
    with pytest.raises(hurray.UnsupportedError, match=r"hurray\.Composite"):
        hurray.Tensor.from_descriptor(hurray.Descriptor.decode(blob), [])


def test_a_descriptor_that_could_not_be_divided_has_no_buffers() -> None:
    """Of an unknown layout the buffer table may not be found; that is said and not guessed."""
    blob = core_files.descriptor(layout=0x0C, payload=b"no table follows", sizes=())
    descriptor = hurray.Descriptor.decode(blob, permissive=True)
    for refused in (lambda: descriptor.buffer_count, lambda: hurray.Tensor.from_descriptor(descriptor, [])):
        with pytest.raises(hurray.UnsupportedError, match="0x0C"):
            refused()


# --- copy --------------------------------------------------------------------------------------------------


def triple(shifts: tuple[int, int, int]) -> list[memoryview]:
    parts = []
    for part, shift in zip(contents(csr()), shifts, strict=True):
        view = aligned(len(part), shift)
        view[:] = part
        parts.append(view)
    return parts


def shared(tensor: hurray.Tensor, parts: list[memoryview]) -> list[bool]:
    return [address(tensor.buffer(at)) == address(part) for at, part in enumerate(parts)]


def test_copy_none_shares_what_is_aligned() -> None:
    """copy=None: shared where usable, else copied, decided for each buffer by itself."""
    parts = triple((0, 64, 8))
    tensor = hurray.Tensor.from_descriptor(csr().descriptor, parts)
    assert shared(tensor, parts) == [True, True, False]
    assert [one.alignment for one in tensor.buffer_handles][:2] == [4096, 64]
    assert contents(tensor) == contents(csr())


def test_copy_false_shares_or_raises() -> None:
    """copy=False: CopyRequiredError naming the buffer and its alignment."""
    parts = triple((0, 64, 128))
    assert shared(hurray.Tensor.from_descriptor(csr().descriptor, parts, copy=False), parts) == [True] * 3
    with pytest.raises(hurray.CopyRequiredError, match=r"buffers\[1\] is aligned to 8 bytes"):
        hurray.Tensor.from_descriptor(csr().descriptor, triple((0, 8, 64)), copy=False)


def test_copy_true_copies_and_may_be_written() -> None:
    """copy=True: memory of its own, writable whatever the source was."""
    parts = [part.toreadonly() for part in triple((0, 64, 8))]
    tensor = hurray.Tensor.from_descriptor(csr().descriptor, parts, copy=True)
    assert shared(tensor, parts) == [False] * 3
    assert not any(tensor.buffer(at).readonly for at in range(3))
    kept = hurray.Tensor.from_descriptor(csr().descriptor, parts)
    assert all(kept.buffer(at).readonly for at in range(3))
    assert contents(kept) == contents(tensor) == [floats(5, 7), words(0, 2), words(0, 1, 2)]


def test_buffers_may_be_tensors() -> None:
    """What load and buffer(i) give goes in as it is, and is shared."""
    source = csr()
    tensor = hurray.Tensor.from_descriptor(
        source.descriptor, [source.values, source.col_indices, source.buffer(2)], copy=False
    )
    assert [address(tensor.buffer(at)) for at in range(3)] == [address(source.buffer(at)) for at in range(3)]


def test_wrapping_again_and_again_neither_grows_nor_overflows() -> None:
    """PEERS: depth never means stack; a tensor of a tensor's buffers owns what the first one owned."""
    part = placed(floats(1, 2))
    tensor = hurray.Tensor(part, hurray.float32, (2,))
    for _ in range(100_000):
        tensor = hurray.Tensor.from_descriptor(tensor.descriptor, [tensor], copy=False)
    assert address(tensor) == address(part)
    assert tensor.dtype.tag == FLOAT32
