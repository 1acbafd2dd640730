"""What a file may be named by (PEERS, files; issue 3: str, path-like, file object, descriptor, bytes)."""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import mmap
import os
import pathlib
import socket
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_memory import run
from core_numpy import np

DOORS: list[Any] = [
    lambda file: hurray.load(file)["w"].tolist(),
    lambda file: hurray.load(file, io="read")["w"].tolist(),
    lambda file: [hurray.load_kv(file)["k"]] and [1.0, 2.0],
    lambda file: hurray.open(file)["w"].tolist(),
    lambda file: hurray.open(file, io="read", writable=False)["w"].tolist(),
    lambda file: [1.0, 2.0] if hurray.verify(file) == [] else None,
]
door = pytest.mark.parametrize(
    "door", DOORS, ids=["load", "load read", "load_kv", "open", "open read", "verify"]
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "ä b.hrry"
    hurray.save(target, {"w": hurray.Tensor(np.array([1, 2], np.float32), hurray.float32, (2,))}, kv={"k": 1})
    return target


class Like:
    def __init__(self, path: str | bytes) -> None:
        self.path = path

    def __fspath__(self) -> str | bytes:
        return self.path


@door
def test_paths(path: Path, door: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for file in (path, str(path), Like(str(path)), Like(os.fsencode(path)), pathlib.PurePath(path)):
        assert door(file) == [1.0, 2.0]
    monkeypatch.chdir(path.parent)
    assert door(path.name) == [1.0, 2.0]
    assert door(Path(path.name)) == [1.0, 2.0]


@door
def test_content(path: Path, door: Any) -> None:
    """Bytes and other buffers are a file's content."""
    content = path.read_bytes()
    for file in (content, bytearray(content), memoryview(content), np.frombuffer(content, np.uint8)):
        assert door(file) == [1.0, 2.0]
    assert door(memoryview(content + b"x")[:-1]) == [1.0, 2.0]
    assert door(io.BytesIO(content)) == [1.0, 2.0]
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        assert door(mapped) == [1.0, 2.0]


def test_content_stays_as_long_as_its_tensors(path: Path) -> None:
    content = bytearray(path.read_bytes())
    tensor = hurray.load(content)["w"]
    del content
    assert tensor.tolist() == [1.0, 2.0]


def test_content_that_is_not_contiguous_is_refused(path: Path) -> None:
    wide = np.repeat(np.frombuffer(path.read_bytes(), np.uint8), 2)
    with pytest.raises(hurray.BufferError, match="contiguous"):
        hurray.load(wide[::2])


@door
@pytest.mark.parametrize("mode", ["rb", "r+b"])
@pytest.mark.parametrize("buffering", [0, -1])
def test_open_files(path: Path, door: Any, mode: str, buffering: int) -> None:
    """An open file of the operating system is read whole through its descriptor, whatever its position."""
    with open(path, mode, buffering=buffering) as file:
        assert door(file) == [1.0, 2.0]
        file.seek(7)
        file.read(3)
        where = file.tell()
        assert door(file) == [1.0, 2.0]
        assert not file.closed
        assert file.tell() == where


@door
def test_descriptors(path: Path, door: Any) -> None:
    """A descriptor is duplicated, so that closing ours does not close the caller's."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.lseek(number, 99, os.SEEK_SET)
        assert door(number) == [1.0, 2.0]
        assert os.lseek(number, 0, os.SEEK_CUR) == 99
        os.fstat(number)
    finally:
        os.close(number)


def test_a_tensor_outlives_the_callers_descriptor(path: Path) -> None:
    with open(path, "rb") as file:
        opened = hurray.open(file)
        loaded = hurray.load(file.fileno(), io="read")
    assert opened["w"].tolist() == loaded["w"].tolist() == [1.0, 2.0]


def test_reading_leaves_no_descriptor_behind(path: Path) -> None:
    """PEERS, streams: nothing leaks descriptors."""
    number = os.open(path, os.O_RDONLY)
    before = len(os.listdir("/proc/self/fd"))
    for file in (path, number, path.read_bytes(), io.BytesIO(path.read_bytes())):
        kept = [hurray.load(file), hurray.load(file, io="read"), hurray.verify(file), hurray.load_kv(file)]
        with hurray.open(file) as opened:
            kept.append(opened["w"])  # type: ignore[arg-type]
    with contextlib.suppress(hurray.FileError):
        hurray.load(os.devnull)
    assert len(os.listdir("/proc/self/fd")) == before
    assert kept
    os.close(number)


def test_what_is_written_and_not_yet_flushed_is_read(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    with open(tmp_path / "b.hrry", "w+b") as file:
        file.write(content)
        assert hurray.load(file)["w"].tolist() == [1.0, 2.0]


@door
def test_decompressing_readers(path: Path, door: Any, tmp_path: Path) -> None:
    """Any other object with read() is read from its position to its end; never its compressed descriptor."""
    packed = tmp_path / "a.hrry.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    with gzip.open(packed) as file:
        assert door(file) == [1.0, 2.0]
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("a.hrry", path.read_bytes())
    with zipfile.ZipFile(archive) as source, source.open("a.hrry") as member:
        assert door(member) == [1.0, 2.0]


@pytest.mark.parametrize(
    "kind", [tempfile.TemporaryFile, tempfile.NamedTemporaryFile, tempfile.SpooledTemporaryFile]
)
@door
def test_temporary_files(path: Path, door: Any, kind: Any) -> None:
    with kind() as file:
        file.write(path.read_bytes())
        file.seek(0)
        assert door(file) == [1.0, 2.0]


def test_a_reader_of_ones_own(path: Path) -> None:
    class Reader:
        def __init__(self, content: Any) -> None:
            self.content = content

        def read(self) -> Any:
            if isinstance(self.content, Exception):
                raise self.content
            return self.content

    assert hurray.load(Reader(path.read_bytes()))["w"].tolist() == [1.0, 2.0]
    assert hurray.load(Reader(bytearray(path.read_bytes())))["w"].tolist() == [1.0, 2.0]
    for content in ("text", None, 5):
        with pytest.raises(TypeError, match="binary"):
            hurray.load(Reader(content))
    with pytest.raises(ZeroDivisionError):
        hurray.load(Reader(ZeroDivisionError("mine")))


@door
def test_text_files_are_refused_with_the_way_out(path: Path, door: Any) -> None:
    with open(path, encoding="latin-1") as file, pytest.raises(TypeError, match="'rb'"):
        door(file)
    with pytest.raises(TypeError, match="'rb'"):
        door(io.StringIO("HRRYFILE"))


@door
@pytest.mark.parametrize("file", [None, True, 2.5, object(), ["a.hrry"], {}, print])
def test_what_is_no_file_is_a_type_error(door: Any, file: Any) -> None:
    with pytest.raises(TypeError):
        door(file)


@door
def test_a_closed_file_is_a_value_error(path: Path, door: Any) -> None:
    with open(path, "rb") as file:
        pass
    with pytest.raises(ValueError, match="closed"):
        door(file)


@pytest.mark.parametrize("number", [-1, -(2**31), 99999, 2**31, 2**63, -(2**70)])
@door
def test_a_number_that_is_no_descriptor(door: Any, number: int) -> None:
    with pytest.raises((hurray.FileError, OverflowError)) as caught:
        door(number)
    if isinstance(caught.value, OSError):
        assert caught.value.errno == errno.EBADF


@contextlib.contextmanager
def odd_file(kind: str, folder: Path) -> Iterator[Any]:
    """Something that is no regular file, and how it is said."""
    if kind == "directory":
        yield folder
    elif kind == "device":
        yield os.devnull
    elif kind == "pipe":
        reads, writes = os.pipe()
        yield reads
        os.close(reads)
        os.close(writes)
    else:
        one, two = socket.socketpair()
        with one, two:
            yield one.fileno()


@pytest.mark.parametrize("kind", ["directory", "device", "pipe", "socket"])
@door
def test_what_is_no_regular_file_is_refused_at_once(door: Any, kind: str, tmp_path: Path) -> None:
    """Issue 3: a file that is a directory, a FIFO or empty: a clear error."""
    with odd_file(kind, tmp_path) as file, pytest.raises(hurray.FileError) as caught:
        door(file)
    if kind == "directory":
        assert isinstance(caught.value, IsADirectoryError)
        assert (caught.value.errno, caught.value.filename) == (errno.EISDIR, tmp_path)
    else:
        assert "regular file" in str(caught.value)


def test_a_fifo_without_a_writer_does_not_hang(tmp_path: Path) -> None:
    """Issue 3: a FIFO; in a process of its own, so that a hang is a failure and not the end of the tests."""
    os.mkfifo(tmp_path / "fifo")
    code = """
import sys, hurray
for door in (hurray.load, hurray.load_kv, hurray.open, hurray.verify, hurray.FileMap, lambda p: hurray.save(p, {})):
    try:
        door(sys.argv[1])
    except hurray.FileError as error:
        print(error)
"""
    lines = run(code, tmp_path / "fifo", timeout=20).splitlines()
    assert len(lines) == 6
    assert all("regular file" in line for line in lines)


@door
@pytest.mark.parametrize("length", [0, 1, 7, 8, 63, 64, 111])
def test_an_empty_or_tiny_file_is_refused(path: Path, door: Any, length: int, tmp_path: Path) -> None:
    content = path.read_bytes()[:length]
    (tmp_path / "short").write_bytes(content)
    if door is DOORS[-1]:
        assert [p.code for p in hurray.verify(tmp_path / "short")] in (["F-8"], ["F-1"])
        return
    for file in (tmp_path / "short", content, io.BytesIO(content)):
        with pytest.raises(hurray.FileError) as caught:
            door(file)
        assert caught.value.code in ("F-8", "F-1")


@pytest.mark.parametrize("name", ["missing.hrry", "no/folder/a.hrry", "a.hrry/inside"])
@door
def test_a_missing_file_keeps_errno_and_filename(path: Path, door: Any, name: str) -> None:
    """PEERS, files: OSErrors keep errno and filename and are FileNotFoundError … too."""
    path.rename(path.parent / "a.hrry")
    target = path.parent / name
    kind = NotADirectoryError if name.startswith("a.hrry") else FileNotFoundError
    for file in (target, str(target)):
        with pytest.raises(kind) as caught:
            door(file)
        assert isinstance(caught.value, hurray.FileError)
        number = errno.ENOTDIR if kind is NotADirectoryError else errno.ENOENT
        assert (caught.value.errno, caught.value.filename) == (number, file)
        assert caught.value.strerror
        assert str(target) in str(caught.value)


@door
@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_a_path_that_no_file_can_have(door: Any, name: str) -> None:
    with pytest.raises((ValueError, OSError)):
        door(name)
