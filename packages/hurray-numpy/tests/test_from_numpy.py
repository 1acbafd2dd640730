"""hurray.from_numpy over NumPy's own element types: layouts, bits, and the copy table."""

from __future__ import annotations

from typing import Any, Literal

import hurray
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

NATIVE = (
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
SHARED = tuple(name for name in NATIVE if name != "bool")

Array = np.ndarray[Any, Any]


def aligned(shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C", *, shift: int = 0) -> Array:
    """An array of zeros whose address is ``shift`` beyond a multiple of 64."""
    dtype = np.dtype(dtype)
    store = np.zeros(int(np.prod(shape)) * dtype.itemsize + 128, np.uint8)
    start = -address(store) % 64 + shift
    return np.ndarray(shape, dtype, buffer=store, offset=start, order=order)


def address(array: Array) -> int:
    """Where the first element lies."""
    where: int = array.__array_interface__["data"][0]
    return where


def numbered(shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"] = "C") -> Array:
    """An aligned array whose elements differ."""
    array = aligned(shape, dtype, order)
    array[...] = np.arange(array.size).reshape(shape) % 251
    return array


def packed(array: Array) -> bytes:
    """The elements as the format packs them, row-major."""
    data = np.ascontiguousarray(array)
    return np.packbits(data, bitorder="little").tobytes() if array.dtype == np.bool_ else data.tobytes()


@st.composite
def arrays(draw: st.DrawFn, names: tuple[str, ...] = NATIVE) -> Array:
    """An array of any bits, sliced, reversed, transposed and broadcast; sometimes aligned, sometimes not."""
    dtype = np.dtype(draw(st.sampled_from(names)))
    shape = draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6))
    order: Any = draw(st.sampled_from("CF"))
    shift = draw(st.sampled_from([0, 0, 0, dtype.itemsize, 1]))
    array = aligned(shape, dtype, order, shift=shift)
    seed = draw(st.integers(0, 2**32 - 1))
    bits = np.random.default_rng(seed).integers(0, 2 if dtype == np.bool_ else 256, array.nbytes, np.uint8)
    array[...] = np.frombuffer(bits.tobytes(), dtype).reshape(shape)
    for _ in range(draw(st.integers(0, 3))):
        array = draw(changed(array))
    return array


@st.composite
def changed(draw: st.DrawFn, array: Array) -> Array:
    """A view of ``array``."""
    kind = draw(st.sampled_from(["slice", "transpose", "broadcast"]))
    if kind == "slice":
        return array[draw(hnp.basic_indices(array.shape, allow_newaxis=True, max_dims=5))][...]
    if kind == "transpose":
        return array.transpose(draw(st.permutations(range(array.ndim))))
    return np.broadcast_to(array, (draw(st.integers(0, 3)), *array.shape))


def whole_strides(array: Array) -> bool:
    return all(stride % array.itemsize == 0 for stride in array.strides)


def is_usable(array: Array) -> bool:
    """Whether the table calls ``array`` "usable as it is"."""
    low = address(array) + sum(min(0, s * (n - 1)) for s, n in zip(array.strides, array.shape, strict=True))
    return array.size == 0 or (low % 64 == 0 and whole_strides(array) and array.dtype != np.bool_)


def layout_of(array: Array) -> str:
    if array.flags.c_contiguous or array.dtype == np.bool_:
        return "row_major"
    return "col_major" if array.flags.f_contiguous else "strided"


@settings(max_examples=400, deadline=None)
@given(arrays())
def test_every_bit_survives_the_round_trip(array: Array) -> None:
    """Element-types §4: every bit pattern is legal and MUST survive interchange unchanged."""
    tensor = hurray.from_numpy(array)
    assert tensor.shape == array.shape
    assert tensor.dtype.name == array.dtype.name
    assert tensor.tobytes() == packed(array)
    back = np.asarray(tensor)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert packed(back) == packed(array)


@settings(max_examples=400, deadline=None)
@given(arrays())
def test_copy_none_shares_exactly_what_is_usable(array: Array) -> None:
    """04-tables §2, copy: None shares a usable source and copies any other into aligned memory."""
    tensor = hurray.from_numpy(array)
    if array.size and array.dtype != np.bool_:
        assert (address(np.asarray(tensor)) == address(array)) is is_usable(array)
    if array.size:
        assert tensor.readonly is not array.flags.writeable, "a copy of what is read-only is read-only too"
    if array.size and is_usable(array):
        assert tensor.layout.name == layout_of(array)
    assert all(handle.alignment >= 64 for handle in tensor.buffer_handles if not handle.is_empty)


@settings(max_examples=400, deadline=None)
@given(arrays())
def test_copy_false_shares_or_raises(array: Array) -> None:
    """04-tables §2, copy: False shares a usable source and raises CopyRequiredError on any other."""
    if array.dtype == np.bool_ and array.size == 0:
        return
    if is_usable(array):
        tensor = hurray.from_numpy(array, copy=False)
        assert array.size == 0 or address(np.asarray(tensor)) == address(array)
    else:
        with pytest.raises(hurray.CopyRequiredError):
            hurray.from_numpy(array, copy=False)


@settings(max_examples=300, deadline=None)
@given(arrays())
def test_copy_true_copies(array: Array) -> None:
    """04-tables §2, copy: True copies in every case, and the copy is writable."""
    tensor = hurray.from_numpy(array, copy=True)
    assert not tensor.readonly
    back = np.asarray(tensor)
    assert not np.may_share_memory(back, array)
    assert packed(back) == packed(array)


@pytest.mark.parametrize("dtype", NATIVE)
def test_the_dtype_is_the_one_of_the_same_name(dtype: str) -> None:
    """NumPy MUST: Tier 1 (and complex, ruling 8) dtypes correspond by name, to the singleton."""
    assert hurray.from_numpy(np.zeros(3, dtype)).dtype is hurray.Dtype.from_name(dtype)


@pytest.mark.parametrize("dtype", SHARED)
def test_a_c_ordered_array_is_shared_and_writes_go_through(dtype: str) -> None:
    """NumPy MUST: from_numpy shares the buffer of a C-contiguous array without copying."""
    array = numbered((4, 6), dtype)
    tensor = hurray.from_numpy(array, copy=False)
    assert tensor.layout.name == "row_major"
    array[1, 2] = 77
    back = np.asarray(tensor)
    assert back[1, 2] == 77
    assert np.shares_memory(back, array)
    back[3, 5] = 55
    assert array[3, 5] == 55


def test_fortran_order_becomes_col_major_and_is_shared() -> None:
    array = numbered((4, 6), np.float32, "F")
    tensor = hurray.from_numpy(array, copy=False)
    assert tensor.layout.name == "col_major"
    array[1, 2] = 77
    assert np.asarray(tensor)[1, 2] == 77
    assert np.asarray(tensor).flags.f_contiguous


@pytest.mark.parametrize(
    ("view", "strides", "offset"),
    [
        (lambda a: a[:, ::2], (6, 2), 0),
        (lambda a: a[::-1], (-6, 1), 18 * 4),
        (lambda a: a[:, ::-1], (6, -1), 5 * 4),
        (lambda a: np.broadcast_to(a, (3, 4, 6)), (0, 6, 1), 0),
        (lambda a: a[:2, :3].T, (1, 6), 0),
    ],
)
def test_other_strides_become_strided_in_elements(view: Any, strides: tuple[int, ...], offset: int) -> None:
    """Layouts MUST: StridedLayout counts logical elements, signed; they may be negative or zero."""
    array = view(numbered((4, 6), np.float32))
    tensor = hurray.from_numpy(array, copy=False)
    assert isinstance(tensor.layout, hurray.StridedLayout)
    assert (tensor.layout.strides, tensor.descriptor.byte_offset) == (strides, offset)
    assert np.array_equal(np.asarray(tensor), array)
    assert np.shares_memory(np.asarray(tensor), array)


def test_strides_that_are_no_whole_elements_are_copied() -> None:
    """The format's strides count elements, so a field of records takes a copy."""
    records = aligned((5,), np.dtype([("x", "<f8"), ("tag", "u1")], align=False))
    records["x"] = np.arange(5)
    tensor = hurray.from_numpy(records["x"])
    assert tensor.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(
        hurray.CopyRequiredError, match=r"strides \[9\] .* no whole numbers of 8-byte elements"
    ):
        hurray.from_numpy(records["x"], copy=False)


def test_the_error_names_the_alignment() -> None:
    """04-tables §2: CopyRequiredError names the alignment or the reason."""
    array = aligned((100,), np.float32, shift=4)
    with pytest.raises(hurray.CopyRequiredError, match="aligned to 4 bytes and the format needs 64"):
        hurray.from_numpy(array, copy=False)
    assert hurray.from_numpy(array).buffer_handles[0].alignment >= 64


def test_bool_is_packed_and_that_is_a_copy() -> None:
    """04-tables: bool crosses by one bit an element, a copy; copy=False raises."""
    array = np.array([[True, False, True], [True, False, False]])
    tensor = hurray.from_numpy(array)
    assert (tensor.dtype.name, tensor.shape, tensor.tobytes()) == ("bool", (2, 3), b"\x0d")
    with pytest.raises(hurray.CopyRequiredError, match="bool is one bit"):
        hurray.from_numpy(array, copy=False)
    array[0, 0] = False
    assert tensor.tobytes() == b"\x0d"


@pytest.mark.parametrize("byte", [2, 128, 255])
def test_a_bool_of_any_other_byte_is_refused(byte: int) -> None:
    array = np.array([0, byte, 1], np.uint8).view(np.bool_)
    with pytest.raises(hurray.UnsupportedError, match="which one bit cannot hold; pass array != 0"):
        hurray.from_numpy(array)
    assert hurray.from_numpy(array != 0).tobytes() == b"\x06"


@pytest.mark.parametrize("dtype", [">f2", ">f4", ">f8", ">c8", ">c16", ">i2", ">u4", ">i8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_big_endian_numbers_are_converted(dtype: str, order: Literal["C", "F"]) -> None:
    """PEERS, values: big-endian arrays are converted or refused, never reinterpreted."""
    array = numbered((3, 5), dtype, order)
    tensor = hurray.from_numpy(array)
    assert tensor.dtype.name == array.dtype.newbyteorder("=").name
    assert np.array_equal(np.asarray(tensor), array)
    assert tensor.layout.name == ("row_major" if order == "C" else "col_major")
    assert not tensor.readonly
    with pytest.raises(hurray.CopyRequiredError, match=rf"dtype {dtype} .*byte order.*copy=False forbids"):
        hurray.from_numpy(array, copy=False)


@settings(max_examples=100, deadline=None)
@given(arrays(("float64",)))
def test_any_view_of_big_endian_numbers_is_converted(array: Array) -> None:
    swapped = array.view(array.dtype.newbyteorder(">")) if array.ndim == 0 else array.astype(">f8")
    tensor = hurray.from_numpy(swapped)
    assert tensor.tobytes() == swapped.astype("<f8").tobytes()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "complex128", ">i4"])
def test_scalars_and_empty_arrays(shape: tuple[int, ...], dtype: str) -> None:
    array = np.ones(shape, dtype)
    tensor = hurray.from_numpy(array)
    assert tensor.shape == shape
    back = np.asarray(tensor)
    assert (back.shape, back.tolist()) == (shape, array.tolist())


@pytest.mark.parametrize("scalar", [np.float32(1.5), np.int8(-3), np.True_, np.complex64(1 + 2j)])
def test_numpy_scalars_are_copied(scalar: Any) -> None:
    tensor = hurray.from_numpy(scalar)
    assert (tensor.shape, tensor.dtype.name, tensor.tolist()) == ((), scalar.dtype.name, scalar.item())
    with pytest.raises(hurray.CopyRequiredError, match="is not memory of its own"):
        hurray.from_numpy(scalar, copy=False)


@pytest.mark.parametrize("kind", ["matrix", "memmap", "own"])
def test_subclasses_with_plain_data_are_shared(kind: str, tmp_path: Any) -> None:
    class Own(np.ndarray[Any, Any]):
        pass

    array: Any
    if kind == "memmap":
        array = np.memmap(tmp_path / "data", np.float32, "w+", shape=(2, 3))
    else:
        array = numbered((2, 3), np.float32).view({"matrix": np.matrix, "own": Own}[kind])
    array[1, 2] = 5
    tensor = hurray.from_numpy(array, copy=False)
    assert (tensor.shape, tensor.layout.name) == ((2, 3), "row_major")
    array[0, 0] = 8
    assert tensor.tolist()[0][0] == 8
    assert type(np.asarray(tensor)) is np.ndarray


def test_a_read_only_array_stays_read_only() -> None:
    """PEERS, memory: a read-only source never becomes writable."""
    array = numbered((4,), np.float32)
    array.flags.writeable = False
    tensor = hurray.from_numpy(array)
    assert tensor.readonly
    assert not np.asarray(tensor).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0] = 1
    assert not hurray.from_numpy(array, copy=True).readonly


def test_a_dtype_with_metadata_and_other_spellings_are_native() -> None:
    for dtype in (
        np.dtype("f4", metadata={"unit": "m"}),
        np.dtype("=f4"),
        np.dtype("<f4"),
        np.dtype(np.single),
    ):
        assert hurray.from_numpy(np.zeros(2, dtype)).dtype is hurray.float32
    for code in ("l", "q"):
        assert hurray.from_numpy(np.zeros(2, code)).dtype.name == np.dtype(code).name


def test_asarray_takes_arrays_by_the_bridge() -> None:
    array = numbered((3,), np.float32)
    assert np.shares_memory(np.asarray(hurray.asarray(array, copy=False)), array)
    assert hurray.asarray(np.array([True, False])).dtype is hurray.dtype.bool
    assert hurray.asarray(np.float16(2)).dtype is hurray.float16
    with pytest.raises(hurray.UnsupportedError, match=r"numpy\.ndarray holds float32, not int8"):
        hurray.asarray(array, dtype=hurray.int8)
    with pytest.raises(hurray.UnsupportedError, match="masked"):
        hurray.asarray(np.ma.masked_array([1, 2], [False, True]))
