"""The gates can fail: on nothing checked, on a failing command, on a test skipped for want of a package."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

from tools import gate, gates
from tools.repository import texts

JUNIT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><failure message="no">text</failure></testcase>
<testcase name="d"><skipped message="{reason}"/></testcase>
</testsuite></testsuites>"""


@pytest.fixture(autouse=True)
def results(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The verdicts of these tests stay out of those of the run that they are part of."""
    monkeypatch.setattr(gate, "RESULTS", tmp_path)
    return tmp_path


def test_nothing_checked_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = gate.counted("empty", "files", [sys.executable, "-c", "pass"], lambda _: 0)
    assert not verdict.ok
    assert gate.report("t", [verdict]) == 1
    assert "checked nothing" in capsys.readouterr().out


def test_no_gates_are_a_failure() -> None:
    assert gate.report("t", []) == 1


def test_failing_command_is_a_failure_whatever_it_counted() -> None:
    verdict = gate.counted("red", "files", [sys.executable, "-c", "raise SystemExit(3)"], lambda _: 7)
    assert (verdict.passed, verdict.failed) == (0, 1)
    assert verdict.notes == ["exit status 3"]


def test_passing_command_counts() -> None:
    command = [sys.executable, "-c", "print('looked at 4 files'); print('looked at 5 files')"]
    verdict = gate.counted("green", "files", command, gate.total_of(r"looked at (\d+) files"))
    assert verdict.ok
    assert verdict.passed == 9


@pytest.mark.parametrize(
    ("reason", "failed"), [("no GPU here", 1), ("could not import 'torch': No module named 'torch'", 2)]
)
def test_skips_are_counted_and_missing_packages_fail(tmp_path: Path, reason: str, failed: int) -> None:
    xml = tmp_path / "junit.xml"
    xml.write_text(JUNIT.format(reason=reason.replace("'", "&apos;")))
    verdict = gates._from_junit("t", xml)
    assert (verdict.passed, verdict.failed, verdict.skipped) == (2, failed, 1)
    assert verdict.notes[0] == f"skipped 1: {reason}"


def test_closing_line_adds_up_the_sessions(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate.closing() == 1, "no session has run"
    gate.report("one", [gate.Verdict("a", 3, 0, 1), gate.Verdict("ruff", 40, unit="files")])
    gate.report("two", [gate.Verdict("b", 4)])
    capsys.readouterr()
    assert gate.closing() == 0
    assert capsys.readouterr().out == "7 passed, 0 failed, 1 skipped\n"
    assert len(list(results.glob("*.json"))) == 2


def test_every_distribution_has_a_gate() -> None:
    assert len(gates.PACKAGES) == 8
    assert set(gates.SESSIONS) == {"conformance", "fuzz", "lint", "memory", "quick", "tests"}


def test_a_run_without_a_lent_framework_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that skips a whole framework is no run; one that is told to go without says so."""
    monkeypatch.setattr(gates, "LENT", {"hurray-torch": "no_such_framework"})
    verdict = gates.frameworks_gate(lent=True)
    assert not verdict.ok
    assert verdict.notes == ["not installed: no_such_framework"]
    assert gates.frameworks_gate(lent=False).notes == ["not run: hurray-torch, without no_such_framework"]


def test_the_gates_and_the_sessions_lend_the_same() -> None:
    table = re.search(r"^LENT = (\{.*?\})$", texts()["noxfile.py"], flags=re.MULTILINE | re.DOTALL)
    assert table is not None
    assert ast.literal_eval(table.group(1)) == gates.LENT
    assert gates.LENT
    assert set(gates.LENT) <= set(gates.PACKAGES)
