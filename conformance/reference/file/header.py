"""file.md §2: the header."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..faults import Report

MAGIC = b"HRRYFILE"
SIZE = 64
HAS_KV, SORTED, HAS_CRC = 1, 2, 4
UNKNOWN = 0xFFFF_FFFF_FFFF_FFFF
_STRUCT = struct.Struct("<8sBBHIIQQ28s")


@dataclass(frozen=True)
class Header:
    """64 bytes."""

    flags: int = HAS_CRC
    alignment: int = 4096
    first: int = SIZE
    count: int = UNKNOWN
    version: tuple[int, int] = (1, 0)
    reserved: int = 0
    tail: bytes = bytes(28)

    def encode(self) -> bytes:
        """64 bytes."""
        parts = (self.reserved, self.flags, self.alignment, self.first, self.count, self.tail)
        return _STRUCT.pack(MAGIC, *self.version, *parts)

    def check(self, size: int, report: Report) -> None:
        """F-4 to F-7, for a file of ``size`` bytes."""
        report.check(self.flags >> 3 == 0, "F-4", f"file flags {self.flags:#x}")
        report.check(not self.reserved and not any(self.tail), "F-5", "reserved bytes of the header")
        power = self.alignment & self.alignment - 1 == 0
        report.check(power and 4096 <= self.alignment <= 2097152, "F-6", f"alignment {self.alignment}")
        good = self.first >= SIZE and self.first % 8 == 0 and self.first <= size
        report.check(good, "F-7", f"first_descriptor_offset {self.first}")


def read_header(data: bytes, report: Report) -> Header:
    """The header of a file; magic and major version stop."""
    if data[:8] != MAGIC[: len(data)]:
        report.stop("F-1", f"magic {data[:8]!r}")
    if len(data) < 112:
        report.stop("F-8", f"a file of {len(data)} bytes")
    _, major, minor, reserved, flags, alignment, first, count, tail = _STRUCT.unpack_from(data)
    if major != 1:
        report.stop("F-2" if major > 1 else "F-3", f"container major {major}")
    return Header(flags, alignment, first, count, (major, minor), reserved, tail)
