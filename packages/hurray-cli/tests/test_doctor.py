"""``hurray doctor`` and the bridges of others: what is broken or there twice is named, and harms nothing."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cli_helpers import process

WORKING = """
class Bridge:
    name = "twin"
    def owns(self, obj): return False
    def from_object(self, obj, *, copy=None): raise TypeError
    def to_object(self, tensor): return None
bridge = Bridge()
"""


def distribution(folder: Path, name: str, bridge: str, source: str) -> None:
    """A distribution with one bridge, laid out as pip lays it out."""
    module = name.replace("-", "_")
    info = folder / f"{module}-2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[hurray.bridges]\n{bridge} = {module}:bridge\n")
    (folder / f"{module}.py").write_text(source)


def test_broken_and_duplicate_bridges_are_named(tmp_path: Path) -> None:
    distribution(tmp_path, "torn-plugin", "torn", "raise RuntimeError('no luck')")
    distribution(tmp_path, "twin-one", "twin", WORKING)
    distribution(tmp_path, "twin-two", "twin", WORKING)
    done = process("doctor", env={**os.environ, "PYTHONPATH": os.fspath(tmp_path)})
    assert (done.status, done.err) == (0, "")
    assert re.search(r"torn +bridge +torn-plugin 2\.0 +broken .*RuntimeError: no luck", done.out)
    for name in ("twin-one", "twin-two"):
        line = re.search(rf"twin +bridge +{name} 2\.0 +duplicate .*", done.out)
        assert line is not None
        assert "twin-one 2.0" in line.group()
        assert "twin-two 2.0" in line.group()
    assert re.search(r"numpy +bridge +hurray-numpy \S+ +ok", done.out)
