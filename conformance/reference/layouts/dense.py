"""layouts.md §2: row_major (0x01) and col_major (0x02)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader
from .base import Index, Layout, SizeOf, check_dense, col_major_strides, dot, row_major_strides

if TYPE_CHECKING:
    from ..descriptor import Descriptor


@dataclass(frozen=True)
class RowMajor(Layout):
    """The last dimension varies fastest."""

    tag = 0x01
    name = "row_major"
    ranks = range(65)

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> RowMajor:
        """No payload."""
        return cls()

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-12."""
        check_dense(descriptor, size_of(math.prod(descriptor.shape)), report)

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The scalar product with the strides."""
        return dot(index, row_major_strides(descriptor.padded_shape))


@dataclass(frozen=True)
class ColMajor(RowMajor):
    """The first dimension varies fastest."""

    tag = 0x02
    name = "col_major"
    ranks = range(1, 65)

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The scalar product with the strides."""
        return dot(index, col_major_strides(descriptor.padded_shape))
