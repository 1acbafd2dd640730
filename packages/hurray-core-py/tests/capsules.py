"""Capsules of both protocols made, dropped, taken and kept to the end: run under valgrind (``nox -s memory``)."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
from pathlib import Path
from typing import Any

import core_cc
import core_dlpack as dl
import hurray
from core_tensors import csr
from test_dlpack_devices import Library, Producer
from test_native import Bare, Returns

ROUNDS = 50


def dlpack(library: Library, kept: list[Any]) -> None:
    """DLPack, both ways, of both kinds of capsule."""
    tensor = hurray.Tensor(bytearray(64), hurray.float32, (4, 4))
    readonly = hurray.Tensor(bytes(64), hurray.float32, (4, 4))
    for version in (1, 0):
        for kind in (1, 2, 4):
            producer = Producer(library, kind, version=version, data=library.ordinary)
            producer.capsule()
            one = hurray.from_dlpack(producer)
            kept[:] = [one, one.__dlpack__(), one.T, hurray.from_dlpack(one)]
    requests: tuple[dict[str, Any], ...] = ({}, {"max_version": (0, 8)}, {"copy": True})
    for options in requests:
        for source in (tensor, readonly):
            source.__dlpack__(**options)
            dl.delete(dl.consume(source.__dlpack__(**options)))
    lies: tuple[dict[str, Any], ...] = (
        {"shape": (2**40, 2**40)},
        {"dtype": (9, 9)},
        {"data": None},
        {"flags": 1},
    )
    for lie in lies:
        try:
            hurray.from_dlpack(Producer(library, 1, **{"data": library.ordinary, **lie}))
        except (hurray.BufferError, hurray.UnsupportedError):
            continue


def native(peer: Any, kept: list[Any]) -> None:
    """The native protocol, both ways, with the peer in C."""
    for tensor in (hurray.Tensor(bytes(64), hurray.float32, (4, 4)), csr()):
        tensor.__hurray__()
        kept[:] = [tensor.__hurray__(), hurray.from_hurray(tensor), hurray.from_hurray(Bare(tensor))]
        kept.append(hurray.from_hurray(Returns(peer.peer_rewrap(ctypes.py_object(tensor.__hurray__())))))
        peer.peer_consume(ctypes.py_object(tensor.__hurray__()))
    peer.peer_produce(3)
    kept.append(hurray.from_hurray(Returns(peer.peer_produce(3))).tolist())
    for fault in ("version", "size", "two", "address", "no descriptor", "no context"):
        try:
            hurray.from_hurray(Returns(peer.peer_broken(fault.encode(), None, ctypes.c_uint64(0))))
        except (hurray.BufferError, hurray.UnsupportedError):
            continue


def main() -> None:
    folder = Path(sys.argv[1])
    library, peer = Library(folder), core_cc.native_peer(folder)
    kept: list[Any] = []
    for _ in range(ROUNDS):
        dlpack(library, kept)
        native(peer, kept)
        # What is left goes in another thread.
        worker = threading.Thread(target=kept.clear)
        worker.start()
        worker.join()
    gc.collect()
    tensor = hurray.Tensor(bytes(64), hurray.uint8, (64,))
    held: Any = sys
    held.kept = [
        tensor,
        tensor.__dlpack__(),
        tensor.__hurray__(),
        hurray.from_hurray(Returns(peer.peer_produce(3))),
    ]
    print(f"handled {ROUNDS} rounds, {library.deleted + peer.peer_released()} releases in C")


if __name__ == "__main__":
    main()
