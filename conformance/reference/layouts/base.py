"""layouts.md §1: what all layouts share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from ..faults import Report
from ..wire import Reader

if TYPE_CHECKING:
    from ..descriptor import Descriptor

Index = Sequence[int]
SizeOf = Callable[[int], int]
LIMIT = 1 << 64


class Unresolved(ValueError):
    """The descriptor and its buffers do not say which element lies where."""


class Layout:
    """Maps a logical index to a place in buffer 0, by way of the other buffers of the layout."""

    tag: ClassVar[int]
    name: ClassVar[str]
    dense: ClassVar[bool] = True
    sized_by_nnz: ClassVar[bool] = False
    sharded: ClassVar[bool] = True
    ranks: ClassVar[range] = range(1, 65)

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> Layout:
        """The payload, with the rules that need nothing else."""
        raise NotImplementedError

    def encode(self) -> bytes:
        """The payload."""
        return b""

    def own_buffers(self, rank: int) -> int | None:
        """How many buffers come before the parameter buffers; None if nobody can know."""
        return 1

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """Rules about rank and shape. Nothing may be computed from a dynamic dim."""

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """Whether the buffers, as declared, are large enough. Called without dynamic dims."""

    def check_contents(self, descriptor: Descriptor, buffers: list[bytes], report: Report) -> None:
        """Rules about the index data."""

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int | None:
        """The element of buffer 0 that holds ``index``; None where nothing is stored, which means zero."""
        raise NotImplementedError


def check_dense(descriptor: Descriptor, needed: int, report: Report) -> None:
    """L-12: buffer 0 holds ``needed`` bytes after byte_offset; an empty tensor needs none."""
    if not descriptor.handles or math.prod(descriptor.shape) == 0:
        return
    have = descriptor.handles[0].byte_size - descriptor.byte_offset
    report.check(
        needed <= have, "L-12 S-9 F-47", f"{descriptor.layout.name} needs {needed} bytes, {have} are there"
    )


def row_major_strides(shape: Index) -> list[int]:
    """§2, in elements."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return strides


def col_major_strides(shape: Index) -> list[int]:
    """§2, in elements."""
    return row_major_strides(shape[::-1])[::-1]


def dot(index: Index, strides: Index) -> int:
    """The linear offset of an index."""
    return sum(position * stride for position, stride in zip(index, strides, strict=False))


def reach(shape: Index, strides: Index) -> tuple[int, int]:
    """§3: the lowest and the highest offset of any element."""
    ends = [stride * (size - 1) for size, stride in zip(shape, strides, strict=False)]
    return sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)
