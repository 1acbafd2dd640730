"""What belongs to the repository, for the checks that read all of it."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
BRIDGES = ("numpy", "torch", "scipy", "jax", "cupy")


@cache
def files() -> tuple[Path, ...]:
    """Every file that git keeps or would keep."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    paths = (ROOT / name for name in done.stdout.decode().split("\0") if name)
    return tuple(sorted({path for path in paths if path.is_file()}))


def texts() -> dict[str, str]:
    """The content of every file that is text, by its path from the root."""
    found = {}
    for path in files():
        try:
            found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
    return found


@cache
def projects() -> dict[str, dict[str, Any]]:
    """The pyproject of each distribution, by the name of its folder."""
    paths = sorted(ROOT.glob("packages/*/pyproject.toml"))
    return {path.parent.name: tomllib.loads(path.read_text(encoding="utf-8")) for path in paths}


def workspace_version() -> str:
    """The version that the Rust workspace states, the one that all others must equal."""
    toml = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
    return str(toml["workspace"]["package"]["version"])


def code_blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a Markdown text in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
