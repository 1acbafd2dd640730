"""What is asked of a tensor all the time, and of a large one now and then."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row
from benchmarks.rows import Bench
from benchmarks.turns import Worker, take_turns

ROUNDS = 15
MIB = 1 << 20


def rows(bench: Bench) -> Iterator[Row]:
    """Nothing of it may depend on the size of the tensor, in time or in memory."""
    del bench
    (found,) = take_turns(ROUNDS, Worker("tensors"))
    yield Row("Tensor(aligned_buffer, ...), shared", "<= 1 \u00b5s", found["construct"], limit=1e-6)
    for what in ("layout", "shape", "dtype"):
        yield Row(f"t.{what}", "<= 100 ns", found[what], limit=100e-9)
    yield Row("repr of a 1 GiB tensor", "<= 1 ms", found["repr"], limit=1e-3)
    yield Row(
        "the same: memory added at its peak", "<= 1 MiB", found["repr memory"], "B", limit=MIB, worst=True
    )
    yield Row("pickle of a 1 GiB tensor, out of band", "<= 100 \u00b5s", found["pickle"], limit=100e-6)
    yield Row(
        "the same pickle: memory added at its peak", "<= 1 MiB", found["pickle memory"], "B",
        limit=MIB, worst=True,
    )  # fmt: skip
