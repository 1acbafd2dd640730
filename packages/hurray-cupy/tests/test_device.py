"""The bridge on a real device. Where there is none, every test here is skipped and says so."""

from __future__ import annotations

import gc
from typing import Any

import cupy
import hurray
import hurray_cupy
import pytest


@pytest.fixture(autouse=True)
def _device() -> None:
    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"no CUDA device is here: {error}")
    if not count:
        pytest.skip("no CUDA device is here")


DTYPES = (
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back_is_the_same_memory(dtype: str) -> None:
    array = cupy.arange(12).reshape(3, 4).astype(dtype)
    tensor = hurray.asarray(array, copy=False)
    assert (tensor.device.kind, tensor.shape, tensor.dtype.name) == ("cuda", (3, 4), dtype)
    back = tensor.to("cupy", copy=False)
    assert back.data.ptr == array.data.ptr
    assert (back == array).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_are_made_on_the_device(dtype: str) -> None:
    array = cupy.arange(12).astype(dtype)
    back = hurray.asarray(array, copy=True).to("cupy")
    assert back.data.ptr != array.data.ptr
    assert hurray.asarray(array).to("cupy", copy=True).data.ptr != array.data.ptr
    assert (back == array).all()


def test_strides_are_kept() -> None:
    array = cupy.arange(24.0).reshape(2, 3, 4)
    for view in (array.T, array[:, ::2], cupy.asfortranarray(array), array[:0]):
        back = hurray.asarray(view, copy=False).to("cupy", copy=False)
        assert back.shape == view.shape
        assert (back == view).all()


@pytest.mark.parametrize("dtype", [*DTYPES, "bool"])
def test_host_memory_is_copied_to_the_device(dtype: str) -> None:
    tensor = hurray.Tensor(bytearray(range(1, 129)), dtype, (8,))
    array = tensor.to("cupy")
    assert array.get().tolist() == tensor.tolist()


def test_work_in_another_stream_is_waited_for() -> None:
    producing, consuming = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    with producing:
        array = cupy.sort(cupy.random.random(1 << 24))
        shared: Any = hurray_cupy.bridge.from_object(array, stream=consuming)
    with consuming:
        back = shared.to("cupy", stream=consuming)
        assert bool((back[1:] >= back[:-1]).all())


def test_memory_lives_as_long_as_the_last_view() -> None:
    pool = cupy.get_default_memory_pool()
    gc.collect()
    before = pool.used_bytes()
    tensor = hurray.asarray(cupy.ones(1 << 20))
    back = tensor.to("cupy")
    del tensor
    gc.collect()
    assert float(back.sum()) == 1 << 20
    del back
    gc.collect()
    assert pool.used_bytes() == before
