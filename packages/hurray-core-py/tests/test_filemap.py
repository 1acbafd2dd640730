"""hurray.FileMap: a read-only mapping whose pages writers give back (file/map.rs)."""

from __future__ import annotations

import io
import os
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


@pytest.mark.parametrize("file", [b"content", bytearray(5), io.BytesIO(b"x"), None, object()], ids=str)
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
