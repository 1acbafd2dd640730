"""Ours and the peers in turns, so that a busy moment of the machine meets them all."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from benchmarks.measure import numpy_environment
from benchmarks.row import ROOT

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from typing_extensions import Self


class Worker:
    """A probe in an interpreter of its own, which runs once whenever it is asked (see ``measure.serve``)."""

    def __init__(self, name: str, *arguments: str | int | Path, python: str = sys.executable) -> None:
        command = [python, "-m", f"benchmarks.probes.{name}", *map(str, arguments)]
        self._process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=numpy_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        #: What the probe found out once, before its turns.
        self.hello: dict[str, Any] = {}

    def __enter__(self) -> Self:
        try:
            self.hello = self._answer()
        except BaseException:
            self._process.communicate()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        # The end of its input tells a probe to end.
        self._process.communicate()

    def turn(self) -> dict[str, list[float]]:
        """One run: the seconds of everything that the probe measures."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise OSError(f"a probe ended early: {self._process.args!r}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def take_turns(rounds: int, *workers: Worker) -> list[dict[str, list[float]]]:
    """Everything that each worker measured in ``rounds`` turns; who begins changes with every round."""
    found: list[dict[str, list[float]]] = [{} for _ in workers]
    with ExitStack() as stack:
        for worker in workers:
            stack.enter_context(worker)
        for number in range(rounds):
            order = range(len(workers)) if number % 2 == 0 else reversed(range(len(workers)))
            for at in order:
                for name, seconds in workers[at].turn().items():
                    found[at].setdefault(name, []).extend(seconds)
    return found
