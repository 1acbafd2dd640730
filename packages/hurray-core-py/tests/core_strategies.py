"""Every tensor that can be constructed, as hypothesis strategies: layout x element type x scheme x sections.

Buffers are of the least size, their contents are such as the format allows, and all of it is worked out here by the
words of the format and not by the library.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from math import prod
from struct import pack
from typing import Any

import hurray
from core_tensors import words
from hypothesis import strategies as st

TYPES = [getattr(hurray.dtype, name) for name in hurray.dtype.__all__]
PRIVATE = hurray.Dtype.from_tag(0xF6)
AFFINE = [getattr(hurray.dtype, f"{sign}int{bits}") for sign in ("", "u") for bits in (2, 4, 8, 16, 32)]
BLOCKED = [getattr(hurray.dtype, f"{sign}int{bits}") for sign in ("", "u") for bits in (2, 4, 8)]
MX = [
    getattr(hurray.dtype, name)
    for name in ("float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2", "int8", "int4")
]


@dataclass
class Plan:
    """The arguments of the constructor, and what is known of them beforehand."""

    layout: hurray.Layout
    shape: tuple[int | None, ...]
    stored: int  # elements that buffer 0 holds
    indices: list[bytes] = field(default_factory=list)
    dtype: hurray.Dtype = hurray.float32
    extension: hurray.ExtensionType | None = None
    parameters: list[bytes] = field(default_factory=list)
    sections: dict[str, Any] = field(default_factory=dict)
    device: hurray.Device | None = None
    data: bytes = b""
    sized: bool = True  # whether a byte less in an own buffer is too few

    def buffers(self) -> list[bytes]:
        """Every buffer in the descriptor's order."""
        return [self.data, *self.indices, *self.parameters]

    def build(self, buffers: list[Any] | None = None) -> hurray.Tensor:
        """The tensor."""
        first, *others = buffers or self.buffers()
        return hurray.Tensor(
            first,
            self.dtype,
            self.shape,
            self.device,
            aux_buffers=others,
            layout=self.layout,
            extension_type=self.extension,
            **self.sections,
        )


def extents(least: int = 0, most: int = 4) -> st.SearchStrategy[list[int]]:
    """Shapes, some with extents that blocks divide."""
    return st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 16, 32]), min_size=least, max_size=most).filter(
        lambda shape: prod(shape) <= 4096
    )


@st.composite
def dense(draw: st.DrawFn) -> Plan:
    """Row-major, col-major, or any strides that stay behind element 0."""
    kind = draw(st.sampled_from(["row", "col", "strided"]))
    shape = draw(extents(0 if kind == "row" else 1))
    count = prod(shape)
    if kind == "strided":
        strides = draw(st.lists(st.integers(0, 40), min_size=len(shape), max_size=len(shape)))
        count = (
            0 if 0 in shape else 1 + sum((n - 1) * stride for n, stride in zip(shape, strides, strict=True))
        )
        return Plan(hurray.StridedLayout(strides), tuple(shape), count)
    layout: hurray.Layout = hurray.RowMajorLayout() if kind == "row" else hurray.ColMajorLayout()
    loose: bool = draw(st.booleans())
    if shape and loose:
        dynamic: list[int | None] = list(shape)
        dynamic[draw(st.integers(0, len(shape) - 1))] = None
        return Plan(layout, tuple(dynamic), count, sized=False)
    return Plan(layout, tuple(shape), count)


ORDERS: st.SearchStrategy[Any] = st.sampled_from(["row_major", "col_major"])


def tilings(tile: tuple[int, ...], depth: int) -> st.SearchStrategy[hurray.TiledLayout]:
    """Tilings by this tile, nested ones by tiles that divide it."""

    @st.composite
    def make(draw: st.DrawFn) -> hurray.TiledLayout:
        inner: Any = draw(st.sampled_from(["row_major", "col_major", "strided", *["tiled"] * (depth > 0)]))
        more: dict[str, Any] = {}
        if inner == "strided":
            more["inner_strides"] = [prod(tile[at + 1 :]) for at in range(len(tile))]
        if inner == "tiled":
            parts = [draw(st.sampled_from([d for d in range(1, n + 1) if n % d == 0])) for n in tile]
            more["inner_tiled"] = draw(tilings(tuple(parts), depth - 1))
        return hurray.TiledLayout(tile, draw(ORDERS), inner, **more)

    return make()


@st.composite
def tiled(draw: st.DrawFn) -> Plan:
    """Whole tiles, edges included."""
    shape = draw(extents(1, 3))
    tile = tuple(draw(st.integers(1, 4)) for _ in shape)
    grid = [-(-n // t) for n, t in zip(shape, tile, strict=True)]
    layout = draw(tilings(tile, 2))
    tiles = prod(grid)
    if draw(st.booleans()):
        strides = [draw(st.integers(0, 9)) for _ in shape]
        layout = hurray.TiledLayout(tile, "strided", "col_major", outer_strides=strides)
        tiles = 1 + sum((n - 1) * stride for n, stride in zip(grid, strides, strict=True))
    return Plan(layout, tuple(shape), 0 if 0 in shape else tiles * prod(tile))


@st.composite
def curves(draw: st.DrawFn) -> Plan:
    """Morton and Hilbert."""
    rank = draw(st.integers(2, 3))
    order = draw(st.integers(1, 3))
    if draw(st.booleans()):
        return Plan(hurray.HilbertLayout(order, rank), (2**order,) * rank, 2 ** (rank * order))
    shape = tuple(draw(st.integers(0, 2**order)) for _ in range(rank))
    return Plan(hurray.MortonLayout([order] * rank), shape, 0 if 0 in shape else 2 ** (rank * order))


def entries(shape: list[int]) -> st.SearchStrategy[list[tuple[int, ...]]]:
    """Coordinates in order, each once."""
    cells = list(itertools.islice(itertools.product(*map(range, shape)), 300))
    return st.lists(st.sampled_from(cells), unique=True, max_size=12).map(sorted) if cells else st.just([])


@st.composite
def sparse(draw: st.DrawFn) -> Plan:
    """Coo, csr and csc."""
    kind = draw(st.sampled_from(["coo", "csr", "csc"]))
    shape = draw(extents(1, 3) if kind == "coo" else extents(2, 2))
    found = draw(entries(shape))
    count = len(found)
    if kind == "coo":
        ordered = draw(st.booleans())
        listed = found if ordered else draw(st.permutations(found))
        flat = words(*itertools.chain.from_iterable(listed))
        return Plan(hurray.CooLayout(count, ordered), tuple(shape), count, [flat])
    major = 0 if kind == "csr" else 1
    found = sorted(found, key=lambda cell: (cell[major], cell[1 - major]))
    starts = [sum(cell[major] < at for cell in found) for at in range(shape[major] + 1)]
    minors = words(*(cell[1 - major] for cell in found))
    layout = hurray.CsrLayout(count) if major == 0 else hurray.CscLayout(count)
    return Plan(layout, tuple(shape), count, [minors, words(*starts)])


@st.composite
def fibers(draw: st.DrawFn) -> Plan:
    """Csf trees of any mode order."""
    shape = draw(extents(3, 4))
    order = draw(st.permutations(range(len(shape))))
    found = sorted(tuple(cell[mode] for mode in order) for cell in draw(entries(shape)))
    indices = []
    parents: list[tuple[int, ...]] = [()]
    for level in range(1, len(shape) + 1):
        nodes = sorted({cell[:level] for cell in found})
        starts = [sum(node[:-1] < parent for node in nodes) for parent in parents]
        indices += [words(*starts, len(nodes)), words(*(node[-1] for node in nodes))]
        parents = nodes
    layout = hurray.CsfLayout(len(found), list(order))
    return Plan(layout, tuple(shape), len(found), indices, sized=False)


@st.composite
def paged(draw: st.DrawFn) -> Plan:
    """Sequences of whole and partial pages; pages may be shared."""
    size, pool = draw(st.sampled_from([1, 2, 4])), draw(st.integers(1, 4))
    tokens = draw(st.lists(st.integers(1, 6), max_size=3))
    wide = draw(st.booleans())
    counts = [-(-n // size) for n in tokens]
    table = [draw(st.integers(0, pool - 1)) for _ in range(sum(counts))]
    starts = [sum(counts[:at]) for at in range(len(counts) + 1)]
    shape = (sum(tokens), draw(st.sampled_from([1, 2, 16])), draw(st.sampled_from([1, 2, 16])))
    layout = hurray.BlockPagedLayout(
        size,
        pool,
        0,
        len(tokens),
        draw(st.sampled_from(["key", "value", "fused"])),
        draw(st.none() | st.integers(0, 90)),
        "uint64" if wide else "uint32",
    )
    packed = [pack(f"<{len(numbers)}{'Q' if wide else 'I'}", *numbers) for numbers in (table, starts)]
    stored = 0 if 0 in shape else pool * size * shape[1] * shape[2]
    return Plan(layout, shape, stored, packed, sized=False)


@st.composite
def foreign(draw: st.DrawFn) -> Plan:
    """Private layouts, and unknown ones."""
    payload = draw(st.binary(max_size=20))
    if draw(st.booleans()):
        layout: hurray.Layout = hurray.UnknownLayout(draw(st.sampled_from([0x0C, 0x41, 0xEF])), payload)
    else:
        tag, number = draw(st.integers(0xF0, 0xFE)), draw(st.integers(0, 2**64 - 1))
        layout = hurray.PrivateExtensionLayout(tag, number, payload)
    others = draw(st.lists(st.binary(max_size=9), max_size=3))
    return Plan(layout, tuple(draw(extents())), draw(st.integers(0, 9)), others, sized=False)


def storage(plan: Plan) -> int:
    """Bytes of the stored elements (element-types.md §5)."""
    if plan.extension is not None:
        bits = plan.extension.bit_width
        return plan.stored * bits // 8 if bits >= 8 else -(-plan.stored * bits // 8)
    return hurray.buffer_size_bytes(plan.dtype, plan.stored)


@st.composite
def quantized(draw: st.DrawFn, plan: Plan) -> Plan:
    """A scheme that the shape takes, with parameters that the format allows."""
    own = 1 + len(plan.indices)
    dims = plan.shape
    axes = [at for at, extent in enumerate(dims) if extent is not None]
    is_paged = isinstance(plan.layout, hurray.BlockPagedLayout)
    schemes = ["tensor"]
    channels = [at for at in axes if not is_paged or at > 0]
    static = None not in dims
    blocks = {at: [k for k in (2, 4, 8, 16) if k <= (dims[at] or 0)] for at in axes}
    halves = [at for at in axes if static and not is_paged and blocks[at]]
    nf4 = [at for at in halves if (dims[at] or 0) >= 8]
    mx = [at for at in halves if (dims[at] or 0) % 16 == 0]
    schemes += ["channel"] * bool(channels) + ["block"] * bool(halves) + ["nf4"] * bool(nf4)
    schemes += ["mx"] * bool(mx)
    scheme = draw(st.sampled_from(schemes))

    def others(axis: int) -> int:
        return prod(n for at, n in enumerate(dims) if at != axis and n is not None)

    one: Any
    two: Any
    if scheme == "tensor":
        plan.dtype = draw(st.sampled_from(AFFINE))
        plan.sections["quantization"] = hurray.PerTensorAffine(draw(st.sampled_from([0.5, -3.0])), 1)
        return plan
    if scheme == "channel":
        axis = draw(st.sampled_from(channels))
        plan.dtype = draw(st.sampled_from(AFFINE))
        count, width = dims[axis] or 0, 4
        one, two = (
            hurray.PerChannelAffine.symmetric(axis, own),
            hurray.PerChannelAffine.asymmetric(axis, own, own + 1),
        )
    elif scheme == "block":
        axis = draw(st.sampled_from(halves))
        size = draw(st.sampled_from(blocks[axis]))
        plan.dtype = draw(st.sampled_from(BLOCKED))
        scale = draw(st.sampled_from([hurray.float16, hurray.bfloat16, hurray.float32]))
        count, width = -(-(dims[axis] or 0) // size) * others(axis), scale.bit_width // 8
        one = hurray.PerBlockAffine.symmetric(axis, size, own, scale)
        two = hurray.PerBlockAffine.asymmetric(axis, size, own, own + 1, scale)
    elif scheme == "nf4":
        axis = draw(st.sampled_from(nf4))
        plan.dtype = hurray.dtype.uint4
        count, width = -(-(dims[axis] or 0) // 8) * others(axis), 4
        one = two = hurray.NF4(axis, 8, own)
    else:
        axis = draw(st.sampled_from(mx))
        plan.dtype = draw(st.sampled_from(MX))
        count, width = (dims[axis] or 0) // 16 * others(axis), 1
        one = two = hurray.MXFP(axis, 16, own)
    code = {1: b"\x7f", 2: b"\x00\x3c", 4: b"\x00\x00\x80\x3f"}[width]
    plan.parameters = [code * count]
    plan.sections["quantization"] = one
    if one is not two and draw(st.booleans()):
        plan.parameters.append(bytes(4 * count))
        plan.sections["quantization"] = two
    return plan


def finite() -> st.SearchStrategy[float]:
    """Numbers that a statistics section may hold."""
    return st.floats(allow_nan=False, width=32)


@st.composite
def statistics(draw: st.DrawFn, nnz: int | None) -> hurray.Statistics:
    """Any groups of fields, each whole."""
    fields: dict[str, Any] = {}
    if draw(st.booleans()):
        fields["nnz"] = draw(st.integers(0, 2**64 - 1)) if nnz is None else nnz
    if draw(st.booleans()):
        fields["sparsity_ratio"] = draw(st.floats(0, 1))
    if draw(st.booleans()):
        fields |= {name: draw(finite()) for name in ("value_min", "value_max", "value_abs_max")}
    if draw(st.booleans()):
        fields |= {"value_mean": draw(finite()), "value_stddev": abs(draw(finite()))}
    if draw(st.booleans()):
        fields |= {"nm_n": draw(st.integers(0, 4)), "nm_m": draw(st.integers(4, 255))}
    if draw(st.booleans()):
        fields |= {"has_nan": draw(st.booleans()), "has_inf": draw(st.booleans())}
    return hurray.Statistics(**fields)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Anything that hurray.Tensor constructs."""
    shapes = [dense(), tiled(), curves(), sparse(), fibers(), paged(), foreign()]
    plan = draw(st.one_of(shapes))
    kind = draw(st.sampled_from(["plain", "quantized", "private"]))
    if kind == "quantized":
        plan = draw(quantized(plan))
    elif kind == "private":
        plan.dtype = PRIVATE
        plan.extension = hurray.ExtensionType(draw(st.sampled_from([1, 2, 4, 8, 16, 24])))
    else:
        plan.dtype = draw(st.sampled_from(TYPES))
    plan.data = random.Random(draw(st.integers(0, 99))).randbytes(storage(plan))
    if plan.dtype is hurray.dtype.float8_e8m0:
        plan.data = plan.data.replace(b"\x00", b"\x01").replace(b"\xff", b"\x01")
    unsharded = (hurray.CsfLayout, hurray.BlockPagedLayout)
    if None not in plan.shape and not isinstance(plan.layout, unsharded) and draw(st.booleans()):
        offset = [draw(st.integers(0, 3)) for _ in plan.shape]
        ends = [at + n + draw(st.integers(0, 3)) for at, n in zip(offset, map(int, plan.shape), strict=True)]  # type: ignore[arg-type]
        plan.sections["shard"] = hurray.Shard(ends, offset)
    if draw(st.booleans()):
        plan.sections["statistics"] = draw(statistics(getattr(plan.layout, "nnz", None)))
    if draw(st.booleans()):
        plan.device = hurray.Device(
            "cpu", draw(st.integers(0, 3)), draw(st.sampled_from(["standard", "unified"]))
        )
    return plan
