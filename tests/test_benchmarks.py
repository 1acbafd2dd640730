"""The verdicts of the table of goals."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from benchmarks.row import Row
from tools.repository import ROOT


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
