"""A valid file of 1 TiB that takes a few pages of disk: the large tensor is a hole.

Written from the format's text with the standard library, since no writer of data makes such a file.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ALIGNMENT = 4096
UINT8, ROW_MAJOR = 0x11, 0x01
HAS_INDEX_CRC = 4
UNKNOWN = 2**64 - 1


def up(offset: int, alignment: int) -> int:
    """``offset`` rounded up to a multiple of ``alignment``."""
    return -(-offset // alignment) * alignment


def crc32c(data: bytes) -> int:
    """CRC-32C, bit by bit: the index of two entries is short."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def descriptor(size: int) -> bytes:
    """A row-major uint8 tensor of ``size`` elements in one CPU buffer."""
    head = struct.pack("<4sBBIIBBI", b"HRRY", 1, 0, 53, 0, UINT8, ROW_MAJOR, 1)
    return head + struct.pack("<QQBQIBBBB", size, 0, 1, size, 64, 0, 0, 0, 0)


def write(path: Path, total: int) -> None:
    """A file of about ``total`` bytes with a small tensor before the large one and another after it."""
    entries = b""
    with path.open("wb") as file:
        header = struct.pack("<8sBBHIIQQ28x", b"HRRYFILE", 1, 0, 0, HAS_INDEX_CRC, ALIGNMENT, 64, UNKNOWN)
        file.write(header)
        position = len(header)
        for name, size in ((b"first", 64), (b"huge", total), (b"last", 64)):
            start = up(position, 8)
            file.seek(start)
            file.write(descriptor(size))
            data = up(start + 53, ALIGNMENT)
            if name != b"huge":
                file.seek(data)
                file.write(bytes(range(size)))
            entries += struct.pack("<H", len(name)) + name + struct.pack("<QIQQI", start, 53, data, size, 0)
            position = data + size
        index = struct.pack("<Q", 3) + entries
        start = up(position, 8)
        # The end first: it fails at once where the file system has no files of this size.
        file.truncate(start + len(index) + 40)
        file.seek(start)
        file.write(index)
        file.write(struct.pack("<QQQIII4s", start, len(index), 0, 0, crc32c(index), 0, b"HRRY"))
