"""The corpus itself: nothing is missing, nothing is left over, and the generator writes the same bytes again."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conformance.generator.corpus import FOLDER, content_of, entry_of, manifest_text, path_of, vectors
from conformance.reference.rules import ALL, WITHOUT_VECTOR

MANIFEST: list[dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["vectors"]
LEAST = {
    "valid/descriptors": 82, "valid/tensors": 202, "valid/streams": 3, "valid/composites": 14, "valid/files": 29,
    "invalid/descriptors": 192, "invalid/quantization": 102, "invalid/contents": 52, "invalid/streams": 27,
    "invalid/composites": 16, "invalid/files": 133,
}  # fmt: skip


def present() -> set[str]:
    found = (path for part in ("valid", "invalid") for path in (FOLDER / part).rglob("*") if path.is_file())
    return {path.relative_to(FOLDER).as_posix() for path in found}


def test_no_set_is_empty() -> None:
    counts = Counter("/".join(entry["path"].split("/")[:2]) for entry in MANIFEST)
    assert set(counts) == set(LEAST)
    assert {name: count for name, count in counts.items() if count < LEAST[name]} == {}


def test_every_vector_is_listed_once_and_every_listed_one_is_there() -> None:
    listed = [entry["path"] for entry in MANIFEST]
    assert len(listed) == len(set(listed))
    assert set(listed) == present()


def test_the_corpus_stays_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3 << 20


def test_the_generator_writes_the_committed_bytes_and_manifest() -> None:
    entries = []
    for vector in vectors():
        assert content_of(FOLDER / path_of(vector)) == vector.data, vector.name
        entries.append(entry_of(vector))
    assert manifest_text(entries) == (FOLDER / "manifest.json").read_text(encoding="utf-8")


def test_every_rule_has_a_vector_or_a_reason() -> None:
    broken = {rule for entry in MANIFEST for rule in entry.get("rules", ())}
    assert broken <= set(ALL)
    assert {rule for rule in ALL if rule not in broken} == set(WITHOUT_VECTOR)
    assert all(WITHOUT_VECTOR.values())


@pytest.mark.parametrize(
    "entry", [one for one in MANIFEST if "rule" in one], ids=lambda entry: str(entry["path"])
)
def test_an_invalid_vector_is_named_for_its_fault(entry: dict[str, Any]) -> None:
    assert Path(entry["path"]).name.startswith(f"{entry['rule'].lower()}-")
    assert entry["rule"] in entry["rules"]
    assert "expect" not in entry
