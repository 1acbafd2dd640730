"""Loading a large file that the page cache holds."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """``load`` and every tensor as an array; what it adds to memory; and what reading every element then costs."""
    ours = probe("load", "hurray", bench.large, 20)
    work = "load + every tensor as a NumPy array, 1 GiB in 300 tensors"
    yield Row(work, "<= 1 ms", ours["times"], limit=1e-3)
    yield Row(
        "the same: resident memory added", "<= 16 MiB", [float(ours["resident"])], "B",
        limit=16 * 2**20, worst=True,
    )  # fmt: skip
    theirs = probe("load", "safetensors", bench.large.with_suffix(".safetensors"), 5)
    yield Row(
        "the same, against safetensors.numpy.load_file", ">= 300 x faster", ours["times"],
        peer="safetensors", theirs=theirs["times"], least=300,
    )  # fmt: skip
    if bench.peer:
        released = probe("pyhurray", bench.large, 3, python=bench.peer)
        yield Row(
            "the same, against pyhurray 0.1.0", ">= 500 x faster", ours["times"],
            peer="pyhurray", theirs=released["times"], least=500,
        )  # fmt: skip
    sums = probe("sums", bench.large, 9)
    yield Row(
        "then the sum of every element", "<= 1.05 x arrays in memory", sums["mapped"],
        peer="in memory", theirs=sums["memory"], limit=1.05,
    )  # fmt: skip
