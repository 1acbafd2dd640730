"""The ids of all reject rules of the format's checklists, and those that no vector can show."""

from __future__ import annotations

# descriptor.md §8, layouts.md §13, quantization.md §9, file.md §10, stream.md §12.
COUNTS = {"D": 51, "L": 57, "Q": 33, "F": 48, "S": 32}
ALL = [f"{family}-{number}" for family, count in COUNTS.items() for number in range(1, count + 1)]
PROTOCOL = "a rule of the network protocol, which nobody implements (stream.md §13.1)"
WITHOUT_VECTOR: dict[str, str] = {
    "F-48": "a file that shrinks while it is mapped is an event, not a sequence of bytes",
    **{f"S-{number}": PROTOCOL for number in range(17, 33)},
}
