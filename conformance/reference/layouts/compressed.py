"""layouts.md §8: csr (0x07) and csc (0x08)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ..faults import Report
from ..wire import Reader, u64s
from .base import Index, SizeOf
from .sparse import Sparse, pointers_good, rising, u64_array

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Csr(Sparse):
    """Rows one after another; ``major`` is the dimension that the pointers run along."""

    nnz: int
    reserved: bytes = bytes(8)
    tag = 0x07
    name = "csr"
    ranks = range(2, 3)
    major: ClassVar[int] = 0

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Csr:
        """16 bytes."""
        nnz, reserved = reader.u64("nnz"), reader.take(8, "reserved")
        report.check(not any(reserved), "D-20 L-23", f"{cls.name}: reserved bytes")
        return cls(nnz, reserved)

    def encode(self) -> bytes:
        """16 bytes."""
        return u64s([self.nnz]) + self.reserved

    def own_buffers(self, rank: int) -> int:
        """Values, minor indices, major pointers."""
        return 3

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-25."""
        report.check(descriptor.rank == 2, "D-21 L-25", f"{self.name} of rank {descriptor.rank}")

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-29."""
        if descriptor.rank == 2:
            size = descriptor.static_shape[self.major]
            pointers = None if size is None else 8 * (size + 1)
            self.check_nnz(descriptor, [size_of(self.nnz), 8 * self.nnz, pointers], report)

    def check_contents(self, descriptor: Descriptor, buffers: list[bytes], report: Report) -> None:
        """L-32."""
        minor, pointers = u64_array(buffers[1]), u64_array(buffers[2])
        if not report.check(
            pointers_good(pointers, self.nnz), "L-32", f"{self.name}: pointers {pointers[:9]}"
        ):
            return
        slices = [minor[start:end] for start, end in itertools.pairwise(pointers)]
        report.check(all(map(rising, slices)), "L-32", f"{self.name}: indices of a slice do not increase")
        bound = descriptor.shape[1 - self.major]
        report.check(all(one < bound for one in minor), "L-32", f"{self.name}: an index out of bounds")

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int | None:
        """The entry of a coordinate."""
        minor, pointers = u64_array(buffers[1]), u64_array(buffers[2])
        start, end = pointers[index[self.major]], pointers[index[self.major] + 1]
        wanted = index[1 - self.major]
        return minor.index(wanted, start, end) if wanted in minor[start:end] else None


@dataclass(frozen=True)
class Csc(Csr):
    """Columns one after another."""

    tag = 0x08
    name = "csc"
    major: ClassVar[int] = 1
