"""Tensors made from bit patterns by logical index: every element put where its layout says."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import (
    BlockPaged,
    Coo,
    Csc,
    Csf,
    Csr,
    Hilbert,
    Layout,
    Morton,
    Strided,
    Tiled,
    Unresolved,
)
from ..reference.layouts.base import reach
from ..reference.packing import pack_bits
from ..reference.tensor import Tensor
from ..reference.wire import u32s, u64s

Index = tuple[int, ...]
GARBAGE = 1


def handles_for(buffers: Sequence[bytes]) -> tuple[Handle, ...]:
    """Plain CPU handles."""
    return tuple(Handle(len(one), 64 if one else 1) for one in buffers)


def with_parameters(tensor: Tensor, parameters: Sequence[bytes]) -> Tensor:
    """The tensor with parameter buffers after its own."""
    buffers = [*tensor.buffers, *parameters]
    return Tensor(replace(tensor.descriptor, handles=handles_for(buffers)), buffers)


def make(descriptor: Descriptor, bits: Sequence[int], spare: int = 0) -> Tensor:
    """A tensor whose logical elements, last index fastest, are ``bits``; sparse layouts keep some of them."""
    layout = descriptor.layout
    indices = list(itertools.product(*map(range, descriptor.shape)))
    if isinstance(layout, BlockPaged):
        return _paged(descriptor, layout, indices, bits)
    if not layout.dense:
        stored = [(index, one) for index, one in zip(indices, bits, strict=False) if keep(index)]
        return _sparse(descriptor, stored)
    low, count = _extent(layout, descriptor.shape)
    shift = _shift(descriptor, low)
    cells = [GARBAGE] * (count + shift)
    for index, one in zip(indices, bits, strict=False):
        cells[(layout.find(descriptor, [], index) or 0) + shift] = one
    raw = _pack(descriptor, cells if indices else []) + bytes(spare)
    offset = descriptor.size_of(shift) if shift else 0
    return Tensor(replace(descriptor, handles=handles_for([raw]), byte_offset=offset), [raw])


def keep(index: Index) -> bool:
    """Which coordinates a sparse tensor stores."""
    return sum(position * weight for position, weight in zip(index, (1, 2, 5), strict=False)) % 3 == 1


def _pack(descriptor: Descriptor, cells: Sequence[int]) -> bytes:
    if descriptor.element:
        return pack_bits(descriptor.element, cells)
    width = descriptor.element_bits
    whole = sum(one << position * width for position, one in enumerate(cells))
    return whole.to_bytes(descriptor.size_of(len(cells)), "little")


def _extent(layout: Layout, shape: Index) -> tuple[int, int]:
    """Lowest offset, and how many elements are stored from offset 0 on."""
    if isinstance(layout, Strided):
        low, high = reach(shape, layout.strides)
        return low, high + 1
    if isinstance(layout, Tiled):
        grid = [-(-size // tile) for size, tile in zip(shape, layout.tile_shape, strict=True)]
        tile = math.prod(layout.tile_shape)
        if layout.outer == 3:
            low, high = reach(grid, layout.outer_strides)
            return tile * low, tile * (high + 1)
        return 0, tile * math.prod(grid)
    if isinstance(layout, Morton):
        rank = len(shape)
        return 0, 1 + sum(1 << b * rank + axis for axis, bits in enumerate(layout.bits) for b in range(bits))
    if isinstance(layout, Hilbert):
        return 0, 1 << layout.order * len(shape)
    return 0, math.prod(shape)


def _shift(descriptor: Descriptor, low: int) -> int:
    """Elements before offset 0: whole bytes, and whole groups of 6-bit elements."""
    group = 4 if descriptor.element_bits == 6 else max(8 // descriptor.element_bits, 1)
    return -(low // group) * group


def _sparse(descriptor: Descriptor, stored: list[tuple[Index, int]]) -> Tensor:
    layout, rank = descriptor.layout, descriptor.rank
    axes = tuple(range(rank))
    if isinstance(layout, Csc):
        axes = (1, 0)
    elif isinstance(layout, Csf):
        axes = layout.mode_order
    stored = sorted(stored, key=lambda entry: [entry[0][axis] for axis in axes])
    if isinstance(layout, Coo) and not layout.is_sorted:
        stored.reverse()
    keys = [tuple(index[axis] for axis in axes) for index, _ in stored]
    if isinstance(layout, Coo):
        arrays = [u64s(position for key in keys for position in key)]
    elif isinstance(layout, Csr):
        size = descriptor.shape[layout.major]
        arrays = [u64s(key[1] for key in keys), u64s(_pointers([key[0] for key in keys], size))]
    else:
        arrays = _tree(keys, rank)
    buffers = [_pack(descriptor, [one for _, one in stored]), *arrays]
    if isinstance(layout, (Coo, Csr, Csf)):
        layout = replace(layout, nnz=len(stored))
    return Tensor(replace(descriptor, layout=layout, handles=handles_for(buffers)), buffers)


def _pointers(parents: Sequence[int], size: int) -> list[int]:
    """Where the children of each parent start, and where the last one's end."""
    return [sum(parent < number for parent in parents) for number in range(size + 1)]


def _tree(keys: list[Index], rank: int) -> list[bytes]:
    """Pos and crd of each level of a CSF tree."""
    arrays: list[bytes] = []
    above: list[Index] = [()]
    for level in range(rank):
        nodes = sorted({key[: level + 1] for key in keys})
        parents = [above.index(node[:level]) for node in nodes]
        arrays += [u64s(_pointers(parents, len(above))), u64s(node[level] for node in nodes)]
        above = nodes
    return arrays


def _paged(descriptor: Descriptor, layout: BlockPaged, indices: list[Index], bits: Sequence[int]) -> Tensor:
    """Pages handed out from the last of the pool on, so that no table is the identity."""
    tokens, heads, lanes = descriptor.shape
    pages = -(-tokens // layout.page_size)
    table = [(layout.num_pages - 1 - page) for page in range(pages)]
    pointers = [min(q * (pages // max(layout.num_seqs, 1)), pages) for q in range(layout.num_seqs)] + [pages]
    write = u64s if layout.index_type else lambda values: u32s(*values)
    cells = [0] * (layout.num_pages * layout.page_size * heads * lanes)
    tables = [write(table), write(pointers)]
    try:
        for index, one in zip(indices, bits, strict=False):
            cells[layout.find(descriptor, [b"", *tables], index)] = one
    except Unresolved:  # nobody can tell which token is whose: any contents do
        cells = [bits[position % len(bits)] for position in range(len(cells))]
    buffers = [_pack(descriptor, cells), *tables]
    return Tensor(replace(descriptor, handles=handles_for(buffers)), buffers)
