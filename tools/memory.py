"""Capsules under valgrind: ``python -m tools.memory`` (``nox -s memory``).

What memcheck says of the interpreter itself is left to its authors. Ours is what has a frame in the extension module
or in the C of the tests: bytes read, written or freed out of turn, and blocks that are lost.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from tools.repository import ROOT

SCRIPT = ROOT / "packages/hurray-core-py/tests/capsules.py"
OURS = ("_core.", "native_peer.", "dlpack_producer.")
# The tables that PyO3 hands CPython with each class live as long as the process.
IMMORTAL = "pyo3::pyclass::create_type_object"


def frames(error: ElementTree.Element) -> list[tuple[str, str]]:
    """(library, function) of every frame, innermost first."""
    found = error.iter("frame")
    return [(Path(frame.findtext("obj", "")).name, frame.findtext("fn", "")) for frame in found]


def is_ours(error: ElementTree.Element) -> bool:
    """Whether an error is one of the code that is under test."""
    kind, stack = error.findtext("kind", ""), frames(error)
    if kind.startswith("Uninit"):
        stack = stack[:1]  # deeper down, what the interpreter branches on is its own
    mine = any(library.startswith(OURS) for library, _ in stack)
    return mine and not any(IMMORTAL in function for _, function in stack)


def shown(error: ElementTree.Element) -> str:
    """An error and where it is."""
    what = error.findtext("what") or error.findtext("xwhat/text") or ""
    return "\n    ".join([f"{error.findtext('kind')}: {what}", *(f"{a}: {b}" for a, b in frames(error))])


def main() -> int:
    """Run the script, print what is wrong and how much was handled."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("no valgrind is found")
        return 1
    with tempfile.TemporaryDirectory() as folder:
        xml = Path(folder) / "errors.xml"
        options = ["--xml=yes", f"--xml-file={xml}", "--leak-check=full", "--show-leak-kinds=definite"]
        command = [valgrind, *options, "--num-callers=40", sys.executable, str(SCRIPT), folder]
        # Each object of Python's in a block of its own, so that memcheck sees its end.
        env = {**os.environ, "PYTHONMALLOC": "malloc"}
        done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
        print(*done.stdout.splitlines()[-1:])
        if done.returncode != 0:
            sys.stderr.write(done.stderr[-2000:])
            return 1
        errors = [error for error in ElementTree.parse(xml).getroot().iter("error") if is_ours(error)]
    for error in errors:
        print(shown(error))
    print(f"{len(errors)} errors of ours")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
