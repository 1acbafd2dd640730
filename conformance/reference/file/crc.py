"""file.md §6: CRC-32C (Castagnoli), reflected."""

from __future__ import annotations


def _step(value: int) -> int:
    for _ in range(8):
        value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value


TABLE = [_step(value) for value in range(256)]


def crc32c(data: bytes) -> int:
    """The checksum; of b"123456789" it is 0xE3069283."""
    value = 0xFFFF_FFFF
    for byte in data:
        value = value >> 8 ^ TABLE[(value ^ byte) & 0xFF]
    return value ^ 0xFFFF_FFFF
