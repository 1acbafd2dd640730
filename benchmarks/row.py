"""One line of the table: the work, ours, the peer's, the goal, and whether it is met."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import numpy_environment

ROOT = Path(__file__).resolve().parent.parent


@dataclass
class Row:
    """A measured goal. ``ours`` and ``theirs`` are all runs; the verdict is about the best of each.

    With ``worst`` it is about the worst of ours: a bound on memory or on a stall is broken by one run that breaks it.

    ``limit`` bounds ours divided by theirs, or ours alone where there is no peer. ``least`` turns it round: for
    "at least so many times faster" the quotient theirs / ours must reach it.
    """

    work: str
    goal: str
    ours: list[float]
    unit: str = "s"
    peer: str = ""
    theirs: list[float] | None = None
    limit: float = 0.0
    least: float = 0.0
    worst: bool = False

    @property
    def decisive(self) -> float:
        """The run of ours that the verdict is about."""
        return max(self.ours) if self.worst else min(self.ours)

    @property
    def ratio(self) -> float | None:
        """Ours divided by theirs, by the best of each (by the worst of ours with ``worst``)."""
        return self.decisive / min(self.theirs) if self.theirs else None

    @property
    def median_ratio(self) -> float | None:
        """Ours divided by theirs, by the median of each."""
        return statistics.median(self.ours) / statistics.median(self.theirs) if self.theirs else None

    @property
    def met(self) -> bool:
        """Whether the goal is reached by the runs that decide."""
        measured = self.decisive if self.ratio is None else self.ratio
        return 1 / measured >= self.least if self.least else measured <= self.limit

    def as_json(self) -> dict[str, Any]:
        """Everything, for the file that the page is made of."""
        return {
            **vars(self),
            "decisive": self.decisive,
            "ratio": self.ratio,
            "median_ratio": self.median_ratio,
            "met": self.met,
        }


def probe(name: str, *arguments: str | int | Path, python: str = sys.executable) -> dict[str, Any]:
    """Run one probe in an interpreter of its own and return what it measured."""
    command = [python, "-m", f"benchmarks.probes.{name}", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, env=numpy_environment(), stdout=subprocess.PIPE, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def shown(value: float, unit: str) -> str:
    """A measured value with a unit that suits its size."""
    if unit == "B":
        return f"{value / 2**20:.1f} MiB"
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= scale:
            return f"{value / scale:.3g} {name}"
    return f"{value * 1e9:.3g} ns"
