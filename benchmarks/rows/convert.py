"""The command that converts, as a process of its own."""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import child
from benchmarks.row import Row
from benchmarks.rows import Bench

RUNS = 7


def rows(bench: Bench) -> Iterator[Row]:
    """``hurray convert`` and ``cp`` in turns, each to a new file; the start of the interpreter is in ours."""
    source = bench.large.with_suffix(".safetensors")
    target, copy = bench.folder / "converted.hrry", bench.folder / "copied.safetensors"
    hurray = str(Path(sysconfig.get_path("scripts")) / "hurray")
    ours, peaks, theirs = [], [], []
    for _ in range(RUNS):
        theirs.append(child([shutil.which("cp") or "cp", str(source), str(copy)])[0])
        copy.unlink()
        seconds, peak = child([hurray, "convert", "--quiet", str(source), str(target)])
        target.unlink()
        ours.append(seconds)
        peaks.append(float(peak))
    yield Row(
        "hurray convert safetensors to hrry, 1 GiB", ">= 0.9 x cp", ours,
        peer="cp", theirs=theirs, limit=1 / 0.9,
    )  # fmt: skip
    yield Row("the same: peak memory of the process", "< 100 MiB", peaks, "B", limit=100 * 2**20, worst=True)
