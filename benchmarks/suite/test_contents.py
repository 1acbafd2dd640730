"""Checks of a sparse tensor's index: throughput of the index stands in the JSON as ``extra_info``, in GiB/s."""

from __future__ import annotations

from struct import pack
from typing import Any

import hurray
import numpy as np
import pytest

ROWS, WIDTH = 1 << 16, 64
NNZ = ROWS * WIDTH


def csr(indices: np.ndarray[Any, Any]) -> hurray.Tensor:
    """A CSR tensor with 64 entries in each row."""
    pointers = np.arange(0, NNZ + 1, WIDTH, dtype=np.uint64)
    parts = [np.zeros(NNZ, np.uint8), indices, pointers]
    handles = b"".join(pack("<QIBBBB", part.nbytes, 64, 0, 0, 0, 0) for part in parts)
    body = pack("<BBIQQQQ8xB", 0x11, 7, 2, ROWS, 1 << 20, 0, NNZ, len(parts)) + handles
    descriptor = hurray.Descriptor.decode(b"HRRY\x01\x00" + pack("<II", 14 + len(body), 0) + body)
    return hurray.Tensor.from_descriptor(descriptor, parts)


@pytest.mark.benchmark(group="validate, 32 MiB of indices")
@pytest.mark.parametrize("broken", [False, True])
def test_validate(benchmark: Any, broken: bool) -> None:
    indices = np.tile(np.arange(WIDTH, dtype=np.uint64), ROWS)
    tensor = csr(np.full_like(indices, 1 << 20) if broken else indices)
    found = benchmark.pedantic(tensor.validate, rounds=5, warmup_rounds=1)
    assert bool(found) is broken
    if benchmark.stats is not None:
        benchmark.extra_info["GiB/s"] = round(8 * NNZ / (1 << 30) / benchmark.stats.stats.min, 2)
