"""Memory: nothing reserved for a file, everything given back with the last view (PEERS, memory and speed)."""

from __future__ import annotations

import errno
import sys
from pathlib import Path
from struct import pack

import core_files as craft
import pytest
from core_memory import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sparse files and /proc are Linux's")
MIB = 1 << 20


def sparse(path: Path, sizes: dict[str, int]) -> Path:
    """A file of uint8 tensors of those sizes, all holes but for the last byte of each, which is 1."""
    index, at = pack("<Q", len(sizes)), 64
    try:
        with open(path, "wb") as file:
            file.write(craft.Crafted().build()[:64])
            for name, size in sizes.items():
                blob = craft.descriptor(craft.UINT8, shape=(size,), sizes=(size,))
                file.seek(at)
                file.write(blob)
                start = craft.up(at + len(blob), 4096)
                file.seek(start + size - 1)
                file.write(b"\1")
                index += pack("<H", len(name)) + name.encode() + pack("<QIQQI", at, len(blob), start, size, 0)
                at = craft.up(start + size, 8)
            file.seek(at)
            file.write(index + pack("<QQQIII", at, len(index), 0, 0, craft.crc32c(index), 0) + b"HRRY")
    except OSError as error:
        if error.errno not in (errno.EFBIG, errno.ENOSPC, errno.EINVAL):
            raise
        pytest.skip(f"this file system has no sparse files of {sum(sizes.values()) >> 40} TiB: {error}")
    return path


def test_a_terabyte_opens_and_one_tensor_reads(tmp_path: Path) -> None:
    """Issue 3: a sparse 1 TiB file opens, and one tensor reads; a file larger than memory maps all the same."""
    path = sparse(tmp_path / "big.hrry", {"huge": 1 << 40, "small": 4096})
    code = """
import sys, time, hurray
from core_memory import resident
before = resident()
with hurray.open(sys.argv[1]) as file:
    small, huge = file["small"], file["huge"]
    assert len(file) == 2 and file.size > 1 << 40
loaded = hurray.load(sys.argv[1])
assert small.tolist()[-1] == loaded["small"].tolist()[-1] == 1
assert memoryview(huge)[-1] == 1 and memoryview(huge)[1 << 39] == 0
memoryview(loaded["huge"].buffer(0))[1 << 38] = 7
assert memoryview(huge)[1 << 38] == 0
with hurray.open(sys.argv[1], io="read") as file:
    assert file["small"].tolist()[-1] == 1
    try:
        file["huge"]
    except MemoryError:
        print("no memory")
assert hurray.load(sys.argv[1], names=["small"], io="read")["small"].nbytes == 4096
print((resident() - before) >> 20)
"""
    *refused, grown = run(code, path).split("\n")
    assert int(grown) < 16
    assert refused in ([], ["no memory"])


def test_loading_touches_no_tensor(tmp_path: Path) -> None:
    """hurray.load + every tensor as an array: resident memory +16 MiB at most."""
    path = sparse(tmp_path / "a.hrry", {f"t{at}": 8 * MIB for at in range(128)})
    code = """
import sys, hurray
from core_memory import resident
before = resident()
loaded = hurray.load(sys.argv[1])
views = [memoryview(tensor) for tensor in loaded.values()]
print((resident() - before) >> 20, sum(view.nbytes for view in views) >> 20)
"""
    grown, total = map(int, run(code, path).split())
    assert total == 1024
    assert grown <= 16


def test_a_limit_of_memory_is_no_limit_of_files(tmp_path: Path) -> None:
    """Reserve nothing for it: a mapping counts against no data limit."""
    path = sparse(tmp_path / "a.hrry", {"w": 1 << 34})
    code = """
import resource, sys, hurray
resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))
with hurray.open(sys.argv[1], writable=False) as file:
    print(memoryview(file["w"])[-1])
"""
    assert run(code, path) == "1"


LAST = """
import sys, hurray
from core_memory import resident
size = 96 << 20
path = sys.argv[2]
before = resident()
made = {
    "aligned copy": lambda: hurray.Tensor(memoryview(bytearray(size + 8))[8:], hurray.uint8, (size,)),
    "copy": lambda: hurray.Tensor.from_buffer(memoryview(bytearray(size)), copy=True),
    "read": lambda: hurray.load(path, io="read")["w"],
    "written map": lambda: hurray.load(path)["w"],
    "dlpack": lambda: hurray.from_dlpack(hurray.Tensor(bytearray(size), hurray.uint8, (size,)), copy=True),
}[sys.argv[1]]
for turn in range(2):
    tensor = made()
    view = memoryview(tensor.buffer(0))
    for at in range(0, size, 4096):
        view[at] = 1
    held = resident() - before
    assert held > 80 << 20, held
    part = view[4096:8192]
    del tensor, view
    assert resident() - before > 80 << 20
    del part
    left = resident() - before
    assert left < 16 << 20, (turn, left >> 20)
print("freed")
"""


@pytest.mark.parametrize("what", ["aligned copy", "copy", "read", "written map", "dlpack"])
def test_dropping_the_last_view_frees_the_memory_then(what: str, tmp_path: Path) -> None:
    """PEERS, memory: dropping the last view frees the memory then, not at the next call."""
    path = sparse(tmp_path / "a.hrry", {"w": 96 * MIB})
    assert run(LAST, what, path) == "freed"


def test_saving_holds_nothing_in_memory(tmp_path: Path) -> None:
    """hurray.save: +16 MiB at most, whatever the size; from a map, the pages are given back on the way."""
    path = sparse(tmp_path / "a.hrry", {f"t{at}": 32 * MIB for at in range(6)})
    code = """
import sys, hurray
from core_memory import resident
with hurray.open(sys.argv[1], writable=False) as file:
    before = resident("VmHWM")
    hurray.save(sys.argv[2], file)
print((resident("VmHWM") - before) >> 20)
"""
    assert int(run(code, path, tmp_path / "b.hrry")) <= 24
    code = """
import sys, hurray
from core_memory import resident
data = bytes(192 << 20)
tensors = {"a": hurray.Tensor(data, hurray.uint8, (len(data),))}
before = resident("VmHWM")
hurray.save(sys.argv[1], tensors)
print((resident("VmHWM") - before) >> 20)
"""
    assert int(run(code, tmp_path / "c.hrry")) <= 16


def test_reading_a_file_again_and_again_leaks_nothing(tmp_path: Path) -> None:
    path = sparse(tmp_path / "a.hrry", {f"t{at}": 64 for at in range(50)})
    code = """
import sys, hurray
from core_memory import resident

def turn():
    for io in ("mmap", "read"):
        loaded = hurray.load(sys.argv[1], io=io)
        for tensor in loaded.values():
            memoryview(tensor), tensor.__dlpack__(), tensor.descriptor.encode(), repr(tensor)
    hurray.save(sys.argv[2], loaded, kv={"k": ["a"] * 10})
    hurray.verify(sys.argv[2])
    for bad in (b"", bytes(200)):
        try:
            hurray.load(bad)
        except hurray.FileError:
            pass

for _ in range(100):
    turn()
before = resident()
for _ in range(300):
    turn()
print((resident() - before) >> 10)
"""
    assert int(run(code, path, tmp_path / "b.hrry")) < 2048


def test_too_large_for_memory_is_a_memory_error() -> None:
    """PEERS, claims: too large for memory is MemoryError, and the process lives on."""
    code = """
import hurray
from core_memory import aligned, limit_memory
wide = hurray.Tensor(aligned(64), hurray.uint8, (1 << 20, 1 << 20), layout=hurray.StridedLayout((0, 0)))
view = memoryview(bytearray(192 << 20))
limit_memory(64 << 20)
for use in (
    wide.tobytes,
    lambda: bytes(wide),
    lambda: hurray.Tensor.from_buffer(view, copy=True),
    lambda: hurray.Tensor(view[1:], hurray.uint8, (1 << 20,)),
    lambda: hurray.from_dlpack(hurray.Tensor(view, hurray.uint8, (5,)), copy=True),
):
    try:
        use()
    except MemoryError:
        print("MemoryError")
print(hurray.Tensor(b"abc", hurray.uint8, (3,)).tolist())
"""
    assert run(code).splitlines() == ["MemoryError"] * 5 + ["[97, 98, 99]"]
