"""layouts.md §7 to §9: what the sparse layouts share."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from ..faults import Report
from .base import Layout

if TYPE_CHECKING:
    from ..descriptor import Descriptor


def u64_array(buffer: bytes) -> list[int]:
    """A buffer of u64."""
    return [int.from_bytes(buffer[at : at + 8], "little") for at in range(0, len(buffer) // 8 * 8, 8)]


def u32_array(buffer: bytes) -> list[int]:
    """A buffer of u32."""
    return [int.from_bytes(buffer[at : at + 4], "little") for at in range(0, len(buffer) // 4 * 4, 4)]


class Sparse(Layout):
    """Only stored coordinates exist; the rest are zero."""

    dense = False
    sized_by_nnz = True
    nnz: int

    def check_nnz(self, descriptor: Descriptor, sizes: list[int | None], report: Report) -> None:
        """L-29 with the exact ``sizes`` of the layout's buffers, as far as no dynamic dim hides them, and L-30."""
        for number, (size, handle) in enumerate(zip(sizes, descriptor.handles, strict=False)):
            if size is not None and size != handle.byte_size:
                what = f"{self.name}: buffer {number} has {handle.byte_size} bytes, not {size}"
                report.add("L-29 S-9 F-47", what)
        statistics = descriptor.statistics
        if statistics is not None and statistics.mask & 1 and statistics.nnz != self.nnz:
            report.add("L-30", f"statistics say nnz {statistics.nnz}, the layout {self.nnz}")


def rising(values: list[int]) -> bool:
    """Strictly increasing."""
    return all(first < second for first, second in itertools.pairwise(values))


def pointers_good(pointers: list[int], end: int) -> bool:
    """From 0 to ``end``, never falling."""
    steps = all(first <= second for first, second in itertools.pairwise(pointers))
    return bool(pointers) and pointers[0] == 0 and pointers[-1] == end and steps
