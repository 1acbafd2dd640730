"""Layouts that store what is not zero."""

from collections.abc import Iterable
from typing import SupportsIndex, final

from hurray._stubs.layout import Layout
from typing_extensions import Self

@final
class CooLayout(Layout):
    """Sparse by coordinates: values, indices."""

    def __new__(cls, nnz: SupportsIndex, is_sorted: bool = False) -> Self: ...
    @property
    def nnz(self) -> int: ...
    @property
    def is_sorted(self) -> bool: ...

@final
class CsrLayout(Layout):
    """Sparse by rows: values, col_indices, row_ptr."""

    def __new__(cls, nnz: SupportsIndex) -> Self: ...
    @property
    def nnz(self) -> int: ...

@final
class CscLayout(Layout):
    """Sparse by columns: values, row_indices, col_ptr."""

    def __new__(cls, nnz: SupportsIndex) -> Self: ...
    @property
    def nnz(self) -> int: ...

@final
class CsfLayout(Layout):
    """Sparse tree of rank 3 or more: values, then pos and crd of each level."""

    def __new__(cls, nnz: SupportsIndex, mode_order: Iterable[SupportsIndex]) -> Self: ...
    @property
    def nnz(self) -> int: ...
    @property
    def mode_order(self) -> tuple[int, ...]: ...
