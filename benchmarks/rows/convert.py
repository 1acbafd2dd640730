"""The command that converts, as a process of its own."""

from __future__ import annotations

import shutil
import sysconfig
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from struct import pack

from benchmarks.measure import child
from benchmarks.row import Row
from benchmarks.rows import Bench

RUNS = 7
LARGER = 2 * 2**30  # bytes; most of the source is a hole, so that it takes no disk and little time


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
    _, peak = child([hurray, "convert", "--quiet", str(_larger(bench.folder)), str(target)])
    target.unlink()
    yield Row("the same, 2 GiB: peak memory", "< 100 MiB", [float(peak)], "B", limit=100 * 2**20, worst=True)


def _larger(folder: Path) -> Path:
    """A safetensors file of twice the size in one tensor of zeros."""
    header = dumps({"w": {"dtype": "U8", "shape": [LARGER], "data_offsets": [0, LARGER]}}).encode()
    path = folder / "larger.safetensors"
    with path.open("wb") as file:
        file.write(pack("<Q", len(header)) + header)
        file.truncate(file.tell() + LARGER)
    return path
