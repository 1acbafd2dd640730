"""hurray.asarray of Python numbers and of lists of them (04-tables, section 1)."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import hurray
import pytest
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("obj", "dtype", "shape"),
    [
        (1, "int64", ()),
        (1.5, "float64", ()),
        (True, "bool", ()),
        (1j, "complex128", ()),
        ([1, 2], "int64", (2,)),
        ((1, 2), "int64", (2,)),
        (range(2, 8, 3), "int64", (2,)),
        ([1.5, 2], "float64", (2,)),
        ([1, 2.5], "float64", (2,)),
        ([True, False], "bool", (2,)),
        ([True, 2], "int64", (2,)),
        ([False, 0.5], "float64", (2,)),
        ([1, 1j], "complex128", (2,)),
        ([], "float64", (0,)),
        ([[], []], "float64", (2, 0)),
        ([[1, 2], (3, 4), range(5, 7)], "int64", (3, 2)),
        (2**63, "uint64", ()),
        ([0, 2**64 - 1], "uint64", (2,)),
        (-(2**63), "int64", ()),
        ([2**63, 0.5], "float64", (2,)),
    ],
)
def test_numbers_have_the_element_types_of_numpy(obj: Any, dtype: str, shape: tuple[int, ...]) -> None:
    """A program written for pyhurray runs unchanged: there, NumPy chooses."""
    one = hurray.asarray(obj)
    assert (one.dtype.name, one.shape, one.layout) == (dtype, shape, hurray.RowMajorLayout())
    assert not one.readonly
    assert one.buffer_handles[0].alignment >= 64 or one.size == 0

    def plain(value: Any) -> Any:
        return [plain(item) for item in value] if isinstance(value, (list, tuple, range)) else value

    assert one.tolist() == plain(obj)


def nested(leaves: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def of(shape: list[int]) -> st.SearchStrategy[Any]:
        if not shape:
            return leaves
        return st.lists(of(shape[1:]), min_size=shape[0], max_size=shape[0])

    return st.lists(st.integers(0, 4), max_size=4).flatmap(of)


@given(
    nested(st.integers(-(2**63), 2**63 - 1))
    | nested(st.floats(allow_nan=False))
    | nested(st.booleans())
    | nested(st.complex_numbers(allow_nan=False))
)
def test_lists_come_back_as_they_were(obj: Any) -> None:
    assert hurray.asarray(obj).tolist() == (obj if _has_numbers(obj) else _emptied(obj))


def _has_numbers(obj: Any) -> bool:
    return not isinstance(obj, list) or any(map(_has_numbers, obj))


def _emptied(obj: Any) -> Any:
    """What is empty at some depth has no depth below it."""
    return [_emptied(item) for item in obj]


def test_a_dtype_gives_the_numbers_their_type() -> None:
    assert hurray.asarray([1, 2], dtype="float32").tobytes() == hurray.full(
        1, 1.0, dtype="float32"
    ).tobytes() + (hurray.full(1, 2.0, dtype="float32").tobytes())
    assert hurray.asarray([1, -8, 7], dtype=hurray.dtype.int4).tolist() == [1, -8, 7]
    assert hurray.asarray([True, False, True], dtype=hurray.int8).tolist() == [1, 0, 1]
    assert hurray.asarray([0.1], dtype="float32").tolist() != [
        0.1
    ]  # the nearest, as every reader of text does
    assert math.isnan(hurray.asarray(float("nan"), dtype="bfloat16").tolist())


class Counted:
    """A framework's scalar: a number by ``item()``."""

    def item(self) -> float:
        return 2.5


def test_scalars_of_others_are_the_numbers_that_they_hold() -> None:
    assert hurray.asarray([1, Counted()]).tolist() == [1.0, 2.5]


@pytest.mark.parametrize(
    ("obj", "kind", "message"),
    [
        ([[1, 2], [3]], ValueError, r"obj\[1\] has 1 values where others have 2"),
        ([[1, 2], 3], ValueError, r"obj\[1\] is no list where others hold 2 values"),
        ([1, [2]], ValueError, r"obj\[1\] is a list where others are numbers"),
        ([[], [1]], ValueError, r"obj\[1\] has 1 values where others have 0"),
        ([1, "a"], TypeError, r"obj\[1\] is a bool, an int, a float or a complex; got str"),
        ([[1.0], [None]], TypeError, r"obj\[1\]\[0\] is a bool, .* got NoneType"),
        ([b"a"], TypeError, r"obj\[0\] is a bool, .* got bytes"),
        ([bytearray(2)], TypeError, r"obj\[0\] is a bool, .* got bytearray"),
        (2**64, OverflowError, "holds the int 18446744073709551616, which neither int64"),
        ([-1, 2**63], OverflowError, "ints from -1 to 9223372036854775808, which neither int64 nor uint64"),
        ([0, 2**200], OverflowError, r"obj\[1\] is an int beyond 128 bits"),
        ([2**53 + 1, 0.5], ValueError, r"obj\[0\]: float64 does not hold 9007199254740993 exactly"),
    ],
)
def test_what_is_no_tensor_says_where_and_why(obj: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        hurray.asarray(obj)


@pytest.mark.parametrize(
    ("dtype", "obj", "kind", "message"),
    [
        ("uint8", [1, 256], OverflowError, r"asarray: obj\[1\]: 256 is outside uint8, which holds 0 to 255"),
        ("int8", [[1.5]], TypeError, r"asarray: obj\[0\]\[0\]: 1.5 is a float, which int8 does not hold"),
        ("float32", [1j], TypeError, "is complex, which float32 does not hold"),
        ("bool", [2], OverflowError, "2 is outside bool"),
        ("float8_e8m0", [0.0], ValueError, "holds powers of two"),
    ],
)
def test_a_dtype_that_does_not_hold_a_number_is_refused(
    dtype: str, obj: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message):
        hurray.asarray(obj, dtype=hurray.Dtype.from_name(dtype))


def test_numbers_have_no_memory_to_share() -> None:
    """Copy on ingest: False raises where memory cannot be shared."""
    with pytest.raises(hurray.CopyRequiredError, match=r"copy=False, but a Python list has no memory"):
        hurray.asarray([1], copy=False)
    assert hurray.asarray([1], copy=True).tolist() == [1]


def test_another_device_is_refused() -> None:
    with pytest.raises(hurray.UnsupportedError, match="cannot allocate cuda memory"):
        hurray.asarray([1], device=hurray.device.cuda)
    with pytest.raises(TypeError, match=r"device is a hurray.Device"):
        hurray.asarray([1], device="cpu")  # type: ignore[arg-type]


def test_depth_is_bounded() -> None:
    """D-13, and a list within itself."""
    deep: Any = 1
    for _ in range(64):
        deep = [deep]
    assert hurray.asarray(deep).shape == (1,) * 64
    with pytest.raises(hurray.InvalidDescriptorError, match="nested more than 64 deep"):
        hurray.asarray([deep])
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(hurray.InvalidDescriptorError, match="nested more than 64 deep"):
        hurray.asarray(endless)


class Growing:
    """A number that changes the list that it is in."""

    def __init__(self, obj: list[Any], change: Any) -> None:
        self.obj, self.change, self.calls = obj, change, 0

    def item(self) -> int:
        self.calls += 1
        if self.calls > 1:
            self.change(self.obj)
        return 1


@pytest.mark.parametrize("change", [list.clear, lambda obj: obj.extend([1] * 50)])
def test_a_list_that_changes_while_it_is_read_is_refused(change: Any) -> None:
    obj: list[Any] = [1, 2, 3]
    obj[1] = Growing(obj, change)
    with pytest.raises((ValueError, IndexError)):
        hurray.asarray(obj)


def test_lists_are_saved_and_make_sparse_tensors(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {"a": [[1, 2], [3, 4]], "b": 1.5})
    loaded = hurray.load(tmp_path / "a.hrry")
    assert (loaded["a"].dtype, loaded["a"].tolist()) == (hurray.int64, [[1, 2], [3, 4]])
    assert (loaded["b"].dtype, loaded["b"].tolist()) == (hurray.float64, 1.5)
    sparse = hurray.sparse_coo([0.5, 2.0], [[0, 1], [2, 0]], (3, 3))
    assert (sparse.nnz, sparse.values.tolist()) == (2, [0.5, 2.0])


def test_what_no_memory_holds_is_refused_before_it_is_read() -> None:
    """A range has its numbers for nothing; the length alone says that they do not fit."""
    with pytest.raises(MemoryError):
        hurray.asarray(range(10**15))
    with pytest.raises(
        OverflowError, match=r"asarray: obj holds range\(0, 1000000000000000000000000000000\)"
    ):
        hurray.asarray(range(10**30))


def test_a_long_list_can_be_interrupted() -> None:
    code = (
        "import signal, hurray; signal.setitimer(signal.ITIMER_REAL, 0.2); hurray.asarray([range(10**8)] * 9)"
    )
    code = f"import signal; signal.signal(signal.SIGALRM, signal.default_int_handler); {code}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr.strip().endswith("KeyboardInterrupt"), done.stderr
