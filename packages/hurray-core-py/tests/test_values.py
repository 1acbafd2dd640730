"""Element values and packing, by code (element-types.md §3, §4): tolist, tobytes, unpack."""

from __future__ import annotations

import io
import math
import struct
from typing import Any

import hurray
import ml_dtypes
import pytest
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

# Types of 8 bits and less, with what another library makes of their codes.
BYTES = {
    "int8": np.int8,
    "uint8": np.uint8,
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e8m0": ml_dtypes.float8_e8m0fnu,
}
PACKED = {
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "float4_e2m1": ml_dtypes.float4_e2m1fn,
    "float6_e2m3": ml_dtypes.float6_e2m3fn,
    "float6_e3m2": ml_dtypes.float6_e3m2fn,
}
HALVES = {"int16": np.int16, "uint16": np.uint16, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}


def dtype(name: str) -> hurray.Dtype:
    found: hurray.Dtype = getattr(hurray.dtype, name)
    return found


def packed(codes: list[int], bits: int) -> bytes:
    """Least significant bits first; 6-bit types by whole groups of four (element-types.md §3)."""
    number = sum(code << bits * at for at, code in enumerate(codes))
    size = -(-len(codes) // 4) * 3 if bits == 6 else -(-len(codes) * bits // 8)
    return number.to_bytes(size, "little")


def same(one: Any, two: Any) -> bool:
    """Equal bit for bit as Python numbers: NaN is NaN, and zero keeps its sign."""
    if isinstance(one, float) and isinstance(two, float):
        return struct.pack("d", one) == struct.pack("d", two) or (math.isnan(one) and math.isnan(two))
    return type(one) is type(two) and bool(one == two)


def assert_same(found: list[Any], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    wrong = [
        (at, one, two)
        for at, (one, two) in enumerate(zip(found, expected, strict=True))
        if not same(one, two)
    ]
    assert wrong == []


@pytest.mark.parametrize("name", BYTES)
def test_every_code_of_8_bits(name: str) -> None:
    codes = np.arange(256, dtype=np.uint8)
    found = hurray.Tensor(codes, dtype(name), (256,)).tolist()
    expected = [
        number.item() if name.endswith("int8") else float(number) for number in codes.view(BYTES[name])
    ]
    if name == "float8_e8m0":
        # The format reserves 0x00, which OCP makes 2^-127.
        assert expected[0] == 2.0**-127
        expected[0] = math.nan
    assert_same(found, expected)


@pytest.mark.parametrize("name", PACKED)
def test_every_code_below_8_bits(name: str) -> None:
    kind = dtype(name)
    codes = list(range(1 << kind.bit_width)) * 2
    found = hurray.Tensor(packed(codes, kind.bit_width), kind, (len(codes),)).tolist()
    stored = np.array(codes, np.uint8)
    if kind.is_integer:
        expected: list[Any] = [int(number) for number in stored.astype(PACKED[name])]
        if kind.is_signed:
            top = 1 << (kind.bit_width - 1)
            assert expected == [(code ^ top) - top for code in codes]
    else:
        expected = [float(number) for number in stored.view(PACKED[name])]
    assert_same(found, expected)


@pytest.mark.parametrize("name", HALVES)
def test_every_code_of_16_bits(name: str) -> None:
    codes = np.arange(1 << 16, dtype=np.uint16)
    found = hurray.Tensor(codes, dtype(name), (1 << 16,)).tolist()
    numbers = codes.view(HALVES[name])
    expected = (
        numbers.tolist() if name != "bfloat16" else [float(number) for number in numbers.astype(np.float32)]
    )
    assert_same(found, expected)


# Values as the format's own tables print them (element-types.md §4).
TABLES: dict[str, list[float]] = {
    "float4_e2m1": [0, 0.5, 1, 1.5, 2, 3, 4, 6],
    "float6_e2m3": [n / 8 for n in range(16)] + [n / 4 for n in range(8, 16)] + [n / 2 for n in range(8, 16)],
    "float6_e3m2": [
        *(0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75, 0.875, 1, 1.25, 1.5, 1.75),
        *(2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28),
    ],
}


@pytest.mark.parametrize("name", TABLES)
def test_the_formats_own_value_tables(name: str) -> None:
    kind, positive = dtype(name), TABLES[name]
    codes = list(range(1 << kind.bit_width))
    found = hurray.Tensor(packed(codes, kind.bit_width), kind, (len(codes),)).tolist()
    assert found == [*positive, *(-value for value in positive)]
    # Zero keeps its sign.
    assert math.copysign(1, found[len(positive)]) == -1


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("float8_e4m3", 0x7E, 448.0),
        ("float8_e4m3", 0x08, 2.0**-6),
        ("float8_e4m3", 0x01, 2.0**-9),
        ("float8_e4m3", 0xFE, -448.0),
        ("float8_e5m2", 0x7B, 57344.0),
        ("float8_e5m2", 0x04, 2.0**-14),
        ("float8_e5m2", 0x01, 2.0**-16),
        ("float8_e5m2", 0x7C, math.inf),
        ("float8_e5m2", 0xFC, -math.inf),
        ("float8_e8m0", 0x01, 2.0**-126),
        ("float8_e8m0", 0x7F, 1.0),
        ("float8_e8m0", 0xFE, 2.0**127),
    ],
)
def test_the_formats_landmarks(name: str, code: int, value: float) -> None:
    assert hurray.Tensor(bytes([code]), dtype(name), (1,)).tolist() == [value]


@pytest.mark.parametrize(
    ("name", "codes", "data"),
    [
        ("bool", [1, 0, 1, 1, 0], "0d"),
        ("uint4", [5, 12, 3], "c503"),
        ("uint2", [3, 1, 2], "27"),
        ("bool", [1, 0, 1, 1, 0, 0, 0, 0, 1, 1], "0d03"),
    ],
)
def test_packing_checks_of_the_format(name: str, codes: list[int], data: str) -> None:
    """element-types.md §3: always least-significant bits first."""
    tensor = hurray.Tensor(bytes.fromhex(data), dtype(name), (len(codes),))
    assert tensor.tolist() == codes
    assert tensor.tobytes().hex() == data
    assert packed(codes, dtype(name).bit_width).hex() == data


def test_the_6_bit_packing_check_of_the_format() -> None:
    """Codes 1, 2, 4, 8 are 81 40 20."""
    tensor = hurray.Tensor(bytes.fromhex("814020"), dtype("float6_e2m3"), (4,))
    assert tensor.tolist() == [0.125, 0.25, 0.5, 1.0]


@pytest.mark.parametrize("form", ["f", "d"])
@given(data=st.binary(min_size=64, max_size=64))
def test_floats_are_bit_exact(form: str, data: bytes) -> None:
    """Every bit pattern is legal and must survive: no NaN canonicalisation, no flushing."""
    kind = {"f": hurray.float32, "d": hurray.float64}[form]
    tensor = hurray.Tensor(data, kind, (64 // struct.calcsize(form),))
    assert_same(tensor.tolist(), list(struct.unpack(f"<{64 // struct.calcsize(form)}{form}", data)))
    assert tensor.tobytes() == data


@given(st.sampled_from(["int32", "uint32", "int64", "uint64"]), st.binary(min_size=32, max_size=32))
def test_wide_integers_are_exact(name: str, data: bytes) -> None:
    found = hurray.Tensor(data, dtype(name), (32 * 8 // dtype(name).bit_width,)).tolist()
    assert found == np.frombuffer(data, name).tolist()


@given(st.complex_numbers(), st.complex_numbers(width=64))
def test_complex_numbers(wide: complex, narrow: complex) -> None:
    for name, value in (("complex128", wide), ("complex64", narrow)):
        (found,) = hurray.Tensor(np.array([value], name), dtype(name), (1,)).tolist()
        assert_same([found.real, found.imag], [value.real, value.imag])


def test_special_floats() -> None:
    values = [0.0, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308]
    assert_same(hurray.Tensor(np.array(values), hurray.float64, (7,)).tolist(), values)


def test_a_type_without_a_python_number_is_refused_and_its_bytes_are_not() -> None:
    """Nothing is rounded in silence: float128 has no exact Python number."""
    tensor = hurray.Tensor(bytes(range(32)), dtype("float128"), (2,))
    with pytest.raises(hurray.UnsupportedError, match="float128"):
        tensor.tolist()
    assert tensor.tobytes() == bytes(range(32))


def test_python_types() -> None:
    """A bool is a bool, an integer an int, a float a float."""
    kinds = {
        "bool": bool,
        "int4": int,
        "uint64": int,
        "bfloat16": float,
        "float8_e4m3": float,
        "complex64": complex,
    }
    for name, kind in kinds.items():
        (found,) = hurray.Tensor(b"\1" * 16, dtype(name), (1,)).tolist()
        assert type(found) is kind


def test_nesting_follows_the_shape() -> None:
    data = np.arange(24, dtype=np.int8)
    for shape in ((), (24,), (2, 3, 4), (1, 24, 1), (2, 0, 3), (0,), (1,) * 64):
        count = int(np.prod(shape))
        tensor = hurray.Tensor(data, hurray.int8, shape)
        assert tensor.tolist() == data[:count].reshape(shape).tolist()


# --- bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", hurray.dtype.__all__)
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 7, 8, 9])
def test_tobytes_is_exactly_the_packed_elements(name: str, count: int) -> None:
    """Packed as the format packs them, whatever lies behind them in the buffer."""
    kind = dtype(name)
    size = hurray.buffer_size_bytes(kind, count)
    codes = [(5 * at + 3) % (1 << min(kind.bit_width, 8)) for at in range(count)]
    data = (
        packed(codes, kind.bit_width)
        if kind.is_sub_byte
        else bytes(range(size % 251)) + bytes(size - size % 251)
    )
    tensor = hurray.Tensor(data[:size] + b"\xee" * 5, kind, (count,))
    assert len(tensor.tobytes()) == tensor.nbytes == size
    assert tensor.tobytes() == bytes(tensor) == data[:size]


@pytest.mark.parametrize("name", [*PACKED, "bool"])
@pytest.mark.parametrize("count", [1, 2, 3, 5, 9, 10])
def test_tobytes_leaves_no_bits_behind_the_last_element(name: str, count: int) -> None:
    """element-types.md §3: unused high bits of the last byte must be 0, whatever the buffer holds there."""
    kind = dtype(name)
    dirty = b"\xff" * hurray.buffer_size_bytes(kind, count)
    expected = packed([(1 << kind.bit_width) - 1] * count, kind.bit_width)
    for layout in (hurray.RowMajorLayout(), hurray.ColMajorLayout(), hurray.StridedLayout((1,))):
        tensor = hurray.Tensor(dirty, kind, (count,), layout=layout)
        stream = io.BytesIO()
        assert tensor.tofile(stream) == len(expected)
        assert tensor.tobytes() == bytes(tensor) == stream.getvalue() == expected
        assert tensor.buffer(0).tobytes() == dirty


@given(st.lists(st.booleans(), max_size=70))
def test_bools_unpack_to_a_byte_each(values: list[bool]) -> None:
    """Bool is one bit per element in every path."""
    tensor = hurray.Tensor(packed([int(value) for value in values], 1), hurray.bool, (len(values),))
    assert tensor.tolist() == values
    unpacked = tensor.unpack()
    assert type(unpacked) is bytearray
    assert unpacked == bytes(values)
    assert tensor.nbytes == -(-len(values) // 8)


def test_unpack_follows_strides_and_is_for_bool_alone() -> None:
    data = packed([1, 0, 0, 1, 1, 0], 1)
    tensor = hurray.Tensor(data, hurray.bool, (2, 3))
    assert list(tensor.T.unpack()) == [1, 1, 0, 1, 0, 0]
    assert tensor.T.tobytes() == packed([1, 1, 0, 1, 0, 0], 1)
    with pytest.raises(hurray.UnsupportedError, match="bool"):
        hurray.Tensor(data, hurray.uint8, (1,)).unpack()


def test_quantised_codes_are_never_handed_out_as_numbers() -> None:
    """PEERS, values: quantised codes are never handed out as plain numbers."""
    from core_files import INT8, QUANTIZATION, descriptor, single

    section = struct.pack("<I", 16) + struct.pack("<BBHfi4x", 1, 1, 0, 0.5, 0)
    blob = descriptor(INT8, shape=(2,), sizes=(2,), sections=section, flags=QUANTIZATION)
    tensor = hurray.load(single(blob, b"\1\2"))["w"]
    for read in (tensor.tolist, tensor.tobytes, lambda: tensor.tofile(None), lambda: tensor.T):
        with pytest.raises((hurray.UnsupportedError, ValueError)):
            read()
    assert tensor.buffer(0).tolist() == [1, 2]


@pytest.mark.parametrize("shape", [(2**40, 0), (2**20, 2**20, 0)])
def test_a_shape_alone_does_not_fill_memory(shape: tuple[int, ...]) -> None:
    """PEERS, claims: what a tensor only claims allocates nothing."""
    with pytest.raises(MemoryError, match="0 bytes"):
        hurray.Tensor(b"", hurray.float32, shape).tolist()
    broadcast = hurray.Tensor(bytes(64), hurray.int8, (2**20, 2**20), layout=hurray.StridedLayout((0, 0)))
    with pytest.raises(MemoryError, match="64 bytes"):
        broadcast.tolist()
    assert hurray.Tensor(b"", hurray.float32, (3, 0)).tolist() == [[], [], []]


def test_an_empty_tensor_makes_no_long_list() -> None:
    with pytest.raises(MemoryError, match="objects"):
        hurray.Tensor(b"", hurray.uint8, (1 << 24, 0)).tolist()
    assert hurray.Tensor(b"", hurray.uint8, (3, 0)).tolist() == [[], [], []]


def test_no_value_is_shown_that_an_empty_shape_leaves_out() -> None:
    empty = hurray.Tensor(
        b"",
        hurray.float32,
        (4, 0),
        aux_buffers=[bytes(24), bytes(40)],
        layout=hurray.CsrLayout(3),
    )
    with pytest.raises(hurray.UnsupportedError, match="fewer than are counted"):
        empty._chosen([[0]])
    assert "CsrLayout" in repr(empty)
