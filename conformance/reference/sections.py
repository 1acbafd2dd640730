"""descriptor.md §6.2 to §6.5: the optional sections, but for quantization."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from .faults import Report
from .wire import Reader, u64s

DYNAMIC = 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True)
class Shard:
    """§6.2: the box of a parent that a tensor holds."""

    parent_shape: tuple[int, ...]
    offset: tuple[int, ...]

    def encode(self) -> bytes:
        """16·r bytes."""
        return u64s((*self.parent_shape, *self.offset))

    def check(self, shape: tuple[int, ...], report: Report) -> None:
        """D-44 and D-45."""
        for axis, (size, parent, start) in enumerate(
            zip(shape, self.parent_shape, self.offset, strict=False)
        ):
            if DYNAMIC in (size, parent):
                report.add("D-45", f"shard with a dynamic dim {axis}")
            if start + size > parent:
                report.add("D-44", f"shard: {start} + {size} > {parent} along {axis}")


def read_shard(reader: Reader, rank: int, shape: tuple[int, ...], report: Report) -> Shard:
    """The section, checked."""
    one = Shard(reader.u64s(rank, "parent_shape"), reader.u64s(rank, "shard_offset"))
    one.check(shape, report)
    return one


_STATISTICS = struct.Struct("<IIQ6d4BI")


@dataclass(frozen=True)
class Statistics:
    """§6.3: advisory numbers; a field counts only where its bit of ``mask`` is set."""

    mask: int = 0
    reserved: int = 0
    nnz: int = 0
    sparsity_ratio: float = 0.0
    value_min: float = 0.0
    value_max: float = 0.0
    value_abs_max: float = 0.0
    value_mean: float = 0.0
    value_stddev: float = 0.0
    nm_n: int = 0
    nm_m: int = 0
    has_nan: int = 0
    has_inf: int = 0
    tail: int = 0

    def encode(self) -> bytes:
        """72 bytes."""
        floats = (self.sparsity_ratio, self.value_min, self.value_max, self.value_abs_max)
        small = (self.nm_n, self.nm_m, self.has_nan, self.has_inf, self.tail)
        return _STATISTICS.pack(
            self.mask, self.reserved, self.nnz, *floats, self.value_mean, self.value_stddev, *small
        )

    def check(self, report: Report) -> None:
        """D-47."""
        report.check(self.mask >> 6 == 0, "D-47", f"computed_mask {self.mask:#x}")
        report.check(self.reserved == self.tail == 0, "D-47", "reserved bytes of the statistics")


def read_statistics(reader: Reader, report: Report) -> Statistics:
    """The section, checked."""
    one = Statistics(*_STATISTICS.unpack(reader.take(72, "statistics section")))
    one.check(report)
    return one


_EXTENSION = struct.Struct("<I6BHI2BH")


@dataclass(frozen=True)
class Extension:
    """§6.4: how wide the elements of a private type are."""

    bit_width: int
    packing_factor: int = 1
    is_float: int = 0
    is_signed: int = 0
    sign_bits: int = 0
    exponent_bits: int = 0
    mantissa_bits: int = 0
    reserved: int = 0
    exponent_bias: int = 0
    has_nan: int = 0
    has_inf: int = 0
    tail: int = 0

    def encode(self) -> bytes:
        """20 bytes."""
        first = (self.bit_width, self.packing_factor, self.is_float, self.is_signed, self.sign_bits)
        bits = (self.exponent_bits, self.mantissa_bits, self.reserved, self.exponent_bias)
        return _EXTENSION.pack(*first, *bits, self.has_nan, self.has_inf, self.tail)

    def check(self, report: Report) -> None:
        """D-48."""
        narrow = self.bit_width in (1, 2, 4) and self.packing_factor * self.bit_width == 8
        wide = self.bit_width >= 8 and self.packing_factor == 1
        report.check(
            wide or narrow, "D-48", f"{self.bit_width} bits with packing factor {self.packing_factor}"
        )
        report.check(self.reserved == self.tail == 0, "D-48", "reserved bytes of the extension section")


def read_extension(reader: Reader, report: Report) -> Extension:
    """The section, checked."""
    one = Extension(*_EXTENSION.unpack(reader.take(20, "extension type section")))
    one.check(report)
    return one


@dataclass(frozen=True)
class Member:
    """§6.5: the role in an overlay, 0 correction or 1 base."""

    role: int
    reserved: bytes = bytes(15)

    def encode(self) -> bytes:
        """16 bytes."""
        return bytes([self.role]) + self.reserved

    def check(self, report: Report) -> None:
        """D-49."""
        report.check(self.role <= 1, "D-49 L-50", f"member role {self.role}")
        report.check(not any(self.reserved), "D-49 L-50", "reserved bytes of the member section")


def read_member(reader: Reader, report: Report) -> Member:
    """The section, checked."""
    one = Member(reader.u8("member_role"), reader.take(15, "member section"))
    one.check(report)
    return one
