"""Who keeps whom alive: arrays behind tensors, tensors behind arrays."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import hurray
import ml_dtypes
import numpy as np
import pytest

Array = np.ndarray[Any, Any]


class Traced(np.ndarray[Any, Any]):
    """An array that can be watched: plain ndarrays can be, too, but not told apart from their bases."""


def aligned(count: int, dtype: Any) -> Array:
    store = np.zeros(count * np.dtype(dtype).itemsize + 64, np.uint8)
    start = -store.__array_interface__["data"][0] % 64
    return np.ndarray((count,), dtype, buffer=store, offset=start)


def bases(array: Any) -> list[object]:
    """The chain of owners behind an array, through memoryviews and what holds others."""
    found = []
    at = array
    while at is not None:
        found.append(at)
        if isinstance(at, memoryview):
            at = at.obj
        elif isinstance(at, np.ndarray):
            at = at.base
        else:
            owner = getattr(at, "owner", None)
            at = owner[0] if isinstance(owner, tuple) else None
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, ml_dtypes.bfloat16, ml_dtypes.float8_e5m2])
@pytest.mark.parametrize("view", [False, True])
def test_a_tensor_keeps_its_array_alive(dtype: Any, view: bool) -> None:
    """Lifetime MUST: the Tensor holds a strong reference to the source ndarray, itself, for its lifetime."""
    array = aligned(16, dtype)
    array[:] = np.arange(16)
    if view:
        array = array[::2]
    watch = weakref.ref(array)
    expected = array.tobytes()
    tensor = hurray.from_numpy(array, copy=False)
    del array
    gc.collect()
    assert watch() is not None
    back = tensor.to("numpy", ml_dtypes=True)
    assert back.tobytes() == expected
    del back, tensor
    gc.collect()
    assert watch() is None


def test_a_copy_holds_on_to_nothing() -> None:
    for dtype, copy in (("f4", True), ("?", None), (">f4", None)):
        array = aligned(16, dtype)
        watch = weakref.ref(array)
        tensor = hurray.from_numpy(array, copy=copy)
        del array
        gc.collect()
        assert watch() is None
        assert tensor.size == 16


@pytest.mark.parametrize("dtype", ["float32", "complex64", "bfloat16"])
def test_an_array_leads_back_to_its_tensor(dtype: str) -> None:
    """Lifetime MUST: the ndarray references the source Tensor as its base, so that it is kept alive."""
    kind = hurray.Dtype.from_name(dtype)
    tensor = hurray.Tensor(bytearray(64), kind, (4,))
    for array in (np.asarray(tensor), tensor.to("numpy"), tensor.__array__()):
        assert any(owner is tensor for owner in bases(array))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool"])
def test_an_array_outlives_its_tensor(dtype: str) -> None:
    source = np.arange(4096) % 2
    array: Array = source.astype(ml_dtypes.bfloat16) if dtype == "bfloat16" else source.astype(dtype)
    tensor = hurray.from_numpy(array)
    back = np.asarray(tensor)
    del tensor, array
    gc.collect()
    filler = [np.full(4096, 7, np.float32) for _ in range(16)]
    assert back.astype(np.int64).tolist() == source.tolist()
    del filler


def test_the_memory_goes_when_the_last_view_goes() -> None:
    """PEERS, memory: dropping the last view frees the memory then, not at the next call."""
    base = aligned(1 << 16, np.float32)
    array = base.view(Traced)
    watch = weakref.ref(array)
    tensor = hurray.from_numpy(array, copy=False)
    first, second = np.asarray(tensor), np.asarray(tensor)
    del array, tensor, first
    assert watch() is not None
    del second
    assert watch() is None


def test_a_round_trip_is_the_same_memory() -> None:
    array = aligned(16, np.float32)
    for _ in range(5):
        array = np.asarray(hurray.from_numpy(array, copy=False))
    array[3] = 9
    assert array.base is not None
