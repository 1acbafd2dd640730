"""layouts.md §9: csf (0x09)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, u32s, u64s
from .base import Index, SizeOf
from .sparse import Sparse, pointers_good, rising, u64_array

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Csf(Sparse):
    """A tree; ``mode_order[L]`` is the dimension of level L, level 0 outermost."""

    nnz: int
    mode_order: tuple[int, ...]
    reserved: bytes = bytes(8)
    tag = 0x09
    name = "csf"
    sharded = False
    ranks = range(3, 65)

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Csf:
        """16 + 4·r bytes."""
        nnz, order, reserved = (
            reader.u64("nnz"),
            reader.u32s(rank, "mode_order"),
            reader.take(8, "csf reserved"),
        )
        report.check(sorted(order) == list(range(rank)), "D-22 L-27", f"mode_order {order}")
        report.check(not any(reserved), "D-20 L-23", "csf: reserved bytes")
        return cls(nnz, order, reserved)

    def encode(self) -> bytes:
        """16 + 4·r bytes."""
        return u64s([self.nnz]) + u32s(*self.mode_order) + self.reserved

    def own_buffers(self, rank: int) -> int:
        """Values, then pos and crd of each level."""
        return 2 * rank + 1

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-26."""
        report.check(descriptor.rank >= 3, "D-21 L-26", f"csf of rank {descriptor.rank}")

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-29: n_L is known by the size of crd_L alone."""
        sizes: list[int | None] = [size_of(self.nnz)]
        above = 1
        for level in range(descriptor.rank):
            if 2 * level + 2 >= len(descriptor.handles):
                return
            sizes.append(8 * (above + 1))
            above = descriptor.handles[2 * level + 2].byte_size // 8
            sizes.append(8 * (self.nnz if level == descriptor.rank - 1 else above))
        self.check_nnz(descriptor, sizes, report)

    def check_contents(self, descriptor: Descriptor, buffers: list[bytes], report: Report) -> None:
        """L-33."""
        if sorted(self.mode_order) != list(range(descriptor.rank)):
            return
        for level, axis in enumerate(self.mode_order):
            pos, crd = u64_array(buffers[2 * level + 1]), u64_array(buffers[2 * level + 2])
            if not report.check(
                pointers_good(pos, len(crd)), "L-33", f"csf: pos of level {level}: {pos[:9]}"
            ):
                continue
            siblings = all(rising(crd[start:end]) for start, end in itertools.pairwise(pos))
            report.check(siblings, "L-33", f"csf: siblings of level {level} do not increase")
            bound = descriptor.shape[axis]
            report.check(all(one < bound for one in crd), "L-33", f"csf: crd of level {level} out of bounds")

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int | None:
        """Down the tree."""
        node = 0
        for level, axis in enumerate(self.mode_order):
            pos, crd = u64_array(buffers[2 * level + 1]), u64_array(buffers[2 * level + 2])
            start, end = pos[node], pos[node + 1]
            if index[axis] not in crd[start:end]:
                return None
            node = crd.index(index[axis], start, end)
        return node
