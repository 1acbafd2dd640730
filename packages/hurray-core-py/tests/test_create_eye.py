"""eye: ones on a diagonal, in every element type."""

from __future__ import annotations

import sys
from typing import Any

import hurray
import pytest
from core_create import ALL, dtype, encoded
from core_memory import run
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

EXTENTS = st.integers(0, 12)


@given(rows=EXTENTS, cols=EXTENTS | st.none(), k=st.integers(-15, 15))
def test_every_diagonal_is_numpys(rows: int, cols: int | None, k: int) -> None:
    found = hurray.eye(rows, cols, k=k)
    assert found.shape == (rows, rows if cols is None else cols)
    assert found.dtype is hurray.float64
    assert found.tobytes() == np.eye(rows, cols, k=k).tobytes()


@pytest.mark.parametrize("name", [name for name in ALL if name != "float8_e8m0"])
@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (9, 2)])
def test_every_type(name: str, shape: tuple[int, int]) -> None:
    """element-types.md §3: the ones of packed types, whose rows begin anywhere in a byte."""
    for k in (-2, 0, 3):
        found = hurray.eye(*shape, k=k, dtype=dtype(name))
        assert found.tobytes() == encoded(name, np.eye(*shape, k=k, dtype=int).reshape(-1).tolist())
        assert found.dtype is dtype(name)


@pytest.mark.parametrize("k", [3, -3, 2**40, -(2**63), 10**50, -(10**50)])
def test_a_diagonal_beyond_the_matrix_makes_no_ones(k: int) -> None:
    assert hurray.eye(3, k=k).tolist() == [[0.0] * 3] * 3
    assert hurray.eye(0, 2**62, k=k).shape == (0, 2**62)


def test_a_type_without_a_zero() -> None:
    with pytest.raises(ValueError, match="eye: float8_e8m0"):
        hurray.eye(2, dtype=hurray.dtype.float8_e8m0)


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((-1,), {}, hurray.InvalidDescriptorError),
        ((2, -3), {}, hurray.InvalidDescriptorError),
        ((2**64 - 1,), {}, hurray.InvalidDescriptorError),
        ((-(10**50),), {}, hurray.InvalidDescriptorError),
        ((2**40,), {}, OverflowError),
        ((2**32, 2**33), {}, OverflowError),
        ((2.0,), {}, TypeError),
        ((None,), {}, TypeError),
        ((2, 2, 0), {}, TypeError),
        ((2,), {"k": 0.5}, TypeError),
        ((2,), {"device": hurray.device.opencl}, hurray.UnsupportedError),
        ((2,), {"dtype": hurray.Dtype.from_tag(0xF5)}, hurray.UnsupportedError),
    ],
    ids=str,
)
def test_refusals(arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="eye") as caught:
        hurray.eye(*arguments, **options)
    assert type(caught.value) is error


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_matrix_takes_memory_where_its_ones_are() -> None:
    code = """
import hurray
from core_memory import limit_memory, resident
before = resident()
tensor = hurray.eye(64, 1 << 24, dtype=hurray.uint8)
assert resident() - before < 300 << 20
assert memoryview(tensor)[63, 63] == 1
limit_memory(1 << 28)
try:
    hurray.eye(1 << 20)
except MemoryError:
    print("done")
"""
    assert run(code) == "done"
