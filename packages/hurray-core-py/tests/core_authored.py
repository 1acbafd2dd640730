"""A tensor of every layout by the constructor, with buffers of the least size."""

from __future__ import annotations

from typing import Any

import hurray
from core_tensors import floats, words

F32, I8 = hurray.float32, hurray.int8

# layout, shape, the smallest buffers that it takes
LAYOUTS: dict[str, tuple[hurray.Layout, tuple[int | None, ...], tuple[int, ...]]] = {
    "row_major": (hurray.RowMajorLayout(), (2, 3), (24,)),
    "col_major": (hurray.ColMajorLayout(), (2, 3), (24,)),
    "strided": (hurray.StridedLayout((8, 1)), (2, 3), (44,)),
    "tiled": (hurray.TiledLayout((2, 2)), (3, 3), (64,)),
    "morton": (hurray.MortonLayout((2, 2)), (3, 3), (64,)),
    "morton holes": (hurray.MortonLayout((1, 3)), (2, 8), (44 * 4,)),
    "hilbert": (hurray.HilbertLayout(2, 2), (4, 4), (64,)),
    "coo": (hurray.CooLayout(nnz=2), (4, 5, 6), (8, 48)),
    "csr": (hurray.CsrLayout(nnz=2), (3, 9), (8, 16, 32)),
    "csc": (hurray.CscLayout(nnz=2), (9, 3), (8, 16, 32)),
    "csf": (hurray.CsfLayout(nnz=2, mode_order=(2, 0, 1)), (2, 3, 4), (8, 16, 8, 16, 8, 16, 16)),
    "block_paged": (hurray.BlockPagedLayout(4, 5, 0, 2), (6, 2, 8), (1280, 8, 12)),
}


def made(kind: str, sizes: tuple[int, ...] | None = None, **more: Any) -> hurray.Tensor:
    """A tensor of that layout over zeros, of the least sizes unless others are given."""
    layout, shape, least = LAYOUTS[kind]
    first, *others = [bytes(size) for size in sizes or least]
    return hurray.Tensor(first, F32, more.pop("shape", shape), aux_buffers=others, layout=layout, **more)


def csr_parts() -> tuple[bytes, bytes, bytes]:
    """The buffers of [[5, 0, 0], [0, 0, 7]] by rows."""
    return floats(5, 7), words(0, 2), words(0, 1, 2)


def csr_of(first: Any, *others: Any) -> hurray.Tensor:
    """The csr tensor over these buffers."""
    return hurray.Tensor(first, F32, (2, 3), aux_buffers=others, layout=hurray.CsrLayout(nnz=2))
