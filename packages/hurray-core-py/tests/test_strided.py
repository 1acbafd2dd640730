"""Strided tensors against NumPy's own views, by law (layouts.md §3)."""

from __future__ import annotations

import io
import itertools
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import core_files as craft
import hurray
import pytest
from core_memory import address, aligned
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

Array = Any
DTYPES = ["int8", "uint8", "int16", "float16", "float32", "int64", "float64", "complex64", "complex128"]


@dataclass(frozen=True)
class View:
    """Shape and strides in elements, and how far they reach from element [0, …, 0]."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def reach(self) -> tuple[int, int]:
        """Lowest and highest element offset; (0, -1) when there is no element."""
        if 0 in self.shape:
            return 0, -1
        ends = [stride * (dim - 1) for dim, stride in zip(self.shape, self.strides, strict=True)]
        return sum(min(0, end) for end in ends), sum(max(0, end) for end in ends)

    def offsets(self) -> list[int]:
        """Element offsets in row-major order."""
        indices = itertools.product(*map(range, self.shape))
        return [sum(i * s for i, s in zip(index, self.strides, strict=True)) for index in indices]


@st.composite
def views(draw: Any, rank: Any = None, least: int = -6) -> View:
    shape = draw(st.lists(st.integers(0, 4), max_size=4) if rank is None else st.just(rank))
    if rank is not None:
        shape = draw(st.lists(st.integers(1, 5), min_size=rank, max_size=rank))
    strides = draw(st.lists(st.integers(least, 6), min_size=len(shape), max_size=len(shape)))
    return View(tuple(shape), tuple(strides))


def array_of(view: View, dtype: str, before: int, after: int) -> Array:
    """A NumPy view of that shape and those strides, in memory of which it may reach every byte."""
    low, high = view.reach
    count = max(high - low + 1, 0) + before + after
    store = np.frombuffer(aligned(max(count, 1) * np.dtype(dtype).itemsize), dtype)
    store[:] = np.arange(len(store)) % 100
    first = store[before - low :] if count else store
    strides = [stride * store.itemsize for stride in view.strides]
    return np.lib.stride_tricks.as_strided(first, view.shape, strides)


def agree(tensor: hurray.Tensor, array: Array) -> None:
    """Every way to read the tensor gives NumPy's elements in NumPy's order."""
    plain = array.tobytes()
    assert tensor.shape == array.shape
    assert tensor.tolist() == array.tolist()
    assert tensor.tobytes() == bytes(tensor) == plain
    assert memoryview(tensor).tobytes() == plain
    assert np.asarray(tensor).tolist() == array.tolist()
    assert np.from_dlpack(tensor).tolist() == array.tolist()
    assert hurray.from_dlpack(tensor).tolist() == array.tolist()
    stream = io.BytesIO()
    assert tensor.tofile(stream) == len(plain)
    assert stream.getvalue() == plain
    assert tensor.nbytes == array.nbytes


@settings(max_examples=150, deadline=None)
@given(views(), st.sampled_from(DTYPES), st.integers(0, 20), st.integers(0, 5))
def test_any_view_of_any_array_agrees_with_numpy(view: View, dtype: str, before: int, after: int) -> None:
    """PEERS, refusals: F-order, sliced, reversed and broadcast arrays all work: the format has strides."""
    array = array_of(view, dtype, before, after)
    tensor = hurray.Tensor.from_buffer(array)
    agree(tensor, array)
    if array.ndim == 2:
        agree(tensor.T, array.T)
    low, _ = view.reach
    if array.size and (array.__array_interface__["data"][0] + low * array.itemsize) % 64 == 0:
        # What is usable is shared, whatever its strides.
        assert address(tensor) == array.__array_interface__["data"][0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(views(), st.sampled_from(DTYPES)), max_size=4))
def test_files_keep_shape_strides_and_values(cases: list[tuple[View, str]]) -> None:
    """Save and load agree with NumPy's own view."""
    arrays = {f"t{at}": array_of(view, dtype, 1, 1) for at, (view, dtype) in enumerate(cases)}
    tensors = {name: hurray.Tensor.from_buffer(array) for name, array in arrays.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.hrry"
        hurray.save(path, tensors)
        assert hurray.verify(path) == []
        for io_kind in ("mmap", "read"):
            loaded = hurray.load(path, io=io_kind)
            assert list(loaded) == list(arrays)
            for name, array in arrays.items():
                agree(loaded[name], array)
                assert loaded[name].layout == tensors[name].layout
            del loaded


@settings(max_examples=200, deadline=None)
@given(views(least=-3), st.sampled_from(["int8", "float32", "complex128"]), st.integers(-2, 2))
def test_the_constructor_takes_exactly_the_strides_that_stay_inside(
    view: View, name: str, slack: int
) -> None:
    """Strides are checked for the bytes they reach, negative ones too."""
    dtype = hurray.Dtype.from_name(name)
    low, high = view.reach
    size = max((high + 1) * dtype.bit_width // 8 + slack, 0)
    needed = (high + 1) * dtype.bit_width // 8
    layout = hurray.StridedLayout(view.strides)
    if not view.shape:
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Tensor(bytes(size), dtype, view.shape, layout=layout)
    elif low < 0 or size < needed:
        with pytest.raises(hurray.BufferError):
            hurray.Tensor(bytes(size), dtype, view.shape, layout=layout)
    else:
        data = bytes(at % 120 for at in range(size))
        tensor = hurray.Tensor(data, dtype, view.shape, layout=layout)
        if 0 not in view.shape:
            store = np.frombuffer(data[:needed], name)
            strides = [stride * store.itemsize for stride in view.strides]
            agree(tensor, np.lib.stride_tricks.as_strided(store, view.shape, strides, writeable=False))


def packed(codes: list[int], bits: int) -> bytes:
    number = sum(code << bits * at for at, code in enumerate(codes))
    size = -(-len(codes) // 4) * 3 if bits == 6 else -(-len(codes) * bits // 8)
    return number.to_bytes(size, "little")


@settings(max_examples=150, deadline=None)
@given(
    views(least=0),
    st.sampled_from(["bool", "uint2", "uint4", "int4", "float6_e2m3", "float4_e2m1"]),
    st.data(),
)
def test_elements_narrower_than_a_byte_follow_their_strides(view: View, name: str, data: Any) -> None:
    """layouts.md §1: byte floor(o / P), shift (o mod P) * bits; 6-bit types by group."""
    dtype = hurray.Dtype.from_name(name)
    count = view.reach[1] + 1
    codes = data.draw(st.lists(st.integers(0, 2**dtype.bit_width - 1), min_size=count, max_size=count))
    if not view.shape:
        return
    flat = hurray.Tensor(packed(codes, dtype.bit_width), dtype, (count,))
    tensor = hurray.Tensor(flat.buffer(0), dtype, view.shape, layout=hurray.StridedLayout(view.strides))
    assert flat.tobytes() == packed(codes, dtype.bit_width)
    chosen = [codes[offset] for offset in view.offsets()]
    assert tensor.tobytes() == packed(chosen, dtype.bit_width)
    values = flat.tolist()
    expected = np.empty(len(chosen), object)
    expected[:] = [values[offset] for offset in view.offsets()]
    assert tensor.tolist() == expected.reshape(view.shape).tolist()
    if len(view.shape) == 2:
        turned = [codes[offset] for offset in View(view.shape[::-1], view.strides[::-1]).offsets()]
        assert tensor.T.tobytes() == packed(turned, dtype.bit_width)


@settings(max_examples=150, deadline=None)
@given(
    views(),
    st.sampled_from(["bool", "uint2", "int4", "float6_e2m3"]),
    st.integers(0, 3),
    st.binary(max_size=40),
)
def test_offsets_below_zero_of_elements_narrower_than_a_byte(
    view: View, name: str, slack: int, data: bytes
) -> None:
    """layouts.md §1: floor and non-negative mod even for negative offsets, from byte_offset on."""
    dtype, (low, high) = hurray.Dtype.from_name(name), view.reach
    bits, (per, unit) = dtype.bit_width, (4, 3) if name.startswith("float6") else (8 // dtype.bit_width, 1)
    before, after = -(low // per) * unit, (high // per + 1) * unit
    if not view.shape or not data or 0 in view.shape:
        return
    store = (data * 40)[: before + after + slack]
    blob = craft.descriptor(
        dtype.tag,
        3,
        view.shape,
        (len(store),),
        payload=b"".join(stride.to_bytes(8, "little", signed=True) for stride in view.strides),
        byte_offset=before,
    )
    tensor = hurray.load(craft.single(blob, store))["w"]
    number, first = int.from_bytes(store, "little"), before // unit * per
    codes = [number >> (first + offset) * bits & (1 << bits) - 1 for offset in view.offsets()]
    assert tensor.tobytes() == packed(codes, bits)
    assert hurray.Tensor(tensor.tobytes(), dtype, view.shape).tolist() == tensor.tolist()


@pytest.mark.parametrize("name", ["bool", "uint2", "int4", "float6_e3m2"])
def test_column_major_elements_narrower_than_a_byte(name: str) -> None:
    dtype = hurray.Dtype.from_name(name)
    codes = [(7 * at + 1) % (1 << dtype.bit_width) for at in range(15)]
    tensor = hurray.Tensor(packed(codes, dtype.bit_width), dtype, (3, 5), layout=hurray.ColMajorLayout())
    order = [codes[row + 3 * column] for row in range(3) for column in range(5)]
    assert tensor.tobytes() == packed(order, dtype.bit_width)
    assert tensor.T.tobytes() == packed(codes, dtype.bit_width)


def test_large_strided_tensors_are_written_piece_by_piece(tmp_path: Path) -> None:
    """The staging of tobytes and tofile: more than one piece, whole elements in each."""
    for dtype, shape in (("int8", (3000, 1000)), ("complex128", (700, 333)), ("int16", (1 << 20, 2))):
        array = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)
        for view in (array.T, array[::-1], array[:, ::3], array[::2].T):
            tensor = hurray.Tensor.from_buffer(view)
            assert tensor.tobytes() == view.tobytes()
            with open(tmp_path / "raw", "wb") as file:
                assert tensor.tofile(file) == view.nbytes
            assert (tmp_path / "raw").read_bytes() == view.tobytes()


def test_large_packed_tensors_are_written_piece_by_piece() -> None:
    for name in ("bool", "int4", "float6_e2m3"):
        dtype = hurray.Dtype.from_name(name)
        rows, columns = 337, 8 * 1000
        data = os.urandom(hurray.buffer_size_bytes(dtype, rows * columns))
        tensor = hurray.Tensor(data, dtype, (rows, columns))
        turned = hurray.Tensor(tensor.T.tobytes(), dtype, (columns, rows))
        assert turned.T.tobytes() == data
