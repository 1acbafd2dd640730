"""Memory of a device from a producer in C: asked with the stream, described, and never read.

Its pages allow no access, so that one byte read of them ends the process. Real memory is in test_device.py.
"""

from __future__ import annotations

import gc
import threading
from typing import Any

import cupy
import hurray
import hurray_cupy
import pytest
from hurray_cupy._device import handle, on
from hurray_cupy._ingest import Streamed


@pytest.mark.parametrize("stream", [-1, 1, 2, 12345])
def test_the_producer_is_asked_with_the_stream(fake: Any, stream: int) -> None:
    tensor = hurray.from_dlpack(Streamed(fake, stream))
    assert [asked["stream"] for asked in fake.asked] == [stream]
    assert (tensor.device.kind, tensor.device.device_id, tensor.shape) == ("cuda", 0, (2, 3))
    del tensor
    gc.collect()
    assert fake.deleted == 1


@pytest.mark.parametrize("stream", [1, 2, 12345])
def test_a_stream_of_cupy_is_named_by_its_handle(stream: int) -> None:
    assert handle(on(stream)) == stream
    assert handle(stream) == stream


def test_the_default_stream_is_1_to_dlpack() -> None:
    assert handle(cupy.cuda.Stream.null) == 1
    assert handle(None) is None


@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("stream", [None, 1, 2])
def test_device_memory_is_not_read_where_there_is_no_device(
    fake: Any, copy: bool | None, stream: int | None
) -> None:
    if has_device():
        pytest.skip("a CUDA device is here: its address would be looked up")
    tensor = hurray.from_dlpack(fake)
    with pytest.raises(hurray.UnsupportedError, match=r"shape \(2, 3\): CuPy finds no cuda device here"):
        tensor.to("cupy", copy=copy, stream=stream)
    del tensor
    gc.collect()
    assert fake.deleted == 1


def test_an_array_over_it_is_refused_where_there_is_no_device(fake: Any) -> None:
    if has_device():
        pytest.skip("a CUDA device is here: its address would be looked up")
    memory = cupy.cuda.UnownedMemory(fake.address, 4096, None, device_id=0)
    array = cupy.ndarray((3, 4), "float32", memptr=cupy.cuda.MemoryPointer(memory, 0))
    for stream in (None, 1, on(5)):
        with pytest.raises(
            hurray.UnsupportedError, match=r"dtype float32 and shape \(3, 4\): CuPy finds no cuda"
        ):
            hurray_cupy.bridge.from_object(array, stream=stream)


def test_another_kind_of_device_is_refused(rocm: Any) -> None:
    tensor = hurray.from_dlpack(rocm)
    with pytest.raises(hurray.UnsupportedError, match="is on rocm, and this CuPy is for cuda"):
        tensor.to("cupy")


def test_eight_threads_take_and_drop(fake: Any) -> None:
    def work() -> None:
        for _ in range(100):
            hurray.from_dlpack(Streamed(fake, 2)).__dlpack__(stream=2)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gc.collect()
    assert fake.deleted == len(fake.asked) == 800


def has_device() -> bool:
    try:
        return bool(cupy.cuda.runtime.getDeviceCount())
    except cupy.cuda.runtime.CUDARuntimeError:
        return False
