"""Reading a file that the page cache does not hold."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

from benchmarks.measure import child, drop_cache
from benchmarks.row import Row, probe
from benchmarks.rows import Bench

RUNS = 5


def rows(bench: Bench) -> Iterator[Row]:
    """``io="read"``, dd and safetensors in turns, each on a file just dropped from the cache."""
    theirs_path = bench.large.with_suffix(".safetensors")
    dd = shutil.which("dd") or "dd"
    ours, raw, theirs = [], [], []
    for _ in range(RUNS):
        drop_cache(bench.large)
        raw.append(child([dd, f"if={bench.large}", "of=/dev/null", "bs=1M", "status=none"])[0])
        ours += probe("cold", "hurray", bench.large)["times"]
        theirs += probe("cold", "safetensors", theirs_path)["times"]
    work = 'load(io="read") of 1 GiB, not in the page cache'
    yield Row(work, ">= 0.9 x dd to nowhere", ours, peer="dd", theirs=raw, limit=1 / 0.9)
    yield Row("the same", "never slower than safetensors", ours, peer="safetensors", theirs=theirs, limit=1.0)
