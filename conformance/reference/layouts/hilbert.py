"""layouts.md §6: hilbert (0x40), Skilling's transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, u32s
from .base import Index, Layout, SizeOf, check_dense

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Hilbert(Layout):
    """Every dimension is 2**order; neighbours along the curve differ by one in one coordinate."""

    order: int
    hilbert_rank: int
    tag = 0x40
    name = "hilbert"
    ranks = range(2, 65)

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Hilbert:
        """Eight bytes."""
        order, hilbert_rank = reader.u32("hilbert_order"), reader.u32("hilbert_rank")
        report.check(order > 0, "D-25 L-20", "hilbert order 0")
        report.check(hilbert_rank >= 2, "D-25 L-20", f"hilbert rank {hilbert_rank}")
        return cls(order, hilbert_rank)

    def encode(self) -> bytes:
        """Eight bytes."""
        return u32s(self.order, self.hilbert_rank)

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-22 before 2**order is computed, then D-26."""
        rank = descriptor.rank
        report.check(self.hilbert_rank == rank, "D-26 L-21", f"hilbert rank {self.hilbert_rank}, rank {rank}")
        if not report.check(rank * self.order <= 64, "L-22", f"hilbert: {rank}·{self.order} bits"):
            return
        for size in descriptor.static_shape:
            if size is not None and size != 1 << self.order:
                report.add("D-26 L-21", f"a dim of {size}, not {1 << self.order}")

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-12."""
        if descriptor.rank * self.order <= 64:
            check_dense(descriptor, size_of(1 << descriptor.rank * self.order), report)

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The four steps of §6."""
        x, last, powers = list(index), len(index) - 1, range(self.order - 1, 0, -1)
        for q in (1 << power for power in powers):
            for k in range(len(x)):
                if x[k] & q:
                    x[0] ^= q - 1
                else:
                    swap = (x[0] ^ x[k]) & q - 1
                    x[0] ^= swap
                    x[k] ^= swap
        for k in range(1, len(x)):
            x[k] ^= x[k - 1]
        flip = 0
        for q in (1 << power for power in powers):
            if x[last] & q:
                flip ^= q - 1
        x = [one ^ flip for one in x]
        return sum(
            (one >> b & 1) << b * len(x) + last - axis
            for axis, one in enumerate(x)
            for b in range(self.order)
        )
