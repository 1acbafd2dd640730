"""arange: lengths and elements against NumPy and against exact arithmetic (PEERS: arange never wraps or saturates)."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from typing import Any

import hurray
import pytest
from core_create import INTEGERS, dtype, encoded
from core_memory import run
from core_numpy import np
from hypothesis import assume, example, given
from hypothesis import strategies as st

SMALL = st.integers(-300, 300)
ANY = SMALL | st.integers(-(2**63), 2**63 - 1)


@given(start=SMALL, stop=SMALL, step=SMALL.filter(bool))
def test_small_ints_are_numpys(start: int, stop: int, step: int) -> None:
    assert hurray.arange(start, stop, step).tolist() == np.arange(start, stop, step).tolist()
    assert hurray.arange(stop).tolist() == np.arange(stop).tolist()
    assert hurray.arange(start, stop).tolist() == np.arange(start, stop).tolist()


@given(start=ANY, step=ANY.filter(bool), count=st.integers(0, 20))
@example(start=2**63 - 3, step=1, count=3)
@example(start=-(2**63), step=2**62, count=4)
@example(start=2**53, step=1, count=5)
def test_ints_are_exact_at_any_size(start: int, step: int, count: int) -> None:
    """Python's range is the yardstick; beyond 2^53 no float is exact."""
    expected = list(range(start, start + count * step, step))
    if all(-(2**63) <= value < 2**63 for value in expected):
        assert hurray.arange(start, start + count * step, step).tolist() == expected
    else:
        with pytest.raises(OverflowError, match=r"arange: .* is outside int64"):
            hurray.arange(start, start + count * step, step)


@pytest.mark.parametrize("name", INTEGERS)
def test_every_integer_type_to_its_ends(name: str) -> None:
    bits = dtype(name).bit_width
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if dtype(name).is_signed else (0, 2**bits - 1)
    last = [value for value in range(high - 40, high + 1) if value >= low]
    tensor = hurray.arange(last[0], high + 1, dtype=dtype(name))
    assert tensor.tolist() == last
    assert tensor.tobytes() == encoded(name, last)
    for start, stop in ((high, high + 2), (low - 1, low + 1)):
        with pytest.raises(OverflowError, match=f"outside {name}, which holds {low} to {high}"):
            hurray.arange(start, stop, dtype=dtype(name))
    assert hurray.arange(high + 5, high + 5, dtype=dtype(name)).shape == (0,)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_bool_holds_two_of_them(count: int) -> None:
    assert hurray.arange(count, dtype=hurray.bool).tolist() == [False, True][:count]
    with pytest.raises(OverflowError, match="bool"):
        hurray.arange(3, dtype=hurray.bool)


def test_types_by_the_arguments() -> None:
    assert hurray.arange(3).dtype is hurray.int64
    assert hurray.arange(True, 3).dtype is hurray.int64
    assert hurray.arange(3.0).dtype is hurray.float64
    assert hurray.arange(0, 3, 1.0).dtype is hurray.float64
    assert hurray.arange(np.int16(3)).dtype is hurray.int64
    assert hurray.arange(np.float32(3)).dtype is hurray.float64
    assert hurray.arange(stop=3, start=1).tolist() == [1, 2]
    assert hurray.arange(1, step=2, stop=6).tolist() == [1, 3, 5]


@given(stop=st.floats(-50, 50), step=st.floats(0.01, 10))
def test_floats_from_zero_are_numpys(stop: float, step: float) -> None:
    assert hurray.arange(0.0, stop, step).tobytes() == np.arange(0.0, stop, step).tobytes()
    assert hurray.arange(0.0, stop, -step).tobytes() == np.arange(0.0, stop, -step).tobytes()


@given(start=st.floats(-1e6, 1e6), step=st.floats(-100, 100), count=st.integers(1, 50))
def test_floats_are_rounded_once(start: float, step: float, count: int) -> None:
    """The sum start + i * step, correctly rounded; NumPy's differ by its rounding of the step."""
    assume(abs(step) > 1e-3)
    stop = start + count * step
    found = hurray.arange(start, stop, step).tolist()
    assert len(found) == math.ceil((stop - start) / step) == len(np.arange(start, stop, step))
    assert found == [float(Fraction(start) + i * Fraction(step)) for i in range(len(found))]


@pytest.mark.parametrize(
    "name",
    ["float16", "float32", "bfloat16", "complex64", "complex128", "float8_e5m2", "float6_e2m3", "float128"],
)
def test_ints_into_float_types(name: str) -> None:
    count = 8 if name.startswith("float6") else 4 if name.startswith("float8") else 100
    tensor = hurray.arange(count, dtype=dtype(name))
    assert tensor.dtype is dtype(name)
    assert tensor.tobytes() == encoded(name, list(range(count)))


@pytest.mark.parametrize(
    ("name", "limit"), [("float16", 2**11), ("bfloat16", 2**8), ("float32", 2**24), ("float64", 2**53)]
)
def test_ints_that_a_float_type_would_round_are_refused(name: str, limit: int) -> None:
    """DESIGN rule 5: nothing is rounded in silence; floats are what is rounded."""
    tensor = hurray.arange(limit - 3, limit + 1, dtype=dtype(name))
    assert tensor.tolist() == [limit - 3, limit - 2, limit - 1, limit]
    for stop in (limit + 2, limit + 3):
        with pytest.raises(ValueError, match=f"arange: {name} does not hold {limit + 1} exactly"):
            hurray.arange(limit - 3, stop, dtype=dtype(name))
    assert hurray.arange(limit, limit + 5, 2, dtype=dtype(name)).tolist() == [limit, limit + 2, limit + 4]
    if name != "float64":
        assert hurray.arange(float(limit), limit + 3, dtype=dtype(name)).shape == (3,)


def test_whole_floats_into_integer_types() -> None:
    for stop, step, expected in ((2.5, 1.0, [0, 1, 2]), (-2.5, -1.0, [0, -1, -2]), (3, 2.0, [0, 2])):
        assert hurray.arange(0.0, stop, step, dtype=hurray.int32).tolist() == expected
        assert hurray.arange(0.0, stop, step, dtype=hurray.dtype.float128).shape == (len(expected),)
    for start, stop, step in ((0.5, 3, 1), (0, 3, 0.5)):
        with pytest.raises(TypeError, match="int32 holds whole numbers"):
            hurray.arange(start, stop, step, dtype=hurray.int32)


@pytest.mark.parametrize("step", [0, 0.0, -0.0, False])
def test_a_step_of_zero(step: Any) -> None:
    """A ValueError, by the class that the released package raises."""
    with pytest.raises(hurray.InvalidDescriptorError, match="arange: step is 0") as caught:
        hurray.arange(0, 5, step)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite(value: float) -> None:
    for arguments in ((value,), (value, 1), (0, value), (0, 1, value)):
        with pytest.raises(ValueError, match=r"arange: (start|stop|step) is"):
            hurray.arange(*arguments)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((1j,), TypeError),
        ((0, 1, 1j), TypeError),
        (("3",), TypeError),
        (([1],), TypeError),
        ((2**130,), OverflowError),
        ((2**64 + 1,), OverflowError),
        ((2**63, 2**63 + 3), OverflowError),
        ((-(2**127), 2**127 - 1), OverflowError),
        ((0, 2**127 - 1, 1), OverflowError),
        ((0.0, 1e300, 1e-10), OverflowError),
        ((-1e308, 1e308, 1e-10), OverflowError),
        ((0, 2**53 + 1, 0.5), ValueError),
        ((0, 1, 0.3, "float8_e4m3"), ValueError),
        ((0.5, 3, 1, "float128"), hurray.UnsupportedError),
        ((0, 70000.0, 1000.0, "float16"), OverflowError),
        ((0, 5, 1, "float8_e8m0"), ValueError),
    ],
    ids=str,
)
def test_refusals(arguments: tuple[Any, ...], error: type[Exception]) -> None:
    options: Any = {"dtype": dtype(arguments[3])} if len(arguments) > 3 else {}
    with pytest.raises(error, match=r"arange|start|stop") as caught:
        hurray.arange(*arguments[:3], **options)
    assert type(caught.value) is error


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_claim_of_a_length_allocates_nothing() -> None:
    """PEERS, claims: too large for memory is MemoryError, at once; refused values take no memory."""
    code = """
import hurray
from core_memory import limit_memory, resident
limit_memory(1 << 28)
for arguments in ((1 << 40,), (0.0, 1e12, 0.5), (0, -(1 << 58), -1)):
    try:
        hurray.arange(*arguments)
    except MemoryError:
        pass
    else:
        raise AssertionError(arguments)
try:
    hurray.arange(1 << 40, dtype=hurray.int16)
except OverflowError as error:
    assert "int16" in str(error)
assert resident("VmHWM") < 1 << 28
print("done")
"""
    assert run(code) == "done"


def test_device_and_private_types() -> None:
    with pytest.raises(hurray.UnsupportedError, match="arange allocates plain CPU memory"):
        hurray.arange(3, device=hurray.device.metal)
    with pytest.raises(hurray.UnsupportedError, match=r"arange .*private"):
        hurray.arange(3, dtype=hurray.Dtype.from_tag(0xFE))


@pytest.mark.skipif(sys.platform == "win32", reason="uses signals")
def test_a_long_fill_hears_ctrl_c() -> None:
    code = """
import signal, hurray
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    hurray.linspace(0, 1, 1 << 30, dtype=hurray.float16)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(code) == "interrupted"
