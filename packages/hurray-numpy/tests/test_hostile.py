"""Hostile files in a subprocess whose memory is limited: an error, and no allocation by claim."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

resource = pytest.importorskip("resource", reason="POSIX only")

BIG = 256 << 20
CODE = """
import resource, sys
import hurray, hurray_numpy, numpy
from hurray_numpy import _npz_read, _write
path, target, room = sys.argv[1], sys.argv[2], int(sys.argv[3])
used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + room, used + room))
try:
    hurray.convert(path, target)
except Exception as error:
    print(type(error).__name__, str(error)[:200])
else:
    print('converted')
"""


def convert(path: Path, room: int) -> str:
    """What converting ``path`` says, with ``room`` bytes of address space to spare."""
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(path), str(path.with_suffix(".hrry")), str(room)],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.stdout.strip()


def claiming(count: int) -> bytes:
    """A .npy header for ``count`` bytes."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count},), }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


@pytest.mark.parametrize("claim", [10**9, 10**12, 2**62])
def test_a_claimed_shape_allocates_nothing(tmp_path: Path, claim: int) -> None:
    """PEERS, claims: sizes that the input only claims allocate nothing."""
    path = tmp_path / "w.npy"
    path.write_bytes(claiming(claim) + bytes(100))
    assert "FormatError" in convert(path, 64 << 20)


def test_a_claimed_header_length_allocates_nothing(tmp_path: Path) -> None:
    path = tmp_path / "w.npy"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 30))
        file.truncate(4 << 30)
    assert "its header cannot be read" in convert(path, (4 << 30) + (64 << 20))


def bomb(path: Path, count: int, claim: int) -> Path:
    """An archive with one member of ``count`` zeros whose header claims ``claim`` of them."""
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out,
        out.open("w.npy", "w", force_zip64=True) as member,
    ):
        member.write(claiming(claim))
        for _ in range(count >> 20):
            member.write(bytes(1 << 20))
    return path


def test_a_bomb_that_inflates_to_what_it_claims_passes_in_little_memory(tmp_path: Path) -> None:
    """Zeros that deflate a thousandfold are a file like any other, and take no memory of their size."""
    path = bomb(tmp_path / "w.npz", BIG, BIG)
    assert path.stat().st_size < 1 << 20
    assert convert(path, 64 << 20) == "converted"
    assert (tmp_path / "w.hrry").stat().st_size > BIG


def test_a_bomb_that_inflates_to_more_than_it_claims_is_stopped(tmp_path: Path) -> None:
    path = bomb(tmp_path / "w.npz", BIG, 1000)
    data = bytearray(path.read_bytes())
    central = data.rfind(b"PK\x01\x02")
    struct.pack_into("<L", data, central + 24, 1128)
    path.write_bytes(data)
    assert "inflates beyond the 1128 bytes it claims" in convert(path, 64 << 20)
    assert not (tmp_path / "w.hrry").exists()


def test_a_bomb_with_a_false_array_header_is_refused_before_it_inflates(tmp_path: Path) -> None:
    path = bomb(tmp_path / "w.npz", 64 << 20, 10**12)
    assert "takes 1000000000000 bytes" in convert(path, 64 << 20)


def test_a_directory_that_claims_the_whole_file_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    size = 3 << 30
    with open(path, "wb") as file:
        file.write(b"PK\x03\x04" + bytes(22) + struct.pack("<2H", 5, 0) + b"w.npy")
        file.seek(size)
        file.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, size, 0, 0))
    assert "the directory has no entry where one is due" in convert(path, size + (64 << 20))


def test_object_arrays_in_an_archive_run_nothing(tmp_path: Path) -> None:
    """Issue 3: object arrays are refused, never unpickled."""

    class Trap:
        def __reduce__(self) -> tuple[object, ...]:
            return (exec, (f"open({str(tmp_path / 'sprung')!r}, 'w')",))

    out = io.BytesIO()
    np.save(out, np.array([Trap()], object), allow_pickle=True)
    with zipfile.ZipFile(tmp_path / "w.npz", "w") as archive:
        archive.writestr("w.npy", out.getvalue())
    assert "pickled Python objects, which are never loaded" in convert(tmp_path / "w.npz", 64 << 20)
    (tmp_path / "w.npz").unlink()
    (tmp_path / "w.npy").write_bytes(out.getvalue())
    assert "pickled Python objects, which are never loaded" in convert(tmp_path / "w.npy", 64 << 20)
    assert not (tmp_path / "sprung").exists()
