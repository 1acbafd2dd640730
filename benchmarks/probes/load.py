"""Load a file and take every tensor as a NumPy array, ``RUNS`` times at each turn: ``load LIBRARY FILE RUNS``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import resident, serve, times

if TYPE_CHECKING:
    from collections.abc import Callable


def ours(path: str) -> Callable[[], Any]:
    import hurray

    # The first array ever imports the bridge: once for each process, and not what is asked here.
    with tempfile.TemporaryDirectory() as folder:
        tiny = Path(folder) / "tiny.hrry"
        hurray.save(tiny, {"x": np.zeros(1, np.float32)})
        np.asarray(hurray.load(tiny)["x"])
    return released(path)


def released(path: str) -> Callable[[], Any]:
    """The same work by whichever ``hurray`` the interpreter has: pyhurray has our module's name."""
    import hurray

    return lambda: [np.asarray(tensor) for tensor in hurray.load(path).values()]


def theirs(path: str) -> Callable[[], Any]:
    from safetensors.numpy import load_file

    return lambda: load_file(path)


def main(library: str, path: str, runs: str) -> None:
    action = {"hurray": ours, "pyhurray": released, "safetensors": theirs}[library](path)
    before = resident()
    kept = action()
    added = resident() - before
    del kept
    serve(lambda: {"times": times(action, int(runs))}, resident=added)


if __name__ == "__main__":
    main(*sys.argv[1:])
