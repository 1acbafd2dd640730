"""What other threads feel."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """The longest gap that a thread sees; what it sees while nothing is done stands beside it."""
    found = probe("stall", bench.large, bench.folder)
    for key, work in (("load", "load"), ("read", 'load(io="read")'), ("save", "save")):
        yield Row(
            f"another thread's longest stall during {work} of 1 GiB", "<= 10 ms", found[key],
            limit=10e-3, worst=True,
        )  # fmt: skip
    for key, work in (("nothing", "nothing at all"), ("safetensors", "safetensors load_file")):
        yield Row(f"for comparison: during {work}", "", found[key], limit=float("inf"), worst=True)
