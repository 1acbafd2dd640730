"""StreamWriter and StreamReader over memory, files, pipes and sockets (requirements: Streaming; stream.md)."""

from __future__ import annotations

import gzip
import io
import os
import socket
import struct
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_strategies import Plan, plans
from core_tensors import bare, contents
from hypothesis import HealthCheck, assume, given, settings

SHAPED = hurray.Tensor(bytes(24), hurray.float32, (2, 3))
SMALL = hurray.asarray(b"abc")


def stream_of(*tensors: hurray.Tensor) -> bytes:
    with hurray.StreamWriter() as writer:
        for tensor in tensors:
            writer.write(tensor)
    return writer.getvalue()


def descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


def sent(*tensors: hurray.Tensor, into: Any, close: Callable[[], None]) -> threading.Thread:
    def work() -> None:
        with hurray.StreamWriter(into) as writer:
            for tensor in tensors:
                writer.write(tensor)
        close()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_the_bytes_are_those_of_the_format() -> None:
    data = stream_of(SHAPED, SMALL)
    assert len(data) == 61 + 24 + 53 + 3  # stream.md §14
    assert (data[:4], data[85:89], data[-3:]) == (b"HRRY", b"HRRY", b"abc")


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(plan=plans())
def test_every_tensor_comes_back_equal(plan: Plan) -> None:
    """StreamWriter.write MUST transmit every buffer its descriptor references, in descriptor order."""
    assume(None not in plan.shape and not isinstance(plan.layout, hurray.UnknownLayout))
    tensor = plan.build()
    writer = hurray.StreamWriter(check=False)
    writer.write(tensor)
    writer.write(SMALL)
    back, small = hurray.StreamReader(writer.getvalue())
    assert bare(back.descriptor) == bare(tensor.descriptor)
    assert contents(back) == contents(tensor)
    assert small.tobytes() == b"abc"


def test_an_empty_stream_has_no_tensors() -> None:
    assert stream_of() == b""
    assert list(hurray.StreamReader(b"")) == []


def test_received_memory_is_aligned_writable_and_outlives_the_reader() -> None:
    with hurray.StreamReader(stream_of(SHAPED)) as reader:
        tensor = next(reader)
    assert all(handle.alignment >= 64 for handle in tensor.buffer_handles)
    assert not memoryview(tensor).readonly
    assert tensor.tolist() == [[0.0] * 3] * 2


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_tensors_larger_than_the_transport_holds(kind: str) -> None:
    read: Any
    write: Any
    if kind == "pipe":
        read, write = (
            os.fdopen(number, mode, buffering=0) for number, mode in zip(os.pipe(), ("rb", "wb"), strict=True)
        )
    else:
        read, write = socket.socketpair()
    tensors = [hurray.full((3 << 20) + i, i, dtype=hurray.uint8) for i in range(6)]
    thread = sent(*tensors, into=write, close=write.close)
    with read:
        for i, tensor in enumerate(hurray.StreamReader(read)):
            assert tensor.tobytes() == bytes([i]) * ((3 << 20) + i)
        assert i == 5
    thread.join()


def test_paths_files_and_descriptors(tmp_path: Path) -> None:
    path = tmp_path / "s"
    for name in (path, str(path)):
        with hurray.StreamWriter(name) as writer:
            writer.write(SMALL)
        assert [t.tobytes() for t in hurray.StreamReader(name)] == [b"abc"]
    with open(path, "wb") as file:
        file.write(b"x")  # pending: it comes first
        hurray.StreamWriter(file).write(SMALL)
    assert path.read_bytes() == b"x" + stream_of(SMALL)
    with open(path, "rb") as file:
        assert file.read(1) == b"x"  # and the buffer has read ahead
        assert [t.tobytes() for t in hurray.StreamReader(file)] == [b"abc"]
        assert not file.closed
    with open(path, "rb", buffering=0) as file:
        file.read(1)
        assert len(list(hurray.StreamReader(file.fileno()))) == 1
        assert os.fstat(file.fileno())


def test_what_a_buffered_pipe_has_read_ahead_is_part_of_the_stream() -> None:
    read, write = os.pipe()
    os.write(write, b"line\n" + stream_of(SMALL, SHAPED))
    with open(read, "rb") as file:
        assert file.readline() == b"line\n"
        reader = hurray.StreamReader(file)
        assert next(reader).tobytes() == b"abc"
        assert next(reader).shape == (2, 3)
        os.close(write)
        assert list(reader) == []


def test_an_idle_buffered_pipe_is_not_waited_for() -> None:
    read, write = os.pipe()
    with open(read, "rb") as file:
        reader = hurray.StreamReader(file)
        os.write(write, stream_of(SMALL))
        assert next(reader).tobytes() == b"abc"
        assert file.raw.readinto.__name__ == "readinto"
        os.close(write)


@pytest.mark.parametrize("door", [hurray.StreamReader, hurray.StreamWriter])
def test_what_has_no_descriptor_of_its_own_is_refused_with_the_way_out(door: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"getvalue\(\)"):
        door(io.BytesIO())
    with gzip.open(tmp_path / "z", "wb") as packed, pytest.raises(TypeError, match="compressed"):
        door(packed)
    with open(tmp_path / "t", "w") as text, pytest.raises(TypeError, match="mode 'rb'"):
        door(text)
    for other in (True, 1.5, object()):
        with pytest.raises(TypeError):
            door(other)
    with open(tmp_path / "t", "rb") as file:
        pass
    with pytest.raises(ValueError, match="closed"):
        door(file)
    with pytest.raises(hurray.FileError) as refused:
        door(tmp_path)
    assert isinstance(refused.value, IsADirectoryError)
    with pytest.raises(hurray.FileError):
        door(-1)


def test_a_class_of_sockets_that_decrypts_is_refused() -> None:
    class Wrapped(socket.socket):
        def recv_into(self, *_: Any) -> int:
            return 0

    with Wrapped() as wrapped, pytest.raises(TypeError, match="encrypted"):
        hurray.StreamReader(wrapped)


def test_a_file_that_is_open_the_other_way_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.touch()
    with open(path, "rb") as file, pytest.raises(hurray.FileError):
        hurray.StreamWriter(file)
    with open(path, "ab", buffering=0) as file, pytest.raises(hurray.FileError):
        hurray.StreamReader(file)


def test_a_missing_file_is_both_errors() -> None:
    with pytest.raises(FileNotFoundError) as missing:
        hurray.StreamReader("/no/such/file")
    assert isinstance(missing.value, hurray.FileError)
    assert missing.value.filename == "/no/such/file"


def test_closed_and_finished_are_what_they_say() -> None:
    reader = hurray.StreamReader(stream_of(SMALL))
    reader.close()
    reader.close()
    assert list(reader) == []
    writer = hurray.StreamWriter()
    writer.write(SMALL)
    writer.finish()
    writer.finish()
    writer.close()
    with pytest.raises(hurray.StreamError, match="finished"):
        writer.write(SMALL)
    assert writer.getvalue() == writer.getvalue() == stream_of(SMALL)
    assert writer.getvalue() is writer.getvalue()


def test_getvalue_needs_memory(tmp_path: Path) -> None:
    with (
        hurray.StreamWriter(tmp_path / "s") as writer,
        pytest.raises(hurray.StreamError, match="destination"),
    ):
        writer.getvalue()


def test_a_stream_cut_at_every_byte() -> None:
    data = stream_of(SHAPED, SMALL)
    for cut in range(len(data)):
        reader = hurray.StreamReader(data[:cut])
        if cut in (0, 85):
            assert len(list(reader)) == (cut == 85)
            continue
        with pytest.raises(hurray.StreamError) as error:
            list(reader)
        assert error.value.code == "S-1"
        assert list(reader) == []  # closed


def test_flipped_bits_are_read_or_refused() -> None:
    data = stream_of(SHAPED, SMALL)
    refused = 0
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        try:
            list(hurray.StreamReader(bytes(flipped)))
        except (
            hurray.StreamError,
            hurray.InvalidDescriptorError,
            hurray.BufferError,
            hurray.UnsupportedError,
        ):
            refused += 1
    assert refused > 300


def test_garbage_before_a_frame() -> None:
    with pytest.raises(hurray.StreamError) as error:
        next(hurray.StreamReader(b"\0" + stream_of(SMALL)))
    assert error.value.code == "S-2"


def test_limits() -> None:
    data = stream_of(SHAPED)
    for reader, code in (
        (hurray.StreamReader(data, max_descriptor_bytes=60), "S-5"),
        (hurray.StreamReader(data, max_buffer_bytes=23), "S-7"),
    ):
        with pytest.raises(hurray.StreamError) as error:
            next(reader)
        assert error.value.code == code
    assert next(hurray.StreamReader(data, max_descriptor_bytes=61, max_buffer_bytes=24)).shape == (2, 3)
    with pytest.raises(ValueError, match="at most 64"):
        hurray.StreamReader(data, max_composite_depth=65)


def test_a_peer_that_sends_one_byte_at_a_time() -> None:
    read, write = socket.socketpair()
    data = stream_of(SHAPED, SMALL)

    def work() -> None:
        for i in range(len(data)):
            write.send(data[i : i + 1])
        write.close()

    thread = threading.Thread(target=work)
    thread.start()
    assert [t.shape for t in hurray.StreamReader(read)] == [(2, 3), (3,)]
    thread.join()
    read.close()


def test_a_tensor_is_delivered_with_its_last_byte_and_nothing_beyond_is_read() -> None:
    read, write = socket.socketpair()
    with read, write:
        reader = hurray.StreamReader(read)
        write.sendall(stream_of(SMALL) + b"next")
        assert next(reader).tobytes() == b"abc"
        reader.close()
        assert read.recv(9) == b"next"


def test_a_timeout_between_tensors_leaves_the_reader_usable() -> None:
    read, write = socket.socketpair()
    with read, write:
        read.settimeout(0.01)
        reader = hurray.StreamReader(read)
        with pytest.raises(TimeoutError) as error:
            next(reader)
        assert isinstance(error.value, hurray.FileError)
        hurray.StreamWriter(write).write(SMALL)
        assert next(reader).tobytes() == b"abc"
        write.send(b"HRR")
        with pytest.raises(TimeoutError):
            next(reader)
        assert list(reader) == []


def test_non_blocking_descriptors_are_waited_for() -> None:
    read, write = socket.socketpair()
    read.setblocking(False)
    write.setblocking(False)
    thread = sent(hurray.zeros(5 << 20, dtype=hurray.uint8), SMALL, into=write, close=write.close)
    assert [t.nbytes for t in hurray.StreamReader(read)] == [5 << 20, 3]
    thread.join()
    read.close()


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_a_peer_that_is_gone(kind: str) -> None:
    if kind == "pipe":
        number, into = os.pipe()
        os.close(number)
        write: Any = os.fdopen(into, "wb", buffering=0)
    else:
        read, write = socket.socketpair()
        read.close()
    with write:
        writer = hurray.StreamWriter(write)
        with pytest.raises(BrokenPipeError) as error:
            writer.write(SMALL)
        assert isinstance(error.value, hurray.FileError)


def test_a_write_that_fails_in_the_middle_ends_the_stream() -> None:
    read, write = socket.socketpair()
    write.settimeout(0.01)
    with read, write:
        writer = hurray.StreamWriter(write)
        with pytest.raises(TimeoutError):
            writer.write(hurray.zeros(8 << 20, dtype=hurray.uint8))
        with pytest.raises(hurray.StreamError, match="earlier write"):
            writer.write(SMALL)
        with pytest.raises(hurray.StreamError, match="earlier write"):
            writer.finish()
        writer.close()


def test_a_refused_tensor_leaves_the_stream_as_it_was() -> None:
    writer = hurray.StreamWriter()
    with pytest.raises(TypeError):
        writer.write(object())
    with pytest.raises(hurray.InvalidDescriptorError):
        writer.write(hurray.Tensor(bytes(8), hurray.uint8, (None, 2)))
    writer.write(SMALL)
    assert writer.getvalue() == stream_of(SMALL)


def test_contents_are_checked_unless_told_otherwise() -> None:
    """04-tables.md §3, ruling 13."""
    indices, pointers = bytes(8), struct.pack("<2Q", 0, 7)
    bad = hurray.Tensor(
        bytes(4), hurray.float32, (1, 1), layout=hurray.CsrLayout(1), aux_buffers=[indices, pointers]
    )
    with pytest.raises(hurray.InvalidDescriptorError):
        stream_of(bad)
    writer = hurray.StreamWriter(check=False)
    writer.write(bad)
    with pytest.raises(hurray.InvalidDescriptorError):
        writer.write(bad, check=True)
    assert len(list(hurray.StreamReader(writer.getvalue()))) == 1


def test_tensors_of_many_threads_arrive_whole() -> None:
    read, write = socket.socketpair()
    writer = hurray.StreamWriter(write)
    tensors = [hurray.full(300_000, i, dtype=hurray.uint8) for i in range(4)]
    threads = [threading.Thread(target=lambda t=t: [*map(writer.write, [t] * 5)]) for t in tensors]
    reader = hurray.StreamReader(read)
    found: list[hurray.Tensor] = []
    readers = [threading.Thread(target=lambda: found.extend(reader)) for _ in range(2)]
    for thread in threads + readers:
        thread.start()
    for thread in threads:
        thread.join()
    writer.finish()
    write.close()
    for thread in readers:
        thread.join()
    assert sorted(t.tobytes() for t in found) == sorted(t.tobytes() for t in tensors for _ in range(5))
    read.close()


@pytest.mark.parametrize("begun", [False, True])
def test_close_wakes_a_thread_that_waits(begun: bool) -> None:
    read, write = socket.socketpair()
    with read, write:
        before = descriptors()
        reader = hurray.StreamReader(read)
        if begun:
            write.send(b"HRRY")
        found: list[Any] = []

        def work() -> None:
            try:
                found.append(next(reader, None))
            except hurray.StreamError as error:
                found.append(str(error))

        thread = threading.Thread(target=work)
        thread.start()
        while begun and read.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0 and _pending(read):
            pass
        reader.close()
        thread.join()
        assert found in ([None], ["the reader was closed by another thread in the middle of a tensor"])
        assert descriptors() == before


def _pending(sock: socket.socket) -> bool:
    try:
        return bool(sock.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except BlockingIOError:
        return False


def test_no_descriptor_is_left() -> None:
    before = descriptors()
    for _ in range(20):
        with tempfile.TemporaryFile() as file:
            with hurray.StreamWriter(file) as writer:
                writer.write(SMALL)
            file.seek(0)
            reader = hurray.StreamReader(file)
            assert len(list(reader)) == 1
    assert descriptors() == before
