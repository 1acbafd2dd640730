"""Making tensors and descriptors."""

from __future__ import annotations

from typing import Any

import hurray
import pytest

pytestmark = pytest.mark.benchmark(group="construction")


def owned(count: int) -> memoryview:
    """Memory that is aligned as the format asks, so that nothing is copied."""
    return memoryview(hurray.Tensor(bytes(count), hurray.uint8, (count,)))


def test_row_major(benchmark: Any) -> None:
    benchmark(hurray.Tensor, owned(4096), hurray.float32, (32, 32))


def test_strided(benchmark: Any) -> None:
    layout = hurray.StridedLayout((32, 2))
    benchmark(lambda buffer: hurray.Tensor(buffer, hurray.float32, (32, 16), layout=layout), owned(4096))


def test_encode(benchmark: Any) -> None:
    benchmark(hurray.Tensor(owned(4096), hurray.float32, (32, 32)).descriptor.encode)


def test_decode(benchmark: Any) -> None:
    data = hurray.Tensor(owned(4096), hurray.float32, (32, 32)).descriptor.encode()
    benchmark(hurray.Descriptor.decode, data)
