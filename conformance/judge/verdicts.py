"""The whole corpus through ``hurray``, once."""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..generator.corpus import FOLDER, content_of
from ..generator.vector import Facts
from .answer import Answer, disagreement
from .known import KNOWN
from .through_hurray import ask


@dataclass(frozen=True)
class Verdict:
    """A vector with hurray's answer. ``differs`` is empty where both sides say the same."""

    entry: Facts
    answer: Answer
    differs: str

    @property
    def path(self) -> str:
        """The vector."""
        return str(self.entry["path"])


def manifest() -> list[Facts]:
    """What the reference says of each vector."""
    found: list[Facts] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["vectors"]
    return found


@functools.cache
def verdicts() -> tuple[Verdict, ...]:
    """One for each vector, in the manifest's order."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for entry in manifest():
            path = FOLDER / entry["path"]
            data = content_of(path)
            if path.suffix == ".gz":
                path = Path(folder) / path.stem
                path.write_bytes(data)
            answer = ask(entry, data, path)
            found.append(Verdict(entry, answer, disagreement(entry, answer)))
    return tuple(found)


def surprises() -> list[str]:
    """Verdicts that differ and are not known, and known ones that do not differ."""
    differing = {one.path: one.differs for one in verdicts() if one.differs}
    new = [f"{path}: {text}" for path, text in differing.items() if path not in KNOWN]
    stale = [f"{path}: agrees, and is listed as known" for path in KNOWN if path not in differing]
    return new + stale
