"""zeros, ones, empty, full: every element type, exactly or refused (requirements: Dynamic dimensions; PEERS)."""

from __future__ import annotations

import math
import struct
import sys
from fractions import Fraction
from typing import Any

import hurray
import ml_dtypes
import pytest
from core_create import ALL, BITS, INTEGERS, OTHERS, PACKED, binary128, dtype, encoded, packed
from core_memory import address, run
from core_numpy import np
from hypothesis import example, given
from hypothesis import strategies as st

SHAPES = [(), (1,), (3,), (4,), (5,), (8,), (9,), (3, 7), (2, 0), (4099,)]
CONSTANTS = [(hurray.zeros, 0), (hurray.ones, 1)]
MAKERS: list[Any] = [
    hurray.zeros,
    hurray.ones,
    hurray.empty,
    lambda shape, **options: hurray.full(shape, 1, **options),
]
CALLS = ["zeros", "ones", "empty", "full"]
EACH = pytest.mark.parametrize(("make", "call"), list(zip(MAKERS, CALLS, strict=True)), ids=CALLS)


# --- every element type ------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ALL)
def test_ones_and_zeros_of_every_type(name: str, shape: tuple[int, ...]) -> None:
    """element-types.md §3, §5: packed as the format packs, unused bits 0."""
    count = math.prod(shape)
    for make, value in CONSTANTS:
        if value == 0 and name == "float8_e8m0":
            continue
        tensor = make(shape, dtype=dtype(name))
        assert tensor.tobytes() == encoded(name, [value] * count)
        assert (tensor.shape, tensor.dtype, tensor.layout) == (shape, dtype(name), hurray.RowMajorLayout())
        assert tensor.nbytes == hurray.buffer_size_bytes(dtype(name), count)
        assert bytes(tensor.buffer(0)) == encoded(name, [value] * count)


@pytest.mark.parametrize("name", ALL)
def test_what_is_made_is_memory_of_its_own(name: str) -> None:
    """Alignment is measured: an owned buffer MUST be allocated to at least MIN_BUFFER_ALIGNMENT."""
    for make in MAKERS:
        if make is hurray.zeros and name == "float8_e8m0":
            continue
        for count in (1, 100, 2**21):
            tensor = make((count,), dtype=dtype(name))
            assert tensor.buffer_handles[0].alignment >= hurray.MIN_BUFFER_ALIGNMENT
            assert address(tensor.buffer(0)) % hurray.MIN_BUFFER_ALIGNMENT == 0
            assert not tensor.readonly
            assert tensor.device is hurray.zeros(1).device
        assert make((0,), dtype=dtype(name)).buffer_handles[0].alignment == 1


def test_the_default_is_float64() -> None:
    """What the released package has, so that programs written for it run unchanged."""
    for make in (hurray.zeros, hurray.ones, hurray.empty):
        assert make((2,)).dtype is hurray.float64
        assert make((2,), dtype=None, device=None).dtype is hurray.float64


@pytest.mark.parametrize("value", [True, 1, 1.5, 1 + 2j])
def test_full_has_the_type_of_its_value(value: Any) -> None:
    expected = {bool: hurray.bool, int: hurray.int64, float: hurray.float64, complex: hurray.dtype.complex128}
    tensor = hurray.full((3,), value)
    assert tensor.dtype is expected[type(value)]
    assert tensor.tolist() == [value] * 3
    assert [type(item) for item in tensor.tolist()] == [type(value)] * 3


@pytest.mark.parametrize(
    "scalar", [np.float32(0.5), np.int8(-3), np.bool_(True), np.complex64(1j), np.array(7), np.float64(2)]
)
def test_a_scalar_of_a_framework_is_the_number_that_it_holds(scalar: Any) -> None:
    tensor = hurray.full((2,), scalar)
    assert tensor.tolist() == [scalar.item()] * 2
    assert tensor.dtype is hurray.full((2,), scalar.item()).dtype
    assert hurray.full((2,), np.int16(7), dtype=hurray.float32).tolist() == [7.0, 7.0]


def test_an_int_is_a_shape_of_one_dimension() -> None:
    for make in MAKERS:
        assert make(3).shape == (3,)
        assert make([2, 3]).shape == (2, 3)
        assert make(np.int64(3)).shape == (3,)
        assert make(iter((2, 3))).shape == (2, 3)


def test_empty_holds_valid_elements() -> None:
    """element-types.md §4: writers must not store the codes 0x00 and 0xFF of float8_e8m0."""
    codes = set(hurray.empty((100,), dtype=hurray.dtype.float8_e8m0).tobytes())
    assert not codes & {0x00, 0xFF}


# --- values: exact, or the nearest float of 16 bits and more ------------------------------------------------


@pytest.mark.parametrize("name", [*OTHERS, *PACKED])
def test_every_code_of_the_small_types_can_be_asked_for(name: str) -> None:
    bits = BITS.get(name, 16 if name == "bfloat16" else 8)
    kind = (OTHERS | PACKED)[name]
    codes = np.arange(2**bits, dtype=np.uint16 if bits == 16 else np.uint8)[:: 97 if bits == 16 else 1]
    seen = 0
    for code, value in zip(codes.tolist(), codes.view(kind), strict=True):
        number: Any = bool(value) if name == "bool" else int(value) if "int" in name else float(value)
        # NaN has codes of its own choice; the byte 0x00 of float8_e8m0 has a value for other libraries only.
        if number != number or (name == "float8_e8m0" and code == 0):
            continue
        tensor = hurray.full((5,), number, dtype=dtype(name))
        assert tensor.tobytes() == (
            code.to_bytes(2, "little") * 5 if bits == 16 else packed([code] * 5, bits)
        )
        seen += 1
    assert seen >= len(codes) - 8


@pytest.mark.parametrize(
    "name", ["float4_e2m1", "float6_e2m3", "float6_e3m2", "float8_e4m3", "float8_e5m2", "float8_e8m0"]
)
@given(value=st.floats(allow_nan=False, allow_infinity=False, width=32))
@example(value=5e-324)
@example(value=1.7976931348623157e308)
def test_nothing_is_rounded_to_a_small_float(name: str, value: float) -> None:
    """DESIGN rule 5: what cannot be done exactly is refused."""
    kind = (OTHERS | PACKED)[name]
    codes = np.arange(2 ** BITS.get(name, 8), dtype=np.uint8)
    held = {float(element) for element in codes.view(kind)}
    # The byte 0x00 of float8_e8m0 is another library's 2^-127 and nothing in the format.
    held -= {2.0**-127} if name == "float8_e8m0" else set()
    if value in held:
        assert float(hurray.full((1,), value, dtype=dtype(name)).tolist()[0]) == value
        return
    finite = {element for element in held if math.isfinite(element)}
    outside = not min(finite) <= value <= max(finite)
    with pytest.raises((ValueError, OverflowError), match=name) as caught:
        hurray.full((1,), value, dtype=dtype(name))
    if outside and abs(value) > 2 * max(finite):
        assert type(caught.value) is OverflowError
    if not outside:
        assert type(caught.value) is ValueError


@given(
    value=st.floats(allow_nan=False)
    | st.floats(-70000, 70000)
    | st.floats(-1e-7, 1e-7)
    | st.floats(-4e-38, 4e-38)
)
@example(value=65519.99)
@example(value=65520.0)
@example(value=2.0**-25)
@example(value=-(2.0**-25) * 1.0000001)
@example(value=3.3895313892515355e38)
@example(value=3.4028235677973366e38)
@example(value=-0.0)
def test_a_float_becomes_the_nearest_float(value: float) -> None:
    """Ties to even, as other libraries round; overflow is no infinity (PEERS: nothing saturates in silence)."""
    for name, kind in (("float16", np.float16), ("bfloat16", ml_dtypes.bfloat16), ("float32", np.float32)):
        # float32 first would round twice on the way to bfloat16, as ml_dtypes does: compare by distance instead.
        made: Any
        try:
            made = hurray.full((2,), value, dtype=dtype(name))
        except OverflowError:
            with np.errstate(over="ignore"):
                assert np.isinf(np.array(value).astype(kind).astype(np.float64))
            continue
        near = float(made.tolist()[0])
        if name != "bfloat16":
            with np.errstate(over="ignore"):
                assert made.tobytes() == np.array([value, value]).astype(kind).tobytes()
        elif math.isfinite(value):
            bits = int.from_bytes(made.tobytes()[:2], "little")
            for other in (bits - 1, bits + 1):
                neighbour = struct.unpack("<f", (other << 16 & 0xFFFFFFFF).to_bytes(4, "little"))[0]
                if math.isfinite(neighbour) and bits & 0x7FFF:
                    mine, theirs = (abs(Fraction(value) - Fraction(float(x))) for x in (near, neighbour))
                    assert mine < theirs or (mine == theirs and bits % 2 == 0)
            assert math.copysign(1, near) == math.copysign(1, value)


@given(value=st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**112), 2**112))
@example(value=5e-324)
@example(value=-(2**113) + 1)
@example(value=2**126)
def test_float128_holds_every_float_and_int(value: float) -> None:
    """element-types.md §2: binary128, 1-15-112, bias 16383."""
    if value == 0:
        return
    tensor = hurray.full((3,), value, dtype=hurray.dtype.float128)
    assert tensor.tobytes() == binary128(Fraction(value)) * 3


def test_float128_refuses_what_it_would_round() -> None:
    assert hurray.full((1,), -0.0, dtype=hurray.dtype.float128).tobytes() == bytes(15) + b"\x80"
    assert hurray.full((1,), math.inf, dtype=hurray.dtype.float128).tobytes()[-2:] == b"\xff\x7f"
    with pytest.raises(ValueError, match="float128 does not hold"):
        hurray.full((1,), 2**113 + 1, dtype=hurray.dtype.float128)


@given(value=st.integers(-(2**65), 2**65) | st.integers(-300, 300))
def test_an_int_is_stored_exactly_or_refused(value: int) -> None:
    """Nothing wraps (PEERS, values): OverflowError outside the range of an integer type."""
    for name in INTEGERS:
        bits = dtype(name).bit_width
        low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype(name).is_signed else (0, 2**bits - 1)
        if low <= value <= high:
            assert hurray.full((2,), value, dtype=dtype(name)).tolist() == [value, value]
        else:
            with pytest.raises(
                OverflowError, match=rf"{value} is outside {name}, which holds {low} to {high}"
            ):
                hurray.full((2,), value, dtype=dtype(name))


@given(value=st.integers(-(2**70), 2**70) | st.integers(-(2**26), 2**26))
def test_a_float_type_holds_an_int_exactly_or_refuses_it(value: int) -> None:
    """DESIGN rule 5: nothing is rounded in silence, and an int is meant as it is."""
    for name, kind in (("float32", np.float32), ("float64", np.float64), ("float16", np.float16)):
        with np.errstate(over="ignore"):
            near = float(np.float64(value).astype(kind))
        if near == value:
            assert hurray.full((1,), value, dtype=dtype(name)).tolist() == [value]
        else:
            kinds = OverflowError if math.isinf(near) else ValueError
            with pytest.raises(kinds, match=name) as caught:
                hurray.full((1,), value, dtype=dtype(name))
            assert type(caught.value) is kinds


@pytest.mark.parametrize("name", ALL)
def test_nan_and_infinities_only_where_the_type_has_them(name: str) -> None:
    """element-types.md §4, the table."""
    nan = name.startswith(
        ("float16", "float32", "float64", "float128", "bfloat16", "complex", "float8_e4m3", "float8_e5m2")
    )
    infinity = nan and name != "float8_e4m3"
    for value, held in ((math.nan, nan), (math.inf, infinity), (-math.inf, infinity)):
        if held:
            tensor = hurray.full((3,), value, dtype=dtype(name))
            if name != "float128":
                found = [item.real if isinstance(item, complex) else item for item in tensor.tolist()]
                assert all(item == value or (item != item and value != value) for item in found)
        else:
            kinds = ValueError if dtype(name).is_float else TypeError
            with pytest.raises(kinds, match=name):
                hurray.full((3,), value, dtype=dtype(name))


def test_complex_numbers_by_their_halves() -> None:
    tensor = hurray.full((2,), complex(0.1, -0.0), dtype=hurray.dtype.complex64)
    assert tensor.tobytes() == np.full(2, complex(0.1, -0.0), np.complex64).tobytes()
    with pytest.raises(OverflowError, match="float32"):
        hurray.full((2,), complex(0, 1e300), dtype=hurray.dtype.complex64)
    assert hurray.full((1,), 3, dtype=hurray.dtype.complex128).tolist() == [3 + 0j]


@pytest.mark.parametrize(
    ("value", "name", "error"),
    [
        (1.5, "int32", TypeError),
        (2.0, "uint8", TypeError),
        (1.0, "bool", TypeError),
        (1j, "float64", TypeError),
        (1j, "int4", TypeError),
        (1j, "float128", TypeError),
        (2, "bool", OverflowError),
        (-1, "bool", OverflowError),
        (8, "int4", OverflowError),
        (2**127, "float64", OverflowError),
        (10**5000, "int8", OverflowError),
        (3.5e38, "float32", OverflowError),
        (-65520.0, "float16", OverflowError),
        (3.4e38, "bfloat16", OverflowError),
        (0.0, "float8_e8m0", ValueError),
        (-1.0, "float8_e8m0", OverflowError),
        ("1", "float64", TypeError),
        (None, "float64", TypeError),
        ([1], "float64", TypeError),
        (np.zeros(2), "float64", TypeError),
        (np.array([1]), "float64", TypeError),
    ],
    ids=lambda value: "",
)
def test_what_is_no_element_of_the_type(value: Any, name: str, error: type[Exception]) -> None:
    """Errors name the value, the type, and what would be right."""
    with pytest.raises(error, match=r"full|fill_value") as caught:
        hurray.full((2,), value, dtype=dtype(name))
    assert type(caught.value) is error


def test_bool_is_0_and_1() -> None:
    assert hurray.full((9,), True).tobytes() == b"\xff\x01"
    assert hurray.full((2,), 1, dtype=hurray.bool).tolist() == [True, True]
    assert hurray.full((2,), True, dtype=hurray.dtype.int2).tolist() == [1, 1]
    assert hurray.full((2,), True, dtype=hurray.float32).tolist() == [1.0, 1.0]


# --- refusals ---------------------------------------------------------------------------------------------


@EACH
def test_a_dynamic_dimension_is_refused(make: Any, call: str) -> None:
    """MUST refuse a dynamic dimension with InvalidDescriptorError, naming the call and the offending index."""
    for shape, index in (((None,), 0), ((2, None), 1), ((0, 3, None, None), 2)):
        with pytest.raises(hurray.InvalidDescriptorError, match=rf"^{call} .*shape\[{index}\] is None"):
            make(shape)


@EACH
def test_a_device_that_is_not_the_cpu_is_refused_with_a_reason(make: Any, call: str) -> None:
    devices = [getattr(hurray.device, name) for name in hurray.device.__all__ if name != "cpu"]
    devices += [hurray.Device(0xF0), hurray.Device("cpu", memory_class="host_pinned")]
    assert len(devices) > 8
    for device in devices:
        with pytest.raises(hurray.UnsupportedError, match=rf"^{call} allocates plain CPU memory"):
            make((2,), device=device)
    assert make((2,), device=hurray.device.cpu).device == hurray.device.cpu
    with pytest.raises(TypeError):
        make((2,), device="cpu")


@EACH
def test_a_private_type_is_refused(make: Any, call: str) -> None:
    with pytest.raises(hurray.UnsupportedError, match=rf"^{call} .*private element type 0xF3"):
        make((2,), dtype=hurray.Dtype.from_tag(0xF3))


def test_float8_e8m0_has_no_zero() -> None:
    """element-types.md §4: the byte 0x00 is reserved."""
    with pytest.raises(ValueError, match=r"float8_e8m0.*no 0"):
        hurray.zeros((2,), dtype=hurray.dtype.float8_e8m0)


@EACH
@pytest.mark.parametrize(
    "shape", [(2**63,), (2**62, 2**62), (2**64 - 2,), (2**32, 2**32, 2**32), (2**60, 8)], ids=str
)
def test_what_no_address_space_holds_is_an_overflow(make: Any, call: str, shape: tuple[int, ...]) -> None:
    """PEERS, claims: never a wrap."""
    for name in ("float64", "uint8", "float6_e2m3"):
        if math.prod(shape) * dtype(name).bit_width < 2**66:
            continue
        with pytest.raises(OverflowError, match=call):
            make(shape, dtype=dtype(name))


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_what_memory_does_not_hold_is_a_memory_error() -> None:
    """Too large for memory is MemoryError."""
    code = """
import hurray
from core_memory import limit_memory
limit_memory(1 << 28)
calls = (hurray.zeros, hurray.ones, hurray.empty, lambda shape: hurray.full(shape, 2.5))
for call in calls:
    for shape in ((1 << 26,), (1 << 50,), (3, 1 << 40)):
        try:
            call(shape)
        except MemoryError as error:
            assert str(error)
        else:
            raise AssertionError(shape)
    assert call((1 << 20,)).nbytes == 1 << 23
print("done")
"""
    assert run(code) == "done"


@pytest.mark.parametrize("make", MAKERS)
def test_no_element_takes_no_memory_however_large_the_other_extents_are(make: Any) -> None:
    for shape in ((2**62, 0), (0, 2**64 - 2, 2**64 - 2), (0,)):
        tensor = make(shape)
        assert (tensor.shape, tensor.size, tensor.nbytes) == (shape, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_zeros_take_memory_where_they_are_written_to() -> None:
    code = """
import hurray
from core_memory import resident
before = resident()
tensor = hurray.zeros((1 << 30,), dtype=hurray.uint8)
likes = hurray.empty_like(tensor), hurray.full_like(tensor, 0)
grown = resident() - before
assert grown < 32 << 20, grown
memoryview(tensor)[12345] = 1
assert bytes(memoryview(tensor)[12344:12347]) == bytes([0, 1, 0])
print("done")
"""
    assert run(code) == "done"


@pytest.mark.parametrize("shape", [(-1,), (2, -3), (2**64 - 1,), (1,) * 65])
def test_what_is_no_shape(shape: Any) -> None:
    for make in MAKERS:
        with pytest.raises(hurray.InvalidDescriptorError):
            make(shape)


@pytest.mark.parametrize("shape", ["ab", 1.5, None, ((1,),), {"a": 1}])
def test_what_is_no_sequence_of_ints(shape: Any) -> None:
    for make in MAKERS:
        with pytest.raises(TypeError):
            make(shape)
