"""Frameworks are named in plugin folders only: the core needs no release when a new one comes."""

from __future__ import annotations

import io
import re
import tokenize

import pytest

from tools.repository import BRIDGES, texts

NAMES = "|".join(BRIDGES)
WORD = re.compile(rf"[\w-]*(?:{NAMES})[\w-]*")
CORE = ("crates/hurray-wire/src/", "packages/hurray-core-py/src/", "packages/hurray-core-py/python/")
# What the core may say: the documented shortcuts of the public surface, and where the bridges come from.
SURFACE = {"from_numpy", "from_torch", "from_scipy", "to_torch", "to_scipy"}
DISTRIBUTIONS = {f"hurray-{name}" for name in BRIDGES}
# Further words, by file: where the documented shortcuts ask for the bridge of their name, and which bridges are ours.
PYTHON = "packages/hurray-core-py/python/hurray"
ALLOWED: dict[str, set[str]] = {
    f"{PYTHON}/_allocator.py": {"numpy"},
    f"{PYTHON}/_ingest.py": {"scipy", "torch"},
    f"{PYTHON}/bridges.py": set(BRIDGES),
    "packages/hurray-core-py/src/tensor/class.rs": {"numpy", "scipy", "torch"},
    "packages/hurray-core-py/src/tensor/trusted.rs": {"numpy"},
}


def without_comments(path: str, text: str) -> str:
    """The code alone: prose may name whom it is about."""
    if path.endswith(".rs"):
        return re.sub(r"//.*", "", text)
    kept = []
    previous = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        docstring = token.type == tokenize.STRING and previous in (
            tokenize.NEWLINE,
            tokenize.INDENT,
            tokenize.DEDENT,
        )
        if token.type != tokenize.COMMENT and not docstring:
            kept.append(token.string)
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            previous = token.type
    return " ".join(kept)


SOURCES = [path for path in texts() if path.startswith(CORE) and path.endswith((".rs", ".py", ".pyi"))]


def test_the_core_has_sources() -> None:
    assert len(SOURCES) > 30


@pytest.mark.parametrize("path", SOURCES)
def test_core_names_no_framework(path: str) -> None:
    words = set(WORD.findall(without_comments(path, texts()[path])))
    assert sorted(words - SURFACE - DISTRIBUTIONS - ALLOWED.get(path, set())) == []


def test_allow_list_holds_nothing_idle() -> None:
    for path, words in ALLOWED.items():
        assert words <= set(WORD.findall(without_comments(path, texts()[path]))), path
