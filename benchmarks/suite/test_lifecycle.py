"""Memory of a GiB: taken over, handed on, and given back at once."""

from __future__ import annotations

from typing import Any

import hurray
import numpy as np
import pytest

from benchmarks.measure import resident

GIB = 1 << 30
pytestmark = pytest.mark.benchmark(group="1 GiB")


def test_wrap_and_drop(benchmark: Any) -> None:
    # Memory that is aligned as the format asks: NumPy's own seldom is, and would be copied.
    array = np.asarray(hurray.from_numpy(np.ones(GIB // 4, np.float32), copy=True))
    before = resident()
    benchmark(lambda: np.asarray(hurray.from_numpy(array)).shape)
    assert resident() - before < 16 << 20


def test_copy_and_drop(benchmark: Any) -> None:
    array = np.ones(GIB // 4, np.float32)
    before = resident()
    benchmark.pedantic(lambda: hurray.from_numpy(array, copy=True).shape, rounds=3)
    assert resident() - before < 16 << 20, "the copy outlived its last user"
