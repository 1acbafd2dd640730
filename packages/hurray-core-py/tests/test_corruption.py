"""A small file cut at every length and with a bit flipped at every offset (issue 3, Bad input)."""

from __future__ import annotations

import collections
import itertools
import sys
from collections.abc import Iterator
from struct import pack
from typing import Any

import core_files as craft
import hurray
import pytest
from core_files import FLOAT32, INT4, INT8, Crafted, Put, descriptor, kv_entry, kv_section
from core_memory import limit_memory, resident, run

ROOM = 256 << 20
REFUSALS = (hurray.FileError, hurray.InvalidDescriptorError, hurray.BufferError, hurray.UnsupportedError)

SECTION = pack("<I", 24) + pack("<BBHIIIIB3x", 3, 1, 1, 1, 4, 1, 0xFFFFFFFF, 3)
FILE = Crafted(
    (
        Put(b"plain", descriptor(FLOAT32, shape=(2, 3), sizes=(24,)), (bytes(range(24)),)),
        Put(
            b"strided",
            descriptor(INT8, 3, (2, 2), (6,), payload=pack("<qq", -3, 1), byte_offset=3),
            (b"abcdef",),
        ),
        Put(b"bits", descriptor(craft.BOOL, shape=(10,), sizes=(2,)), (b"\x0d\x03",)),
        Put(
            b"csr",
            descriptor(FLOAT32, 7, (3, 3), (8, 16, 32), payload=pack("<QQ", 2, 0)),
            (pack("<ff", 1, 2), pack("<QQ", 0, 1), pack("<4Q", 0, 1, 2, 2)),
        ),
        Put(
            b"quantised",
            descriptor(INT4, 1, (2, 4), (4, 8), sections=SECTION, flags=craft.QUANTIZATION),
            (b"\x21\x43\x65\x07", pack("<ff", 0.5, 2)),
        ),
        Put(b"empty", descriptor(0x04, shape=(0, 4), sizes=(0,)), (b"",)),
    ),
    kv=kv_section(
        kv_entry(b"text", 1, pack("<I", 2) + b"ab"),
        kv_entry(b"number", 2, pack("<q", -5)),
        kv_entry(b"list", 7, b"\4" + pack("<Idd", 2, 0.5, 1.5)),
    ),
)
DATA = FILE.build()


def parts() -> dict[str, set[int]]:
    """The offsets of each part of the file; what is in none of them is padding."""
    parsed = craft.Parsed.of(DATA)
    found: dict[str, set[int]] = {
        "header": set(range(64)),
        "index": set(range(parsed.index[0], sum(parsed.index))),
        "kv": set(range(parsed.kv[0], sum(parsed.kv))),
        "trailer": set(range(len(DATA) - 40, len(DATA))),
        "descriptor": set(),
        "data": set(),
    }
    for (_, at, length, _, _, _), put in zip(parsed.entries, FILE.tensors, strict=True):
        found["descriptor"] |= set(range(at, at + length))
        for start, buffer in zip(
            hurray.open(DATA).entry(put.name.decode()).buffer_offsets, put.buffers, strict=True
        ):
            found["data"] |= set(range(start, start + len(buffer)))
    return found


def values(data: bytes) -> Any:
    """All that a file says: names, descriptors, bytes of every buffer, metadata."""
    loaded = hurray.load(data)
    with hurray.open(data) as file:
        tensors = [
            (name, file.descriptor(name), [tensor.buffer(at).tobytes() for at in range(tensor.buffer_count)])
            for name, tensor in loaded.items()
        ]
        return tensors, list(file.kv.items())


def use(data: bytes) -> str:
    """Every door over a damaged file, and every way to read what it lets in."""
    try:
        hurray.verify(data)
        with hurray.open(data) as file:
            for name in file:
                file.entry(name)
                file.descriptor_bytes(name)
                look(file, name)
        hurray.load_kv(data)
        hurray.load(data)
    except REFUSALS as error:
        return type(error).__name__
    return "loads"


def look(file: hurray.File, name: str) -> None:
    """Reads a tensor in every way, where it is one."""
    try:
        tensor = file[name]
    except REFUSALS:
        return
    repr(tensor)
    for at in range(tensor.buffer_count):
        try:
            tensor.buffer(at).tobytes()
        except REFUSALS:
            continue
    if (tensor.size or 0) > 1 << 16:  # a broadcast may be large and right
        return
    for read in (tensor.tolist, tensor.tobytes, lambda: memoryview(tensor).tobytes(), tensor.__dlpack__):
        try:
            read()
        except (*REFUSALS, BufferError, MemoryError):
            continue


def flips(*names: str) -> Iterator[tuple[int, bytes]]:
    """Every bit of the parts of those names."""
    found = parts()
    for at in sorted(set().union(*(found[name] for name in names))):
        for bit in range(8):
            yield at, flipped(at, bit)


def flipped(at: int, bit: int) -> bytes:
    """The file with one bit another."""
    return DATA[:at] + bytes([DATA[at] ^ 1 << bit]) + DATA[at + 1 :]


def lengths() -> Iterator[bytes]:
    """The file cut at every length."""
    return (DATA[:length] for length in range(len(DATA)))


def main(what: str) -> None:
    """Run one kind of damage in limited memory; print what came of it."""
    import faulthandler

    faulthandler.enable()
    use(DATA)
    before = resident()
    limit_memory(ROOM)
    cases = lengths() if what == "cut" else (data for _, data in flips(*parts()))
    count = collections.Counter(map(use, cases))
    grown = resident("VmHWM") - before
    print(grown >> 20, *sorted(f"{name}={number}" for name, number in count.items()))


def outcomes(what: str) -> dict[str, int]:
    words = run("import sys, test_corruption; test_corruption.main(sys.argv[1])", what, timeout=100).split()
    assert int(words[0]) < 32, f"{words[0]} MiB"
    return {name: int(number) for name, number in (word.split("=") for word in words[1:])}


linux = pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")


def test_the_file_is_good() -> None:
    assert hurray.verify(DATA) == []
    assert len(values(DATA)[0]) == 6
    assert values(DATA)[1] == [("text", "ab"), ("number", -5), ("list", [0.5, 1.5])]


@linux
def test_a_file_cut_at_every_length_is_refused() -> None:
    """A truncated file at every length: a clear error."""
    found = outcomes("cut")
    assert found == {"FileError": len(DATA)}


@linux
def test_a_bit_flipped_at_every_offset_ends_in_no_crash() -> None:
    """Never a panic, a crash, or memory beyond what the file really holds."""
    found = outcomes("flip")
    assert sum(found.values()) == 8 * sum(map(len, parts().values())) > 7000
    assert found["FileError"] > 1000
    # Data, metadata, and a few claims that a file is free to make.
    assert found["loads"] > 1000
    assert set(found) <= {"FileError", "InvalidDescriptorError", "BufferError", "UnsupportedError", "loads"}


def test_header_index_and_trailer_are_refused_or_give_the_same() -> None:
    """A flip there never gives other tensors or other metadata: the index has a checksum, the rest has rules."""
    expected, refused = values(DATA), 0
    for at, data in flips("header", "index", "trailer"):
        try:
            found = values(data)
        except REFUSALS:
            refused += 1
            continue
        assert found == expected, f"offset {at}"
    assert refused > 2000


def test_flips_in_a_descriptor_are_refused_or_seen() -> None:
    """Descriptors have no checksum: what is let in declares what it says, and no more bytes than there are."""
    names = [put.name.decode() for put in FILE.tensors]
    refused = 0
    for _, data in flips("descriptor"):
        with hurray.open(data) as file:
            for name in names:
                try:
                    tensor = file[name]
                except REFUSALS:
                    refused += 1
                    continue
                assert [h.byte_size for h in tensor.buffer_handles] == [
                    tensor.buffer(at).nbytes if tensor.device.kind == "cpu" else h.byte_size
                    for at, h in enumerate(tensor.buffer_handles)
                ]
    assert refused > 500


def test_flips_in_data_change_that_tensor_alone() -> None:
    """Data has no checksum: the bytes come as they are, and no other tensor changes."""
    expected = {name: (d, b) for name, d, b in values(DATA)[0]}
    for at, data in flips("data"):
        tensors, kv = values(data)
        assert kv == values(DATA)[1]
        different = [name for name, d, b in tensors if expected[name] != (d, b)]
        assert len(different) == 1, f"offset {at}"


def test_flips_in_padding_change_nothing_and_are_seen_by_verify() -> None:
    """F-46: a reader may leave padding alone; verify does not."""
    within = set().union(*parts().values())
    padding = [at for at in range(len(DATA)) if at not in within]
    expected = [(name, tensor.nbytes, tensor.shape) for name, tensor in hurray.load(DATA).items()]
    assert len(padding) > 30000
    for count, at in enumerate(padding):
        data = flipped(at, at % 8)
        assert [(name, tensor.nbytes, tensor.shape) for name, tensor in hurray.load(data).items()] == expected
        if count % 97 == 0:
            assert values(data) == values(DATA)
            assert [(problem.code, problem.offset) for problem in hurray.verify(data)] == [("F-46", at)]


@linux
@pytest.mark.parametrize("io", ["mmap", "read"])
def test_cut_files_on_disk(io: Any, tmp_path: Any) -> None:
    """The same through real files: each part's edges and a sample between."""
    path = tmp_path / "a.hrry"
    edges = sorted({e for part in parts().values() for e in (min(part), max(part), max(part) + 1)})
    for length in itertools.chain(range(0, len(DATA), 1009), edges[:-1]):
        path.write_bytes(DATA[:length])
        with pytest.raises(hurray.FileError) as caught:
            hurray.load(path, io=io)
        assert caught.value.code
        assert str(path) in str(caught.value)
