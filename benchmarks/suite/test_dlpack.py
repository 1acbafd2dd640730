"""DLPack capsules on the CPU."""

from __future__ import annotations

from typing import Any

import hurray
import numpy as np
import pytest

pytestmark = pytest.mark.benchmark(group="dlpack")


@pytest.fixture
def tensor() -> hurray.Tensor:
    return hurray.from_numpy(np.zeros((64, 64), np.float32), copy=True)


def test_capsule(benchmark: Any, tensor: hurray.Tensor) -> None:
    benchmark(tensor.__dlpack__)


def test_numpy_takes_a_tensor(benchmark: Any, tensor: hurray.Tensor) -> None:
    benchmark(np.from_dlpack, tensor)


def test_hurray_takes_an_array(benchmark: Any, tensor: hurray.Tensor) -> None:
    benchmark(hurray.from_dlpack, np.from_dlpack(tensor))


def test_numpy_takes_its_own(benchmark: Any, tensor: hurray.Tensor) -> None:
    benchmark(np.from_dlpack, np.from_dlpack(tensor))
