"""layouts.md §4: tiled (0x04), recursive."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader, i64s, u64s
from .base import Index, Layout, SizeOf, check_dense, col_major_strides, dot, reach, row_major_strides

if TYPE_CHECKING:
    from ..descriptor import Descriptor

DEPTH = 8
ROW, COL, STRIDED, TILED = 1, 2, 3, 4


@dataclass(frozen=True)
class Tiled(Layout):
    """Tiles in a grid; ``inner`` 4 makes each tile tiled by ``nested``. Outer strides count tiles."""

    tile_shape: tuple[int, ...]
    outer: int = ROW
    inner: int = ROW
    outer_strides: tuple[int, ...] = ()
    inner_strides: tuple[int, ...] = ()
    nested: Tiled | None = None
    reserved: bytes = b"\0\0"
    tag = 0x04
    name = "tiled"

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report, depth: int = 1) -> Tiled:
        """The payload; one fault ends it, since what follows depends on the order tags."""
        if depth > DEPTH:
            report.stop("D-17 L-15", f"tiled: nesting deeper than {DEPTH}")
        shape = reader.u64s(rank, "tile_shape")
        outer, inner = reader.u8("outer_layout"), reader.u8("inner_layout")
        reserved = reader.take(2, "tiled reserved")
        report.check(min(shape, default=1) > 0, "D-17 L-14", f"tile shape {shape}")
        report.check(not any(reserved), "D-17 L-14", "tiled: reserved bytes")
        if outer not in (ROW, COL, STRIDED) or inner not in (ROW, COL, STRIDED, TILED):
            report.stop("D-17 L-14", f"tiled: outer layout {outer}, inner layout {inner}")
        outer_strides = reader.i64s(rank, "outer_strides") if outer == STRIDED else ()
        inner_strides = reader.i64s(rank, "inner_strides") if inner == STRIDED else ()
        nested = cls.read(reader, rank, report, depth + 1) if inner == TILED else None
        return cls(shape, outer, inner, outer_strides, inner_strides, nested, reserved)

    def encode(self) -> bytes:
        """The payload."""
        head = u64s(self.tile_shape) + bytes([self.outer, self.inner]) + self.reserved
        strides = i64s(self.outer_strides) + i64s(self.inner_strides)
        return head + strides + (self.nested.encode() if self.nested else b"")

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """L-16."""
        one: Tiled | None = self
        while one is not None and 0 not in one.tile_shape:
            inside = one.nested
            if inside is not None and 0 not in inside.tile_shape:
                even = all(
                    big % small == 0 for big, small in zip(one.tile_shape, inside.tile_shape, strict=False)
                )
                report.check(even, "L-16", f"tile {inside.tile_shape} does not divide {one.tile_shape}")
            if one.inner == STRIDED:
                low, high = reach(one.tile_shape, one.inner_strides)
                good = low >= 0 and high < math.prod(one.tile_shape)
                report.check(good, "L-16", f"inner strides reach {low} to {high}")
            if inside is not None and inside.outer == STRIDED and 0 not in inside.tile_shape:
                low, high = reach(_grid(one.tile_shape, inside.tile_shape), inside.outer_strides)
                tiles = math.prod(one.tile_shape) // math.prod(inside.tile_shape)
                report.check(low >= 0 and high < tiles, "L-16", f"nested outer strides reach {low} to {high}")
            one = inside

    def check_sizes(self, descriptor: Descriptor, size_of: SizeOf, report: Report) -> None:
        """L-12."""
        if 0 in self.tile_shape or math.prod(descriptor.shape) == 0 or not descriptor.handles:
            return
        grid, tile = _grid(descriptor.shape, self.tile_shape), math.prod(self.tile_shape)
        low, high = reach(grid, self._outer(grid))
        room = descriptor.byte_offset + tile * low * descriptor.element_bits // 8
        report.check(room >= 0, "L-12 S-9 F-47", f"tiles start {-room} bytes before the buffer")
        check_dense(descriptor, size_of(tile * (high + 1)), report)

    def _outer(self, grid: Index) -> Index:
        if self.outer == STRIDED:
            return self.outer_strides
        return row_major_strides(grid) if self.outer == ROW else col_major_strides(grid)

    def offset(self, index: Index, shape: Index) -> int:
        """The formula of §4, over ``shape``."""
        which = [position // tile for position, tile in zip(index, self.tile_shape, strict=False)]
        inside = [position % tile for position, tile in zip(index, self.tile_shape, strict=False)]
        start = math.prod(self.tile_shape) * dot(which, self._outer(_grid(shape, self.tile_shape)))
        if self.nested is not None:
            return start + self.nested.offset(inside, self.tile_shape)
        if self.inner == STRIDED:
            return start + dot(inside, self.inner_strides)
        order = row_major_strides if self.inner == ROW else col_major_strides
        return start + dot(inside, order(self.tile_shape))

    def find(self, descriptor: Descriptor, buffers: list[bytes], index: Index) -> int:
        """The offset; negative where outer strides are."""
        return self.offset(index, descriptor.shape)


def _grid(shape: Index, tile: Index) -> list[int]:
    return [-(-size // step) for size, step in zip(shape, tile, strict=False)]
