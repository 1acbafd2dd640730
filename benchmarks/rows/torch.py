"""PyTorch: single calls, and state dicts beside safetensors."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.row import Row, probe
from benchmarks.rows import Bench


def rows(bench: Bench) -> Iterator[Row]:
    """A tensor of 4 KiB that is shared; a state dict of 256 tensors, the libraries in turns."""
    found = probe("torch", bench.folder, bench.size, 5)
    yield Row("from_torch(x)", "<= 2 µs", found["from"], limit=2e-6)
    yield Row("t.to_torch()", "<= 2 µs", found["to"], limit=2e-6)
    yield Row(
        "hurray_torch.load_file of 1 GiB", "<= safetensors.torch", found["load"],
        peer="safetensors", theirs=found["their_load"], limit=1.0,
    )  # fmt: skip
    yield Row(
        "hurray_torch.save_file of 1 GiB", "<= 0.9 x safetensors.torch", found["save"],
        peer="safetensors", theirs=found["their_save"], limit=0.9,
    )  # fmt: skip
