"""What a strict reader finds wrong: every fault carries the ids of the reject rules that it breaks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong. ``rules`` are ids of the checklists; several pages may list the same rule."""

    rules: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"{'/'.join(self.rules)}: {self.message}"


class Rejected(ValueError):
    """The input is refused. ``faults`` holds everything found until reading had to stop."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(map(str, faults)))
        self.faults = faults

    @property
    def rules(self) -> set[str]:
        """Ids of all rules that are broken."""
        return {rule for fault in self.faults for rule in fault.rules}


@dataclass
class Report:
    """Collects faults, so that one pass says all that apply.

    ``families`` are the initials of the checklists that count here: the file's rules do not apply in a stream.
    """

    faults: list[Fault] = field(default_factory=list)
    families: str = "DLQ"

    def add(self, rules: str, message: str) -> None:
        """Note a fault after which reading can go on. ``rules``: ids with spaces between."""
        ids = tuple(rule for rule in rules.split() if rule[0] in self.families)
        if ids:
            self.faults.append(Fault(ids, message))

    def check(self, good: bool, rules: str, message: str) -> bool:
        """Note a fault unless ``good``."""
        if not good:
            self.add(rules, message)
        return good

    def stop(self, rules: str, message: str) -> NoReturn:
        """Note a fault after which nothing more can be read."""
        self.add(rules, message)
        raise Rejected(list(self.faults))

    def within(self, rules: str, faults: list[Fault], where: str) -> None:
        """Take over faults of a part; ``rules`` are what the enclosing page calls them."""
        for fault in faults:
            self.add(" ".join((*fault.rules, rules)), f"{where}: {fault.message}")

    def raise_any(self) -> None:
        """Refuse if anything was noted."""
        if self.faults:
            raise Rejected(list(self.faults))
