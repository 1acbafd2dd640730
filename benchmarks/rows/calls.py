"""Single calls across the bridge."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """A tensor of 4 KiB that is shared, never copied: the call is what is measured."""
    del bench
    found = probe("calls")
    yield Row("np.asarray(t)", "<= 300 ns", found["asarray"], limit=300e-9)
    yield Row("from_numpy(aligned)", "<= 600 ns", found["from_numpy"], limit=600e-9)
    yield Row(
        "np.from_dlpack(t)", "<= 1.2 x NumPy's own", found["from_dlpack"],
        peer="NumPy", theirs=found["numpy_from_dlpack"], limit=1.2,
    )  # fmt: skip
