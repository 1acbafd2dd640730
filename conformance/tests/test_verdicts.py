"""Every vector through hurray: the same values, bytes and verdict by the same rule, or a known reason."""

from __future__ import annotations

import pytest

from conformance.generator.corpus import FOLDER
from conformance.judge.answer import ACCEPTED, LISTED, REFUSED, Answer, disagreement
from conformance.judge.known import KNOWN
from conformance.judge.table import README, updated
from conformance.judge.verdicts import Verdict, manifest, verdicts

PATHS = [str(entry["path"]) for entry in manifest()]


def verdict_of(path: str) -> Verdict:
    return next(one for one in verdicts() if one.path == path)


@pytest.mark.parametrize("path", PATHS)
def test_both_say_the_same(path: str) -> None:
    one = verdict_of(path)
    if path in KNOWN:
        assert one.differs, "agrees now: take it out of judge/known.py"
    else:
        assert one.differs == ""


def test_known_differences_are_vectors_with_reasons() -> None:
    assert set(KNOWN) <= set(PATHS)
    assert all(len(reason) > 20 for reason in KNOWN.values())


def test_the_judge_reads_most_of_the_corpus() -> None:
    """A door that silently stops being asked would agree with everything."""
    read = verdicts()
    assert len(read) >= 850
    assert sum(one.answer.outcome == REFUSED for one in read) >= 490
    dense = [one for one in read if "/tensors/" in one.path and not one.answer.unshown]
    assert len(dense) >= 60


def test_the_table_is_that_of_today() -> None:
    text = README.read_text(encoding="utf-8")
    assert updated(text) == text, "run python -m conformance.judge"


@pytest.mark.parametrize(
    ("answer", "differs"),
    [
        (Answer(REFUSED, "InvalidDescriptorError", ["D-2"]), ""),
        (Answer(REFUSED, LISTED, ["S-2"]), ""),
        (Answer(REFUSED, "InvalidDescriptorError", ["D-3"]), "InvalidDescriptorError D-3"),
        (Answer(REFUSED, "InvalidDescriptorError", []), "InvalidDescriptorError without a code"),
        (Answer(REFUSED, "OverflowError", ["D-2"]), "raises OverflowError"),
        (Answer(ACCEPTED), "accepted"),
    ],
)
def test_the_judge_can_tell_a_wrong_refusal(answer: Answer, differs: str) -> None:
    assert disagreement({"kind": "descriptor", "rules": ["D-2", "S-2"]}, answer) == differs


@pytest.mark.parametrize(
    ("answer", "differs"),
    [
        (Answer(ACCEPTED), ""),
        (Answer(ACCEPTED, differences=["values 1, not 2"]), "accepted; values 1, not 2"),
        (Answer(REFUSED, "FileError", ["F-5"]), "FileError F-5"),
    ],
)
def test_the_judge_can_tell_a_wrong_reading(answer: Answer, differs: str) -> None:
    assert disagreement({"kind": "file", "expect": {}}, answer) == differs


def test_golden_vectors_are_beside() -> None:
    assert len(list((FOLDER / "golden").glob("*/*"))) == 12
