"""Single calls across the bridge, and NumPy's own beside them, in turns: ``calls``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import hurray
import numpy as np

from benchmarks.measure import per_call

if TYPE_CHECKING:
    from collections.abc import Callable

RUNS = 15


def aligned(count: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A float32 array whose memory begins at a multiple of 64."""
    raw = np.zeros(count * 4 + 64, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    array: np.ndarray[tuple[int], np.dtype[np.float32]] = raw[start : start + count * 4].view(np.float32)
    return array


def main() -> None:
    array = aligned(1024)
    tensor = hurray.from_numpy(array, copy=False)
    asarray, from_dlpack, from_numpy = np.asarray, np.from_dlpack, hurray.from_numpy
    actions: dict[str, Callable[[], object]] = {
        "asarray": lambda: asarray(tensor),
        "from_numpy": lambda: from_numpy(array),
        "from_dlpack": lambda: from_dlpack(tensor),
        "numpy_from_dlpack": lambda: from_dlpack(array),
    }
    found: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(RUNS):
        for name, action in actions.items():
            found[name] += per_call(action, runs=1)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
