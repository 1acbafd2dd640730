"""The table of goals: ``python -m benchmarks.table --peer PYTHON``. Exit status 1 where a goal is missed."""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.measure import numpy_environment
from benchmarks.row import ROOT, Row, shown
from benchmarks.rows import Bench

ROWS = (
    *("load", "cold", "names", "sparse", "save", "convert", "stall", "calls"),
    *("descriptors", "native", "tensors", "imports", "torch", "streams"),
)
GIB = 1 << 30


def main(arguments: list[str]) -> int:
    """Make the files, measure the rows that are asked for, print the table and keep it as JSON."""
    parser = argparse.ArgumentParser(prog="nox -s bench --", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"of {', '.join(ROWS)}; all by default")
    parser.add_argument("--peer", help="an interpreter that has pyhurray 0.1.0")
    parser.add_argument("--folder", type=Path, help="where the files go: a few GiB, removed afterwards")
    parser.add_argument(
        "--json", type=Path, default=ROOT / "build" / "bench.json", help="where the results go"
    )
    options = parser.parse_args(arguments)
    if unknown := set(options.rows) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    chosen = [name for name in ROWS if name in options.rows or not options.rows]
    with tempfile.TemporaryDirectory(prefix="hurray-bench-", dir=options.folder) as name:
        bench = Bench(Path(name), GIB, options.peer)
        measured = measure(bench, chosen)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(result(measured), indent=1) + "\n", encoding="utf-8")
    goals = [row for row in measured if row.goal]
    missed = [row.work for row in goals if not row.met]
    print(f"\n{len(goals) - len(missed)} of {len(goals)} goals met; results in {options.json}")
    return 1 if missed or not goals else 0


def measure(bench: Bench, chosen: list[str]) -> list[Row]:
    """The rows of the modules in ``chosen``, each printed when it is there."""
    command = [sys.executable, "-m", "benchmarks.files", str(bench.folder), str(bench.size)]
    subprocess.run(command, cwd=ROOT, env=numpy_environment(), check=True)
    # Nothing of what was just written may still be on its way to the disk.
    os.sync()
    print(line("work", "ours", "peer", "ratio", "medians", "goal", ""))
    measured = []
    for name in chosen:
        for row in import_module(f"benchmarks.rows.{name}").rows(bench):
            measured.append(row)
            print(line(*cells(row)), flush=True)
    return measured


def cells(row: Row) -> tuple[str, ...]:
    """A row as it is printed."""
    ours = shown(row.decisive, row.unit) if row.unit else f"{row.ours[0]:.0f}"
    peer = f"{row.peer} {shown(min(row.theirs), row.unit)}" if row.theirs else ""
    ratio = f"{row.ratio:.4g}" if row.ratio is not None else ""
    medians = f"{row.median_ratio:.4g}" if row.median_ratio is not None else ""
    if row.ratio is None and row.unit == "s":
        medians = shown(statistics.median(row.ours), row.unit)
    verdict = ("met" if row.met else "MISSED") if row.goal else ""
    return row.work, ours, peer, ratio, medians, row.goal, verdict


def line(*columns: str) -> str:
    """Columns of one width each, the last one free."""
    widths = (62, 10, 22, 9, 9, 36)
    return " ".join(f"{text:{width}}" for text, width in zip(columns, (*widths, 0), strict=True)).rstrip()


def result(measured: list[Row]) -> dict[str, Any]:
    """What the page is made of."""
    names = ("hurray-core-py", "numpy", "safetensors")
    return {
        "when": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in names},
        "rows": [row.as_json() for row in measured],
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
