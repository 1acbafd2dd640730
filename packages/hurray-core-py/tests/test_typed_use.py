"""The typing test's own code runs: a program that only type-checks proves nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path


def test_typed_use_runs(tmp_path: Path) -> None:
    path = Path(__file__).with_name("typed") / "use.py"
    spec = importlib.util.spec_from_file_location("typed_use", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.use(tmp_path)
