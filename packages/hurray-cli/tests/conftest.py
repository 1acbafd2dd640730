"""Settings of the tests of the command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colours, widths and switches of the shell that runs the tests are not part of them."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "HURRAY_PLUGINS"):
        monkeypatch.delenv(name, raising=False)
