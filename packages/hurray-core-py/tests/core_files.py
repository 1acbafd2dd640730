"""``.hrry`` files byte by byte (format: file.md, descriptor.md), written and read without the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from struct import pack, unpack_from
from typing import Any

ALIGNMENT = 4096
ALL_ONES = 2**64 - 1
QUANTIZATION, SHARD, EXTENSION, STATISTICS, MEMBER = 1, 2, 4, 8, 16
HAS_KV, SORTED, HAS_CRC = 1, 2, 4
FLOAT32, INT8, UINT8, BOOL, INT4, E8M0 = 0x03, 0x10, 0x11, 0x20, 0x48, 0x42

_CRC = [0] * 256
for _byte in range(256):
    _value = _byte
    for _ in range(8):
        _value = _value >> 1 ^ 0x82F63B78 * (_value & 1)
    _CRC[_byte] = _value


def crc32c(data: bytes) -> int:
    """Castagnoli, reflected (file.md §6)."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def up(number: int, alignment: int) -> int:
    """Rounded up to a multiple."""
    return number + -number % alignment


def handle(
    size: int, alignment: int | None = None, device: int = 0, sync: int = 0, memory: int = 0, spare: int = 0
) -> bytes:
    """One entry of a buffer table (buffers.md §1)."""
    if alignment is None:
        alignment = 64 if size else 1
    return pack("<QIBBBB", size, alignment, device, sync, memory, spare)


def descriptor(
    dtype: int = FLOAT32,
    layout: int = 1,
    shape: Sequence[int] = (2,),
    sizes: Sequence[int] = (8,),
    *,
    payload: bytes = b"",
    sections: bytes = b"",
    flags: int = 0,
    byte_offset: int = 0,
    handles: bytes | None = None,
    count: int | None = None,
    rank: int | None = None,
    version: tuple[int, int] = (1, 0),
    length: int | None = None,
) -> bytes:
    """A descriptor (descriptor.md §1); what is not given follows from ``shape`` and ``sizes``."""
    if handles is None:
        handles = b"".join(handle(size) for size in sizes)
    body = pack("<BBI", dtype, layout, len(shape) if rank is None else rank)
    body += b"".join(pack("<Q", dim) for dim in shape) + pack("<Q", byte_offset) + payload
    body += pack("<B", len(sizes) if count is None else count) + handles + sections
    whole = 14 + len(body) if length is None else length
    return b"HRRY" + bytes(version) + pack("<II", whole, flags) + body


@dataclass(frozen=True)
class Put:
    """One tensor of a crafted file; offsets and lengths that are given stand in the index as they are."""

    name: bytes
    descriptor: bytes
    buffers: tuple[bytes, ...] = ()
    descriptor_offset: int | None = None
    descriptor_length: int | None = None
    data_offset: int | None = None
    data_length: int | None = None
    flags: int = 0
    name_length: int | None = None


@dataclass(frozen=True)
class Crafted:
    """A whole file; every claim in it can be another than the truth, and the checksum is right all the same."""

    tensors: tuple[Put, ...] = ()
    kv: bytes = b""
    flags: int | None = None
    alignment: int = ALIGNMENT
    version: tuple[int, int] = (1, 0)
    magic: bytes = b"HRRYFILE"
    reserved: bytes = bytes(2)
    tail: bytes = bytes(28)
    first: int = 64
    hint: int = ALL_ONES
    count: int | None = None
    index_extra: bytes = b""
    index_offset: int | None = None
    index_length: int | None = None
    kv_offset: int | None = None
    kv_length: int | None = None
    crc: int | None = None
    trailer_reserved: int = 0
    trailer_magic: bytes = b"HRRY"

    def but(self, **changes: Any) -> Crafted:
        """The same file with other claims."""
        return replace(self, **changes)

    def build(self) -> bytes:
        """The file."""
        flags = self.flags if self.flags is not None else HAS_CRC | (HAS_KV if self.kv else 0)
        out = bytearray(self.magic + bytes(self.version) + self.reserved)
        out += pack("<IIQQ", flags, self.alignment, self.first, self.hint) + self.tail
        step = self.alignment if 8 <= self.alignment <= 1 << 21 else ALIGNMENT
        index = self._region(out, step)
        _pad(out, 8)
        kv_offset, kv_length = (len(out), len(self.kv)) if self.kv else (0, 0)
        out += self.kv
        _pad(out, 8)
        offset = len(out)
        out += index
        out += pack(
            "<QQQIII",
            _or(self.index_offset, offset),
            _or(self.index_length, len(index)),
            _or(self.kv_offset, kv_offset),
            _or(self.kv_length, kv_length),
            _or(self.crc, crc32c(index) if flags & HAS_CRC else 0),
            self.trailer_reserved,
        )
        out += self.trailer_magic
        return bytes(out)

    def _region(self, out: bytearray, step: int) -> bytes:
        """Appends the tensors; returns the index."""
        index = pack("<Q", _or(self.count, len(self.tensors)))
        for put in self.tensors:
            _pad(out, 8)
            start = len(out)
            out += put.descriptor
            data = len(out)
            for number, buffer in enumerate(put.buffers):
                _pad(out, step)
                data = len(out) if number == 0 else data
                out += buffer
            index += pack("<H", _or(put.name_length, len(put.name))) + put.name
            index += pack(
                "<QIQQI",
                _or(put.descriptor_offset, start),
                _or(put.descriptor_length, len(put.descriptor)),
                _or(put.data_offset, data),
                _or(put.data_length, len(out) - data),
                put.flags,
            )
        return index + self.index_extra


def _or(given: int | None, true: int) -> int:
    return true if given is None else given


def _pad(out: bytearray, alignment: int) -> None:
    out += bytes(-len(out) % alignment)


def single(blob: bytes, *buffers: bytes, name: bytes = b"w", **claims: Any) -> bytes:
    """A file of one tensor."""
    return Crafted((Put(name, blob, buffers),), **claims).build()


def kv_entry(key: bytes, tag: int, payload: bytes) -> bytes:
    """One entry of a KV section (file.md §4)."""
    return pack("<H", len(key)) + key + bytes([tag]) + payload


def kv_section(*entries: bytes, count: int | None = None) -> bytes:
    """A KV section."""
    return pack("<I", len(entries) if count is None else count) + b"".join(entries)


@dataclass(frozen=True)
class Parsed:
    """What an independent reader finds in a file; written from file.md alone."""

    flags: int
    alignment: int
    hint: int
    entries: tuple[tuple[str, int, int, int, int, int], ...]
    index: tuple[int, int]
    kv: tuple[int, int]
    crc: int
    computed: int

    @classmethod
    def of(cls, data: bytes) -> Parsed:
        """Reads header, trailer and index, asserting what a good file must hold."""
        assert data[:12] == b"HRRYFILE\x01\x00\x00\x00"
        flags, alignment, first, hint = unpack_from("<IIQQ", data, 12)
        assert (first, data[36:64]) == (64, bytes(28))
        at, length, kv_at, kv_length, crc, spare = unpack_from("<QQQIII", data, len(data) - 40)
        assert (spare, data[-4:], at + length) == (0, b"HRRY", len(data) - 40)
        (count,) = unpack_from("<Q", data, at)
        place, entries = at + 8, []
        for _ in range(count):
            (size,) = unpack_from("<H", data, place)
            name = data[place + 2 : place + 2 + size].decode()
            entries.append((name, *unpack_from("<QIQQI", data, place + 2 + size)))
            place += 34 + size
        assert place == at + length
        computed = crc32c(data[at : at + length])
        return cls(flags, alignment, hint, tuple(entries), (at, length), (kv_at, kv_length), crc, computed)
