"""Streams between two processes, beside the bare bytes and pyarrow."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """1 GiB in tensors of 64 MiB and of 1 MiB, and 100,000 tensors of 256 B; a composite of a thousand members."""
    found = probe("streams", bench.size, 3)
    for kind in ("pipe", "socket"):
        for name, limit in (("64 MiB", 1 / 0.9), ("1 MiB", 1 / 0.9), ("256 B", 2.0)):
            ours = found[f"{kind} {name} ours"]
            work = f"{kind}, tensors of {name}"
            yield Row(
                work, f"<= {limit:.2f} x the bare bytes", ours,
                peer="bare bytes", theirs=found[f"{kind} {name} raw"], limit=limit,
            )  # fmt: skip
            yield Row(
                work, "never slower than pyarrow", ours,
                peer="pyarrow", theirs=found[f"{kind} {name} arrow"], limit=1.0,
            )  # fmt: skip
    composite = probe("composite", bench.folder, 9)
    yield Row("load a composite of 1000 members", "<= 20 ms", composite["load"], limit=20e-3)
    yield Row(
        "getvalue() of 1 GiB, memory", "no second copy", composite["copy"], "B", limit=16 << 20, worst=True
    )
