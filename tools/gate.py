"""A gate: a command whose verdict is a count. It fails when the command fails, and when it counted nothing."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "build" / "gates"


@dataclass
class Verdict:
    """What one gate found."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    unit: str = "tests"
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing failed and something was checked."""
        return self.failed == 0 and self.passed > 0


def run(command: Sequence[str | Path], *, cwd: Path = ROOT, echo: bool = True) -> tuple[int, str]:
    """Run ``command``, show its output as it comes, and return its exit status and all that it printed."""
    print("$", " ".join(str(part) for part in command), flush=True)
    lines = []
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if echo:
                print(line, end="", flush=True)
    return process.returncode, "".join(lines)


def counted(
    name: str, unit: str, command: Sequence[str | Path], count: Callable[[str], int], *, echo: bool = True
) -> Verdict:
    """A gate over a command that either succeeds as a whole or fails: ``count`` says how much it looked at."""
    begin = time.monotonic()
    status, output = run(command, echo=echo)
    verdict = Verdict(name, unit=unit, seconds=time.monotonic() - begin)
    if status:
        verdict.failed = 1
        verdict.notes.append(f"exit status {status}")
        if not echo:
            print(output, end="")
    else:
        verdict.passed = count(output)
    return verdict


def total_of(pattern: str) -> Callable[[str], int]:
    """A counter that adds up the first group of every match of ``pattern``."""
    return lambda output: sum(int(match.group(1)) for match in re.finditer(pattern, output))


def report(title: str, verdicts: Sequence[Verdict]) -> int:
    """Print the table of ``verdicts``, keep it for the closing line, and return the exit status."""
    print(f"\n== {title} ==")
    width = max((len(verdict.name) for verdict in verdicts), default=0)
    for verdict in verdicts:
        state = "ok  " if verdict.ok else "FAIL"
        text = f"{verdict.passed} {verdict.unit}, {verdict.failed} failed, {verdict.skipped} skipped"
        print(f"{state} {verdict.name:{width}}  {text}  ({verdict.seconds:.1f} s)")
        if verdict.passed == 0 and verdict.failed == 0:
            print(f"     {verdict.name}: checked nothing, which counts as a failure")
        for note in verdict.notes:
            print(f"     {note}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", title).strip("-")
    (RESULTS / f"{slug}.json").write_text(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))
    failed = [verdict.name for verdict in verdicts if not verdict.ok]
    if failed:
        print(f"failed: {', '.join(failed)}")
    return 1 if failed or not verdicts else 0


def closing() -> int:
    """Add up what all sessions since the last ``clean`` have counted, in one line."""
    passed = failed = skipped = 0
    for file in sorted(RESULTS.glob("*.json")):
        for row in json.loads(file.read_text()):
            if row["unit"] == "tests":
                passed, failed, skipped = (
                    passed + row["passed"],
                    failed + row["failed"],
                    skipped + row["skipped"],
                )
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or not passed else 0


def clean() -> None:
    """Forget what earlier sessions counted."""
    for file in RESULTS.glob("*.json"):
        file.unlink()


if __name__ == "__main__":
    sys.exit(closing())
