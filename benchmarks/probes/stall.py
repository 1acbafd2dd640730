"""The longest time another thread waits while this one works: ``stall FILE FOLDER``."""

from __future__ import annotations

import json
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import hurray
import numpy as np
from safetensors.numpy import load_file

if TYPE_CHECKING:
    from collections.abc import Callable


def longest_gap(action: Callable[[], object]) -> float:
    """The largest step of the clock that a thread sees which does nothing but look at it."""
    running, ready = threading.Event(), threading.Event()
    gaps = [0.0]

    def watch() -> None:
        worst, last = 0.0, time.perf_counter()
        ready.set()
        while not running.is_set():
            now = time.perf_counter()
            worst, last = max(worst, now - last), now
        gaps[0] = worst

    thread = threading.Thread(target=watch)
    thread.start()
    ready.wait()
    kept = action()
    running.set()
    thread.join()
    del kept
    return gaps[0]


def main(path: str, folder: str) -> None:
    arrays = {name: np.array(tensor) for name, tensor in hurray.load(path).items()}
    target = Path(folder) / "stall.hrry"
    actions: dict[str, Callable[[], object]] = {
        "nothing": lambda: time.sleep(0.3),
        "load": lambda: [np.asarray(tensor) for tensor in hurray.load(path).values()],
        "read": lambda: hurray.load(path, io="read"),
        "save": lambda: hurray.save(target, arrays),
        "safetensors": lambda: load_file(Path(path).with_suffix(".safetensors")),
    }
    found: dict[str, list[float]] = {}
    for name, action in actions.items():
        found[name] = [longest_gap(action) for _ in range(5)]
    target.unlink()
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
