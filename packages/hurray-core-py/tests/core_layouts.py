"""Where elements lie, from the words of layouts.md §2 to §6, and tensors of every dense layout made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from struct import pack

import hurray
from core_files import descriptor, single

Index = Sequence[int]


class RowMajor:
    """layouts.md §2."""

    tag = 1

    def __repr__(self) -> str:
        return type(self).__name__

    def payload(self) -> bytes:
        return b""

    def strides(self, shape: Index) -> list[int]:
        return [prod(shape[k + 1 :]) for k in range(len(shape))]

    def offset(self, index: Index, shape: Index) -> int:
        return sum(i * stride for i, stride in zip(index, self.strides(shape), strict=True))

    def count(self, shape: Index) -> int:
        """Elements of storage, from the lowest one on."""
        return prod(shape)

    def before(self, shape: Index) -> int:
        """Elements below offset 0."""
        return 0


class ColMajor(RowMajor):
    """layouts.md §2."""

    tag = 2

    def strides(self, shape: Index) -> list[int]:
        return [prod(shape[:k]) for k in range(len(shape))]


@dataclass
class Strided(RowMajor):
    """layouts.md §3."""

    given: Sequence[int]
    tag = 3

    def payload(self) -> bytes:
        return pack(f"<{len(self.given)}q", *self.given)

    def strides(self, shape: Index) -> list[int]:
        return list(self.given)

    def reach(self, shape: Index) -> tuple[int, int]:
        """``lo`` and ``hi``."""
        steps = [stride * (dim - 1) for stride, dim in zip(self.given, shape, strict=True)]
        return sum(min(0, step) for step in steps), sum(max(0, step) for step in steps)

    def count(self, shape: Index) -> int:
        low, high = self.reach(shape)
        return high - low + 1

    def before(self, shape: Index) -> int:
        return -self.reach(shape)[0]


@dataclass
class Tiled(RowMajor):
    """layouts.md §4."""

    tile: Sequence[int]
    outer: RowMajor
    inner: RowMajor
    tag = 4

    def payload(self) -> bytes:
        out = pack(f"<{len(self.tile)}QBBH", *self.tile, self.outer.tag, self.inner.tag, 0)
        return out + (self.outer.payload() + self.inner.payload())

    def grid(self, shape: Index) -> list[int]:
        return [-(-dim // tile) for dim, tile in zip(shape, self.tile, strict=True)]

    def offset(self, index: Index, shape: Index) -> int:
        number = [i // tile for i, tile in zip(index, self.tile, strict=True)]
        inside = [i % tile for i, tile in zip(index, self.tile, strict=True)]
        return prod(self.tile) * self.outer.offset(number, self.grid(shape)) + self.inner.offset(
            inside, self.tile
        )

    def count(self, shape: Index) -> int:
        return prod(self.tile) * self.outer.count(self.grid(shape))

    def before(self, shape: Index) -> int:
        return prod(self.tile) * self.outer.before(self.grid(shape))


@dataclass
class Morton(RowMajor):
    """layouts.md §5."""

    bits: Sequence[int]
    tag = 5

    def payload(self) -> bytes:
        return pack(f"<{len(self.bits)}I", *self.bits)

    def offset(self, index: Index, shape: Index) -> int:
        rank = len(self.bits)
        return sum((index[d] >> b & 1) << (b * rank + d) for d in range(rank) for b in range(self.bits[d]))

    def count(self, shape: Index) -> int:
        rank = len(self.bits)
        return 1 + sum(1 << (b * rank + d) for d in range(rank) for b in range(self.bits[d]))


@dataclass
class Hilbert(RowMajor):
    """layouts.md §6, by its inverse: the curve is walked, and the index of every offset noted."""

    order: int
    rank: int
    tag = 0x40

    def __post_init__(self) -> None:
        self.places = {tuple(self.point(at)): at for at in range(1 << self.order * self.rank)}

    def payload(self) -> bytes:
        return pack("<II", self.order, self.rank)

    def point(self, offset: int) -> list[int]:
        """The inverse of layouts.md §6."""
        r, p = self.rank, self.order
        x = [sum((offset >> (b * r + (r - 1 - d)) & 1) << b for b in range(p)) for d in range(r)]
        t = x[r - 1] >> 1
        for k in range(r - 1, 0, -1):
            x[k] ^= x[k - 1]
        x[0] ^= t
        q = 2
        while q < 1 << p:
            for k in range(r - 1, -1, -1):
                if x[k] & q:
                    x[0] ^= q - 1
                else:
                    t = (x[0] ^ x[k]) & (q - 1)
                    x[0] ^= t
                    x[k] ^= t
            q *= 2
        return x

    def offset(self, index: Index, shape: Index) -> int:
        return self.places[tuple(index)]

    def count(self, shape: Index) -> int:
        return 1 << self.order * self.rank


def indices(shape: Index) -> list[tuple[int, ...]]:
    """Every index in row-major order."""
    return list(product(*map(range, shape)))


def pack_codes(codes: Sequence[int], bits: int) -> bytes:
    """Elements one after the other, least significant bits first (element-types.md §3)."""
    number = sum(code << bits * at for at, code in enumerate(codes))
    size = -(-len(codes) // 4) * 3 if bits == 6 else -(-len(codes) * bits // 8)
    return number.to_bytes(size, "little")


def code_at(data: bytes, offset: int, bits: int) -> int:
    """The bits of one element of ``data``, whose element 0 begins at byte 0."""
    return int.from_bytes(data, "little") >> bits * offset & ((1 << bits) - 1)


def made(
    layout: RowMajor,
    dtype: hurray.Dtype,
    shape: Index,
    data: bytes,
    byte_offset: int = 0,
    sections: bytes = b"",
) -> hurray.Tensor:
    """A tensor over ``data`` as a file holds it, whatever the constructor takes."""
    blob = descriptor(
        dtype.tag,
        layout.tag,
        shape,
        (len(data),),
        payload=layout.payload(),
        byte_offset=byte_offset,
        sections=sections,
        flags=4 if sections else 0,
    )
    return hurray.load(single(blob, data))["w"]
