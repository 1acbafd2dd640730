"""hurray.FileMap: a read-only mapping whose pages writers give back (file/map.rs)."""

from __future__ import annotations

import errno
import io
import os
import threading
import weakref
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_memory import address, run

SIZE = 3 * 4096 + 5


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "raw"
    target.write_bytes(os.urandom(SIZE))
    return target


def test_it_is_the_files_bytes_read_only(path: Path) -> None:
    mapped = hurray.FileMap(path)
    view = memoryview(mapped)
    assert len(mapped) == view.nbytes == SIZE
    assert (view.format, view.ndim, view.readonly) == ("B", 1, True)
    assert view.tobytes() == bytes(mapped) == path.read_bytes()
    assert address(mapped) % 4096 == 0
    with pytest.raises(TypeError):
        view[0] = 1
    assert hurray.FileMap.__module__ == "hurray"


@pytest.mark.parametrize("kind", ["path", "str", "file", "descriptor"])
def test_what_it_maps(path: Path, kind: str) -> None:
    with open(path, "rb") as file:
        target = {"path": path, "str": str(path), "file": file, "descriptor": file.fileno()}[kind]
        mapped = hurray.FileMap(target)
    assert bytes(mapped) == path.read_bytes()


@pytest.mark.parametrize("file", [b"content", bytearray(5), io.BytesIO(b"x"), None, object()])
def test_what_is_no_file_is_a_type_error(file: Any) -> None:
    with pytest.raises(TypeError):
        hurray.FileMap(file)


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        hurray.FileMap(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        hurray.FileMap(tmp_path)
    with pytest.raises(hurray.FileError):
        hurray.FileMap(os.devnull)


def test_an_empty_file_is_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    mapped = hurray.FileMap(tmp_path / "empty")
    assert (len(mapped), bytes(mapped)) == (0, b"")
    mapped.discard()


def test_it_lives_as_long_as_its_views(path: Path) -> None:
    content = path.read_bytes()
    mapped = hurray.FileMap(path)
    part, tensor = memoryview(mapped)[4096:8192], hurray.Tensor(mapped, hurray.uint8, (SIZE,))
    start = address(mapped)
    del mapped
    path.unlink()
    assert part.tobytes() == content[4096:8192]
    assert (tensor.tobytes(), tensor.readonly, address(tensor)) == (content, True, start)
    watch = weakref.ref(tensor)
    del tensor
    assert watch() is None
    assert part.tobytes() == content[4096:8192]


@pytest.mark.parametrize(
    ("start", "stop"),
    [(0, None), (0, SIZE), (5, 9000), (4096, 8192), (0, 10**18), (9000, 5), (SIZE, None), (10**15, None)],
)
def test_discarded_pages_come_back_when_they_are_read(path: Path, start: int, stop: int | None) -> None:
    mapped = hurray.FileMap(path)
    content = bytes(mapped)
    mapped.discard(start, stop)
    assert bytes(mapped) == content == path.read_bytes()


@pytest.mark.parametrize("arguments", [(-1,), (0, -1), ("0",), (0.5,)], ids=str)
def test_discard_of_what_is_no_place(path: Path, arguments: Any) -> None:
    with pytest.raises((TypeError, OverflowError)):
        hurray.FileMap(path).discard(*arguments)


BIG = 5 << 20


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A file large enough to be copied by the system itself, from file to file."""
    path, content = tmp_path_factory.mktemp("big") / "raw", os.urandom(BIG + 3)
    path.write_bytes(content)
    return path, content


@pytest.mark.parametrize("start", [0, 5, 4096])
def test_large_parts_reach_every_kind_of_sink(big: tuple[Path, bytes], start: int, tmp_path: Path) -> None:
    """The same bytes at the same place, whether the system can copy between the two or not."""
    path, content = big
    part, expected = memoryview(hurray.FileMap(path))[start:], content[start:]
    for mode in ("wb", "ab", "r+b"):
        (tmp_path / mode).write_bytes(b"old" * 5)
        with open(tmp_path / mode, mode) as file:
            file.write(b"head")
            assert hurray.write_all(file, part) == len(expected)
            file.write(b"tail")
        before = {"wb": b"", "ab": b"old" * 5, "r+b": b""}[mode]
        assert (tmp_path / mode).read_bytes() == before + b"head" + expected + b"tail"
    stream = io.BytesIO()
    assert hurray.write_all(stream, part) == len(expected)
    assert stream.getvalue() == expected
    reads, writes = os.pipe()
    found: list[bytes] = []
    drain = threading.Thread(target=lambda: found.extend(iter(lambda: os.read(reads, 1 << 16), b"")))
    drain.start()
    assert hurray.write_all(writes, part) == len(expected)
    os.close(writes)
    drain.join(20)
    os.close(reads)
    assert b"".join(found) == expected


def test_large_parts_onto_themselves_and_sinks_that_refuse(big: tuple[Path, bytes], tmp_path: Path) -> None:
    path, content = big
    copy = tmp_path / "copy"
    copy.write_bytes(content)
    mapped = hurray.FileMap(copy)
    with open(copy, "r+b") as file:
        hurray.write_all(file, mapped)
    assert copy.read_bytes() == content
    with open("/dev/full", "wb", buffering=0) as full, pytest.raises(hurray.FileError) as caught:
        hurray.write_all(full, mapped)
    assert caught.value.errno == errno.ENOSPC
    number = os.open(copy, os.O_RDONLY)
    with pytest.raises(hurray.FileError) as caught:
        hurray.write_all(number, hurray.FileMap(path))
    os.close(number)
    assert caught.value.errno == errno.EBADF


def test_a_large_file_that_was_cut_under_the_map_is_an_error(tmp_path: Path) -> None:
    """The system copies from file to file and finds the end, where reading the map would be a bus error."""
    path = tmp_path / "raw"
    path.write_bytes(bytes(BIG))
    mapped = hurray.FileMap(path)
    os.truncate(path, 1 << 20)
    with open(tmp_path / "out", "wb") as file, pytest.raises(OSError):  # noqa: PT011
        hurray.write_all(file, mapped)
    with pytest.raises(OSError), hurray.FileWriter(tmp_path / "a.hrry") as writer:  # noqa: PT011
        writer.write_buffer("w", mapped, hurray.uint8, (BIG,))
    assert not (tmp_path / "a.hrry").exists()


def test_what_was_written_to_a_mapped_tensor_is_saved_whatever_its_size(tmp_path: Path) -> None:
    """Ruling 3: the pages are copy-on-write, so the file no longer holds what the tensor does."""
    path = tmp_path / "a.hrry"
    hurray.save(path, {"w": bytes(BIG)})
    for writable, io_kind in ((True, "mmap"), (True, "read"), (False, "mmap")):
        with hurray.open(path, writable=writable, io=io_kind) as file:  # type: ignore[arg-type]
            tensor = file["w"]
        if writable:
            memoryview(tensor)[BIG - 9] = 77
        expected = bytes(memoryview(tensor))
        hurray.save(tmp_path / "b.hrry", {"w": tensor})
        with open(tmp_path / "raw", "wb") as out:
            tensor.tofile(out)
        assert hurray.load(tmp_path / "b.hrry")["w"].tobytes() == (tmp_path / "raw").read_bytes() == expected


def test_a_file_of_any_size_goes_through_in_little_memory(tmp_path: Path) -> None:
    """A writer that is handed a slice of it gives the pages back as it passes them."""
    code = """
import os, sys, hurray
from core_memory import resident
source, target = sys.argv[1:]
before = resident("VmHWM")
mapped = hurray.FileMap(source)
view = memoryview(mapped)
half = len(view) // 2
with open(os.devnull, "wb", buffering=0) as sink:
    hurray.write_all(sink, view[:half])
    hurray.write_all(sink, mapped)
with hurray.FileWriter(target) as writer:
    writer.write_buffer("a", view[5 : half + 5], hurray.uint8, (half,))
    writer.write_pieces("b", (view[at : at + (1 << 24)] for at in range(0, half, 1 << 24)), hurray.uint8, (half,))
with hurray.open(target, writable=False) as file, open(os.devnull, "wb", buffering=0) as sink:
    file["a"].tofile(sink)
print((resident("VmHWM") - before) >> 20)
"""
    with open(tmp_path / "big", "wb") as file:
        for _ in range(12):
            file.write(os.urandom(1 << 20) * 16)
    grown = int(run(code, tmp_path / "big", tmp_path / "out"))
    assert grown < 64, f"{grown} MiB for a file of 192 MiB"


def test_a_read_only_view_of_a_mapped_tensor_stays_read_only(tmp_path: Path) -> None:
    """PEERS, Memory: a read-only source never becomes writable."""
    hurray.save(tmp_path / "a.hrry", {"w": memoryview(bytes(4096))})
    loaded = hurray.load(tmp_path / "a.hrry")["w"]
    assert not loaded.readonly
    assert hurray.Tensor(memoryview(loaded).toreadonly(), hurray.uint8, [4096]).readonly
    assert not hurray.Tensor(memoryview(loaded), hurray.uint8, [4096]).readonly
