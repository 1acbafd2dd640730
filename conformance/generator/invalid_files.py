"""Files, each with one fault: the rules of file.md §10."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.composite import Composite
from ..reference.descriptor import Descriptor
from ..reference.faults import Report
from ..reference.file import lay_out
from ..reference.file.crc import crc32c
from ..reference.file.header import HAS_CRC, HAS_KV, SORTED, Header
from ..reference.file.index import IndexEntry, encode_index, read_index
from ..reference.file.kv import Value
from ..reference.file.trailer import LENGTH, Trailer
from ..reference.layouts import CompositeHead, Csr
from ..reference.layouts.composite import GROUP
from ..reference.tensor import Tensor
from .composites import dense, head, invalid_composites, nest
from .invalid_descriptors import Fault, patched
from .valid_files import TWO, flat
from .vector import Vector

FILE = lay_out(TWO).encode()
WITH_KV = lay_out(TWO[:1], [("key", Value(1, "value"))]).encode()
MOST = (1 << 64) - 1


def invalid_files() -> Iterator[Vector]:
    """One vector for each fault, its name beginning with the rule."""
    for make in (_header, _trailer, _index, _entries, _regions, _kv_place, _kv, _composites):
        for rule, name, raw in make():
            yield Vector(f"files/{rule.lower()}-{name}", "file", raw, name.replace("-", " "), rule)


def trailer_of(raw: bytes) -> Trailer:
    """The trailer of a good file."""
    return Trailer(*struct.unpack("<QQQIII4s", raw[-LENGTH:])[:6])


def with_trailer(raw: bytes, **fields: int) -> bytes:
    """The file with other fields in its trailer."""
    return raw[:-LENGTH] + replace(trailer_of(raw), **fields).encode()


def with_index(raw: bytes, index: bytes, flags: int = HAS_CRC) -> bytes:
    """The file with another index, its length and its CRC true."""
    trailer = trailer_of(raw)
    crc = crc32c(index) if flags & HAS_CRC else 0
    end = replace(trailer, index_length=len(index), crc=crc).encode()
    return patched(raw[: trailer.index_offset], 12, struct.pack("<I", flags)) + index + end


def entries_of(raw: bytes) -> list[IndexEntry]:
    """The index of a good file."""
    trailer = trailer_of(raw)
    index = raw[trailer.index_offset : trailer.index_offset + trailer.index_length]
    return read_index(index, is_sorted=False, minor=0, report=Report(families="F"))


def with_entry(change: Callable[[IndexEntry], IndexEntry], raw: bytes = FILE) -> bytes:
    """The file with its first entry changed."""
    first, *rest = entries_of(raw)
    return with_index(raw, encode_index([change(first), *rest]))


def moved(**fields: int) -> bytes:
    """The file with other numbers in its first entry."""
    return with_entry(lambda entry: replace(entry, **fields))  # type: ignore[arg-type]


def _header() -> Iterator[Fault]:
    yield "F-1", "magic", b"HRRYFILF" + FILE[8:]
    yield "F-1", "a-stream", FILE[64:]
    yield "F-2", "major-2", patched(FILE, 8, b"\2")
    yield "F-3", "major-0", patched(FILE, 8, b"\0")
    for bit in (3, 31):
        yield "F-4", f"flag-bit-{bit}", patched(FILE, 12, struct.pack("<I", HAS_CRC | 1 << bit))
    yield "F-5", "reserved-at-10", patched(FILE, 10, b"\1")
    yield "F-5", "reserved-at-63", patched(FILE, 63, b"\1")
    yield "F-5", "reserved-at-36-of-minor-1", patched(patched(FILE, 9, b"\1"), 36, b"\1")
    for alignment in (0, 1, 2048, 4097, 12288, 4194304, 1 << 31):
        yield "F-6", f"alignment-{alignment}", patched(FILE, 16, struct.pack("<I", alignment))
    for first in (0, 56, 60, 1 << 40):
        yield "F-7", f"first-descriptor-{first}", patched(FILE, 20, struct.pack("<Q", first))
    yield "F-8", "nothing", b""
    yield "F-8", "111-bytes", lay_out([]).encode()[:111]


def _trailer() -> Iterator[Fault]:
    yield "F-9", "trailer-magic", FILE[:-4] + b"HRRX"
    yield "F-9", "cut-by-one", FILE[:-1]
    yield "F-9", "cut-by-half", FILE[: len(FILE) // 2]
    yield "F-9", "one-byte-more", FILE + b"\0"
    yield "F-10", "trailer-reserved", with_trailer(FILE, reserved=1)
    yield "F-10", "trailer-reserved-of-minor-1", with_trailer(patched(FILE, 9, b"\1"), reserved=1)
    one = trailer_of(FILE)
    yield "F-11", "index-past-the-trailer", with_trailer(FILE, index_length=one.index_length + 1)
    yield "F-11", "index-offset-past-the-end", with_trailer(FILE, index_offset=1 << 40)
    yield (
        "F-11",
        "index-wraps-around",
        with_trailer(FILE, index_offset=MOST - 7, index_length=one.index_length),
    )
    yield "F-11", "index-length-most", with_trailer(FILE, index_length=MOST)
    yield "F-12", "index-length-7", with_trailer(FILE, index_length=7)
    yield "F-12", "index-length-0", with_trailer(FILE, index_length=0)
    index = FILE[one.index_offset : -LENGTH]
    shifted = (
        FILE[: one.index_offset] + b"\0" + index + replace(one, index_offset=one.index_offset + 1).encode()
    )
    yield "F-12", "index-not-aligned", shifted
    yield "F-12", "index-in-the-header", with_trailer(FILE, index_offset=56)
    yield "F-13", "crc-differs", with_trailer(FILE, crc=one.crc ^ 1)
    yield "F-13", "crc-0", with_trailer(FILE, crc=0)
    yield "F-14", "crc-without-flag", patched(FILE, 12, bytes(4))


def _index() -> Iterator[Fault]:
    first, second = entries_of(FILE)
    index = encode_index([first, second])
    for count in (3, 1 << 32, MOST):
        yield "F-15", f"entry-count-{count}", with_index(FILE, patched(index, 0, struct.pack("<Q", count)))
    yield "F-16", "byte-after-the-last-entry", with_index(FILE, index + b"\0")
    yield "F-16", "one-entry-not-counted", with_index(FILE, patched(index, 0, struct.pack("<Q", 1)))
    yield "F-16", "name-past-the-end", with_index(FILE, patched(index, 8, b"\xff\xff"))
    yield "F-16", "last-entry-cut", with_index(FILE, index[:-1])
    yield "F-17", "name-empty", with_index(FILE, encode_index([replace(first, name=b""), second]))
    yield "F-17", "name-not-utf-8", with_index(FILE, encode_index([replace(first, name=b"w\xff"), second]))
    yield (
        "F-17",
        "name-surrogate",
        with_index(FILE, encode_index([replace(first, name=b"\xed\xa0\x80"), second])),
    )
    yield "F-18", "name-twice", with_index(FILE, encode_index([first, replace(second, name=first.name)]))
    yield "F-19", "entry-flags", moved(flags=1)
    yield "F-20", "sorted-and-not-ascending", with_index(FILE, index, SORTED | HAS_CRC)
    twice = encode_index([second, replace(first, name=second.name)])
    yield "F-20", "sorted-and-name-twice", with_index(FILE, twice, SORTED | HAS_CRC)
    yield "F-45", "tensor-not-in-the-index", with_index(FILE, encode_index([second]))


def _entries() -> Iterator[Fault]:
    first = entries_of(FILE)[0]
    yield "F-21", "descriptor-length-less", moved(descriptor_length=first.descriptor_length - 1)
    yield "F-21", "descriptor-length-more", moved(descriptor_length=first.descriptor_length + 3)
    yield "F-22", "descriptor-before-the-first", patched(FILE, 20, struct.pack("<Q", 128))
    yield "F-22", "descriptor-not-aligned", moved(descriptor_offset=first.descriptor_offset + 4)
    yield "F-23", "descriptor-length-36", moved(descriptor_length=36)
    yield "F-23", "descriptor-past-the-region", moved(descriptor_offset=trailer_of(FILE).index_offset)
    yield "F-23", "descriptor-wraps-around", moved(descriptor_offset=MOST - 7)
    yield "F-23", "descriptor-length-most", moved(descriptor_length=0xFFFF_FFFF)
    yield "F-24", "data-not-aligned", moved(data_offset=first.data_offset + 8)
    yield "F-25", "data-past-the-region", moved(data_offset=1 << 40)
    yield "F-25", "data-wraps-around", moved(data_offset=MOST - 4095)
    yield "F-26", "data-length-more", moved(data_length=first.data_length + 4)
    yield "F-26", "data-length-0", moved(data_length=0)
    yield "F-27", "buffer-past-the-data", _claims(1 << 20)
    yield "F-27", "buffer-of-2-62-bytes", _claims(1 << 62)
    yield "F-27", "buffer-wraps-around", _claims(MOST)
    yield "F-30", "descriptor-flag", patched(FILE, first.descriptor_offset + 10, b"\x20")
    yield "F-30", "descriptor-magic", patched(FILE, first.descriptor_offset, b"X")
    yield "F-47", "data-too-short", _short()


def _claims(size: int) -> bytes:
    """The first descriptor declares a buffer of ``size``; the index knows the true length."""
    descriptor = replace(TWO[0][1].descriptor, handles=(Handle(size),))
    return patched(FILE, 64, descriptor.encode())


def _short() -> bytes:
    one = TWO[0][1]
    return lay_out(
        [("a", Tensor(replace(one.descriptor, handles=(Handle(12),)), [one.buffers[0][:12]]))]
    ).encode()


def _regions() -> Iterator[Fault]:
    first, second = entries_of(FILE)
    yield "F-28", "data-of-two-tensors", _shared_data()
    late = lay_out(TWO[:1], header=Header(first=4096)).encode()
    yield "F-28", "data-over-its-descriptor", with_entry(lambda one: replace(one, data_offset=4096), late)
    yield "F-28", "data-in-the-header", moved(data_offset=0)
    again = replace(
        second, descriptor_offset=first.descriptor_offset, descriptor_length=first.descriptor_length
    )
    same = replace(again, data_offset=first.data_offset, data_length=first.data_length)
    yield "F-29", "two-entries-of-one-descriptor", with_index(FILE, encode_index([first, same]))
    yield "F-46", "padding-not-zero", patched(FILE, 2048, b"\1")
    sparse = lay_out([("a", dense(range(12), (3, 4), layout=Csr(0)))]).encode()
    yield "F-46", "padding-between-buffers", patched(sparse, 8191, b"\1")
    yield "F-46", "padding-before-the-index", patched(FILE, trailer_of(FILE).index_offset - 1, b"\1")
    gap = FILE.index(b"HRRY", 70)
    yield "F-45", "descriptor-in-a-gap", patched(FILE, 2048, FILE[gap : gap + 53])


def _shared_data() -> bytes:
    pair = lay_out([("a", TWO[0][1]), ("b", TWO[0][1])]).encode()
    first, second = entries_of(pair)
    return with_index(pair, encode_index([first, replace(second, data_offset=first.data_offset)]))


def _kv_place() -> Iterator[Fault]:
    one = trailer_of(WITH_KV)
    yield "F-31", "kv-past-the-trailer", with_trailer(WITH_KV, kv_length=4096)
    yield "F-31", "kv-length-most", with_trailer(WITH_KV, kv_length=0xFFFF_FFFF)
    yield "F-31", "kv-wraps-around", with_trailer(WITH_KV, kv_offset=MOST - 7)
    yield "F-31", "kv-over-the-data", with_trailer(WITH_KV, kv_offset=4096)
    yield "F-31", "kv-in-the-header", with_trailer(WITH_KV, kv_offset=8)
    yield "F-32", "kv-length-0", with_trailer(WITH_KV, kv_length=0)
    yield "F-32", "kv-offset-0", with_trailer(WITH_KV, kv_offset=0)
    yield "F-32", "kv-flag-without-section", patched(FILE, 12, struct.pack("<I", HAS_KV | HAS_CRC))
    yield "F-32", "kv-not-aligned", _unaligned_kv(one)


def _unaligned_kv(one: Trailer) -> bytes:
    kv = WITH_KV[one.kv_offset : one.kv_offset + one.kv_length]
    room = WITH_KV[: one.kv_offset] + b"\0" + kv
    index = WITH_KV[one.index_offset : -LENGTH]
    start = -(-len(room) // 8) * 8
    end = replace(one, kv_offset=one.kv_offset + 1, index_offset=start).encode()
    return room.ljust(start, b"\0") + index + end


def kv_file(section: bytes) -> bytes:
    """A file without tensors and with this KV section."""
    start = 64 + -(-len(section) // 8) * 8
    index = encode_index([])
    header = Header(HAS_KV | HAS_CRC).encode()
    end = Trailer(start, len(index), 64, len(section), crc32c(index)).encode()
    return (header + section).ljust(start, b"\0") + index + end


def _kv() -> Iterator[Fault]:
    def entry(tag: int, payload: bytes, key: bytes = b"k") -> bytes:
        return struct.pack("<H", len(key)) + key + bytes([tag]) + payload

    def section(*entries: bytes, count: int | None = None) -> bytes:
        return kv_file(struct.pack("<I", len(entries) if count is None else count) + b"".join(entries))

    good = entry(5, b"\1")
    yield "F-33", "kv-count-2-of-1", section(good, count=2)
    yield "F-33", "kv-count-most", section(good, count=0xFFFF_FFFF)
    yield "F-33", "kv-section-of-3-bytes", kv_file(b"\0\0\0")
    yield "F-34", "key-empty", section(entry(2, bytes(8), b""))
    yield "F-34", "key-not-utf-8", section(entry(5, b"\1", b"\xc0\x80"))
    yield "F-35", "key-twice", section(good, good)
    for tag in (0x00, 0x08, 0xEF, 0xF0, 0xFF):
        yield "F-36", f"value-tag-{tag:02x}", section(entry(tag, bytes(8)))
    yield "F-37", "bool-2", section(entry(5, b"\2"))
    yield "F-37", "bool-in-array-255", section(entry(7, b"\5\1\0\0\0\xff"))
    for tag in (0x00, 0x07, 0x08, 0xF0):
        yield "F-38", f"array-of-{tag:02x}", section(entry(7, bytes([tag]) + struct.pack("<I", 0)))
    for tag in (1, 2, 5):
        count = struct.pack("<I", 0xFFFF_FFFF)
        yield "F-39", f"array-count-most-of-{tag:02x}", section(entry(7, bytes([tag]) + count + bytes(8)))
    yield "F-39", "array-count-2-of-1", section(entry(7, b"\2" + struct.pack("<I", 2) + bytes(8)))
    yield "F-40", "string-not-utf-8", section(entry(1, struct.pack("<I", 1) + b"\xff"))
    yield "F-40", "string-past-the-section", section(entry(1, struct.pack("<I", 99) + b"abc"))
    yield "F-40", "bytes-length-most", section(entry(6, b"\xff\xff\xff\xff" + b"abc"))
    yield "F-40", "int64-cut", section(entry(2, bytes(7)))
    yield "F-40", "key-past-the-section", section(struct.pack("<H", 999) + b"k\5\1")
    yield "F-41", "byte-after-the-last-entry", kv_file(struct.pack("<I", 1) + good + b"\0")


def _composites() -> Iterator[Fault]:
    torn = Composite(head(GROUP, (2,), [TWO[1][1]] * 2).head, [TWO[1][1]])
    yield "F-42", "torn", lay_out(flat([torn])).encode()
    most = Tensor(Descriptor(0x03, (2,), CompositeHead(GROUP, 0xFFFF_FFFE)), [])
    yield "F-42", "member-count-most", lay_out([("head", most)]).encode()
    yield "F-43", "nine-heads", lay_out(flat([nest(9)])).encode()
    for rule, name, item in invalid_composites():
        if rule in ("L-47", "L-48", "L-49", "L-51", "L-52"):
            yield "F-44", f"{rule.lower()}-{name}", lay_out(flat([item])).encode()
