"""Tensors between two processes: ours, the bare bytes and pyarrow's in turns, ``streams BYTES RUNS``.

The bytes alone go by ``sendall``/``recv_into`` (``write``/``readinto`` for a pipe) into one buffer that is used
again; the others hand out every tensor, in memory of its own.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

import hurray
import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable

SMALL = 100_000


class Ends:
    """A pipe or a pair of sockets: what the sender writes to, what the receiver reads from."""

    def __init__(self, kind: str) -> None:
        self.near: Any
        self.far: Any
        if kind == "socket":
            self.near, self.far = socket.socketpair()
        else:
            read, write = os.pipe()
            self.near, self.far = os.fdopen(read, "rb", buffering=0), os.fdopen(write, "wb", buffering=0)


def send_ours(to: Any, count: int, tensor: np.ndarray[Any, Any]) -> None:
    item = hurray.from_numpy(tensor)
    with hurray.StreamWriter(to) as writer:
        for _ in range(count):
            writer.write(item)


def receive_ours(source: Any, count: int, size: int) -> None:
    got = sum(1 for _ in hurray.StreamReader(source))
    assert got == count


def send_raw(to: Any, count: int, tensor: np.ndarray[Any, Any]) -> None:
    data = memoryview(tensor.data).cast("B")
    for _ in range(count):
        if isinstance(to, socket.socket):
            to.sendall(data)
            continue
        rest = data
        while rest:
            rest = rest[to.write(rest) :]


def receive_raw(source: Any, count: int, size: int) -> None:
    buffer = memoryview(bytearray(size))
    into = source.recv_into if isinstance(source, socket.socket) else source.readinto
    for _ in range(count):
        rest = buffer
        while rest:
            rest = rest[into(rest) :]


def send_arrow(to: Any, count: int, tensor: np.ndarray[Any, Any]) -> None:
    item = pa.Tensor.from_numpy(tensor)
    sink = to.makefile("wb", buffering=0) if isinstance(to, socket.socket) else to
    out = pa.PythonFile(_Whole(sink), mode="w")
    for _ in range(count):
        pa.ipc.write_tensor(item, out)
    sink.close()


class _Whole:
    """Writes everything it is given: a raw file may take less."""

    def __init__(self, sink: Any) -> None:
        self._sink, self.closed = sink, False

    def write(self, data: Any) -> int:
        rest = memoryview(data)
        while rest:
            rest = rest[self._sink.write(rest) :]
        return len(data)

    def flush(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def receive_arrow(source: Any, count: int, size: int) -> None:
    file = (
        source.makefile("rb")
        if isinstance(source, socket.socket)
        else os.fdopen(os.dup(source.fileno()), "rb")
    )
    stream = pa.PythonFile(file, mode="r")
    for _ in range(count):
        pa.ipc.read_tensor(stream)


WAYS: dict[str, tuple[Callable[..., None], Callable[..., None]]] = {
    "ours": (send_ours, receive_ours),
    "raw": (send_raw, receive_raw),
    "arrow": (send_arrow, receive_arrow),
}


def timed(way: str, kind: str, count: int, tensor: np.ndarray[Any, Any]) -> float:
    """Seconds until the receiver has everything."""
    ends, (send, receive) = Ends(kind), WAYS[way]
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        ends.near.close()
        send(ends.far, count, tensor)
        ends.far.close()
        os._exit(0)
    ends.far.close()
    receive(ends.near, count, tensor.nbytes)
    took = time.perf_counter() - begin
    ends.near.close()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return took


def main() -> None:
    size, runs = int(sys.argv[1]), int(sys.argv[2])
    sizes = {"64 MiB": (size >> 26, 1 << 26), "1 MiB": (size >> 20, 1 << 20), "256 B": (SMALL, 256)}
    found: dict[str, list[float]] = {}
    for name, (count, each) in sizes.items():
        tensor = np.ones(each, np.uint8)
        for kind in ("pipe", "socket"):
            for _ in range(runs):
                for way in WAYS:
                    found.setdefault(f"{kind} {name} {way}", []).append(timed(way, kind, count, tensor))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
