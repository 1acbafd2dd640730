"""Save arrays, and write the same bytes with ``os.write``, in turns: ``save FOLDER BYTES RUNS``."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import hurray

from benchmarks.files import arrays
from benchmarks.measure import peak, reset_peak, resident

if TYPE_CHECKING:
    from collections.abc import Callable


def timed(action: Callable[[Path], None], path: Path) -> float:
    """The seconds of writing a new file, which is gone again afterwards."""
    begin = time.perf_counter()
    action(path)
    seconds = time.perf_counter() - begin
    path.unlink()
    return seconds


def main(folder: str, size: str, runs: str) -> None:
    tensors = arrays(int(size))

    def ours(path: Path) -> None:
        hurray.save(path, tensors)

    def raw(path: Path) -> None:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        for array in tensors.values():
            view = array.data.cast("B")
            while view:
                view = view[os.write(fd, view) :]
        os.close(fd)

    place = Path(folder)
    hurray.save(place / "warm.hrry", {"x": next(iter(tensors.values()))[:16]})
    found: dict[str, list[float]] = {"ours": [], "raw": [], "added": []}
    for _ in range(int(runs)):
        found["raw"].append(timed(raw, place / "raw.bin"))
        reset_peak()
        before = resident()
        found["ours"].append(timed(ours, place / "ours.hrry"))
        found["added"].append(float(peak() - before))
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
