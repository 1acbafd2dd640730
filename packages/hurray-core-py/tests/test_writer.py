"""hurray.FileWriter: tensors one by one, whole or not at all (issue 3; file.md §9; ruling 4)."""

from __future__ import annotations

import contextlib
import errno
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import core_files as craft
import hurray
import pytest
from core_memory import aligned, run
from core_numpy import np


def floats(*values: float) -> hurray.Tensor:
    return hurray.Tensor(np.array(values, np.float32), hurray.float32, (len(values),))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.hrry"


def left(path: Path) -> list[str]:
    """What lies in the folder, hidden files included."""
    return sorted(os.listdir(path.parent))


# --- the context manager -----------------------------------------------------------------------------------


def test_the_file_appears_when_the_block_ends(path: Path) -> None:
    with hurray.FileWriter(path, kv={"k": 1}) as writer:
        for at in range(3):
            assert writer.write(f"t{at}", floats(at)) is None  # type: ignore[func-returns-value]
            assert left(path) == []
    assert left(path) == ["a.hrry"]
    assert {name: tensor.tolist() for name, tensor in hurray.load(path).items()} == {
        "t0": [0],
        "t1": [1],
        "t2": [2],
    }
    assert hurray.load_kv(path) == {"k": 1}
    assert hurray.verify(path) == []


def test_it_writes_what_save_writes(path: Path, tmp_path: Path) -> None:
    tensors = {"a": floats(1, 2), "b": hurray.Tensor(b"\x21\x03", hurray.dtype.int4, (3,)), "c": floats()}
    with hurray.FileWriter(path, kv={"k": "v"}) as writer:
        for name, tensor in tensors.items():
            writer.write(name, tensor)
    hurray.save(tmp_path / "b.hrry", tensors, kv={"k": "v"})
    assert path.read_bytes() == (tmp_path / "b.hrry").read_bytes()


def interrupted(writer: hurray.FileWriter, error: type[BaseException]) -> None:
    writer.write("w", floats(1))
    raise error


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, GeneratorExit])
def test_nothing_is_left_behind_when_the_block_raises(path: Path, error: type[BaseException]) -> None:
    """Issue 3: nothing left behind when the block raises; the old file stays."""
    for old in (None, b"old"):
        if old:
            path.write_bytes(old)
        writer = hurray.FileWriter(path)
        with pytest.raises(error), writer:
            interrupted(writer, error)
        assert left(path) == (["a.hrry"] if old else [])
        with pytest.raises(ValueError, match="closed"):
            writer.write("x", floats(1))
    assert path.read_bytes() == b"old"


def test_a_writer_that_is_dropped_leaves_nothing(path: Path) -> None:
    writer = hurray.FileWriter(path)
    writer.write("w", floats(1))
    del writer
    assert left(path) == []


def test_abort_leaves_nothing_and_ends_the_writer(path: Path) -> None:
    path.write_bytes(b"old")
    writer = hurray.FileWriter(path)
    writer.write("w", floats(1))
    writer.abort()
    writer.abort()
    writer.close()
    assert (left(path), path.read_bytes()) == (["a.hrry"], b"old")
    with pytest.raises(ValueError, match="closed"):
        writer.write("w", floats(1))


def test_close_is_idempotent_and_ends_the_writer(path: Path) -> None:
    """close: calling it again does nothing."""
    writer = hurray.FileWriter(path)
    writer.write("w", floats(1))
    writer.close()
    inode = path.stat().st_ino
    writer.close()
    writer.abort()
    assert path.stat().st_ino == inode
    uses: list[Any] = [
        lambda: writer.write("x", floats(1)),
        lambda: writer.write_buffer("x", b"abcd", hurray.uint8, (4,)),
        lambda: writer.write_pieces("x", [b"abcd"], hurray.uint8, (4,)),
    ]
    for use in uses:
        with pytest.raises(ValueError, match="closed") as caught:
            use()
        assert isinstance(caught.value, hurray.FileError)
    assert list(hurray.load(path)) == ["w"]


def test_leaving_the_block_after_close_or_abort_does_nothing(path: Path) -> None:
    with hurray.FileWriter(path) as writer:
        writer.close()
    assert list(hurray.load(path)) == []
    path.unlink()
    with hurray.FileWriter(path) as writer:
        writer.abort()
    assert left(path) == []


def test_the_block_hides_no_error(path: Path) -> None:
    with pytest.raises(ZeroDivisionError), hurray.FileWriter(path):
        _ = 1 / 0


def test_two_writers_for_one_path_end_with_the_last_that_closes(path: Path) -> None:
    one, two = hurray.FileWriter(path), hurray.FileWriter(path)
    one.write("one", floats(1))
    two.write("two", floats(2))
    two.close()
    assert list(hurray.load(path)) == ["two"]
    one.close()
    assert list(hurray.load(path)) == ["one"]
    assert left(path) == ["a.hrry"]


def test_a_change_of_directory_does_not_move_the_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    writer = hurray.FileWriter("a.hrry")
    monkeypatch.chdir("/")
    writer.close()
    assert left(path) == ["a.hrry"]


def test_a_folder_that_goes_away_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    writer = hurray.FileWriter(folder / "a.hrry")
    writer.write("w", floats(1))
    folder.rmdir()
    with pytest.raises(hurray.FileError) as caught:
        writer.close()
    assert caught.value.errno == errno.ENOENT
    assert os.listdir(tmp_path) == []


# --- checks before the first byte --------------------------------------------------------------------------


@pytest.mark.parametrize("kv", [{"": 1}, {"k": None}, {"k": 2**63}, {"k": [1, "a"]}])
def test_metadata_is_checked_before_anything_is_created(path: Path, kv: Any) -> None:
    """It checks names, metadata and sizes before its first byte."""
    with pytest.raises(hurray.FileError):
        hurray.FileWriter(path, kv=kv)
    assert left(path) == []


def test_a_refused_tensor_leaves_the_writer_usable(path: Path) -> None:
    """A refused name or tensor leaves the writer usable, and nothing of it in the file."""
    refused: list[tuple[Any, Any, type[Exception]]] = [
        ("", floats(1), ValueError),
        ("good", floats(1), ValueError),
        ("x" * 65536, floats(1), ValueError),
        ("\ud800", floats(1), (ValueError, TypeError)),  # type: ignore[list-item]
        (5, floats(1), TypeError),
        ("x", None, TypeError),
        ("x", hurray.Tensor(bytes(4), hurray.float32, (None,)), hurray.InvalidDescriptorError),
        ("x", hurray.Tensor(b"\xff", hurray.dtype.float8_e8m0, (1,)), hurray.InvalidDescriptorError),
    ]
    with hurray.FileWriter(path) as writer:
        writer.write("good", floats(1))
        for name, tensor, error in refused:
            with pytest.raises(error):
                writer.write(name, tensor)
        writer.write("better", floats(2))
    assert list(hurray.load(path)) == ["good", "better"]
    assert hurray.verify(path) == []


def test_the_writer_keeps_no_tensor(path: Path) -> None:
    """A forward-only writer that takes buffers by reference and holds nothing of them afterwards."""
    tensor = floats(1)
    watch = weakref.ref(tensor)
    with hurray.FileWriter(path) as writer:
        writer.write("w", tensor)
        del tensor
        assert watch() is None


# --- write_buffer ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 1, 3, 8, 63])
def test_write_buffer_takes_bytes_of_any_alignment(path: Path, shift: int) -> None:
    source = aligned(24, shift)
    source[:] = np.arange(6, dtype=np.float32).tobytes()
    with hurray.FileWriter(path) as writer:
        writer.write_buffer("w", source, hurray.float32, (2, 3))
        writer.write_buffer("ro", source.toreadonly(), hurray.dtype.complex64, [3])
    loaded = hurray.load(path)
    assert loaded["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert loaded["ro"].tolist() == [1j, 2 + 3j, 4 + 5j]


@pytest.mark.parametrize("name", hurray.dtype.__all__)
def test_write_buffer_takes_exactly_the_bytes_of_every_type(path: Path, name: str) -> None:
    """Buffer holds exactly the elements' bytes, packed as the format packs them."""
    dtype = getattr(hurray.dtype, name)
    size = hurray.buffer_size_bytes(dtype, 5)
    data = hurray.Tensor(bytes([1]) * size, dtype, (5,)).tobytes()
    with hurray.FileWriter(path) as writer:
        writer.write_buffer("w", data, dtype, (5,))
        writer.write_buffer("empty", b"", dtype, (0, 7))
        for wrong in (data[:-1], data + b"\0", b""):
            with pytest.raises(hurray.BufferError, match="wrong"):
                writer.write_buffer("wrong", wrong, dtype, (5,))
    loaded = hurray.load(path)
    assert [(t.dtype, t.shape, t.tobytes()) for t in loaded.values()] == [
        (dtype, (5,), data),
        (dtype, (0, 7), b""),
    ]


WRONG: list[tuple[Any, Any, Any, Any]] = [
    (b"abcd", None, (4,), TypeError),
    ("abcd", hurray.uint8, (4,), TypeError),
    (b"abcd", hurray.uint8, 4, TypeError),
    (b"abcd", hurray.uint8, (-4,), hurray.InvalidDescriptorError),
    (b"abcd", hurray.uint8, (None,), ValueError),
    (b"abcd", hurray.uint8, (2**40, 2**40), ValueError),
    (b"abcd", hurray.Dtype.from_tag(0xF0), (4,), ValueError),
    (np.zeros((4, 4), np.uint8)[:, 0], hurray.uint8, (4,), hurray.BufferError),
    (b"\x01\xff", hurray.dtype.float8_e8m0, (2,), hurray.InvalidDescriptorError),
]


@pytest.mark.parametrize(("buffer", "dtype", "shape", "error"), WRONG, ids=range(len(WRONG)))
def test_write_buffer_refuses_and_stays_usable(
    path: Path, buffer: Any, dtype: Any, shape: Any, error: Any
) -> None:
    with hurray.FileWriter(path) as writer:
        with pytest.raises(error):
            writer.write_buffer("w", buffer, dtype, shape)
        writer.write("good", floats(1))
    assert list(hurray.load(path)) == ["good"]


# --- write_pieces ------------------------------------------------------------------------------------------


def test_pieces_are_one_tensor(path: Path) -> None:
    data = bytes(range(200))

    def pieces() -> Iterator[Any]:
        yield data[:7]
        yield bytearray(data[7:100])
        yield b""
        yield memoryview(data)[100:]

    with hurray.FileWriter(path) as writer:
        writer.write_pieces("generator", pieces(), hurray.uint16, (10, 10))
        writer.write_pieces("list", [data], hurray.uint8, (200,))
        writer.write_pieces("none", [], hurray.float64, (0, 3))
        writer.write_pieces("array", (np.arange(5.0),), hurray.float64, (5,))
    loaded = hurray.load(path)
    assert [tensor.tobytes() for tensor in loaded.values()] == [data, data, b"", np.arange(5.0).tobytes()]
    assert hurray.verify(path) == []


@pytest.mark.parametrize("pieces", [[], [b"abc"], [b"abcd", b"e"], [b"ab", b"cdefgh"], [b"abcde"]], ids=str)
def test_pieces_that_do_not_add_up_end_the_file(path: Path, pieces: list[bytes]) -> None:
    """Raises ValueError when the pieces do not add up; the file then does not appear."""
    path.write_bytes(b"old")
    writer = hurray.FileWriter(path)
    writer.write("good", floats(1))
    with pytest.raises(ValueError, match=r"4"):
        writer.write_pieces("w", pieces, hurray.uint8, (4,))
    with pytest.raises(hurray.FileError, match="failed"):
        writer.write("more", floats(1))
    with pytest.raises(hurray.FileError, match="failed"):
        writer.close()
    assert (left(path), path.read_bytes()) == (["a.hrry"], b"old")


def test_a_block_that_swallows_the_failure_leaves_nothing(path: Path) -> None:
    writer = hurray.FileWriter(path)
    with pytest.raises(hurray.FileError, match="failed"), writer, contextlib.suppress(ValueError):
        writer.write_pieces("w", [b"abc"], hurray.uint8, (4,))
    assert left(path) == []


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt, hurray.FileError])
def test_an_error_of_the_iterable_comes_through(path: Path, error: type[BaseException]) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"ab"
        raise error("mine")

    with pytest.raises(error, match="mine"), hurray.FileWriter(path) as writer:
        writer.write_pieces("w", pieces(), hurray.uint8, (4,))
    assert left(path) == []


@pytest.mark.parametrize("piece", ["text", 5, None, [1]], ids=str)
def test_a_piece_without_a_buffer_is_a_type_error(path: Path, piece: Any) -> None:
    with pytest.raises(TypeError), hurray.FileWriter(path) as writer:
        writer.write_pieces("w", [b"ab", piece], hurray.uint8, (4,))
    assert left(path) == []


def test_what_is_checked_of_pieces_beforehand(path: Path) -> None:
    """A bad name, type or shape is refused before the iterable is asked for anything."""

    def never() -> Iterator[bytes]:
        asked.append(True)
        yield b""

    asked: list[bool] = []

    with hurray.FileWriter(path) as writer:
        writer.write("taken", floats(1))
        for name, dtype, shape in (
            ("", hurray.uint8, (4,)),
            ("taken", hurray.uint8, (4,)),
            ("w", None, (4,)),
            ("w", hurray.uint8, (None,)),
            ("w", hurray.uint8, (-1,)),
        ):
            with pytest.raises((ValueError, TypeError)):
                writer.write_pieces(name, never(), dtype, shape)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            writer.write_pieces("w", 5, hurray.uint8, (4,))  # type: ignore[arg-type]
    assert list(hurray.load(path)) == ["taken"]
    assert asked == []


def test_a_piece_may_use_the_writer_it_is_for(path: Path) -> None:
    """A deadlock would hang: in a process of its own."""
    code = """
import sys, hurray
writer = hurray.FileWriter(sys.argv[1])
def pieces():
    for use in (lambda: writer.write("x", b"abc"), writer.close, writer.abort, lambda: repr(writer)):
        try:
            use()
        except Exception as error:
            print(type(error).__name__)
    yield b"abcd"
try:
    writer.write_pieces("w", pieces(), hurray.uint8, (4,))
    writer.close()
except Exception as error:
    print("end", type(error).__name__)
else:
    print("end")
"""
    assert "end" in run(code, path, timeout=20)


# --- a failing disk ----------------------------------------------------------------------------------------


def test_a_failed_write_ends_the_writer_and_keeps_its_errno(path: Path) -> None:
    code = """
import errno, resource, sys, hurray
path = sys.argv[1]
hurray.save(path, {"old": b"abc"})
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
writer = hurray.FileWriter(path)
writer.write("small", bytes(1000))
for use in (lambda: writer.write("w", bytes(4 << 20)), lambda: writer.write("x", b"abc"), writer.close):
    try:
        use()
    except hurray.FileError as error:
        print(errno.errorcode.get(error.errno), error.filename == path, isinstance(error, ValueError))
print(*hurray.load(path))
"""
    assert run(code, path).splitlines() == ["EFBIG True False", "None False True", "None False True", "old"]
    assert left(path) == ["a.hrry"]


def test_arguments(path: Path) -> None:
    with pytest.raises(TypeError):
        hurray.FileWriter()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        hurray.FileWriter(path, {})  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        hurray.FileWriter(path, kv={}, overwrite=1)  # type: ignore[call-arg]
    assert hurray.FileWriter.__module__ == "hurray"
    assert left(path) == []


def test_the_index_is_in_the_order_of_writing(path: Path) -> None:
    with hurray.FileWriter(path) as writer:
        for name in ("c", "a", "b"):
            writer.write(name, floats())
    assert [entry[0] for entry in craft.Parsed.of(path.read_bytes()).entries] == ["c", "a", "b"]
    assert list(hurray.load(path)) == ["c", "a", "b"]


def test_a_close_that_is_refused_closes_nothing(path: Path) -> None:
    """A piece that closes its own writer is told no, and the writer goes on."""

    def pieces() -> Iterator[bytes]:
        yield bytes(4)
        with pytest.raises(hurray.FileError, match="busy"):
            writer.close()
        with pytest.raises(hurray.FileError, match="busy"):
            writer.abort()
        writer.tell()  # raises once the writer is closed
        yield bytes(4)

    with hurray.FileWriter(path) as writer:
        writer.write_pieces("w", pieces(), hurray.uint8, (8,))
    assert hurray.load(path)["w"].shape == (8,)
