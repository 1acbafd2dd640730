"""file.md §5: the index."""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass

from ..faults import Report
from ..wire import Reader, u64s

SMALLEST = 35
_FIXED = struct.Struct("<QIQQI")


@dataclass(frozen=True)
class IndexEntry:
    """One tensor: its name, and where it lies."""

    name: bytes
    descriptor_offset: int
    descriptor_length: int
    data_offset: int
    data_length: int
    flags: int = 0

    def encode(self) -> bytes:
        """34 bytes and the name."""
        places = (self.descriptor_offset, self.descriptor_length, self.data_offset, self.data_length)
        return struct.pack("<H", len(self.name)) + self.name + _FIXED.pack(*places, self.flags)


def encode_index(entries: list[IndexEntry]) -> bytes:
    """The index."""
    return u64s([len(entries)]) + b"".join(entry.encode() for entry in entries)


def read_index(raw: bytes, *, is_sorted: bool, minor: int, report: Report) -> list[IndexEntry]:
    """The entries, with F-15 to F-20."""
    reader = Reader(raw, report, "F-16")
    count = reader.u64("index_entry_count")
    if count > (len(raw) - 8) // SMALLEST:
        report.stop("F-15", f"{count} entries in {len(raw)} bytes")
    entries = []
    for _ in range(count):
        name = reader.take(reader.u16("name_length"), "name")
        entry = IndexEntry(name, *_FIXED.unpack(reader.take(_FIXED.size, "index entry")))
        report.check(len(name) > 0 and is_utf8(name), "F-17", f"name {name!r}")
        report.check(entry.flags == 0, "F-19", f"{name!r}: flags {entry.flags:#x}")
        entries.append(entry)
    names = [entry.name for entry in entries]
    report.check(len(set(names)) == len(names), "F-18", "a name twice")
    if is_sorted:
        ascending = all(first < second for first, second in itertools.pairwise(names))
        report.check(ascending, "F-20", "SORTED_INDEX, and the names are not ascending")
    report.check(reader.left == 0 or minor > 0, "F-16", f"{reader.left} bytes after the last entry")
    return entries


def is_utf8(raw: bytes) -> bool:
    """Whether the bytes are UTF-8."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
