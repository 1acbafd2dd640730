"""Use of what was loaded: the words whose embeddings lie nearest to a given one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hurray
import numpy as np

if TYPE_CHECKING:
    from pathlib import Path


def nearest(file: Path, tensor: str, vocabulary: Path, word: str, count: int = 5) -> list[str]:
    """The ``count`` words nearest to ``word`` by the cosine of their rows in ``tensor`` of ``file``."""
    words = vocabulary.read_text(encoding="utf-8").splitlines()
    with hurray.open(file) as opened:
        rows = np.asarray(opened[tensor])
        norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
        index = words.index(word)
        cosine = (rows @ rows[index]) / np.maximum(norms * norms[index], 1e-12)
        order = np.argsort(-cosine)
    return [words[i] for i in order if i != index][:count]
