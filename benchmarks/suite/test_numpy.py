"""The NumPy bridge, over every Tier 1 type."""

from __future__ import annotations

from typing import Any

import hurray
import ml_dtypes
import numpy as np
import pytest

NAMES = """
    bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 bfloat16
""".split()  # noqa: SIM905 - a table reads better in rows


def array_of(name: str) -> np.ndarray[Any, Any]:
    dtype = ml_dtypes.bfloat16 if name == "bfloat16" else np.dtype(name)
    return np.asarray(hurray.from_numpy(np.ones((256, 256), dtype), copy=True))


@pytest.mark.benchmark(group="from_numpy, 256 x 256")
@pytest.mark.parametrize("name", NAMES)
def test_from_numpy(benchmark: Any, name: str) -> None:
    benchmark(hurray.from_numpy, array_of(name))


@pytest.mark.benchmark(group="np.asarray, 256 x 256")
@pytest.mark.parametrize("name", NAMES)
def test_asarray(benchmark: Any, name: str) -> None:
    benchmark(np.asarray, hurray.from_numpy(array_of(name)))
