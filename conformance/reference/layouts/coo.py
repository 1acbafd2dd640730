"""layouts.md §7: coo (0x06)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, u64s
from .base import Index, SizeOf
from .sparse import Sparse, u64_array

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Coo(Sparse):
    """Values, and a tuple of coordinates for each."""

    nnz: int
    is_sorted: int = 0
    reserved: bytes = bytes(7)
    tag = 0x06
    name = "coo"

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Coo:
        """16 bytes."""
        nnz, is_sorted, reserved = reader.u64("nnz"), reader.u8("is_sorted"), reader.take(7, "coo reserved")
        report.check(is_sorted <= 1, "L-24", f"coo: is_sorted {is_sorted}")
        report.check(not any(reserved), "D-20 L-23", "coo: reserved bytes")
        return cls(nnz, is_sorted, reserved)

    def encode(self) -> bytes:
        """16 bytes."""
        return u64s([self.nnz]) + bytes([self.is_sorted]) + self.reserved

    def own_buffers(self, rank: int) -> int:
        """Values and indices."""
        return 2

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-29."""
        self.check_nnz(descriptor, [size_of(self.nnz), 8 * self.nnz * descriptor.rank], report)

    def check_contents(self, descriptor: Descriptor, buffers: list[bytes], report: Report) -> None:
        """L-31."""
        entries = self.coordinates(descriptor, buffers)
        inside = all(
            all(one < size for one, size in zip(entry, descriptor.shape, strict=False)) for entry in entries
        )
        report.check(inside, "L-31", "coo: a coordinate out of bounds")
        report.check(len(set(entries)) == len(entries), "L-31", "coo: a tuple twice")
        if self.is_sorted:
            increasing = all(first < second for first, second in itertools.pairwise(entries))
            report.check(increasing, "L-31", "coo: is_sorted, and not increasing")

    def coordinates(self, descriptor: Descriptor, buffers: list[bytes]) -> list[tuple[int, ...]]:
        """The tuple of each entry."""
        flat, rank = u64_array(buffers[1]), descriptor.rank
        return [tuple(flat[entry * rank : (entry + 1) * rank]) for entry in range(self.nnz)]

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int | None:
        """The entry of a coordinate."""
        entries = self.coordinates(descriptor, buffers)
        return entries.index(tuple(index)) if tuple(index) in entries else None
