"""The table of verdicts in ``conformance/README.md``, between its two markers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..reference.rules import ALL, PROTOCOL, WITHOUT_VECTOR
from .answer import REFUSED
from .known import KNOWN
from .verdicts import Verdict, verdicts

README = Path(__file__).resolve().parent.parent / "README.md"
START, END = "<!-- verdicts: python -m conformance.judge -->\n", "<!-- end of verdicts -->\n"


def render() -> str:
    """All three tables."""
    return "\n".join([*_differences(), "", *_rules(), "", *_valid(), ""])


def updated(text: str) -> str:
    """The page with the table of today."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n{render()}\n{END}{after}"


def _differences() -> Iterator[str]:
    yield f"### Where hurray and the reference differ ({len(KNOWN)} of {len(verdicts())} vectors)"
    yield ""
    yield "| vector | reference | hurray | reason |"
    yield "| --- | --- | --- | --- |"
    for one in verdicts():
        if one.differs:
            says = " ".join(one.entry["rules"]) if "rules" in one.entry else "valid"
            yield f"| `{one.path}` | {says} | {one.differs} | {KNOWN.get(one.path, '**none**')} |"


def _rules() -> Iterator[str]:
    yield "### Every rule"
    yield ""
    yield "The vectors are those named for the rule, or else those that break it with another."
    yield ""
    yield "| rule | vectors | reference | hurray |"
    yield "| --- | --- | --- | --- |"
    for rule in ALL:
        if WITHOUT_VECTOR.get(rule) == PROTOCOL:
            continue
        if rule in WITHOUT_VECTOR:
            yield f"| {rule} | none: {WITHOUT_VECTOR[rule]} | | |"
            continue
        named = [one for one in verdicts() if one.entry.get("rule") == rule]
        found = named or [one for one in verdicts() if rule in one.entry.get("rules", ())]
        yield f"| {rule} | {_names(found)} | refuses {len(found)} | {_answers(found)} |"
    left_out = [rule for rule in ALL if WITHOUT_VECTOR.get(rule) == PROTOCOL]
    yield f"| {left_out[0]} to {left_out[-1]} | none: {PROTOCOL} | | |"


def _names(found: Sequence[Verdict]) -> str:
    names = [one.path.removeprefix("invalid/").partition(".")[0] for one in found]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(f"`{name}`" for name in names[:3]) + more


def _answers(found: Sequence[Verdict]) -> str:
    counts: Counter[str] = Counter()
    for one in found:
        if one.differs:
            counts[f"**differs**: {one.differs}"] += 1
        elif one.answer.outcome == REFUSED:
            counts[one.answer.error] += 1
    return ", ".join(f"{what} {count}" for what, count in counts.items())


def _valid() -> Iterator[str]:
    yield "### Valid vectors"
    yield ""
    yield "| set | vectors | accepted, same facts and bytes | values compared | not shown by hurray yet |"
    yield "| --- | --- | --- | --- | --- |"
    groups: dict[str, list[Verdict]] = {}
    for one in verdicts():
        if "expect" in one.entry:
            groups.setdefault(_group(one.path), []).append(one)
    for group, found in groups.items():
        same = sum(1 for one in found if not one.differs)
        shown = sum(1 for one in found if not one.answer.unshown and "/descriptors/" not in one.path)
        unshown = sum(1 for one in found if one.answer.unshown)
        rest = f"values {unshown}" if unshown else ""
        yield f"| {group} | {len(found)} | {same} | {shown} | {rest} |"


def _group(path: str) -> str:
    parts = path.split("/")
    return parts[1] if parts[1] != "tensors" else f"tensors: {parts[2].partition('-')[0].partition('.')[0]}"
