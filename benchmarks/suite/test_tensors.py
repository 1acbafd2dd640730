"""What is asked of a tensor all the time, and pickles whose buffers travel beside them."""

from __future__ import annotations

import mmap
import pickle
from typing import Any

import hurray
import pytest

GIB = 1 << 30
TENSOR = hurray.Tensor(bytes(96), hurray.float32, (4, 6))


@pytest.mark.benchmark(group="attributes")
@pytest.mark.parametrize("name", ["shape", "dtype", "layout", "device"])
def test_attribute(benchmark: Any, name: str) -> None:
    benchmark(getattr, TENSOR, name)


@pytest.mark.benchmark(group="1 GiB, untouched")
def test_repr(benchmark: Any) -> None:
    large = hurray.Tensor(mmap.mmap(-1, GIB), hurray.float32, (GIB // 4,))
    assert "float32" in benchmark(repr, large)


@pytest.mark.benchmark(group="1 GiB, untouched")
def test_pickle_out_of_band(benchmark: Any) -> None:
    large = hurray.Tensor(mmap.mmap(-1, GIB), hurray.float32, (GIB // 4,))
    pickled = benchmark(lambda: pickle.dumps(large, protocol=5, buffer_callback=lambda _: None))
    assert len(pickled) < 1000
