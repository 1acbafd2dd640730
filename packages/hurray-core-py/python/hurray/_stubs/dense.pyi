"""Layouts that store every element."""

from collections.abc import Iterable
from typing import SupportsIndex, final

from hurray._stubs.arguments import _InnerLayout, _OuterLayout
from hurray._stubs.layout import Layout
from typing_extensions import Self

@final
class RowMajorLayout(Layout):
    def __new__(cls) -> Self: ...

@final
class ColMajorLayout(Layout):
    def __new__(cls) -> Self: ...

@final
class StridedLayout(Layout):
    """Strides in elements (not bytes), signed; 0 repeats an element."""

    def __new__(cls, strides: Iterable[SupportsIndex]) -> Self: ...
    @property
    def strides(self) -> tuple[int, ...]: ...

@final
class TiledLayout(Layout):
    """Tiles, stored whole; ``outer_strides`` in tiles, ``inner_strides`` in elements."""

    def __new__(
        cls,
        tile_shape: Iterable[SupportsIndex],
        outer_layout: _OuterLayout = "row_major",
        inner_layout: _InnerLayout = "row_major",
        outer_strides: Iterable[SupportsIndex] | None = None,
        inner_strides: Iterable[SupportsIndex] | None = None,
        inner_tiled: TiledLayout | None = None,
    ) -> Self: ...
    @property
    def tile_shape(self) -> tuple[int, ...]: ...
    @property
    def outer_layout(self) -> _OuterLayout: ...
    @property
    def inner_layout(self) -> _InnerLayout: ...
    @property
    def outer_strides(self) -> tuple[int, ...] | None: ...
    @property
    def inner_strides(self) -> tuple[int, ...] | None: ...
    @property
    def inner_tiled(self) -> TiledLayout | None: ...

@final
class MortonLayout(Layout):
    """Z-order; ``morton_bits`` index bits per dimension."""

    def __new__(cls, morton_bits: Iterable[SupportsIndex]) -> Self: ...
    @property
    def morton_bits(self) -> tuple[int, ...]: ...

@final
class HilbertLayout(Layout):
    """Hilbert curve; every extent is ``2 ** hilbert_order``."""

    def __new__(cls, hilbert_order: SupportsIndex, hilbert_rank: SupportsIndex) -> Self: ...
    @property
    def hilbert_order(self) -> int: ...
    @property
    def hilbert_rank(self) -> int: ...
