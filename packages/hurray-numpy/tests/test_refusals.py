"""What from_numpy refuses: the array's dtype, the reason, and the way out in every message."""

from __future__ import annotations

import re
from typing import Any

import hurray
import numpy as np
import pytest

REFUSED = [
    (np.array([None, 1], object), "dtype object", "Python objects are not numbers"),
    (np.array(["a"]), "dtype <U1", "text has no element type"),
    (np.array([b"ab"]), "dtype |S2", "text has no element type"),
    (np.zeros(2, [("x", "f4"), ("y", "i2")]), "dtype [('x'", "array['x']"),
    (np.zeros(2, "V3"), "dtype |V3", "array.view(...)"),
    (np.zeros(2, "V2"), "dtype |V2", "ml_dtypes.bfloat16"),
    (np.zeros(2, "M8[s]"), "dtype datetime64[s]", "array.view('int64')"),
    (np.zeros(2, "m8[ms]"), "dtype timedelta64[ms]", "array.view('int64')"),
    (np.zeros(2, np.longdouble), f"dtype {np.dtype(np.longdouble)}", "array.astype('float64')"),
    (np.zeros(2, np.clongdouble), f"dtype {np.dtype(np.clongdouble)}", "array.astype('complex128')"),
    (np.rec.array([(1, 2.0)], dtype=[("x", "i4"), ("y", "f4")]), "structured", "array['x']"),
]


@pytest.mark.parametrize(("array", "dtype", "way_out"), REFUSED, ids=[str(case[0].dtype) for case in REFUSED])
@pytest.mark.parametrize("copy", [None, False, True])
def test_what_is_no_number_of_the_format_is_refused(array: Any, dtype: str, way_out: str, copy: Any) -> None:
    """DESIGN rule 5: what cannot be done exactly is refused, naming the array, the reason and the way out."""
    with pytest.raises(hurray.UnsupportedError) as caught:
        hurray.from_numpy(array, copy=copy)
    assert dtype in str(caught.value)
    assert str(array.shape) in str(caught.value)
    assert way_out in str(caught.value)


@pytest.mark.skipif(not hasattr(np, "dtypes") or not hasattr(np.dtypes, "StringDType"), reason="NumPy 1")
def test_variable_strings_are_refused() -> None:
    with pytest.raises(hurray.UnsupportedError, match="text has no element type"):
        hurray.from_numpy(np.array(["a"], np.dtypes.StringDType()))


@pytest.mark.parametrize("mask", [np.ma.nomask, [False, True]])
def test_masked_arrays_are_refused(mask: Any) -> None:
    """PEERS, values: masks are honoured or refused."""
    array = np.ma.masked_array(np.zeros(2, np.float32), mask)
    for copy in (None, False, True):
        with pytest.raises(
            hurray.UnsupportedError, match=r"dtype float32 .* is masked.*array\.filled\(value\)"
        ):
            hurray.from_numpy(array, copy=copy)


@pytest.mark.parametrize("obj", [[1, 2], 3.5, b"bytes", "text", None, memoryview(b"x")])
def test_what_is_no_array_is_a_type_error(obj: Any) -> None:
    kind = re.escape(type(obj).__name__)
    with pytest.raises(
        TypeError, match=rf"from_numpy takes an ndarray or a NumPy scalar, not a builtins\.{kind}"
    ):
        hurray.from_numpy(obj)


def test_scalars_of_refused_types_are_refused() -> None:
    with pytest.raises(hurray.UnsupportedError, match="dates have no element type"):
        hurray.from_numpy(np.datetime64("2026-11-30"))
    with pytest.raises(hurray.UnsupportedError, match="text has no element type"):
        hurray.from_numpy(np.str_("x"))


def test_big_endian_records_are_refused_as_records() -> None:
    with pytest.raises(hurray.UnsupportedError, match="structured"):
        hurray.from_numpy(np.zeros(2, [("x", ">f4")]))


@pytest.mark.parametrize("tag", [0xF2, 0xF3])
def test_a_private_type_is_named_with_its_tag(tag: int) -> None:
    """Private types have one name for all: a refusal says which of them it met."""
    private = hurray.ExtensionType(16, is_signed=True)
    tensor = hurray.Tensor(bytes(8), hurray.Dtype.from_tag(tag), (4,), extension_type=private)
    with pytest.raises(hurray.UnsupportedError, match=rf"of dtype extension\(0x{tag:X}\) and shape"):
        np.asarray(tensor)
