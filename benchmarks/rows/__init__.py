"""The rows of the table, a module for each kind of work; each offers ``rows(bench)``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Bench:
    """Where a run keeps its files, and the interpreter that has the released pyhurray."""

    folder: Path
    size: int
    peer: str | None

    @property
    def large(self) -> Path:
        """1 GiB in 300 tensors; the same beside it as safetensors."""
        return self.folder / "large.hrry"

    @property
    def many(self) -> Path:
        """100,000 tensors of 64 bytes; the same beside it as safetensors."""
        return self.folder / "many.hrry"
