"""layouts.md §11: the head of a composite (0x0B), a descriptor without data."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..faults import Report
from ..wire import Reader
from .base import Layout

if TYPE_CHECKING:
    from ..descriptor import Descriptor

PARTITION, OVERLAY, GROUP = 1, 2, 3
REPLACE, ADD = 1, 2


@dataclass(frozen=True)
class CompositeHead(Layout):
    """The next ``member_count`` items are its members."""

    rule: int
    member_count: int
    combine: int = 0
    reserved: bytes = b"\0\0"
    tag = 0x0B
    name = "composite"
    dense = False

    @classmethod
    def read(cls, reader: Reader, rank: int, report: Report) -> CompositeHead:
        """Eight bytes."""
        rule, combine, reserved, count = struct.unpack("<BB2sI", reader.take(8, "composite payload"))
        known = report.check(rule in (PARTITION, OVERLAY, GROUP), "D-27 L-43", f"composition rule {rule:#x}")
        if known:
            allowed = (REPLACE, ADD) if rule == OVERLAY else (0,)
            report.check(combine in allowed, "D-27 L-44", f"combine_op {combine} under rule {rule}")
        report.check(not any(reserved), "D-27 L-45", "composite: reserved bytes")
        report.check(count != 0xFFFF_FFFF, "D-27 L-45", "an open composite")
        return cls(rule, count, combine, reserved)

    def encode(self) -> bytes:
        """Eight bytes."""
        return struct.pack("<BB2sI", self.rule, self.combine, self.reserved, self.member_count)

    def own_buffers(self, rank: int) -> int:
        """None."""
        return 0

    def check(self, descriptor: Descriptor, report: Report) -> None:
        """D-28, D-30 and L-55."""
        report.check(not descriptor.handles, "D-30 L-41", "a composite head with buffers")
        report.check(
            descriptor.byte_offset == 0, "D-30 L-41", f"byte_offset {descriptor.byte_offset} on a head"
        )
        report.check(descriptor.quantization is None, "D-30 L-42 Q-32", "a quantized composite head")
        report.check(descriptor.member is None, "D-30 L-42", "a member section on a composite head")
        report.check(self.rule != OVERLAY or self.member_count > 0, "D-28 L-53", "an overlay of no members")
        fixed = self.rule == GROUP or None not in descriptor.static_shape
        report.check(fixed, "L-55", "a partition or overlay with a dynamic dim")
