"""Killed processes, full disks, and files that change under their readers (ruling 4; issue 3, Bad input)."""

from __future__ import annotations

import contextlib
import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_memory import python, run
from core_numpy import np

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals, tmpfs and /proc as Linux has them")
COUNT = 40


def tensors(value: int, size: int = 30_000) -> dict[str, object]:
    """Tensors that all hold one number, so that a mixture of two saves shows."""
    return {f"t{at}": np.full(size, value, np.uint8).data for at in range(COUNT)}


def value_of(path: Path) -> int:
    """The number that a whole file of ``tensors`` holds; anything else fails."""
    loaded = hurray.load(path, io="read")
    assert len(loaded) == COUNT
    found: set[int] = {byte for tensor in loaded.values() for byte in set(tensor.tobytes())}
    assert len(found) == 1, f"a mixture: {found}"
    (value,) = found
    assert hurray.load_kv(path) == {"value": value}
    return value


SAVER = """
import itertools, sys, hurray
path, how = sys.argv[1:]
for value in itertools.cycle(range(1, 200)):
    data = bytes([value]) * 30_000
    if how == "save":
        hurray.save(path, {f"t{at}": data for at in range(40)}, kv={"value": value})
    else:
        with hurray.FileWriter(path, kv={"value": value}) as writer:
            for at in range(40):
                writer.write_buffer(f"t{at}", data, hurray.uint8, (30_000,))
    if value == 1:
        print("begun", flush=True)
"""


@contextlib.contextmanager
def process(code: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A running interpreter that has printed a line, killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE, text=True
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline()
        try:
            yield worker
        finally:
            worker.kill()


def whole_leftovers(folder: Path, *expected: str) -> None:
    """Nothing but the targets, or what was linked whole in the instant before its rename."""
    for name in set(os.listdir(folder)) - set(expected):
        assert name.startswith("."), name
        assert hurray.verify(folder / name) == []
        (folder / name).unlink()


@pytest.mark.parametrize("how", ["save", "writer"])
def test_a_process_killed_in_the_middle_of_save(how: str, tmp_path: Path) -> None:
    """Ruling 4: a reader of the path sees the old file or the new file, whole, also when the process is killed."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(250), kv={"value": 250})
    seed = random.Random(how)
    seen = set()
    for _ in range(12):
        with process(SAVER, path, how) as worker:
            time.sleep(seed.uniform(0, 0.02))
            worker.send_signal(signal.SIGKILL)
            worker.wait()
        seen.add(value_of(path))
        whole_leftovers(tmp_path, "a.hrry")
    assert len(seen) > 1


def test_killed_before_anything_was_put_in_place(tmp_path: Path) -> None:
    """Between the first byte and the rename the old file is all there is; the bytes vanish with the process."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(250), kv={"value": 250})
    code = """
import os, signal, sys, hurray
writer = hurray.FileWriter(sys.argv[1])
writer.write("t", bytes(5 << 20))
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert python(code, path).returncode == -signal.SIGKILL
    assert value_of(path) == 250
    assert os.listdir(tmp_path) == ["a.hrry"]


# --- full disks --------------------------------------------------------------------------------------------

FULL = """
import errno, os, sys, hurray
path, how = sys.argv[1:]
big = bytes(3 << 20)

def writer():
    with hurray.FileWriter(path) as out:
        out.write("small", b"abc")
        out.write_pieces("w", (big[: 1 << 16] for _ in range(48)), hurray.uint8, (3 << 20,))

work = {
    "save": lambda: hurray.save(path, {"w": big}),
    "durable": lambda: hurray.save(path, {"w": big}, durable=True),
    "index": lambda: hurray.save(path, {f"{'n' * 60000}{at}": b"" for at in range(40)}),
    "kv": lambda: hurray.save(path, {}, kv={"k": big}),
    "writer": writer,
}[how]
try:
    work()
except hurray.FileError as error:
    print(errno.errorcode[error.errno], error.filename == path, error.strerror != "")
else:
    print("saved")
print(*hurray.load(path), sorted(os.listdir(os.path.dirname(path))))
"""
HOWS = ["save", "durable", "index", "kv", "writer"]


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[Path]:
    """A file system of 2 MiB, where this process may mount one."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command")
    if done.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("how", HOWS)
def test_a_full_disk(how: str, tmp_path: Path) -> None:
    """A save that fails at any point leaves the old file whole, nothing beside it, and keeps errno and filename."""
    with small_disk(tmp_path / "disk") as folder:
        path = folder / "a.hrry"
        hurray.save(path, {"old": b"abc"})
        assert run(FULL, path, how).splitlines() == ["ENOSPC True True", "old ['a.hrry']"]
        # The room is given back.
        hurray.save(path, {"new": bytes(1 << 20)})
        assert list(hurray.load(path)) == ["new"]


@pytest.mark.parametrize("how", HOWS)
def test_a_limit_on_file_size(how: str, tmp_path: Path) -> None:
    """The same by RLIMIT_FSIZE, whose signal Python ignores."""
    path = tmp_path / "a.hrry"
    hurray.save(path, {"old": b"abc"})
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
    assert run(limit + FULL, path, how).splitlines() == ["EFBIG True True", "old ['a.hrry']"]


def test_a_folder_without_unnamed_files(tmp_path: Path) -> None:
    """Where the system has no O_TMPFILE link, a hidden name beside the target does, and goes away on failure."""
    code = """
import errno, os, sys, hurray
path = sys.argv[1]
folder = os.path.dirname(path)
hurray.save(path, {"old": b"abc"})
os.chmod(path, 0o640)
writer = hurray.FileWriter(path)
writer.write("new", b"def")
during = sorted(os.listdir(folder))
writer.close()
print(len(during), *hurray.load(path), sorted(os.listdir(folder)), oct(os.stat(path).st_mode & 0o777))
for end in ("abort", "del", "raise"):
    try:
        with hurray.FileWriter(path) as writer:
            writer.write("other", b"x")
            if end == "abort":
                writer.abort()
            else:
                raise KeyError
    except KeyError:
        pass
    print(sorted(os.listdir(folder)))
"""
    done = python(code, tmp_path / "a.hrry")
    lines = done.stdout.splitlines()
    assert lines[0] in ("1 new ['a.hrry'] 0o640", "2 new ['a.hrry'] 0o640"), done.stderr
    assert lines[1:] == ["['a.hrry']"] * 3


# --- files that change under their readers -----------------------------------------------------------------


@pytest.mark.parametrize("io", ["mmap", "read"])
@pytest.mark.parametrize("writable", [True, False])
def test_saving_over_the_file_that_tensors_are_mapped_from(io: str, writable: bool, tmp_path: Path) -> None:
    """Issue 3: saving over the very file that loaded tensors are mapped from."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(1), kv={"value": 1})
    with hurray.open(path, io=io, writable=writable) as file:  # type: ignore[arg-type]
        kept = dict(file)
        hurray.save(path, file, kv=file.kv)
        assert value_of(path) == 1
        hurray.save(path, tensors(2), kv={"value": 2})
        hurray.save(path, {"x": b"short"})
        assert {set(tensor.tobytes()).pop() for tensor in kept.values()} == {1}
        assert set(file["t3"].tobytes()) == {1}
    assert list(hurray.load(path)) == ["x"]
    assert os.listdir(tmp_path) == ["a.hrry"]


def test_a_changed_tensor_is_saved_over_its_own_file(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    hurray.save(path, {"w": bytes(10_000), "x": b"abc"})
    loaded = hurray.load(path)
    memoryview(loaded["w"])[5000] = 7
    hurray.save(path, loaded)
    assert hurray.load(path)["w"].tolist()[4999:5002] == [0, 7, 0]
    assert loaded["w"].tolist()[5000] == 7


def test_two_processes_save_to_one_path_while_a_third_loads(tmp_path: Path) -> None:
    """Two processes saving to one path while a third reads: always one of the files, whole."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(1), kv={"value": 1})
    seen: list[Any] = []
    with process(SAVER, path, "save"), process(SAVER, path, "writer"):
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            # One mapping, one file, however often the name is given to another meanwhile.
            with hurray.open(path) as file:
                found = {
                    byte for tensor in file.values() for byte in (tensor.tobytes()[0], tensor.tobytes()[-1])
                }
                assert found == {file.kv["value"]}
            seen += found
    assert len(set(seen)) > 3
    whole_leftovers(tmp_path, "a.hrry")


CUT = """
import resource, signal, sys, hurray
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
path, io, what = sys.argv[1:]
if what == "touch":
    tensor = hurray.load(path, io=io)["t39"]
    print("loaded", flush=True)
    sys.stdin.readline()
    print(set(tensor.tobytes()), flush=True)
else:
    file = hurray.open(path, io=io)
    print("opened", flush=True)
    sys.stdin.readline()
    for use in (lambda: file["t39"].tobytes(), lambda: file.descriptor("t39"), lambda: hurray.load(path, io=io)):
        try:
            use()
        except hurray.FileError as error:
            print(error.code, flush=True)
"""


def cut(path: Path, io: str, what: str) -> tuple[int, list[str]]:
    """A reader's status and lines when its file is cut to a page by another process."""
    with subprocess.Popen(
        [sys.executable, "-c", CUT, str(path), io, what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline()
        os.truncate(path, 4096)
        out, _ = reader.communicate("\n", timeout=30)
        return reader.returncode, out.splitlines()


def test_a_mapped_file_cut_by_someone_else(tmp_path: Path) -> None:
    """Say what can happen: touching a page that is gone ends the process by SIGBUS; io="read" is the way out."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(5), kv={"value": 5})
    status, lines = cut(path, "mmap", "touch")
    assert (status, lines) == (-signal.SIGBUS, [])
    hurray.save(path, tensors(5), kv={"value": 5})
    assert cut(path, "read", "touch") == (0, ["{5}"])


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_a_file_cut_between_opening_and_use_is_a_file_error(io: str, tmp_path: Path) -> None:
    """F-48, found before a page is touched; the documentation offers io="read"."""
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(5), kv={"value": 5})
    status, lines = cut(path, io, "open")
    assert status == 0
    assert lines[0] == "F-48"
    assert len(lines) == 3
    assert "SIGBUS" in (hurray.open.__doc__ or "")
    assert 'io="read"' in (hurray.open.__doc__ or "")


def test_a_file_cut_during_a_parallel_read(tmp_path: Path) -> None:
    """io="read" of a file that shrinks meanwhile is a FileError or the whole, never a crash."""
    path = tmp_path / "a.hrry"
    code = """
import sys, hurray
print("ready", flush=True)
while True:
    try:
        loaded = hurray.load(sys.argv[1], io="read")
        assert {byte for t in loaded.values() for byte in t.tobytes()[::999]} == {5}
    except hurray.FileError:
        pass
"""
    hurray.save(path, tensors(5, 200_000), kv={"value": 5})
    content = path.read_bytes()
    with process(code, path) as reader:
        for turn in range(60):
            os.truncate(path, (turn * 131_071) % len(content))
            path.write_bytes(content)
        assert reader.poll() is None


@pytest.mark.parametrize("what", ["unlink", "replace"])
def test_a_file_that_is_removed_or_replaced_stays_mapped(what: str, tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    hurray.save(path, tensors(6), kv={"value": 6})
    with hurray.open(path) as file:
        path.unlink()
        if what == "replace":
            path.write_bytes(b"something else")
        assert set(file["t0"].tobytes()) == {6}
        assert file.kv == {"value": 6}


def test_a_forked_child_goes_on_with_what_its_parent_opened(tmp_path: Path) -> None:
    code = """
import os, sys, hurray
folder = sys.argv[1]
hurray.save(folder + "/a.hrry", {"w": b"abc"})
file = hurray.open(folder + "/a.hrry")
mapped, read = file["w"], hurray.load(folder + "/a.hrry", io="read")["w"]
writer = hurray.FileWriter(folder + "/b.hrry")
child = os.fork()
if child == 0:
    same = file["w"].tobytes() == read.tobytes() == hurray.load(folder + "/a.hrry", io="read")["w"].tobytes()
    memoryview(mapped)[0] = 0
    hurray.save(folder + "/child.hrry", {"w": mapped})
    os._exit(0 if same else 1)
status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
print(status, mapped.tobytes(), hurray.load(folder + "/child.hrry")["w"].tobytes())
writer.write("w", b"def")
writer.close()
print(sorted(os.listdir(folder)), hurray.load(folder + "/b.hrry")["w"].tobytes())
"""
    assert run(code, tmp_path).splitlines() == [
        "0 b'abc' b'\\x00bc'",
        "['a.hrry', 'b.hrry', 'child.hrry'] b'def'",
    ]


def test_a_read_only_file_system_keeps_its_errno() -> None:
    for path in ("/proc/a.hrry", "/sys/a.hrry"):
        with pytest.raises(hurray.FileError) as caught:
            hurray.save(path, {})
        assert caught.value.errno in (errno.ENOENT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EOPNOTSUPP)
        assert caught.value.filename == path
