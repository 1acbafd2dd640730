"""The native protocol, against the released pyhurray."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns

ROUNDS = 15


def rows(bench: Bench) -> Iterator[Row]:
    """A tensor of 64 bytes through a capsule and back, in turns; through an object of another class, too."""
    if not bench.peer:
        return
    ours, theirs = take_turns(ROUNDS, Worker("native"), Worker("native", python=bench.peer))
    yield Row(
        "from_hurray(t)", "never slower than pyhurray 0.1.0", ours["tensor"],
        peer="pyhurray", theirs=theirs["tensor"], limit=1.0,
    )  # fmt: skip
    yield Row("from_hurray(t) by itself", "<= 600 ns", ours["tensor"], limit=600e-9)
    yield Row(
        "from_hurray of another class's object", "never slower than pyhurray 0.1.0", ours["wrapped"],
        peer="pyhurray", theirs=theirs["wrapped"], limit=1.0,
    )  # fmt: skip
