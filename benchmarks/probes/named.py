"""One tensor by name out of many, the opening included, ``RUNS`` times a turn: ``named LIBRARY FILE NAME RUNS``."""

from __future__ import annotations

import sys

import hurray
import numpy as np
from safetensors import safe_open

from benchmarks.measure import serve, times


def main(library: str, path: str, name: str, runs: str) -> None:
    def ours() -> object:
        with hurray.open(path) as file:
            return np.asarray(file[name])

    def theirs() -> object:
        with safe_open(path, "np") as file:
            return file.get_tensor(name)

    action = ours if library == "hurray" else theirs
    action()
    serve(lambda: {"times": times(action, int(runs))})


if __name__ == "__main__":
    main(*sys.argv[1:])
