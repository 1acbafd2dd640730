"""Every Python example in the README and the documentation runs as printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tools.repository import ROOT, code_blocks

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WITH_CODE = [page for page in PAGES if code_blocks(page.read_text(encoding="utf-8"), "python")]


def test_there_are_examples() -> None:
    assert len(WITH_CODE) >= 3


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of_a_page_run_in_order(page: Path, tmp_path: Path) -> None:
    code = "\n".join(code_blocks(page.read_text(encoding="utf-8"), "python"))
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
