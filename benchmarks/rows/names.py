"""A file of 100,000 tensors: one by its name, and all of them."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns

ROUNDS = 5


def rows(bench: Bench) -> Iterator[Row]:
    """Opening is part of both: a name is asked of a file, not of an index in memory."""
    theirs_path = bench.many.with_suffix(".safetensors")
    name = "tensor.77777"
    ours, theirs = take_turns(
        ROUNDS,
        Worker("named", "hurray", bench.many, name, 3),
        Worker("named", "safetensors", theirs_path, name, 1),
    )
    yield Row(
        "one tensor by name from a file of 100,000", "<= 1/10 of safe_open(...).get_tensor", ours["times"],
        peer="safetensors", theirs=theirs["times"], limit=0.1,
    )  # fmt: skip
    ours, theirs = take_turns(
        ROUNDS, Worker("load", "hurray", bench.many, 1), Worker("load", "safetensors", theirs_path, 1)
    )
    yield Row(
        "all tensors of that file", "<= 1/2 of load_file", ours["times"],
        peer="safetensors", theirs=theirs["times"], limit=0.5,
    )  # fmt: skip
