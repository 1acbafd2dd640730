"""linspace against NumPy, and where it does not round to integers as NumPy does."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import hurray
import pytest
from core_create import INTEGERS, dtype, encoded
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

FLOATS = st.floats(-1e9, 1e9) | st.integers(-1000, 1000)


@given(start=FLOATS, stop=FLOATS, num=st.integers(0, 60), endpoint=st.booleans())
def test_floats_are_numpys(start: float, stop: float, num: int, endpoint: bool) -> None:
    found = hurray.linspace(start, stop, num, endpoint=endpoint)
    assert found.dtype is hurray.float64
    # Numbers: NumPy loses the sign of a start that is -0.0.
    assert found.tolist() == np.linspace(start, stop, num, endpoint=endpoint).tolist()
    if num > 1 and endpoint:
        assert found.tolist()[-1] == stop


@given(ends=st.lists(st.complex_numbers(max_magnitude=1e6), min_size=2, max_size=2), num=st.integers(0, 20))
def test_complex_numbers_part_by_part(ends: Any, num: int) -> None:
    start, stop = ends
    found = hurray.linspace(start, stop, num)
    assert found.dtype is hurray.dtype.complex128
    for part in ("real", "imag"):
        expected = np.linspace(*(getattr(end, part) for end in ends), num)
        assert np.array_equal(getattr(np.asarray(found), part), expected)
    assert np.allclose(np.asarray(found), np.linspace(*ends, num))
    assert hurray.linspace(0, 1, 3, dtype=hurray.dtype.complex64).tolist() == [0j, 0.5 + 0j, 1 + 0j]


@pytest.mark.parametrize("name", ["float16", "float32"])
def test_float_types_round_to_the_nearest(name: str) -> None:
    found = hurray.linspace(0, 1, 1000, dtype=dtype(name))
    assert found.tobytes() == np.linspace(0, 1, 1000).astype(name).tobytes()


@pytest.mark.parametrize("name", ["float8_e4m3", "float8_e5m2", "float6_e2m3", "float6_e3m2", "float4_e2m1"])
def test_small_floats_take_what_they_hold(name: str) -> None:
    assert hurray.linspace(0, 2, 5, dtype=dtype(name)).tobytes() == encoded(name, [0, 0.5, 1, 1.5, 2])
    with pytest.raises(ValueError, match=f"linspace: {name} does not hold"):
        hurray.linspace(0, 1, 4, dtype=dtype(name))


@given(start=st.integers(-(2**80), 2**80), step=st.integers(-(2**70), 2**70), num=st.integers(2, 20))
def test_integer_types_are_computed_in_integers(start: int, step: int, num: int) -> None:
    """Exact beyond 2^53, or refused: nothing is rounded to an integer."""
    expected = [start + i * step for i in range(num)]
    for end, endpoint in ((expected[-1], True), (expected[-1] + step, False)):
        options: Any = {"endpoint": endpoint, "dtype": hurray.int64}
        if all(-(2**63) <= value < 2**63 for value in expected):
            assert hurray.linspace(start, end, num, **options).tolist() == expected
        else:
            with pytest.raises(OverflowError, match=r"linspace: .* is outside int64"):
                hurray.linspace(start, end, num, **options)


@given(
    start=st.integers(-100, 100), stop=st.integers(-100, 100), num=st.integers(0, 30), endpoint=st.booleans()
)
def test_an_integer_type_refuses_what_is_not_whole(start: int, stop: int, num: int, endpoint: bool) -> None:
    spaces = num - 1 if endpoint else num
    exact = [Fraction(start) + (i * Fraction(stop - start, spaces) if spaces else 0) for i in range(num)]
    if all(value.denominator == 1 for value in exact):
        found = hurray.linspace(start, stop, num, endpoint=endpoint, dtype=hurray.int16)
        assert found.tolist() == exact
    else:
        with pytest.raises(ValueError, match=r"linspace: number .* is not whole"):
            hurray.linspace(start, stop, num, endpoint=endpoint, dtype=hurray.int16)


@pytest.mark.parametrize("name", [*INTEGERS, "bool"])
def test_every_integer_type(name: str) -> None:
    pairs: list[Any] = [(0, 1), (0.0, 1.0), (False, True)]
    for start, stop in pairs:
        assert hurray.linspace(start, stop, 2, dtype=dtype(name)).tobytes() == encoded(name, [0, 1])
    with pytest.raises(TypeError, match="holds whole numbers"):
        hurray.linspace(0.5, 1, 2, dtype=dtype(name))
    with pytest.raises(TypeError, match="holds whole numbers"):
        hurray.linspace(0, 1j, 2, dtype=dtype(name))


@pytest.mark.parametrize("endpoint", [True, False])
def test_none_and_one(endpoint: bool) -> None:
    for kind in (hurray.float64, hurray.int8):
        assert hurray.linspace(3, 7, 0, endpoint=endpoint, dtype=kind).shape == (0,)
        assert hurray.linspace(3, 7, 1, endpoint=endpoint, dtype=kind).tolist() == [3]


def test_ends_that_are_far_apart_or_close() -> None:
    """The distance of two finite floats may be infinite, or vanish when it is divided."""
    biggest = 1.7976931348623157e308
    found = hurray.linspace(-biggest, biggest, 5).tolist()
    assert found == [-biggest, -biggest / 2, 0.0, biggest / 2, biggest]
    assert hurray.linspace(0.0, 5e-324, 4).tolist() == np.linspace(0.0, 5e-324, 4).tolist()


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, complex(0, math.inf), 2**53 + 1])
def test_ends_are_finite_floats(value: Any) -> None:
    pairs: list[Any] = [(value, 1), (1, value)]
    for start, stop in pairs:
        with pytest.raises(ValueError, match=r"linspace: (start|stop) is"):
            hurray.linspace(start, stop, 3)


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((0, 1, -1), {}, hurray.InvalidDescriptorError),
        ((0, 1, -(2**70)), {}, hurray.InvalidDescriptorError),
        ((0, 1, 2**64), {}, OverflowError),
        ((0, 1, 2**61), {}, OverflowError),
        ((0, 1, 2.0), {}, TypeError),
        ((0, 1, None), {}, TypeError),
        (("0", 1, 2), {}, TypeError),
        ((0, 1, 3), {"dtype": "float128"}, hurray.UnsupportedError),
        ((0, 1e300, 3), {"dtype": "float32"}, OverflowError),
        ((0, 2**126, 2**40), {"dtype": "int64"}, OverflowError),
        ((0, 1j, 3), {"dtype": "float32"}, TypeError),
        ((0, 1, 3), {"device": hurray.device.vulkan}, hurray.UnsupportedError),
        ((0, 1, 3), {"dtype": 0xF0}, hurray.UnsupportedError),
    ],
    ids=str,
)
def test_refusals(arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception]) -> None:
    if "dtype" in options:
        name = options["dtype"]
        options = {"dtype": hurray.Dtype.from_tag(name) if isinstance(name, int) else dtype(name)}
    with pytest.raises(error) as caught:
        hurray.linspace(*arguments, **options)
    assert type(caught.value) is error
    assert "linspace" in str(caught.value) or "start" in str(caught.value)
