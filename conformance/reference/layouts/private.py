"""layouts.md §12: private layouts (0xF0 to 0xFE)."""

from __future__ import annotations

from dataclasses import dataclass

from ..faults import Report
from ..wire import Reader, u32s, u64s
from .base import Layout


@dataclass(frozen=True)
class Private(Layout):
    """Opaque bytes under an id; how many buffers there are, and what they hold, is agreed elsewhere."""

    private_tag: int
    layout_id: int
    data: bytes = b""
    name = "private"
    ranks = range(65)

    @classmethod
    def read_tagged(cls, reader: Reader, tag: int) -> Private:
        """12 + n bytes; L-4 where n runs past the descriptor."""
        layout_id, length = reader.u64("extension_layout_id"), reader.u32("extension_data_length")
        reader.rules = "D-1 L-4"
        return cls(tag, layout_id, reader.take(length, "extension data"))

    def encode(self) -> bytes:
        """12 + n bytes."""
        return u64s([self.layout_id]) + u32s(len(self.data)) + self.data

    def own_buffers(self, rank: int) -> None:
        """Not known."""
        return

    def check(self, descriptor: object, report: Report) -> None:
        """L-3."""
        report.add("D-12 L-3", f"private layout {self.layout_id:#x} is not known here")
