"""Read a file that is not in the page cache into memory, once: ``cold LIBRARY FILE``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import hurray
from safetensors.numpy import load_file

from benchmarks.measure import drop_cache


def main(library: str, path: str) -> None:
    drop_cache(Path(path))
    begin = time.perf_counter()
    kept = hurray.load(path, io="read") if library == "hurray" else load_file(path)
    seconds = time.perf_counter() - begin
    print(json.dumps({"times": [seconds], "tensors": len(kept)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
