"""Descriptors as bytes, against the released pyhurray."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns

ROUNDS = 15


def rows(bench: Bench) -> Iterator[Row]:
    """The bytes of a float32 tensor of two dimensions, 61, in turns."""
    if not bench.peer:
        return
    ours, theirs = take_turns(ROUNDS, Worker("descriptors"), Worker("descriptors", python=bench.peer))
    for what in ("decode", "encode"):
        yield Row(
            f"{what} a descriptor of 61 bytes", "never slower than pyhurray 0.1.0", ours[what],
            peer="pyhurray", theirs=theirs[what], limit=1.0,
        )  # fmt: skip
