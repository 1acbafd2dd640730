"""The umbrella's extras, from the built wheels and with no index asked, pull what they name."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from tools.repository import ROOT, projects

DIST = ROOT / "dist"


def requirements(wheels: Path) -> set[tuple[str, str]]:
    """(name, version) of the distributions of others that ours name, a version that each allows."""
    found = set()
    for path in wheels.glob("hurray*.whl"):
        with zipfile.ZipFile(path) as archive:
            member = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
            metadata = message_from_string(archive.read(member).decode())
        for needed in metadata.get_all("Requires-Dist") or []:
            name, bounds = re.match(r"([A-Za-z0-9._-]+)([^;]*)", needed).groups()  # type: ignore[union-attr]
            least = re.search(r"(?:>=|==|~=) *([0-9][0-9.]*)", bounds)
            found.add((name, least.group(1) if least else "1.0"))
    return {(name, version) for name, version in found if not name.startswith("hurray")}


def stand_in(folder: Path, name: str, version: str) -> None:
    """A wheel of nothing under somebody else's name."""
    stem = f"{re.sub(r'[-.]+', '_', name)}-{version}"
    info = f"{stem}.dist-info"
    members = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as archive:
        for member, text in members.items():
            archive.writestr(member, text)


def pulled(extras: str, folder: Path) -> set[str]:
    """What pip would install for ``hurray[extras]`` out of dist/ and the stand-ins."""
    for name, version in requirements(DIST):
        stand_in(folder, name, version)
    report = folder / "report.json"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--dry-run"]
    local = ["--ignore-installed", "--no-index", "--find-links", str(DIST), "--find-links", str(folder)]
    done = subprocess.run(
        [*pip, *local, "--report", str(report), f"hurray[{extras}]"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    installed = json.loads(report.read_text(encoding="utf-8"))["install"]
    return {one["metadata"]["name"] for one in installed}


@pytest.mark.parametrize("extras", ["numpy", "torch,scipy", "jax", "cupy", "all"])
def test_an_extra_pulls_the_bridges_that_it_names(extras: str, tmp_path: Path) -> None:
    if not list(DIST.glob("hurray-*.whl")):
        pytest.skip("dist/ has no wheels: nox -s wheels builds them")
    named = {"numpy", "torch", "scipy", "jax"} if extras == "all" else set(extras.split(","))
    got = {name for name in pulled(extras, tmp_path) if name.startswith("hurray")}
    bridges = {f"hurray-{name}" for name in named}
    assert {"hurray", "hurray-core-py", "hurray-cli"} | bridges <= got
    # A bridge may build on another, which then is one of its own requirements.
    assert got <= set(projects())
    unasked = {f"hurray-{name}" for name in ("torch", "scipy", "jax", "cupy")} - bridges
    assert got & unasked == set()
