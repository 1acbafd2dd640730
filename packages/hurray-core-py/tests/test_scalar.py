"""int(t), float(t) and complex(t): the element of a tensor that has one, never its bytes read as text."""

from __future__ import annotations

import operator
from typing import Any

import hurray
import pytest


@pytest.mark.parametrize("shape", [(), (1,), (1, 1, 1)])
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        ("int8", -3),
        ("uint64", 2**64 - 1),
        ("float64", 2.75),
        ("bfloat16", -0.5),
        ("int4", -8),
        ("bool", True),
    ],
)
def test_one_element_is_its_number(dtype: str, value: Any, shape: tuple[int, ...]) -> None:
    one = hurray.full(shape, value, dtype=hurray.Dtype.from_name(dtype))
    assert (int(one), float(one), complex(one)) == (int(value), float(value), complex(value))
    assert (type(int(one)), type(float(one)), type(complex(one))) == (int, float, complex)


def test_a_complex_number_is_no_real_one() -> None:
    one = hurray.asarray(1 + 2j)
    assert complex(one) == 1 + 2j
    for kind in (int, float):
        with pytest.raises(TypeError, match="complex"):
            kind(one)


def test_text_in_memory_is_not_parsed() -> None:
    """Python's int() reads digits out of whatever exports bytes."""
    digits = hurray.asarray(b"42")
    for kind in (int, float, complex):
        with pytest.raises(
            TypeError, match=rf"{kind.__name__}\(t\) needs a tensor of one element, and t has shape \[2\]"
        ):
            kind(digits)
    assert int(hurray.asarray(b"7")) == ord("7")


def test_what_has_no_readable_element_is_refused() -> None:
    codes = hurray.Tensor(bytes(1), "int8", (1,), quantization=hurray.PerTensorAffine(1.0, 0))
    with pytest.raises(hurray.UnsupportedError, match="quantised"):
        int(codes)
    with pytest.raises(hurray.UnsupportedError):
        float(hurray.Tensor(bytes(4), "float32", (1,), hurray.device.cuda))
    for empty in (hurray.zeros(0), hurray.Tensor(b"", "float32", (None,))):
        with pytest.raises(TypeError, match="needs a tensor of one element"):
            float(empty)


def test_a_tensor_is_no_index() -> None:
    with pytest.raises(TypeError):
        operator.index(hurray.asarray(1))  # type: ignore[arg-type]
