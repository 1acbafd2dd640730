"""The two tables of the public surface, surface.txt and surface_added.txt."""

from __future__ import annotations

from pathlib import Path


class Table:
    """``signatures``: parameters by name; ``members``: names by class, module or submodule."""

    def __init__(self, path: Path) -> None:
        self.signatures: dict[str, list[str]] = {}
        self.members: dict[str, list[str]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                continue
            name, colon, names = line.partition(": ")
            if colon and "(" not in name:
                self.members[name] = names.split()
            else:
                name, _, inner = line.removesuffix(")").partition("(")
                self.signatures[name] = inner.split(", ") if inner else []


_HERE = Path(__file__).resolve().parent
THEIRS = Table(_HERE / "surface.txt")
ADDED = Table(_HERE / "surface_added.txt")
