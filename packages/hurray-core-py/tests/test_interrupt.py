"""Ctrl-C in the middle of long work: KeyboardInterrupt, and nothing lost (PEERS, streams; ruling 4)."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from struct import pack

import core_files as craft
import hurray
import pytest

# The size is such that the work takes much longer than the signal; holes make it cheap where they are only read.
CODE = """
import sys, hurray
source, target, what = sys.argv[1:]
mapped = hurray.FileMap(source)
size = len(mapped)

def writer():
    with hurray.FileWriter(target) as out:
        out.write_buffer("w", mapped, hurray.uint8, (size,))

def pieces():
    with hurray.FileWriter(target) as out:
        out.write_pieces("w", (memoryview(mapped)[at : at + (1 << 20)] for at in range(0, size, 1 << 20)),
                         hurray.uint8, (size,))

def tofile():
    with open(target + ".raw", "wb") as file:
        hurray.Tensor(mapped, hurray.uint8, (size,)).tofile(file)

def strided():
    side = 1 << 14
    with open(target + ".raw", "wb") as file:
        hurray.Tensor(mapped, hurray.uint8, (side, size // side)).T.tofile(file)

def write_all():
    with open(target + ".raw", "wb") as file:
        hurray.write_all(file, mapped)

work = {
    "save": lambda: hurray.save(target, {"w": hurray.Tensor(mapped, hurray.uint8, (size,))}),
    "many": lambda: hurray.save(target, {f"t{at}": memoryview(mapped)[at << 20 : at + 1 << 20] for at in range(1024)}),
    "writer": writer,
    "pieces": pieces,
    "tofile": tofile,
    "strided": strided,
    "write_all": write_all,
    "read": lambda: hurray.load(source + ".hrry", io="read"),
    "validate": lambda: hurray.load(source + ".csr.hrry")["w"].validate(),
    "check": lambda: hurray.save(target, hurray.load(source + ".csr.hrry")),
    "verify": lambda: hurray.verify(source + ".csr.hrry"),
    "tolist": lambda: hurray.Tensor(mapped, hurray.uint8, (size,)).tolist(),
}[what]

print("begin", flush=True)
try:
    work()
    print("ended by itself")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of a gigabyte of holes, and a .hrry file of the same kind."""
    target = tmp_path_factory.mktemp("source") / "big"
    with open(target, "wb") as file:
        file.truncate(1 << 30)
    size = 1 << 32
    _holes(Path(f"{target}.hrry"), craft.descriptor(craft.UINT8, shape=(size,), sizes=(size,)), size)
    # A CSR tensor with one row, whose indices are a gigabyte of zeros.
    nnz = 1 << 27
    sizes = (nnz, 8 * nnz, 16)
    blob = craft.descriptor(craft.UINT8, 7, (1, nnz), sizes, payload=pack("<Q8x", nnz))
    path = Path(f"{target}.csr.hrry")
    _holes(path, blob, 9 * nnz + 16)
    with open(path, "r+b") as file:
        file.seek(4096 + 9 * nnz + 8)
        file.write(pack("<Q", nnz))
    return target


def _holes(path: Path, blob: bytes, size: int) -> None:
    """A file of one tensor without bytes in its data."""
    index = pack("<QH", 1, 1) + b"w" + pack("<QIQQI", 64, len(blob), 4096, size, 0)
    end = craft.up(4096 + size, 8)
    with open(path, "wb") as file:
        file.write(craft.Crafted().build()[:64] + blob)
        file.seek(end)
        file.write(index + pack("<QQQIII", end, len(index), 0, 0, craft.crc32c(index), 0) + b"HRRY")


@pytest.mark.skipif(sys.platform != "linux", reason="sparse files and their speed are Linux's")
@pytest.mark.parametrize(
    "what",
    [
        *("save", "many", "writer", "pieces", "tofile", "strided", "write_all", "read", "tolist"),
        *("validate", "check", "verify"),
    ],
)
def test_control_c_ends_it_soon_and_the_old_file_is_whole(what: str, source: Path, tmp_path: Path) -> None:
    """Ctrl-C interrupts: a prompt KeyboardInterrupt, the old file as it was, nothing left beside."""
    target = tmp_path / "a.hrry"
    hurray.save(target, {"old": b"abc"})
    with subprocess.Popen(
        [sys.executable, "-c", CODE, str(source), str(target), what], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "begin\n"
        time.sleep(0.1)
        worker.send_signal(signal.SIGINT)
        sent = time.perf_counter()
        assert worker.stdout.readline() == "interrupted\n"
        assert time.perf_counter() - sent < 2
    assert worker.returncode == 0
    assert hurray.load(target)["old"].tobytes() == b"abc"
    assert {entry.name for entry in tmp_path.iterdir()} <= {"a.hrry", "a.hrry.raw"}
