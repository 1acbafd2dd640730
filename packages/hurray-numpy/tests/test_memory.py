"""Conversion takes little memory, whatever the size of the arrays: the peak of a fresh process (Linux)."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

SIZE = 256 << 20
MOST = 64  # MiB beyond what the imports take

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")

CODE = """
import sys
import hurray, hurray_numpy, numpy
import hurray_numpy._npz_read, hurray_numpy._npz_write

def peak():
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) >> 10

before = peak()
hurray.convert(sys.argv[1], sys.argv[2])
print(peak() - before)
"""


def grown(source: Path, target: Path) -> int:
    """MiB that the conversion adds to the peak of its process."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(source), str(target)], check=True, capture_output=True, text=True
    )
    return int(done.stdout)


def header(dtype: str, shape: tuple[int, ...], fortran: bool) -> bytes:
    text = f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize(
    ("dtype", "fortran"),
    [("<f4", False), ("<f4", True), (">f4", False), ("|b1", False)],
    ids=["little", "fortran", "big", "bool"],
)
def test_npy_there_and_back(tmp_path: Path, dtype: str, fortran: bool) -> None:
    """Issue 3: peak memory of a conversion < 100 MiB at any size."""
    source, middle = tmp_path / "w.npy", tmp_path / "w.hrry"
    with open(source, "wb") as file:
        file.write(header(dtype, (1 << 14, SIZE >> 14 >> (0 if dtype == "|b1" else 2)), fortran))
        file.truncate(file.tell() + SIZE)
    assert grown(source, middle) < MOST
    assert grown(middle, tmp_path / "back.npy") < MOST
    assert grown(middle, tmp_path / "back.npz") < MOST
    assert (tmp_path / "back.npy").stat().st_size == source.stat().st_size


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_npz_to_hrry_and_npy(tmp_path: Path, method: int) -> None:
    source = tmp_path / "w.npz"
    with zipfile.ZipFile(source, "w", method) as archive, archive.open("w.npy", "w") as member:
        member.write(header("<f4", (1 << 14, SIZE >> 16), False))
        for _ in range(SIZE >> 20):
            member.write(bytes(1 << 20))
    assert grown(source, tmp_path / "w.hrry") < MOST
    assert grown(source, tmp_path / "w.npy") < MOST
