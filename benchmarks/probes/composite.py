"""A composite of a thousand members out of a file, and what getvalue() costs: ``composite FOLDER RUNS``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import hurray


def resident() -> int:
    """Bytes of this process in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def main() -> None:
    folder, runs = Path(sys.argv[1]), int(sys.argv[2])
    path = folder / "composite.hrry"
    members = [hurray.zeros(16, dtype="float32")] * 1000
    hurray.save(path, {"c": hurray.Composite("group", shape=(), dtype="float32", members=members)})
    load = []
    for _ in range(runs):
        begin = time.perf_counter()
        loaded = hurray.load(path)
        load.append(time.perf_counter() - begin)
        del loaded
    writer = hurray.StreamWriter()
    for _ in range(16):
        writer.write(hurray.Tensor(bytearray(1 << 26), "uint8", (1 << 26,)))
    writer.finish()
    before = resident()
    value = writer.getvalue()
    copy = resident() - before
    assert len(value) > 1 << 30
    path.unlink()
    print(json.dumps({"load": load, "copy": [max(copy, 1)]}))


if __name__ == "__main__":
    main()
