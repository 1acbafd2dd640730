"""What the released pyhurray takes to load a file, run by the interpreter that has it: ``pyhurray FILE RUNS``."""

from __future__ import annotations

import json
import sys

import hurray
import numpy as np

from benchmarks.measure import times


def main(path: str, runs: str) -> None:
    def action() -> object:
        return [np.asarray(tensor) for tensor in hurray.load(path).values()]

    print(json.dumps({"times": times(action, int(runs))}))


if __name__ == "__main__":
    main(*sys.argv[1:])
