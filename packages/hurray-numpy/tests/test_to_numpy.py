"""Tensors as ndarrays: np.asarray, __array__ and to("numpy")."""

from __future__ import annotations

from typing import Any

import hurray
import numpy as np
import pytest

NATIVE = (
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)


def tensor(dtype: str, shape: tuple[Any, ...], *, layout: hurray.Layout | None = None) -> hurray.Tensor:
    kind = hurray.Dtype.from_name(dtype)
    return hurray.Tensor(bytearray(range(256)) * 4, kind, shape, layout=layout)


@pytest.mark.parametrize("dtype", NATIVE)
@pytest.mark.parametrize("door", [np.asarray, lambda t: t.__array__(), lambda t: t.to("numpy")])
def test_numbers_are_shared(dtype: str, door: Any) -> None:
    """NumPy MUST: __array__ gives an ndarray backed by the same buffer, zero-copy for row-major."""
    one = tensor(dtype, (2, 3))
    array = door(one)
    assert (array.dtype, array.shape) == (np.dtype(dtype), (2, 3))
    assert array.tobytes() == one.tobytes()
    array.view(np.uint8)[0, 0] ^= 0xFF
    assert array.tobytes() == one.tobytes()


@pytest.mark.parametrize(
    "layout", [hurray.ColMajorLayout(), hurray.StridedLayout([7, 2]), hurray.StridedLayout([0, 1])]
)
@pytest.mark.parametrize("dtype", ["float32", "complex128", "bfloat16"])
def test_strided_layouts_are_shared(layout: hurray.Layout, dtype: str) -> None:
    one = tensor(dtype, (3, 2), layout=layout)
    array = one.to("numpy")
    assert array.tobytes() == one.tobytes()
    assert np.shares_memory(array, np.asarray(one.buffer(0)))


def test_bool_is_unpacked_by_every_door() -> None:
    """04-tables: bool crosses to NumPy by unpacking, a copy."""
    one = hurray.Tensor(bytearray(b"\x0d\x02"), hurray.dtype.bool, (2, 5))
    for array in (np.asarray(one), one.__array__(), one.to("numpy"), np.array(one)):
        assert array.dtype == np.bool_
        assert array.tolist() == [[True, False, True, True, False], [False, False, False, False, True]]
        assert array.flags.writeable
    assert np.asarray(one, np.int8).tolist()[0] == [1, 0, 1, 1, 0]


def test_copy_false_of_bool_raises_as_numpy_does() -> None:
    one = hurray.Tensor(bytearray(b"\x0d"), hurray.dtype.bool, (5,))
    with pytest.raises(ValueError, match=r"dtype bool and shape \(5,\) is packed"):
        one.__array__(copy=False)
    with pytest.raises(ValueError, match="is packed"):
        one.to("numpy", copy=False)
    if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        with pytest.raises(ValueError, match="is packed"):
            np.asarray(one, copy=False)


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_copy_true_is_a_copy(dtype: str) -> None:
    one = tensor(dtype, (4,))
    array = one.__array__(copy=True)
    before = one.tobytes()
    array[...] = ~array if dtype == "bool" else array + 1
    assert one.tobytes() == before
    again = np.array(one)
    assert not np.may_share_memory(again, one.__array__())


def test_a_cast_is_numpys() -> None:
    """The __array__ protocol: dtype casts, and copy=False refuses a cast that is needed."""
    one = hurray.from_numpy(np.array([1.9, -2.1], np.float64))
    assert one.__array__(np.int32).tolist() == [1, -2]
    assert one.__array__(dtype=np.dtype("f4"), copy=True).dtype == np.float32
    assert one.__array__(np.float64, copy=False).tolist() == [1.9, -2.1]
    with pytest.raises(ValueError, match="a cast to int32 takes a copy"):
        one.__array__(np.int32, copy=False)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_read_only_tensor_gives_a_read_only_array(dtype: str) -> None:
    """PEERS, memory: a read-only source never becomes writable."""
    frozen = np.zeros(4096, np.uint8)
    start = -frozen.__array_interface__["data"][0] % 64
    frozen.flags.writeable = False
    one = hurray.Tensor(frozen.data[start:], hurray.Dtype.from_name(dtype), (2,))
    assert one.readonly
    for array in (np.asarray(one), one.__array__(), one.to("numpy")):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
    assert one.__array__(copy=True).flags.writeable


def test_an_unknown_dimension_is_refused() -> None:
    one = tensor("float32", (None, 2))
    with pytest.raises(
        hurray.UnsupportedError, match=r"shape \(None, 2\) has a dimension that is not known yet"
    ):
        one.to("numpy")
    with pytest.raises(hurray.UnsupportedError, match="not known yet"):
        np.asarray(one)


@pytest.mark.parametrize("shape", [(), (0,), (2, 0, 3), (1,) * 20])
@pytest.mark.parametrize("dtype", ["float32", "bool", "bfloat16"])
def test_scalars_and_empty_tensors(shape: tuple[int, ...], dtype: str) -> None:
    assert tensor(dtype, shape).to("numpy").shape == shape


def test_options_that_do_not_exist_are_refused() -> None:
    with pytest.raises(TypeError):
        tensor("float32", (1,)).to("numpy", order="F")
