"""Each layout with each family of types or scheme, and with each optional section: streams of tensors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..reference.descriptor import Descriptor
from ..reference.element_types import BY_NAME, TYPES
from ..reference.layouts import (
    BlockPaged,
    ColMajor,
    Coo,
    Csc,
    Csf,
    Csr,
    Hilbert,
    Layout,
    Morton,
    RowMajor,
    Strided,
    Tiled,
)
from ..reference.sections import Extension, Shard, Statistics
from ..reference.stream import encode_stream
from ..reference.tensor import Tensor
from .patterns import patterns
from .schemes import CASES, Case, every_storage
from .tensors import make, with_parameters
from .vector import Vector

FAMILIES = ["float32", "int16", "bool", "uint4", "int2", "float6_e2m3", "float8_e4m3", "complex64"]
PLAIN: dict[str, tuple[tuple[int, ...], Layout]] = {
    "row_major": ((3, 5), RowMajor()),
    "col_major": ((3, 5), ColMajor()),
    "strided": ((3, 5), Strided((-7, 1))),
    "tiled": ((3, 5), Tiled((2, 3))),
    "morton": ((3, 4), Morton((2, 2))),
    "hilbert": ((4, 4), Hilbert(2, 2)),
    "coo": ((3, 5), Coo(0, is_sorted=1)),
    "csr": ((3, 5), Csr(0)),
    "csc": ((3, 5), Csc(0)),
    "csf": ((2, 3, 4), Csf(0, (2, 0, 1))),
    "block_paged": ((6, 2, 2), BlockPaged(4, 3)),
}
# Wide enough along the last axis for the blocks of MXFP.
WIDE: dict[str, tuple[tuple[int, ...], Layout]] = {
    **{name: ((2, 16), layout) for name, (_, layout) in PLAIN.items()},
    "strided": ((2, 16), Strided((-20, 1))),
    "morton": ((2, 16), Morton((4, 4))),
    "hilbert": ((16, 16), Hilbert(4, 2)),
    "csf": ((2, 2, 16), Csf(0, (1, 2, 0))),
    "block_paged": ((6, 2, 4), BlockPaged(4, 2, index_type=1)),
}
VARIANTS: dict[str, tuple[tuple[int, ...], Layout]] = {
    "scalar": ((), RowMajor()),
    "empty": ((0, 4), RowMajor()),
    "rank-5": ((1, 2, 1, 3, 2), ColMajor()),
    "strided-broadcast": ((3, 4), Strided((0, 1))),
    "strided-gaps": ((2, 3), Strided((9, -2))),
    "tiled-col-col": ((5, 4), Tiled((2, 3), 2, 2)),
    "tiled-outer-strided": ((4, 4), Tiled((2, 2), 3, 1, outer_strides=(-2, 1))),
    "tiled-inner-strided": ((4, 4), Tiled((2, 2), 1, 3, inner_strides=(1, 2))),
    "tiled-nested": ((7, 8), Tiled((4, 4), 2, 4, nested=Tiled((2, 2), 1, 2))),
    "tiled-nested-twice": ((8,), Tiled((8,), 1, 4, nested=Tiled((4,), 1, 4, nested=Tiled((2,))))),
    "morton-unequal-bits": ((2, 7), Morton((1, 3))),
    "morton-rank-3": ((2, 3, 4), Morton((2, 2, 2))),
    "hilbert-rank-3": ((2, 2, 2), Hilbert(1, 3)),
    "coo-unsorted": ((3, 4), Coo(0)),
    "coo-rank-1": ((9,), Coo(0, is_sorted=1)),
    "coo-rank-3": ((2, 2, 3), Coo(0, is_sorted=1)),
    "csr-no-entries": ((1, 1), Csr(0)),
    "csc-no-entries": ((1, 1), Csc(0)),
    "csf-identity": ((2, 2, 3), Csf(0, (0, 1, 2))),
    "csf-no-entries": ((1, 1, 1), Csf(0, (0, 1, 2))),
    "csf-rank-4": ((2, 2, 2, 2), Csf(0, (3, 1, 0, 2))),
    "paged-full-pages": ((8, 1, 2), BlockPaged(2, 4, num_seqs=2, kv_role=1, layer_index=7)),
    "paged-many-sequences": ((7, 1, 2), BlockPaged(2, 5, num_seqs=2, kv_role=2)),
    "paged-no-sequences": ((0, 1, 2), BlockPaged(2, 1, num_seqs=0)),
}


def valid_tensors() -> Iterator[Vector]:
    """Streams of tensors that differ in their sections: none, and each that may be there."""
    for name, (shape, layout) in PLAIN.items():
        for family in FAMILIES:
            yield _stream(f"{name}-{family}", _sections(_plain(family, shape, layout)))
        yield _stream(f"{name}-private-types", _private(shape, layout))
        for case in CASES:
            if case.fits(layout):
                wide, over = WIDE[name]
                yield _stream(f"{name}-{case.name}", _sections(quantized(case, wide, over)))
    for name, (shape, layout) in VARIANTS.items():
        kinds = ("float32", "uint4") if "morton" not in name else ("float32", "int8")
        yield _stream(name, [_plain(kind, shape, layout) for kind in kinds])
    yield _stream("every-element-type", [_every(tag) for tag in sorted(TYPES)])
    storages = every_storage()
    yield _stream("every-storage-type", [quantized(case, (2, 16), RowMajor()) for case in storages])
    yield _stream("partial-blocks", _partial())
    yield _stream("shared-parameter-buffer", [_shared()])


def _stream(name: str, tensors: list[Tensor]) -> Vector:
    return Vector(f"tensors/{name}", "stream", encode_stream([*tensors]), f"{len(tensors)} tensors, {name}")


def _plain(kind: str, shape: tuple[int, ...], layout: Layout) -> Tensor:
    one = BY_NAME[kind]
    return make(Descriptor(one.tag, shape, layout), patterns(one, math.prod(shape)))


def quantized(case: Case, shape: tuple[int, ...], layout: Layout) -> Tensor:
    """A tensor under a scheme, its codes and parameters from corner to corner."""
    kind = BY_NAME[case.storage]
    bits = [one for one in patterns(kind, 2 * math.prod(shape)) if not _is_special(case.storage, one)]
    tensor = make(Descriptor(kind.tag, shape, layout), bits)
    descriptor = replace(tensor.descriptor, quantization=case.quantization(tensor.descriptor))
    return with_parameters(Tensor(descriptor, tensor.buffers), case.parameters(descriptor))


def _is_special(name: str, bits: int) -> bool:
    """NaN and infinity among the codes of the small floats."""
    return (name == "float8_e4m3" and bits & 0x7F == 0x7F) or (name == "float8_e5m2" and bits & 0x7C == 0x7C)


def _sections(tensor: Tensor) -> list[Tensor]:
    """The tensor alone, with a shard section, with statistics, with both."""
    descriptor = tensor.descriptor
    statistics = Statistics(
        mask=0b111111, sparsity_ratio=0.25, value_min=-1.5, value_max=2.0, value_abs_max=2.0
    )
    statistics = replace(
        statistics, nnz=getattr(descriptor.layout, "nnz", 3), value_mean=0.125, value_stddev=0.5
    )
    statistics = replace(statistics, nm_n=2, nm_m=4, has_nan=1)
    shard = Shard(tuple(size + 3 for size in descriptor.shape), tuple(range(descriptor.rank)))
    found = [descriptor, replace(descriptor, statistics=statistics)]
    if descriptor.layout.sharded:
        found += [replace(one, shard=shard) for one in found]
    return [Tensor(one, tensor.buffers) for one in found]


def _private(shape: tuple[int, ...], layout: Layout) -> list[Tensor]:
    """A float of 16 bits and an integer of 4, under private tags."""
    wide = Extension(
        16, is_float=1, sign_bits=1, exponent_bits=6, mantissa_bits=9, exponent_bias=31, has_nan=1
    )
    narrow = Extension(4, packing_factor=2, is_signed=1)
    made: list[Tensor] = []
    for tag, extension, kind in ((0xF0, wide, "uint16"), (0xFE, narrow, "uint4")):
        bits = patterns(BY_NAME[kind], math.prod(shape))
        made += _sections(make(Descriptor(tag, shape, layout, extension=extension), bits))
    return made


def _every(tag: int) -> Tensor:
    kind = TYPES[tag]
    count = 13 if kind.bits > 8 else 1 << kind.bits
    bits = patterns(kind, 13) if kind.bits > 8 else list(range(count))
    if kind.name == "float8_e8m0":
        bits = list(range(1, 255))
    return make(Descriptor(tag, (len(bits),), RowMajor()), bits)


def _partial() -> list[Tensor]:
    """S mod K ≠ 0: each partial last block has a scale of its own; NF4 and per-block alone."""
    cases = [Case("per-block", 3, "int8", block_size=4), Case("nf4", 4, "uint4", block_size=8)]
    return [quantized(case, (2, 11), layout) for case in cases for layout in (RowMajor(), ColMajor())]


def _shared() -> Tensor:
    """quantization.md §2: scales and zero points in one entry, one after the other."""
    tensor = quantized(Case("per-channel", 2, "int8", asymmetric=True), (2, 16), RowMajor())
    scales, zeros = tensor.buffers[1:]
    one = tensor.descriptor.quantization
    if one is None:
        raise ValueError("not quantized")
    descriptor = replace(tensor.descriptor, quantization=replace(one, zero_index=1))
    return with_parameters(Tensor(descriptor, tensor.buffers[:1]), [scales + zeros])
