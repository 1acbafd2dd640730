"""A file far larger than memory, whose middle is a hole."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import sparse_file
from benchmarks.row import Row
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns


def rows(bench: Bench) -> Iterator[Row]:
    """It opens, and the tensor behind the hole reads."""
    path = bench.folder / "sparse.hrry"
    sparse_file.write(path, 1 << 40)
    (found,) = take_turns(1, Worker("named", "hurray", path, "last", 15))
    yield Row("a sparse 1 TiB file opens, and one tensor reads", "<= 5 ms", found["times"], limit=5e-3)
    path.unlink()
