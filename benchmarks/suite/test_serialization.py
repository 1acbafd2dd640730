"""Files: throughput stands in the JSON as ``extra_info``, in GiB/s."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hurray
import numpy as np
import pytest

MIB = 1 << 20
SIZES = {"1 MiB": MIB, "64 MiB": 64 * MIB, "512 MiB": 512 * MIB}


def throughput(benchmark: Any, size: int) -> None:
    if benchmark.stats is not None:
        benchmark.extra_info["GiB/s"] = round(size / (1 << 30) / benchmark.stats.stats.min, 2)


@pytest.fixture(params=list(SIZES.values()), ids=list(SIZES))
def size(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def arrays(size: int) -> dict[str, np.ndarray[Any, Any]]:
    return {f"w{i}": part for i, part in enumerate(np.array_split(np.ones(size // 4, np.float32), 16))}


@pytest.mark.benchmark(group="save")
def test_save(benchmark: Any, tmp_path: Path, arrays: dict[str, Any], size: int) -> None:
    benchmark.pedantic(hurray.save, (tmp_path / "a.hrry", arrays), rounds=5, warmup_rounds=1)
    throughput(benchmark, size)


@pytest.mark.benchmark(group="load, mapped, and every tensor as an array")
def test_load_mapped(benchmark: Any, tmp_path: Path, arrays: dict[str, Any]) -> None:
    hurray.save(tmp_path / "a.hrry", arrays)
    benchmark(lambda: [np.asarray(tensor) for tensor in hurray.load(tmp_path / "a.hrry").values()])


@pytest.mark.benchmark(group='load, io="read", in the page cache')
def test_load_read(benchmark: Any, tmp_path: Path, arrays: dict[str, Any], size: int) -> None:
    hurray.save(tmp_path / "a.hrry", arrays)
    benchmark.pedantic(lambda: hurray.load(tmp_path / "a.hrry", io="read"), rounds=5, warmup_rounds=1)
    throughput(benchmark, size)
