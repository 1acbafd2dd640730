"""Tensor.tofile and hurray.write_all: bytes to open files and descriptors, nothing lost (tensor/write.rs)."""

from __future__ import annotations

import errno
import io
import os
import socket
import threading
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_memory import aligned, run
from core_numpy import np

DATA = bytes(range(256)) * 16


def tensor(data: bytes = DATA) -> hurray.Tensor:
    store = aligned(len(data))
    store[:] = data
    return hurray.Tensor(store, hurray.uint8, (len(data),))


WRITES: dict[str, Any] = {
    "tofile": lambda file, data: tensor(data).tofile(file),
    "write_all": hurray.write_all,
}
write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)


@write
@pytest.mark.parametrize("buffering", [0, -1])
def test_open_files_are_written_at_their_position(write: Any, buffering: int, tmp_path: Path) -> None:
    """What a file holds buffered goes out first; the order of bytes is that of the calls."""
    with open(tmp_path / "a", "wb", buffering=buffering) as file:
        file.write(b"head")
        assert write(file, DATA) == len(DATA)
        file.write(b"tail")
        file.flush()
        assert file.tell() == len(DATA) + 8
    assert (tmp_path / "a").read_bytes() == b"head" + DATA + b"tail"


@write
def test_descriptors_are_written_at_their_position(write: Any, tmp_path: Path) -> None:
    number = os.open(tmp_path / "a", os.O_WRONLY | os.O_CREAT)
    try:
        os.write(number, b"head")
        assert write(number, DATA) == len(DATA)
        os.write(number, b"tail")
    finally:
        os.close(number)
    assert (tmp_path / "a").read_bytes() == b"head" + DATA + b"tail"


@write
def test_append_mode_appends(write: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"head")
    with open(tmp_path / "a", "ab") as file:
        write(file, DATA)
    assert (tmp_path / "a").read_bytes() == b"head" + DATA


@write
def test_any_object_with_write_gets_bytes(write: Any) -> None:
    stream = io.BytesIO(b"head")
    stream.seek(4)
    assert write(stream, DATA) == len(DATA)
    assert stream.getvalue() == b"head" + DATA

    class Slow:
        """Takes three bytes at a time, as a raw stream may."""

        def __init__(self) -> None:
            self.taken = b""

        def write(self, data: bytes) -> int:
            self.taken += bytes(data[:3])
            return len(data[:3])

    slow = Slow()
    assert write(slow, DATA[:100]) == 100
    assert slow.taken == DATA[:100]


@write
def test_a_writer_that_takes_nothing_or_raises(write: Any) -> None:
    class Full:
        def write(self, data: bytes) -> int:
            return 0

    class Broken:
        def write(self, data: bytes) -> int:
            raise ZeroDivisionError("mine")

    class Silly:
        def write(self, data: bytes) -> Any:
            return "many"

    with pytest.raises(hurray.FileError):
        write(Full(), DATA)
    with pytest.raises(ZeroDivisionError, match="mine"):
        write(Broken(), DATA)
    with pytest.raises(TypeError):
        write(Silly(), DATA)


@write
@pytest.mark.parametrize("file", [None, "path", b"path", 2.5, object(), True])
def test_what_cannot_be_written_to_is_a_type_error(write: Any, file: Any) -> None:
    with pytest.raises(TypeError):
        write(file, DATA)


@write
def test_files_that_are_not_open_for_it(write: Any, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    with open(tmp_path / "a", "rb") as file, pytest.raises(OSError, match="writ"):
        write(file, DATA)
    with open(tmp_path / "b", "wb") as closed:
        pass
    with pytest.raises(ValueError, match="closed"):
        write(closed, DATA)
    with open(tmp_path / "b", "w", encoding="utf-8") as text, pytest.raises(TypeError, match="text"):
        write(text, DATA)
    number = os.open(tmp_path / "a", os.O_RDONLY)
    with pytest.raises(hurray.FileError) as caught:
        write(number, DATA)
    os.close(number)
    assert caught.value.errno == errno.EBADF
    with pytest.raises(hurray.FileError):
        write(99999, DATA)
    assert (tmp_path / "a").read_bytes() == b"old"


@write
def test_a_full_device_keeps_its_errno(write: Any) -> None:
    with open("/dev/full", "wb", buffering=0) as file, pytest.raises(hurray.FileError) as caught:
        write(file, DATA)
    assert caught.value.errno == errno.ENOSPC


@write
def test_a_broken_pipe_is_the_fitting_builtin(write: Any) -> None:
    reads, writes = os.pipe()
    os.close(reads)
    with pytest.raises(BrokenPipeError) as caught:
        write(writes, DATA)
    os.close(writes)
    assert isinstance(caught.value, hurray.FileError)


@write
def test_pipes_and_sockets_take_more_than_they_hold(write: Any) -> None:
    """All of it is handed over, in as many turns as it takes; the GIL is free meanwhile."""
    data = os.urandom(3 << 20)
    for ends in (os.pipe(), socket.socketpair()):
        numbers = [end if isinstance(end, int) else end.fileno() for end in ends]
        found = bytearray()

        def drain(number: int = numbers[0], found: bytearray = found) -> None:
            while len(found) < len(data):
                found += os.read(number, 1 << 16)

        reader = threading.Thread(target=drain)
        reader.start()
        assert write(numbers[1], data) == len(data)
        reader.join(20)
        assert found == data
        for end in ends:
            os.close(end) if isinstance(end, int) else end.close()


def test_signals_in_the_middle_lose_nothing() -> None:
    """A signal makes a write to a pipe short: the rest follows, in order, and handlers run meanwhile."""
    code = """
import os, signal, threading, time, hurray
reads, writes = os.pipe()
data = os.urandom(4 << 20)
found, rings = bytearray(), []

def drain():
    while len(found) < len(data):
        time.sleep(0.0002)
        found.extend(os.read(reads, 1 << 15))

signal.signal(signal.SIGALRM, lambda *_: rings.append(1))
thread = threading.Thread(target=drain, daemon=True)
thread.start()
signal.setitimer(signal.ITIMER_REAL, 0.003, 0.003)
written = hurray.write_all(writes, data)
signal.setitimer(signal.ITIMER_REAL, 0)
thread.join(20)
print(written == len(data), bytes(found) == data, len(rings) > 3)
"""
    assert run(code, timeout=40) == "True True True"


@write
def test_a_pipe_that_does_not_block_fails_as_pythons_own_does(write: Any) -> None:
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    with pytest.raises(BlockingIOError) as caught:
        write(writes, bytes(1 << 20))
    assert isinstance(caught.value, hurray.FileError)
    os.close(reads)
    os.close(writes)


def test_write_all_takes_anything_contiguous(tmp_path: Path) -> None:
    array = np.arange(6.0).reshape(2, 3)
    for buffer in (b"", b"abc", bytearray(b"abc"), array, tensor(b"abc"), memoryview(b"abcd")[1:]):
        stream = io.BytesIO()
        assert hurray.write_all(stream, buffer) == memoryview(buffer).nbytes
        assert stream.getvalue() == memoryview(buffer).tobytes()
    for wrong in (array.T, array[:, ::2]):
        with pytest.raises(hurray.BufferError):
            hurray.write_all(io.BytesIO(), wrong)
    with pytest.raises(TypeError):
        hurray.write_all(io.BytesIO(), "text")  # type: ignore[arg-type]


def test_control_c_ends_a_long_write() -> None:
    """A blocked pipe: the pending interrupt comes through as KeyboardInterrupt."""
    code = """
import os, signal, threading, time, hurray
reads, writes = os.pipe()
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt).start()
try:
    hurray.write_all(writes, bytes(1 << 24))
except KeyboardInterrupt:
    print("interrupted")
"""
    assert run(code, timeout=20) == "interrupted"


def test_more_bytes_than_an_object_can_have_is_a_memory_error() -> None:
    """Between 2^63 and 2^64 bytes: a broadcast that memory holds, and no bytes object can."""
    wide = hurray.Tensor(bytes(4), hurray.uint8, (2**61 + 1, 4), layout=hurray.StridedLayout([0, 1]))
    bits = hurray.Tensor(bytes(1), hurray.bool, (2**63,), layout=hurray.StridedLayout([0]))
    for door in (wide.tobytes, lambda: bytes(wide), bits.unpack, bits.tobytes):
        with pytest.raises(MemoryError):
            door()
