"""layouts.md §3: strided (0x03)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, i64s
from .base import Index, Layout, SizeOf, dot, reach

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class Strided(Layout):
    """Strides in elements: positive, negative and zero."""

    strides: tuple[int, ...]
    tag = 0x03
    name = "strided"

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Strided:
        """8·r bytes."""
        return cls(reader.i64s(rank, "strides"))

    def encode(self) -> bytes:
        """8·r bytes."""
        return i64s(self.strides)

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-13: every valid element inside the buffer."""
        if not descriptor.handles or math.prod(descriptor.shape) == 0:
            return
        low, high = reach(descriptor.shape, self.strides)
        bits = descriptor.element_bits
        if bits == 6:  # §16.19: by whole groups of three bytes
            first, end = low // 4 * 3, (high // 4 + 1) * 3
        else:
            first, end = low * bits // 8, ((high + 1) * bits + 7) // 8
        first, end = first + descriptor.byte_offset, end + descriptor.byte_offset
        size = descriptor.handles[0].byte_size
        report.check(first >= 0 and end <= size, "L-13 L-12 S-9 F-47", f"bytes {first} to {end} of {size}")

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The scalar product with the strides; may be negative."""
        return dot(index, self.strides)
