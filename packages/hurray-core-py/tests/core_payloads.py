"""Layout objects of every class, each with what layouts.md writes for it, packed without the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from struct import pack
from typing import Any

import core_files
import hurray
from hypothesis import strategies as st

# Bytes of every buffer of a case, more than any of its float32 elements reach from the middle on.
ROOM = 1 << 14
U32, U64 = 2**32 - 1, 2**64 - 1


@dataclass(frozen=True)
class Case:
    """A layout, its tag and payload on the wire, a shape that goes with it, and how many buffers that has."""

    layout: hurray.Layout
    tag: int
    payload: bytes
    shape: tuple[int, ...]
    count: int
    byte_offset: int = 0

    def descriptor(self, **changes: Any) -> bytes:
        """A float32 descriptor of the layout."""
        sizes = [ROOM] * self.count
        parts = {"payload": self.payload, "byte_offset": self.byte_offset, **changes}
        return core_files.descriptor(core_files.FLOAT32, self.tag, self.shape, sizes, **parts)

    def tensor(self, **more: Any) -> hurray.Tensor:
        """A float32 tensor of the layout over zeros."""
        others = [bytes(ROOM)] * (self.count - 1)
        return hurray.Tensor(
            bytes(ROOM), hurray.float32, self.shape, layout=self.layout, aux_buffers=others, **more
        )


def numbers(code: str, values: Sequence[int]) -> bytes:
    return pack(f"<{len(values)}{code}", *values)


def extents(rank: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, 4), min_size=rank, max_size=rank)


@st.composite
def strided(draw: Any, least: int = -3) -> Case:
    shape = draw(st.integers(1, 4).flatmap(extents))
    strides = draw(st.lists(st.integers(least, 3), min_size=len(shape), max_size=len(shape)))
    layout = hurray.StridedLayout(strides)
    return Case(layout, 3, numbers("q", strides), tuple(shape), 1, ROOM // 2 if least < 0 else 0)


def row_major(shape: Sequence[int]) -> list[int]:
    return [*accumulate(reversed(shape[1:]), mul, initial=1)][::-1]


@st.composite
def tilings(draw: Any, tile: list[int], deep: int, least: int) -> tuple[hurray.TiledLayout, bytes]:
    """A tiling into ``tile``, ``deep`` more levels inside; outer strides from ``least`` on."""
    rank = len(tile)
    outer = draw(st.sampled_from(["row_major", "col_major", "strided"]))
    inner: Any = "tiled" if deep else draw(st.sampled_from(["row_major", "col_major", "strided"]))
    codes = {"row_major": 1, "col_major": 2, "strided": 3, "tiled": 4}
    payload = numbers("Q", tile) + bytes([codes[outer], codes[inner], 0, 0])
    arguments: dict[str, Any] = {}
    if outer == "strided":
        # Inside another tile the tiles may be permuted; the outermost may go anywhere.
        strides = st.lists(st.integers(least, 2), min_size=rank, max_size=rank)
        arguments["outer_strides"] = draw(strides) if least < 0 else [0] * rank
        payload += numbers("q", arguments["outer_strides"])
    if inner == "strided":
        arguments["inner_strides"] = draw(st.sampled_from([row_major(tile), [0] * rank]))
        payload += numbers("q", arguments["inner_strides"])
    if deep:
        divisors = [draw(st.sampled_from([d for d in range(1, n + 1) if n % d == 0])) for n in tile]
        arguments["inner_tiled"], nested = draw(tilings(divisors, deep - 1, 0))
        payload += nested
    return hurray.TiledLayout(tile, outer, inner, **arguments), payload


@st.composite
def tiled(draw: Any, least: int = -2) -> Case:
    shape = draw(st.integers(1, 3).flatmap(extents))
    tile = draw(extents(len(shape)))
    layout, payload = draw(tilings(tile, draw(st.integers(0, 3)), least))
    return Case(layout, 4, payload, tuple(shape), 1, ROOM // 2 if least < 0 else 0)


@st.composite
def curves(draw: Any) -> Case:
    if draw(st.booleans()):
        order, rank = draw(st.integers(1, 2)), draw(st.integers(2, 3))
        layout = hurray.HilbertLayout(order, rank)
        return Case(layout, 0x40, numbers("I", [order, rank]), (2**order,) * rank, 1)
    bits = draw(st.lists(st.integers(1, 2), min_size=1, max_size=4))
    shape = [draw(st.integers(1, 2**b)) for b in bits]
    return Case(hurray.MortonLayout(bits), 5, numbers("I", bits), tuple(shape), 1)


@st.composite
def sparse(draw: Any) -> Case:
    nnz = draw(st.integers(0, 9))
    kind = draw(st.sampled_from(["coo", "csr", "csc", "csf"]))
    if kind == "coo":
        shape, ordered = draw(st.integers(1, 4).flatmap(extents)), draw(st.booleans())
        payload = pack("<QB7x", nnz, ordered)
        return Case(hurray.CooLayout(nnz, ordered), 6, payload, tuple(shape), 2)
    if kind == "csf":
        order = draw(st.integers(3, 5).flatmap(lambda rank: st.permutations(range(rank))))
        shape = draw(extents(len(order)))
        payload = pack("<Q", nnz) + numbers("I", order) + bytes(8)
        return Case(hurray.CsfLayout(nnz, order), 9, payload, tuple(shape), 2 * len(order) + 1)
    shape, payload = draw(extents(2)), pack("<Q8x", nnz)
    if kind == "csr":
        return Case(hurray.CsrLayout(nnz), 7, payload, tuple(shape), 3)
    return Case(hurray.CscLayout(nnz), 8, payload, tuple(shape), 3)


@st.composite
def paged(draw: Any) -> Case:
    page, pages, seqs = draw(st.integers(1, 4)), draw(st.integers(0, 4)), draw(st.integers(0, 9))
    role, layer = draw(st.integers(0, 2)), draw(st.one_of(st.none(), st.sampled_from([0, 7, U32 - 1])))
    index = draw(st.integers(0, 1))
    layout = hurray.BlockPagedLayout(
        page, pages, 0, seqs, ("key", "value", "fused")[role], layer, ("uint32", "uint64")[index]
    )
    number = U32 if layer is None else layer
    payload = pack("<IQIIBIB6x", page, pages, 0, seqs, role, number, index)
    return Case(layout, 10, payload, tuple(draw(extents(3))), 3)


@st.composite
def opaque(draw: Any) -> Case:
    """Private and unknown layouts."""
    data, shape = draw(st.binary(max_size=40)), tuple(draw(extents(draw(st.integers(0, 3)))))
    count = draw(st.integers(1, 3))
    if draw(st.booleans()):
        tag, number = draw(st.integers(0xF0, 0xFE)), draw(st.integers(0, U64))
        layout = hurray.PrivateExtensionLayout(tag, number, data)
        return Case(layout, tag, pack("<QI", number, len(data)) + data, shape, count)
    tag = draw(RESERVED)
    return Case(hurray.UnknownLayout(tag, data), tag, data, shape, count)


@st.composite
def heads(draw: Any) -> Case:
    rule, count = draw(st.integers(1, 3)), draw(st.integers(0, U32 - 1))
    operation = draw(st.integers(1, 2)) if rule == 2 else 0
    count = max(count, rule == 2)
    layout = hurray.CompositeLayout(
        ("partition", "overlay", "group")[rule - 1], count, (None, "replace", "add")[operation]
    )
    return Case(layout, 11, pack("<BBHI", rule, operation, 0, count), tuple(draw(extents(2))), 0)


RESERVED = st.one_of(st.integers(0x0C, 0x3F), st.integers(0x41, 0xEF))
PLAIN = st.sampled_from(
    [
        Case(hurray.RowMajorLayout(), 1, b"", (2, 3), 1),
        Case(hurray.RowMajorLayout(), 1, b"", (), 1),
        Case(hurray.ColMajorLayout(), 2, b"", (2, 3), 1),
    ]
)
# Those that hurray.Tensor takes, over buffers whose element 0 is their first.
TENSORS = st.one_of(PLAIN, strided(0), tiled(0), curves(), sparse(), paged(), opaque())
EVERY = st.one_of(TENSORS, strided(), tiled(), heads())
