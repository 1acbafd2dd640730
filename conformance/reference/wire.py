"""Little-endian fields with no padding between them: reading inside a bound, and writing."""

from __future__ import annotations

import struct
from collections.abc import Iterable

from .faults import Report


class Reader:
    """Reads ``data`` from ``at``. A field past the end stops with ``rules``."""

    def __init__(self, data: bytes, report: Report, rules: str, at: int = 0) -> None:
        self.data, self.report, self.rules, self.at = data, report, rules, at

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return len(self.data) - self.at

    def take(self, size: int, what: str) -> bytes:
        """``size`` raw bytes."""
        if size > self.left:
            self.report.stop(self.rules, f"{what}: {size} bytes wanted at {self.at}, {self.left} are there")
        self.at += size
        return self.data[self.at - size : self.at]

    def unsigned(self, size: int, what: str) -> int:
        """One unsigned integer of ``size`` bytes."""
        return int.from_bytes(self.take(size, what), "little")

    def u8(self, what: str) -> int:
        """One byte."""
        return self.unsigned(1, what)

    def u16(self, what: str) -> int:
        """Two bytes."""
        return self.unsigned(2, what)

    def u32(self, what: str) -> int:
        """Four bytes."""
        return self.unsigned(4, what)

    def u64(self, what: str) -> int:
        """Eight bytes."""
        return self.unsigned(8, what)

    def i32(self, what: str) -> int:
        """Four bytes, two's complement."""
        return int.from_bytes(self.take(4, what), "little", signed=True)

    def u32s(self, count: int, what: str) -> tuple[int, ...]:
        """``count`` unsigned integers of four bytes."""
        return struct.unpack(f"<{count}I", self.take(4 * count, what))

    def u64s(self, count: int, what: str) -> tuple[int, ...]:
        """``count`` unsigned integers of eight bytes."""
        return struct.unpack(f"<{count}Q", self.take(8 * count, what))

    def i64s(self, count: int, what: str) -> tuple[int, ...]:
        """``count`` signed integers of eight bytes."""
        return struct.unpack(f"<{count}q", self.take(8 * count, what))

    def f32(self, what: str) -> float:
        """One binary32."""
        return float(struct.unpack("<f", self.take(4, what))[0])

    def f64(self, what: str) -> float:
        """One binary64."""
        return float(struct.unpack("<d", self.take(8, what))[0])


def u32s(*values: int) -> bytes:
    """Integers of four bytes."""
    return struct.pack(f"<{len(values)}I", *values)


def u64s(values: Iterable[int]) -> bytes:
    """Unsigned integers of eight bytes."""
    items = list(values)
    return struct.pack(f"<{len(items)}Q", *items)


def i64s(values: Iterable[int]) -> bytes:
    """Signed integers of eight bytes."""
    items = list(values)
    return struct.pack(f"<{len(items)}q", *items)


def up(value: int, alignment: int) -> int:
    """``value`` rounded up to a multiple of ``alignment``."""
    return -(-value // alignment) * alignment
