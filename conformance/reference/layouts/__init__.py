"""layouts.md: one module for each layout, with its payload, its rules and its address formula."""

from __future__ import annotations

from .base import Layout, Unresolved
from .block_paged import BlockPaged
from .composite import CompositeHead
from .compressed import Csc, Csr
from .coo import Coo
from .csf import Csf
from .dense import ColMajor, RowMajor
from .hilbert import Hilbert
from .morton import Morton
from .private import Private
from .strided import Strided
from .tiled import Tiled

BY_TAG: dict[int, type[Layout]] = {
    one.tag: one
    for one in (
        RowMajor, ColMajor, Strided, Tiled, Morton, Coo, Csr, Csc, Csf, BlockPaged, CompositeHead, Hilbert
    )
}  # fmt: skip

__all__ = [
    "BY_TAG", "BlockPaged", "ColMajor", "CompositeHead", "Coo", "Csc", "Csf", "Csr", "Hilbert", "Layout", "Morton",
    "Private", "RowMajor", "Strided", "Tiled", "Unresolved",
]  # fmt: skip
