"""Loading a large file that the page cache holds."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns

ROUNDS = 5


def rows(bench: Bench) -> Iterator[Row]:
    """``load`` and every tensor as an array; what it adds to memory; and what reading every element then costs."""
    ours = Worker("load", "hurray", bench.large, 4)
    workers = [ours, Worker("load", "safetensors", bench.large.with_suffix(".safetensors"), 1)]
    if bench.peer:
        workers.append(Worker("load", "pyhurray", bench.large, 1, python=bench.peer))
    found, theirs, *released = take_turns(ROUNDS, *workers)
    work = "load + every tensor as a NumPy array, 1 GiB in 300 tensors"
    yield Row(work, "<= 1 ms", found["times"], limit=1e-3)
    yield Row(
        "the same: resident memory added", "<= 16 MiB", [float(ours.hello["resident"])], "B",
        limit=16 * 2**20, worst=True,
    )  # fmt: skip
    yield Row(
        "the same, against safetensors.numpy.load_file", ">= 300 x faster", found["times"],
        peer="safetensors", theirs=theirs["times"], least=300,
    )  # fmt: skip
    for peer in released:
        yield Row(
            "the same, against pyhurray 0.1.0", ">= 500 x faster", found["times"],
            peer="pyhurray", theirs=peer["times"], least=500,
        )  # fmt: skip
    sums = probe("sums", bench.large, 9)
    yield Row(
        "then the sum of every element", "<= 1.05 x arrays in memory", sums["mapped"],
        peer="in memory", theirs=sums["memory"], limit=1.05,
    )  # fmt: skip
