"""The steps of the demo, each timed, each raising where a result is not what it must be."""

from __future__ import annotations

import subprocess
import sysconfig
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hurray
import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file

if TYPE_CHECKING:
    from collections.abc import Callable

    Arrays = dict[str, np.ndarray[Any, Any]]

HURRAY = Path(sysconfig.get_path("scripts")) / "hurray"


@dataclass
class Step:
    """What was done, what came of it, and how long it took."""

    what: str
    result: str
    seconds: float


@dataclass
class Run:
    """All that one run of the demo did."""

    steps: list[Step] = field(default_factory=list)
    tensors: int = 0
    byte_identical: bool = False

    def do(self, what: str, action: Callable[[], str]) -> None:
        """Time ``action``, whose return value says what came of it."""
        begin = time.perf_counter()
        result = action()
        self.steps.append(Step(what, result, time.perf_counter() - begin))


def command(*arguments: str | Path) -> str:
    """Run the ``hurray`` command and return what it printed on stdout; its last line on stderr is shown."""
    done = subprocess.run([HURRAY, *arguments], capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode:
        raise SystemExit(f"hurray {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stderr}")
    return done.stdout or done.stderr


def same_bits(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    """Whether two arrays agree in type, shape and every bit: NaNs and the sign of zero included."""
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def compare(ours: Arrays, theirs: Arrays) -> str:
    """Compare every tensor bit for bit."""
    if sorted(ours) != sorted(theirs):
        raise SystemExit(f"the names differ: {sorted(set(ours) ^ set(theirs))}")
    wrong = [name for name in ours if not same_bits(ours[name], theirs[name])]
    if wrong:
        raise SystemExit(f"{len(wrong)} tensors differ: {', '.join(wrong[:5])}")
    return f"{len(ours)} of {len(theirs)} tensors equal, bit for bit"


def compare_files(source: Path, back: Path) -> tuple[bool, str]:
    """Compare two safetensors files: the bytes, else tensors and metadata as the safetensors library reads them."""
    if source.read_bytes() == back.read_bytes():
        return True, "the same file, byte for byte"
    with safe_open(source, "np") as one, safe_open(back, "np") as other:
        if (one.metadata() or {}) != (other.metadata() or {}):
            raise SystemExit(f"the metadata differ: {one.metadata()} and {other.metadata()}")
    return (
        False,
        f"{compare(load_file(back), load_file(source))}, metadata equal; the header is written differently",
    )


def run(source: Path, folder: Path, *, show: Callable[[str], None] = print) -> Run:
    """Convert ``source`` into ``folder`` and back, and use what is in between."""
    done = Run()
    target, back = folder / "model.hrry", folder / "model.safetensors"
    ours: Arrays = {}

    def load() -> str:
        ours.update((name, np.asarray(tensor)) for name, tensor in hurray.load(target).items())
        return f"{len(ours)} tensors as NumPy arrays, mapped: no copy"

    def read() -> str:
        total = sum(array.nbytes for array in ours.values())
        finite = all(bool(np.isfinite(array).all()) for array in ours.values())
        return f"{total:,} bytes read, {'all finite' if finite else 'not all finite'}"

    def round_trip() -> str:
        done.byte_identical, text = compare_files(source, back)
        return text

    done.do("hurray convert to .hrry", lambda: command("convert", source, target).strip())
    done.do("hurray inspect", lambda: _shown(command("inspect", target).replace(f"{folder}/", ""), show))
    done.do("hurray verify", lambda: command("verify", target).strip())
    done.do("hurray.load", load)
    done.do("read every element", read)
    done.do("compare with safetensors", lambda: compare(ours, load_file(source)))
    done.do("hurray convert back", lambda: command("convert", target, back).strip())
    done.do("compare the files", round_trip)
    done.tensors = len(ours)
    return done


def _shown(text: str, show: Callable[[str], None], lines: int = 16) -> str:
    """Show the first lines of a command's answer, and say how many there are."""
    all_lines = text.splitlines()
    for line in all_lines[:lines]:
        show(f"    {line}")
    if len(all_lines) > lines:
        show(f"    ... {len(all_lines) - lines} more lines")
    return f"{len(all_lines)} lines"
