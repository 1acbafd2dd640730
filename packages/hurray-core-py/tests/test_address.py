"""Where the elements of a dense tensor lie (layouts.md §1 to §6): logical values in row-major order.

The expected place of every element comes from core_layouts, written from the words of the format alone.
"""

from __future__ import annotations

import io
import math
import random
from pathlib import Path
from struct import pack
from typing import Any

import hurray
import pytest
from core_layouts import (
    ColMajor,
    Hilbert,
    Morton,
    RowMajor,
    Strided,
    Tiled,
    code_at,
    indices,
    made,
    pack_codes,
)
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

ROW, COL = RowMajor(), ColMajor()
CASES: list[tuple[RowMajor, tuple[int, ...]]] = [
    (ROW, ()),
    (ROW, (3, 4)),
    (ROW, (2, 3, 4)),
    (COL, (3, 4)),
    (COL, (2, 3, 4)),
    (Strided((1, 5)), (3, 4)),
    (Strided((-4, 1)), (3, 4)),
    (Strided((0, 2)), (3, 4)),
    (Strided((0, 0, 0)), (2, 2, 2)),
    (Tiled((2, 4), ROW, ROW), (6, 8)),
    (Tiled((2, 4), COL, ROW), (6, 8)),
    (Tiled((2, 4), ROW, COL), (6, 8)),
    (Tiled((2, 4), COL, COL), (5, 7)),
    (Tiled((4,), ROW, ROW), (10,)),
    (Tiled((4, 4), ROW, ROW), (1, 1)),
    (Tiled((16, 16), ROW, ROW), (3, 5)),
    (Tiled((2, 3, 2), COL, ROW), (3, 4, 5)),
    (Tiled((2, 4), Strided((5, 1)), ROW), (6, 8)),
    (Tiled((2, 4), Strided((-2, -1)), ROW), (5, 7)),
    (Tiled((2, 4), ROW, Strided((1, 2))), (5, 7)),
    (Tiled((2, 4), Strided((0, 1)), Strided((4, 1))), (4, 4)),
    (Tiled((4, 4), Strided((2**62, 1)), ROW), (3, 8)),  # a step that no index takes
    (Tiled((4, 4), ROW, Tiled((2, 2), ROW, ROW)), (8, 8)),
    (Tiled((4, 4), COL, Tiled((2, 2), COL, COL)), (7, 9)),
    (Tiled((8, 8), ROW, Tiled((4, 4), COL, Tiled((2, 2), ROW, Strided((1, 2))))), (9, 17)),
    (Morton((2, 2)), (4, 4)),
    (Morton((2, 2)), (3, 4)),
    (Morton((1, 3)), (2, 8)),
    (Morton((3, 1)), (5, 2)),
    (Morton((2, 2, 2)), (4, 3, 2)),
    (Morton((4,)), (13,)),
    (Hilbert(1, 2), (2, 2)),
    (Hilbert(2, 2), (4, 4)),
    (Hilbert(4, 2), (16, 16)),
    (Hilbert(1, 3), (2, 2, 2)),
    (Hilbert(3, 3), (8, 8, 8)),
    (Hilbert(2, 4), (4, 4, 4, 4)),
]
IDS = [f"{layout.tag}-{number}" for number, (layout, _) in enumerate(CASES)]


def stored(
    layout: RowMajor, shape: tuple[int, ...], bits: int, seed: int = 0
) -> tuple[bytes, int, list[int]]:
    """Random bytes, the byte of offset 0 in there, and the codes that the tensor holds in row-major order."""
    per_byte = {1: 8, 2: 4, 4: 2, 6: 4}.get(bits, 1)
    before = -(-layout.before(shape) // per_byte) * per_byte
    count = before + layout.count(shape)
    size = len(pack_codes([0] * count, bits))
    padding = 3 if bits == 6 else max(bits // 8, 1)
    data = random.Random(seed).randbytes(size + 2 * padding)
    start = len(pack_codes([0] * before, bits)) + padding
    codes = [code_at(data[padding:], before + layout.offset(index, shape), bits) for index in indices(shape)]
    return data, start, codes


@pytest.mark.parametrize(("layout", "shape"), CASES, ids=IDS)
@pytest.mark.parametrize(
    "name",
    [
        "bool",
        "uint2",
        "uint4",
        "float6_e2m3",
        "uint8",
        "uint16",
        "float32",
        "complex64",
        "complex128",
        "float128",
    ],
)
def test_every_width_in_every_layout(layout: RowMajor, shape: tuple[int, ...], name: str) -> None:
    """Reading values: tobytes gives the elements in row-major order, packed, byte_offset and padding aside."""
    dtype: hurray.Dtype = getattr(hurray.dtype, name)
    data, start, codes = stored(layout, shape, dtype.bit_width)
    tensor = made(layout, dtype, shape, data, start)
    expected = pack_codes(codes, dtype.bit_width)
    assert tensor.tobytes() == bytes(tensor) == expected
    assert tensor.nbytes == len(expected)
    stream = io.BytesIO()
    assert tensor.tofile(stream) == len(expected)
    assert stream.getvalue() == expected
    plain = hurray.Tensor(expected, dtype, shape)
    if name == "float128":
        with pytest.raises(hurray.UnsupportedError, match=r"float128.*tobytes"):
            tensor.tolist()
    else:
        assert np.array_equal(np.array(tensor.tolist()), np.array(plain.tolist()), equal_nan=True)
    if name == "bool":
        assert tensor.unpack() == bytes(codes)


@pytest.mark.parametrize("name", hurray.dtype.__all__)
def test_every_element_type_of_a_tiled_tensor(name: str) -> None:
    dtype: hurray.Dtype = getattr(hurray.dtype, name)
    layout, shape = Tiled((2, 4), ROW, ROW), (5, 7)
    data, start, codes = stored(layout, shape, dtype.bit_width)
    assert made(layout, dtype, shape, data, start).tobytes() == pack_codes(codes, dtype.bit_width)


# --- the examples that the format prints -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "shape", "index", "offset"),
    [
        (ROW, (3, 4), (1, 2), 6),
        (COL, (3, 4), (1, 2), 7),
        (Strided((-4, 1)), (3, 4), (2, 3), -5),
        (Tiled((2, 4), ROW, ROW), (6, 8), (3, 5), 29),
        (Tiled((4, 4), ROW, Tiled((2, 2), ROW, ROW)), (8, 8), (5, 6), 54),
        (Morton((2, 2)), (4, 4), (2, 3), 14),
        (Hilbert(2, 2), (4, 4), (2, 3), 9),
    ],
    ids=["row", "col", "strided", "tiled", "nested", "morton", "hilbert"],
)
def test_the_examples_of_the_format(
    layout: RowMajor, shape: tuple[int, ...], index: tuple[int, ...], offset: int
) -> None:
    """layouts.md §2 to §6: the element of that index lies at that offset."""
    before = layout.before(shape)
    data = bytes(range(layout.count(shape)))
    assert layout.offset(index, shape) == offset
    value: Any = made(layout, hurray.uint8, shape, data, before).tolist()
    for at in index:
        value = value[at]
    assert value == offset + before


def test_the_curve_of_the_format() -> None:
    """layouts.md §6, full table: o = 0..15 → [X0, X1]."""
    table = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 3), (1, 3), (1, 2)]
    table += [(2, 2), (2, 3), (3, 3), (3, 2), (3, 1), (2, 1), (2, 0), (3, 0)]
    values: Any = made(Hilbert(2, 2), hurray.uint8, (4, 4), bytes(range(16))).tolist()
    assert [values[x][y] for x, y in table] == list(range(16))


@pytest.mark.parametrize(
    ("order", "rank"),
    [(1, 2), (5, 2), (7, 2), (9, 2), (3, 3), (5, 3), (2, 5), (3, 5), (2, 7), (1, 10), (1, 13)],
)
def test_neighbours_on_the_curve_differ_in_one_coordinate(order: int, rank: int) -> None:
    """layouts.md §6: neighbours always differ by 1 in one coordinate; and every 97th place by the inverse."""
    count = 1 << order * rank
    shape = (1 << order,) * rank
    data = np.arange(count, dtype=np.uint32)
    curve = Hilbert(1, 2)
    curve.order, curve.rank = order, rank
    tensor = made(curve, hurray.uint32, shape, data.tobytes())
    values = np.frombuffer(tensor.tobytes(), np.uint32)
    points = np.stack(np.unravel_index(np.argsort(values), shape))
    assert (np.sort(values) == data).all()
    assert (np.abs(np.diff(points, axis=1)).sum(axis=0) == 1).all()
    for offset in (0, 1, count - 1, *range(0, count, 97)):
        assert points[:, offset].tolist() == curve.point(offset)
    if count < 1 << 16:
        assert np.array(tensor.tolist()).ravel().tolist() == values.tolist()


def test_padding_of_edge_tiles_is_never_shown() -> None:
    """layouts.md §4: edge tiles are stored whole; their padding must never be read."""
    layout, shape = Tiled((4, 4), ROW, ROW), (5, 6)
    data = bytearray(b"\xee" * layout.count(shape))
    for index in indices(shape):
        data[layout.offset(index, shape)] = 1
    tensor = made(layout, hurray.uint8, shape, bytes(data))
    assert tensor.tobytes() == b"\1" * 30
    assert "238" not in repr(tensor)


# --- laws ------------------------------------------------------------------------------------------------


@st.composite
def orders(draw: st.DrawFn, extents: tuple[int, ...], strided: bool) -> RowMajor:
    """row_major, col_major, or strides that give every place of a box an element of its own."""
    kind = draw(st.sampled_from(["row", "col", "strided"] if strided else ["row", "col"]))
    if kind != "strided":
        return ROW if kind == "row" else COL
    strides, step = [0] * len(extents), 1
    for axis in draw(st.permutations(range(len(extents)))):
        strides[axis] = step
        step *= extents[axis]
    return Strided(strides)


@st.composite
def tilings(draw: st.DrawFn) -> tuple[Tiled, tuple[int, ...]]:
    rank = draw(st.integers(1, 3))
    shape = tuple(draw(st.lists(st.integers(1, 7), min_size=rank, max_size=rank)))
    tile = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=rank, max_size=rank)))
    inner: RowMajor = draw(orders(tile, True))
    around = tile
    if draw(st.booleans()):
        nested = tuple(
            draw(st.sampled_from([n for n in range(1, dim + 1) if dim % n == 0])) for dim in around
        )
        inner = Tiled(
            nested, draw(orders(tuple(a // n for a, n in zip(around, nested, strict=True)), True)), ROW
        )
    grid = tuple(-(-dim // one) for dim, one in zip(shape, tile, strict=True))
    return Tiled(tile, draw(orders(grid, True)), inner), shape


@given(tilings(), st.sampled_from([1, 4, 6, 8, 32]), st.integers(0, 99))
@settings(max_examples=150)
def test_any_tiling(case: tuple[Tiled, tuple[int, ...]], bits: int, seed: int) -> None:
    layout, shape = case
    dtype = {1: "bool", 4: "uint4", 6: "float6_e3m2", 8: "uint8", 32: "uint32"}[bits]
    data, start, codes = stored(layout, shape, bits, seed)
    assert made(layout, getattr(hurray.dtype, dtype), shape, data, start).tobytes() == pack_codes(codes, bits)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
@settings(max_examples=80)
def test_any_morton_bits(bits: list[int], draw: st.DataObject) -> None:
    """layouts.md §5, unequal bits too: the formula leaves holes, and they are not elements."""
    shape = tuple(draw.draw(st.integers(1, 1 << one)) for one in bits)
    layout = Morton(bits)
    data, start, codes = stored(layout, shape, 16)
    assert made(layout, hurray.uint16, shape, data, start).tobytes() == pack_codes(codes, 16)


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(-9, 9)), min_size=1, max_size=4))
@settings(max_examples=80)
def test_any_strides(axes: list[tuple[int, int]]) -> None:
    """layouts.md §3: positive, negative and zero strides are all legal."""
    shape, layout = tuple(dim for dim, _ in axes), Strided([stride for _, stride in axes])
    for bits, name in ((4, "int4"), (6, "float6_e2m3"), (16, "int16")):
        data, start, codes = stored(layout, shape, bits)
        assert made(layout, getattr(hurray.dtype, name), shape, data, start).tobytes() == pack_codes(
            codes, bits
        )


# --- sizes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (Tiled((64, 64), ROW, ROW), (100, 9000)),
        (Tiled((2, 1024), COL, ROW), (3, 70_000)),
        (Morton((10, 10)), (1000, 1000)),
        (Morton((14,)), (10_000,)),
        (Tiled((4, 2), ROW, COL), (60_000, 2)),
    ],
    ids=str,
)
def test_large_tensors_piece_by_piece(layout: RowMajor, shape: tuple[int, ...], tmp_path: Path) -> None:
    """More than one piece and more than one block of a row, against NumPy's own arithmetic."""
    data = np.arange(layout.count(shape), dtype=np.uint32)
    tensor = made(layout, hurray.uint32, shape, data.tobytes())
    index = np.indices(shape)
    if isinstance(layout, Morton):
        rank = len(shape)
        offsets = sum(
            (index[d] >> b & 1) << (b * rank + d) for d in range(rank) for b in range(layout.bits[d])
        )
    else:
        assert isinstance(layout, Tiled)
        tile = np.array(layout.tile)[:, None, None]
        outer = layout.outer.strides(layout.grid(shape))
        inner = layout.inner.strides(layout.tile)
        offsets = sum((index // tile)[k] * outer[k] * math.prod(layout.tile) for k in range(2))
        offsets = offsets + sum((index % tile)[k] * inner[k] for k in range(2))
    expected = data[offsets].tobytes()
    assert tensor.tobytes() == expected
    assert tensor.tolist() == data[offsets].tolist()
    with open(tmp_path / "raw", "wb") as file:
        assert tensor.tofile(file) == len(expected)
    assert (tmp_path / "raw").read_bytes() == expected


@pytest.mark.parametrize("layout", [Tiled((2, 2), ROW, ROW), Morton((2, 2)), COL], ids=str)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_empty_tensors(layout: RowMajor, shape: tuple[int, ...]) -> None:
    """layouts.md §1: a tensor with a dimension of 0 has no bytes, whatever the formulas give."""
    tensor = made(layout, hurray.float32, shape, b"")
    assert tensor.tobytes() == b""
    assert tensor.tolist() == [[]] * shape[0] if shape[0] else tensor.tolist() == []


# --- private element types -------------------------------------------------------------------------------


def private(bit_width: int, packing: int) -> bytes:
    """The extension type section (descriptor.md §6.4)."""
    return pack("<I6BHIBBH", bit_width, packing, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(("bits", "packing"), [(4, 2), (1, 8), (24, 1), (40, 1), (256, 1)])
@pytest.mark.parametrize("layout", [ROW, COL, Tiled((2, 2), ROW, ROW), Strided((-3, 1))], ids=str)
def test_a_private_type_is_as_wide_as_its_section_says(layout: RowMajor, bits: int, packing: int) -> None:
    """element-types.md §6: bit_width and packing_factor size and address elements of unknown meaning."""
    data, start, codes = stored(layout, (3, 3), bits)
    tensor = made(layout, hurray.Dtype.from_tag(0xF3), (3, 3), data, start, private(bits, packing))
    assert tensor.tobytes() == pack_codes(codes, bits)
    with pytest.raises(hurray.UnsupportedError, match=r"0xF3.*tobytes"):
        tensor.tolist()


def test_a_private_type_of_12_bits_takes_two_bytes() -> None:
    """element-types.md §8.7: a safe reader rounds such a width up."""
    data = bytes(range(12))
    tensor = made(COL, hurray.Dtype.from_tag(0xF3), (2, 3), data, 0, private(12, 1))
    assert tensor.tobytes() == bytes([0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11])
