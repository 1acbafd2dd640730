"""The verdicts of the table of goals."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.row import Row
from benchmarks.table import ROWS as TABLE
from benchmarks.turns import Worker, take_turns
from tools.repository import ROOT

if TYPE_CHECKING:
    from typing_extensions import Self


def test_the_best_run_decides_on_speed_and_the_worst_on_a_bound() -> None:
    runs = [5.0, 20.0, 7.0]
    assert Row("load", "<= 10 ms", runs, limit=10).met
    assert not Row("stall", "<= 10 ms", runs, limit=10, worst=True).met
    assert Row("stall", "<= 10 ms", [5.0, 9.0], limit=10, worst=True).met
    assert Row("stall", "<= 10 ms", runs, limit=10, worst=True).as_json()["decisive"] == 20.0


def test_at_least_so_many_times_faster() -> None:
    assert Row("load", ">= 4 x", [1.0, 3.0], theirs=[5.0, 4.0], least=4).met
    assert not Row("load", ">= 5 x", [1.0, 3.0], theirs=[5.0, 4.0], least=5).met


ROWS = sorted((ROOT / "benchmarks" / "rows").glob("[a-z]*.py"))


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_rows_about_memory_and_stalls_are_about_the_worst(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Row":
            work = ast.unparse(node.args[0])
            if ("memory" in work and "added" in work) or "peak" in work or "stall" in work:
                assert any(keyword.arg == "worst" for keyword in node.keywords), work


class Told:
    """A worker that writes down its turns."""

    def __init__(self, name: str, log: list[str]) -> None:
        self._name = name
        self._log = log

    def __enter__(self) -> Self:
        self._log.append(f"begin {self._name}")
        return self

    def __exit__(self, *_: object) -> None:
        self._log.append(f"end {self._name}")

    def turn(self) -> dict[str, list[float]]:
        self._log.append(self._name)
        return {"times": [float(len(self._log))]}


def test_ours_and_the_peers_run_in_turns() -> None:
    """A busy moment meets both sides: who begins changes with every round."""
    log: list[str] = []
    found = take_turns(3, Told("ours", log), Told("theirs", log))  # type: ignore[arg-type]
    turns = ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert log == ["begin ours", "begin theirs", *turns, "end theirs", "end ours"]
    assert found == [{"times": [3.0, 6.0, 7.0]}, {"times": [4.0, 5.0, 8.0]}]


def test_a_probe_that_dies_is_an_error_and_not_a_number() -> None:
    with pytest.raises(OSError, match="ended early"):
        take_turns(1, Worker("no_such_probe"))


def test_a_probe_answers_once_for_each_turn() -> None:
    with Worker("descriptors") as worker:
        assert worker.hello == {}
        found = [worker.turn(), worker.turn()]
    assert [sorted(turn) for turn in found] == [["decode", "encode"]] * 2
    assert all(len(times) == 1 and times[0] > 0 for turn in found for times in turn.values())


@pytest.mark.parametrize("path", ROWS, ids=lambda path: path.stem)
def test_every_module_of_rows_is_measured(path: Path) -> None:
    assert path.stem in TABLE
    assert f" {path.stem}" in (ROOT / "benchmarks" / "README.md").read_text(encoding="utf-8").replace(
        "`", " "
    )


def test_a_peer_is_never_measured_after_all_of_ours() -> None:
    """Rows with a peer take turns, in one process or between workers: no module probes one library after another."""
    for path in ROWS:
        text = path.read_text(encoding="utf-8")
        probes = re.findall(r'(?<!\w)probe\(\s*"(\w+)", "(\w+)"', text)
        assert not probes or "for _ in range(RUNS)" in text, path
