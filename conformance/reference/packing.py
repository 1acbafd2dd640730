"""element-types.md §3: where the bits of an element lie in a buffer, least significant bits first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .element_types import ElementType
from .numbers import Number, decode, encode


def bits_at(kind: ElementType, buffer: bytes, offset: int, element: int) -> int:
    """The bit pattern of ``element``, an offset in elements from ``offset``, in bytes; it may be negative."""
    if kind.bits >= 8:
        size = kind.bits // 8
        return int.from_bytes(slice_of(buffer, offset + element * size, size), "little")
    if kind.bits == 6:
        group = int.from_bytes(slice_of(buffer, offset + 3 * (element // 4), 3), "little")
        return group >> 6 * (element % 4) & 0x3F
    per_byte = 8 // kind.bits
    byte = slice_of(buffer, offset + element // per_byte, 1)[0]
    return byte >> element % per_byte * kind.bits & (1 << kind.bits) - 1


def slice_of(buffer: bytes, start: int, size: int) -> bytes:
    """Bytes that must be there."""
    if start < 0 or start + size > len(buffer):
        raise IndexError(f"bytes {start} to {start + size} of a buffer of {len(buffer)}")
    return buffer[start : start + size]


def value_at(kind: ElementType, buffer: bytes, offset: int, element: int) -> Number:
    """The number stored as ``element``."""
    return decode(kind, bits_at(kind, buffer, offset, element))


def pack(kind: ElementType, values: Iterable[Number]) -> bytes:
    """Numbers one after another, unused bits zero."""
    return pack_bits(kind, [encode(kind, value) for value in values])


def pack_bits(kind: ElementType, patterns: Sequence[int]) -> bytes:
    """Bit patterns one after another, unused bits zero."""
    whole = 0
    for position, pattern in enumerate(patterns):
        whole |= pattern << position * kind.bits
    return whole.to_bytes(kind.size_of(len(patterns)), "little")


def unpack(kind: ElementType, buffer: bytes, count: int) -> list[Number]:
    """``count`` numbers from byte 0 of ``buffer``."""
    return [value_at(kind, buffer, 0, position) for position in range(count)]
