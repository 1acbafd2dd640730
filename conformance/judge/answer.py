"""What an implementation answers to a vector, and whether that is what the manifest says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ACCEPTED, REFUSED = "accepted", "refused"
# Which exceptions may carry a rule of each checklist. A verdict of ``verify`` is a list and has no class.
CLASSES = {
    "descriptor": {"InvalidDescriptorError", "BufferError", "UnsupportedError"},
    "stream": {"StreamError", "InvalidDescriptorError", "BufferError", "UnsupportedError"},
    "file": {"FileError", "InvalidDescriptorError", "BufferError", "UnsupportedError"},
}
LISTED = "listed"


@dataclass
class Answer:
    """``error`` is the class of the exception, or ``listed`` for problems that were returned."""

    outcome: str
    error: str = ""
    codes: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    unshown: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        if self.outcome == REFUSED:
            return f"{self.error} {' '.join(dict.fromkeys(self.codes)) or 'without a code'}"
        return "; ".join([self.outcome, *self.differences])


def disagreement(entry: dict[str, Any], answer: Answer) -> str:
    """In what the answer is not what the manifest says; empty where they agree."""
    if "expect" in entry:
        return "" if answer.outcome == ACCEPTED and not answer.differences else str(answer)
    if answer.outcome == ACCEPTED:
        return "accepted"
    if answer.error not in {LISTED, *CLASSES[entry["kind"]]}:
        return f"raises {answer.error}"
    return "" if set(answer.codes) & set(entry["rules"]) else str(answer)
