"""Distributions made on the spot: real wheels, which pip installs."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path


def wheel(folder: Path, name: str, entry_points: str, modules: dict[str, str], version: str = "0.1") -> Path:
    """A wheel of pure Python with these modules."""
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    members = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hurray-tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entry_points,
    }
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
    path = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)
    return path


def install(target: Path, *wheels: Path) -> None:
    """Install the wheels into a folder by pip, without an index."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    local = ["--no-index", "--no-deps", "--no-compile", "--target", str(target)]
    subprocess.run([*pip, *local, *map(str, wheels)], check=True, capture_output=True)
