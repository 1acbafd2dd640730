"""Read every element of a file just loaded, and of the same arrays already in memory: ``sums FILE RUNS``."""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import hurray
import numpy as np


def total(arrays: list[np.ndarray[Any, Any]]) -> tuple[float, float]:
    """The sum of all elements, and the seconds that it took."""
    begin = time.perf_counter()
    result = sum(float(array.sum()) for array in arrays)
    return result, time.perf_counter() - begin


def main(path: str, runs: str) -> None:
    memory = [np.array(tensor) for tensor in hurray.load(path).values()]
    mapped, held = [], []
    for _ in range(int(runs)):
        loaded = [np.asarray(tensor) for tensor in hurray.load(path).values()]
        one, seconds = total(loaded)
        mapped.append(seconds)
        other, seconds = total(memory)
        held.append(seconds)
        if one != other:
            raise SystemExit("the sums differ")
    print(json.dumps({"mapped": mapped, "memory": held}))


if __name__ == "__main__":
    main(*sys.argv[1:])
