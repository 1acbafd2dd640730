"""Every public docstring: a sentence, what is refused, and the clause that it answers to."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hurray
import pytest

# Dunders that are more than Python's own protocol.
DUNDERS = ("__array__", "__dlpack__", "__dlpack_device__", "__hurray__")
CLAUSE = re.compile(
    r"format: [a-z]|[a-z-]+\.md\b|requirements: [A-Z]|04-tables|[Rr]uling \d|\b[DLQFS]-\d+\b|[NP]EP \d"
)
REFUSALS = re.compile(r"[Rr]aises?\b|refuse|:raises ")
TEXTS = Path(__file__).resolve().parents[4] / "shared" / "requirements"


def public() -> Iterator[tuple[str, Any, Any]]:
    """Name, object and class of everything that a program may use."""
    for name in sorted(hurray.__all__):
        found = getattr(hurray, name)
        if isinstance(found, type):
            yield name, found, None
            for member in sorted(vars(found)):
                if not member.startswith("_") or member in DUNDERS:
                    yield f"{name}.{member}", getattr(found, member), found
        elif callable(found):
            yield name, found, None


PUBLIC = list(public())
# An attribute with a value as its default has no docstring of its own; its class says what it is.
PLAIN = [name for name, found, _ in PUBLIC if name.endswith(".code") and found is None]


def text_of(found: Any) -> str:
    return inspect.getdoc(found) or ""


def parameters_of(found: Any) -> list[str]:
    try:
        parameters = inspect.signature(found).parameters
    except (TypeError, ValueError):
        return []
    return [name for name in parameters if name not in ("self", "cls", "memo")]


def lacks(found: Any, owner: Any) -> list[str]:
    """What a docstring does not say and should."""
    text = text_of(found)
    if not text:
        return ["a docstring"]
    missing = []
    if not re.search(r"[.:]$", text.split("\n\n")[0].strip()):
        missing.append("a first sentence")
    if not isinstance(found, type) and parameters_of(found) and not REFUSALS.search(text):
        missing.append("what it refuses")
    if not CLAUSE.search(text) and not (owner is not None and CLAUSE.search(text_of(owner))):
        missing.append("a clause of the format or of the requirements")
    return missing


@pytest.mark.parametrize(
    ("name", "found", "owner"),
    [row for row in PUBLIC if row[0] not in PLAIN],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_it_says_what_it_does_what_it_refuses_and_by_which_clause(name: str, found: Any, owner: Any) -> None:
    assert lacks(found, owner) == [], name


def test_the_walk_meets_the_whole_surface() -> None:
    names = {name for name, _, _ in PUBLIC}
    assert len(names) > 300
    assert {"Tensor.tolist", "Composite.members", "StreamReader.close", "save", "File.members"} <= names
    assert len(PLAIN) == 5


def test_the_walk_can_fail() -> None:
    def bare(x: int) -> None: ...

    def told(x: int) -> None:
        pass

    told.__doc__ = "It takes a number\n\nand stops."

    assert lacks(bare, None) == ["a docstring"]
    assert lacks(told, None) == [
        "a first sentence",
        "what it refuses",
        "a clause of the format or of the requirements",
    ]


@pytest.mark.skipif(not TEXTS.is_dir(), reason="the requirement texts are not beside this clone")
def test_the_sections_that_are_named_exist() -> None:
    """`requirements: X` is a heading of the texts, or a ruling of 04-tables."""
    headings = set()
    for path in TEXTS.glob("0[123]*.txt"):
        headings |= {line.strip() for line in path.read_text(encoding="utf-8").splitlines() if len(line) < 60}
    named: dict[str, str] = {}
    for name, found, _ in PUBLIC:
        for clause in re.findall(r"requirements: ([^;)]+)", " ".join(text_of(found).split())):
            for one in re.split(r"; requirements: ", clause):
                named.setdefault(one.strip(), name)
    wrong = {one: name for one, name in named.items() if one.split(",")[0].removesuffix(" ") not in headings}
    assert wrong == {}
