"""The demo's own run, on both checkpoints: it raises where anything differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from demo.checkpoints import CHECKPOINTS, Checkpoint, sha256
from demo.steps import run
from demo.words import nearest

EXPECTED = {"minilm": 104, "wordllama": 1}


@pytest.fixture(params=sorted(CHECKPOINTS))
def checkpoint(request: pytest.FixtureRequest) -> Checkpoint:
    return CHECKPOINTS[request.param]


def test_main_job(checkpoint: Checkpoint, tmp_path: Path) -> None:
    source = checkpoint.fetch()
    before = sha256(source)
    lines: list[str] = []
    done = run(source, tmp_path, show=lines.append)
    assert done.tensors == EXPECTED[checkpoint.name]
    assert lines, "inspect printed nothing"
    assert done.byte_identical, "the round trip wrote another file"
    assert sha256(source) == before


def test_every_checkpoint_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(CHECKPOINTS)


def test_words_near_ocean(tmp_path: Path) -> None:
    checkpoint = CHECKPOINTS["minilm"]
    source = checkpoint.fetch()
    run(source, tmp_path, show=lambda _: None)
    found = nearest(
        tmp_path / "model.hrry", "embeddings.word_embeddings.weight", source.with_name("vocab.txt"), "ocean"
    )
    assert "sea" in found
