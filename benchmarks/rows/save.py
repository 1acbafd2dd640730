"""Saving arrays from memory."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """``save`` and ``os.write`` of the same bytes, in turns, each to a new file."""
    found = probe("save", bench.folder, bench.size, 7)
    yield Row(
        "save of 1 GiB", ">= 0.9 x os.write of the same bytes", found["ours"],
        peer="os.write", theirs=found["raw"], limit=1 / 0.9,
    )  # fmt: skip
    yield Row(
        "the same: memory added at its peak", "<= 16 MiB", found["added"], "B", limit=16 * 2**20, worst=True
    )
