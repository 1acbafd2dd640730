"""The element types that only ml_dtypes has: shared where the widths agree, packed where they do not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import hurray
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

WHOLE = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e8m0": ml_dtypes.float8_e8m0fnu,
}
PACKED = {
    "float4_e2m1": ml_dtypes.float4_e2m1fn,
    "float6_e2m3": ml_dtypes.float6_e2m3fn,
    "float6_e3m2": ml_dtypes.float6_e3m2fn,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
}
FOREIGN = ["float8_e4m3", "float8_e3m4", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz", "int1"]

Array = np.ndarray[Any, Any]


def aligned(data: Array) -> Array:
    store = np.zeros(data.nbytes + 64, np.uint8)
    start = -store.__array_interface__["data"][0] % 64
    array: Array = np.ndarray(data.shape, data.dtype, buffer=store, offset=start)
    array[...] = data
    return array


def codes(name: str) -> Array:
    """Every code of an element type that is one, as ml_dtypes stores it."""
    if name == "bfloat16":
        return np.arange(1 << 16, dtype=np.uint16)
    kind = hurray.Dtype.from_name(name)
    every = np.arange(1 << kind.bit_width, dtype=np.uint8)
    return every[1:255] if name == "float8_e8m0" else every


@pytest.mark.parametrize("name", WHOLE)
def test_types_of_whole_bytes_are_shared_code_by_code(name: str) -> None:
    """04-tables: bfloat16 is ml_dtypes.bfloat16; ruling 6: float8 crosses explicitly, zero-copy."""
    array = aligned(codes(name)).view(WHOLE[name])
    tensor = hurray.from_numpy(array, copy=False)
    assert (tensor.dtype.name, tensor.shape) == (name, array.shape)
    assert tensor.tobytes() == array.tobytes()
    back = tensor.to("numpy", ml_dtypes=True)
    assert back.dtype == WHOLE[name]
    assert back.tobytes() == array.tobytes()
    assert np.shares_memory(back, array)


@pytest.mark.parametrize("name", PACKED)
def test_small_types_are_packed_code_by_code(name: str) -> None:
    array = codes(name).view(PACKED[name])
    tensor = hurray.from_numpy(array)
    assert (tensor.dtype.name, tensor.shape) == (name, array.shape)
    assert tensor.nbytes == hurray.buffer_size_bytes(tensor.dtype, array.size)
    back = tensor.to("numpy", ml_dtypes=True)
    assert back.dtype == PACKED[name]
    assert back.tobytes() == array.tobytes()
    with pytest.raises(hurray.CopyRequiredError, match=f"packs {name}"):
        hurray.from_numpy(array, copy=False)
    with pytest.raises(hurray.CopyRequiredError, match="is packed"):
        tensor.to("numpy", ml_dtypes=True, copy=False)


@pytest.mark.parametrize(
    ("dtype", "values", "packed"),
    [
        ("uint4", [5, 12, 3], "c503"),
        ("uint2", [3, 1, 2], "27"),
        ("float6_e2m3", [1, 2, 4, 8], "814020"),
        ("int4", [-1, 7, -8], "7f08"),
        ("float4_e2m1", [0, 1, 15], "100f"),
    ],
)
def test_the_packing_of_the_format(dtype: str, values: list[int], packed: str) -> None:
    """Element-types §3, packing checks: least-significant bits first, unused bits 0."""
    if dtype == "int4":
        array: Array = np.array(values, ml_dtypes.int4)
    else:
        array = np.array(values, np.uint8).view(PACKED[dtype])
    assert hurray.from_numpy(array).tobytes().hex() == packed


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(sorted({**WHOLE, **PACKED})),
    st.lists(st.integers(0, 4), max_size=3).map(tuple),
    st.randoms(use_true_random=False),
    st.sampled_from(["C", "F", "T", "step", "back"]),
)
def test_any_shape_and_order_comes_back(name: str, shape: tuple[int, ...], random: Any, order: str) -> None:
    pool = codes(name)
    count = int(np.prod(shape))
    array = pool[[random.randrange(len(pool)) for _ in range(count)]].reshape(shape)
    array = aligned(array).view({**WHOLE, **PACKED}[name])
    if order == "F":
        array = np.asfortranarray(array)
    elif order == "T":
        array = array.T
    elif array.ndim:
        array = array[:: 2 if order == "step" else -1]
    tensor = hurray.from_numpy(array)
    back = tensor.to("numpy", ml_dtypes=True)
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()


@pytest.mark.parametrize("name", [name for name in FOREIGN if hasattr(ml_dtypes, name)])
def test_other_encodings_are_refused(name: str) -> None:
    """A float8 of another meaning is no float8 of the format."""
    array = np.zeros(3, getattr(ml_dtypes, name))
    with pytest.raises(hurray.UnsupportedError, match=rf"no element type encoded as ml_dtypes\.{name}"):
        hurray.from_numpy(array)


@pytest.mark.parametrize("code", [0x00, 0xFF])
def test_the_reserved_codes_of_e8m0_are_refused(code: int) -> None:
    """Element-types §4: writers must not store the bytes 0x00 and 0xFF of float8_e8m0."""
    array = np.array([[1, 127], [code, 3]], np.uint8).view(ml_dtypes.float8_e8m0fnu)
    with pytest.raises(hurray.UnsupportedError, match=r"holds .* at \[1, 0\]: the format reserves this code"):
        hurray.from_numpy(array)


def test_bits_above_a_small_float_are_refused() -> None:
    array = np.array([1, 0x13], np.uint8).view(ml_dtypes.float4_e2m1fn)
    with pytest.raises(hurray.UnsupportedError, match=r"bits set above its 4.*& 15"):
        hurray.from_numpy(array)


def test_big_endian_bfloat16_is_converted() -> None:
    array = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    swapped = array.view(np.uint16).byteswap().view(array.dtype.newbyteorder(">"))
    tensor = hurray.from_numpy(swapped)
    assert (tensor.dtype.name, tensor.tobytes()) == ("bfloat16", array.tobytes())
    with pytest.raises(hurray.CopyRequiredError, match="byte order"):
        hurray.from_numpy(swapped, copy=False)


def test_bfloat16_scalars_and_asarray() -> None:
    assert hurray.asarray(ml_dtypes.bfloat16(1.5)).tobytes() == b"\xc0\x3f"
    assert hurray.asarray(np.ones(2, ml_dtypes.bfloat16)).dtype is hurray.bfloat16


def test_bfloat16_is_an_array_by_every_door() -> None:
    """04-tables: bfloat16 becomes ml_dtypes.bfloat16 where that package is installed."""
    array = aligned(np.arange(6, dtype=ml_dtypes.bfloat16).reshape(2, 3))
    tensor = hurray.from_numpy(array, copy=False)
    for back in (np.asarray(tensor), tensor.__array__(), tensor.to("numpy"), np.array(tensor, copy=False)):
        assert back.dtype == ml_dtypes.bfloat16
        assert np.shares_memory(back, array)
    assert not np.shares_memory(np.array(tensor), array)
    assert np.asarray(tensor, np.float32).tolist() == [[0, 1, 2], [3, 4, 5]]
    array.flags.writeable = False
    assert not np.asarray(hurray.from_numpy(array, copy=False)).flags.writeable


@pytest.mark.parametrize("name", [*sorted(set(WHOLE) - {"bfloat16"}), *PACKED, "float128"])
def test_small_types_are_no_array_unless_asked_for(name: str) -> None:
    """NumPy MUST: __array__ of a Tier 2 element type raises UnsupportedError."""
    kind = hurray.Dtype.from_name(name)
    tensor = hurray.Tensor(bytearray(b"\x01" * 64), kind, (4,))
    with pytest.raises(
        hurray.UnsupportedError, match=f"dtype {name} and shape .*NumPy has no dtype for {name}"
    ):
        tensor.__array__()
    with pytest.raises(hurray.UnsupportedError, match=name):
        np.asarray(tensor)
    if name == "float128":
        with pytest.raises(
            hurray.UnsupportedError, match="float128 has no NumPy dtype, and none in ml_dtypes"
        ):
            tensor.to("numpy", ml_dtypes=True)


def test_without_ml_dtypes_the_error_says_what_to_install() -> None:
    """04-tables: bfloat16 without ml_dtypes raises UnsupportedError; nothing needs it before."""
    code = (
        "import sys; sys.modules['ml_dtypes'] = None\n"
        "import hurray, numpy as np\n"
        "t = hurray.Tensor(bytearray(4), hurray.bfloat16, (2,))\n"
        "try: np.asarray(t)\n"
        "except hurray.UnsupportedError as error: print(error)\n"
        "print(hurray.from_numpy(np.zeros(3, 'f4')).shape)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "bfloat16 has no NumPy dtype without ml_dtypes: pip install ml-dtypes",
        "(3,)",
    ]


@pytest.mark.parametrize("dtype", ["int4", "bfloat16", "float8_e5m2"])
def test_a_copy_of_what_is_read_only_is_read_only(dtype: str) -> None:
    """Unless the copy is asked for; packed, unaligned and shared alike."""
    array = np.zeros(100, getattr(ml_dtypes, dtype))[1:]
    assert not hurray.from_numpy(array).readonly
    array.flags.writeable = False
    assert hurray.from_numpy(array).readonly
    assert not hurray.from_numpy(array, copy=True).readonly
