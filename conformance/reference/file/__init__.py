"""file.md: the HRRYFILE container."""

from __future__ import annotations

from .model import Entry, File
from .reading import parse_file
from .writing import lay_out

__all__ = ["Entry", "File", "lay_out", "parse_file"]
