"""What ``import hurray`` costs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from benchmarks.measure import child
from benchmarks.row import Row
from benchmarks.rows import Bench

RUNS = 30


def rows(bench: Bench) -> Iterator[Row]:
    """The bare interpreter and the import in turns; the difference of the best is the cost."""
    del bench
    bare, with_import = [], []
    for _ in range(RUNS):
        bare.append(child([sys.executable, "-I", "-c", "pass"])[0])
        with_import.append(child([sys.executable, "-I", "-c", "import hurray"])[0])
    cost = [seconds - min(bare) for seconds in with_import]
    yield Row("import hurray, over the bare interpreter", "<= 5 ms", cost, limit=5e-3)
    code = "import sys, hurray; print(int('numpy' in sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    yield Row("import hurray imports NumPy", "no", [float(done.stdout)], "", limit=0.0)
