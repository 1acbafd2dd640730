"""file.md §6: the trailer."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..faults import Report
from .header import HAS_CRC, HAS_KV, SIZE, Header

MAGIC = b"HRRY"
LENGTH = 40
_STRUCT = struct.Struct("<QQQIII4s")


@dataclass(frozen=True)
class Trailer:
    """40 bytes."""

    index_offset: int
    index_length: int
    kv_offset: int = 0
    kv_length: int = 0
    crc: int = 0
    reserved: int = 0

    def encode(self) -> bytes:
        """40 bytes."""
        places = (self.index_offset, self.index_length, self.kv_offset, self.kv_length)
        return _STRUCT.pack(*places, self.crc, self.reserved, MAGIC)

    @property
    def has_kv(self) -> bool:
        """Whether offset and length say that a KV section is there (§11.1)."""
        return self.kv_offset != 0 and self.kv_length != 0

    @property
    def region_end(self) -> int:
        """Where the tensor region ends at the latest, F-23."""
        return min(self.index_offset, self.kv_offset) if self.has_kv else self.index_offset

    def check(self, header: Header, size: int, report: Report) -> bool:
        """F-10 to F-14 and F-31, F-32 as far as no bytes are needed; whether the index can be read."""
        report.check(self.reserved == 0, "F-10", "reserved bytes of the trailer")
        if not header.flags & HAS_CRC:
            report.check(self.crc == 0, "F-14", f"no CRC is there, and it is {self.crc:#x}")
        report.check(
            (self.kv_offset == 0) == (self.kv_length == 0), "F-32", "one of kv_offset, kv_length is zero"
        )
        report.check(self.has_kv or not header.flags & HAS_KV, "F-32", "HAS_KV_METADATA without a section")
        report.check(self.kv_offset % 8 == 0, "F-32", f"kv_offset {self.kv_offset}")
        inside = self.kv_offset + self.kv_length <= size - LENGTH
        report.check(inside or not self.has_kv, "F-31", f"KV section at {self.kv_offset} passes the trailer")
        end = self.index_offset + self.index_length
        good = report.check(end <= size - LENGTH, "F-11", f"index at {self.index_offset} passes the trailer")
        aligned = self.index_offset >= SIZE and self.index_offset % 8 == 0
        report.check(aligned, "F-12", f"index_offset {self.index_offset}")
        long = report.check(self.index_length >= 8, "F-12", f"index_length {self.index_length}")
        return good and long


def read_trailer(data: bytes, report: Report) -> Trailer:
    """The last 40 bytes; nothing is believed where the magic is wrong."""
    *fields, magic = _STRUCT.unpack(data[-LENGTH:])
    if magic != MAGIC:
        report.stop("F-9", f"trailer magic {magic!r}")
    return Trailer(*fields)
