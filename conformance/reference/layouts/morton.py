"""layouts.md §5: morton (0x05)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, u32s
from .base import Index, Layout, SizeOf, check_dense

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Morton(Layout):
    """The bits of the indices, interleaved; dimension 0 is the lowest bit of each group."""

    bits: tuple[int, ...]
    tag = 0x05
    name = "morton"

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Morton:
        """4·r bytes."""
        bits = reader.u32s(rank, "morton_bits")
        report.check(0 not in bits, "D-18 L-17", f"morton bits {bits}")
        return cls(bits)

    def encode(self) -> bytes:
        """4·r bytes."""
        return u32s(*self.bits)

    def _too_high(self, rank: int) -> bool:
        return any((bits - 1) * rank + axis >= 64 for axis, bits in enumerate(self.bits))

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-19 before anything is shifted, then D-19."""
        if self._too_high(descriptor.rank):
            report.add("L-19", f"morton bits {self.bits} pass 64 bits")
        for size, bits in zip(descriptor.static_shape, self.bits, strict=False):
            if size is not None and size - 1 >> min(bits, 64) > 0:
                report.add("D-19 L-18", f"{size} elements do not fit {bits} bits")

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """§5: the highest offset of the formula, which holds for equal bits and for unequal ones (§16.1)."""
        if 0 in self.bits or self._too_high(descriptor.rank):
            return
        needed = 1 + sum(
            1 << b * descriptor.rank + axis for axis, bits in enumerate(self.bits) for b in range(bits)
        )
        before = len(report.faults)
        check_dense(descriptor, size_of(needed), report)
        if len(report.faults) > before and len(set(self.bits)) > 1:
            report.add("L-19", f"morton bits {self.bits} are unequal and the buffer is below their bound")

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The interleaved index."""
        rank = descriptor.rank
        return sum(
            (position >> b & 1) << b * rank + axis
            for axis, position in enumerate(index)
            for b in range(self.bits[axis])
        )
