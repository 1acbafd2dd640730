"""``Tensor.__dlpack__``: what a consumer is handed (requirements: DLPack Interoperability; ruling 7)."""

from __future__ import annotations

import builtins
import ctypes
import sys
import threading
import weakref
from typing import Any

import core_dlpack as dl
import hurray
import pytest
from core_memory import address, aligned
from core_numpy import np

# Element type -> DLPack code and bits: the types that DLPack and the format lay out alike.
CODES = {
    "int8": (0, 8),
    "int16": (0, 16),
    "int32": (0, 32),
    "int64": (0, 64),
    "uint8": (1, 8),
    "uint16": (1, 16),
    "uint32": (1, 32),
    "uint64": (1, 64),
    "float16": (2, 16),
    "float32": (2, 32),
    "float64": (2, 64),
    "bfloat16": (4, 16),
    "complex64": (5, 64),
    "complex128": (5, 128),
}
NO_CODE = [name for name in hurray.dtype.__all__ if name not in CODES]

# Arguments of a consumer -> the capsule it gets (ruling 7).
REQUESTS: list[tuple[dict[str, Any], bytes]] = [
    ({}, dl.VERSIONED),
    ({"max_version": None}, dl.VERSIONED),
    ({"copy": None}, dl.VERSIONED),
    ({"copy": True}, dl.VERSIONED),
    ({"copy": False}, dl.VERSIONED),
    ({"max_version": (1, 0)}, dl.VERSIONED),
    ({"max_version": (1, 3)}, dl.VERSIONED),
    ({"max_version": (2, 0)}, dl.VERSIONED),
    ({"max_version": (99, 9)}, dl.VERSIONED),
    ({"max_version": (0, 8)}, dl.LEGACY),
    ({"max_version": (1, 0), "stream": -1}, dl.VERSIONED),
    ({"max_version": (1, 0), "dl_device": (1, 0)}, dl.VERSIONED),
    ({"max_version": (0, 8), "dl_device": (1, 0), "stream": 1}, dl.LEGACY),
    ({"stream": -1}, dl.LEGACY),
    ({"stream": 1}, dl.LEGACY),
    ({"dl_device": (1, 0)}, dl.LEGACY),
    ({"dl_device": (1, 0), "copy": True}, dl.LEGACY),
    ({"stream": None, "dl_device": None, "copy": None, "max_version": None}, dl.VERSIONED),
]


def floats(*, readonly: bool = False) -> hurray.Tensor:
    source = aligned(24)
    source[:] = np.arange(6, dtype=np.float32).tobytes()
    return hurray.Tensor(source.toreadonly() if readonly else source, hurray.float32, (2, 3))


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("legacy", [False, True])
def test_the_capsule_says_what_the_tensor_is(name: str, legacy: bool) -> None:
    """__dlpack__() MUST return a "dltensor_versioned" capsule for all element types that DLPack defines."""
    dtype = getattr(hurray.dtype, name)
    tensor = hurray.Tensor(aligned(256), dtype, (2, 3), layout=hurray.StridedLayout((4, 1)))
    capsule = tensor.__dlpack__(max_version=(0, 8)) if legacy else tensor.__dlpack__()
    assert dl.name_of(capsule) == (dl.LEGACY if legacy else dl.VERSIONED)
    managed = dl.look(capsule)
    if not legacy:
        assert (managed.major, managed.flags) == (1, 0)
    inner = managed.tensor
    assert (inner.device.kind, inner.device.id, inner.ndim) == (dl.CPU, 0, 2)
    assert (inner.dtype.code, inner.dtype.bits, inner.dtype.lanes) == (*CODES[name], 1)
    assert (inner.shape[:2], inner.strides[:2]) == ([2, 3], [4, 1])
    # The capsule MUST reference the original buffer without copying.
    assert inner.data + inner.byte_offset == address(tensor.buffer(0))


@pytest.mark.parametrize("name", NO_CODE)
def test_types_that_dlpack_lacks_are_refused_by_the_builtin_class(name: str) -> None:
    """For element types outside the DLPack type enum, __dlpack__ MUST raise the built-in BufferError (rulings 6, 8)."""
    dtype = getattr(hurray.dtype, name)
    tensor = hurray.Tensor(bytes(hurray.buffer_size_bytes(dtype, 8)), dtype, (8,))
    for options, _ in REQUESTS:
        with pytest.raises(builtins.BufferError, match=name):
            tensor.__dlpack__(**options)
    assert tensor.__dlpack_device__() == (1, 0)


@pytest.mark.parametrize(("options", "expected"), REQUESTS, ids=[str(options) for options, _ in REQUESTS])
def test_the_consumer_gets_the_newest_capsule_it_can_read(options: dict[str, Any], expected: bytes) -> None:
    """Ruling 7: stream or dl_device without max_version is a consumer from before 1.0."""
    tensor = floats()
    capsule = tensor.__dlpack__(**options)
    assert dl.name_of(capsule) == expected
    managed = dl.look(capsule)
    shared = managed.tensor.data == address(tensor)
    assert shared is (options.get("copy") is not True)
    if expected == dl.VERSIONED:
        assert managed.flags == (0 if shared else dl.COPIED)


@pytest.mark.parametrize(("options", "expected"), REQUESTS, ids=[str(options) for options, _ in REQUESTS])
def test_read_only_memory_is_flagged_or_copied(options: dict[str, Any], expected: bytes) -> None:
    """Ruling 7: a legacy capsule cannot say read-only, so read-only memory goes there as a private copy."""
    tensor = floats(readonly=True)
    managed = dl.look(capsule := tensor.__dlpack__(**options))
    shared = managed.tensor.data == address(tensor)
    assert shared is (expected == dl.VERSIONED and options.get("copy") is not True)
    if expected == dl.VERSIONED:
        assert managed.flags == (dl.READ_ONLY if shared else dl.COPIED)
    assert ctypes.string_at(managed.tensor.data, 24) == tensor.tobytes()
    del capsule


@pytest.mark.parametrize("options", [{"max_version": (0, 8)}, {"stream": 1}, {"dl_device": (1, 0)}])
def test_an_explicit_copy_false_of_hidden_read_only_memory_raises(options: dict[str, Any]) -> None:
    """Ruling 7: an explicit copy=False raises instead."""
    with pytest.raises(builtins.BufferError, match="read-only"):
        floats(readonly=True).__dlpack__(copy=False, **options)
    assert dl.look(floats().__dlpack__(copy=False, **options)).tensor.data


@pytest.mark.parametrize("device", [(2, 0), (13, 1), (0, 0), (-1, 0)])
def test_another_device_is_refused(device: tuple[int, int]) -> None:
    """PEERS, copies: dl_device is not ignored."""
    for options in ({}, {"copy": True}, {"max_version": (1, 0)}):
        with pytest.raises(builtins.BufferError, match="device"):
            floats().__dlpack__(dl_device=device, **options)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"max_version": "1"}, TypeError),
        ({"max_version": 1}, TypeError),
        ({"max_version": ()}, (TypeError, ValueError, IndexError)),
        ({"max_version": ("1", "0")}, TypeError),
        ({"max_version": (-1, 0)}, (OverflowError, ValueError)),
        ({"dl_device": 1}, (TypeError, ValueError)),
        ({"dl_device": (1,)}, (TypeError, ValueError)),
        ({"copy": 1}, TypeError),
        ({"other": 1}, TypeError),
    ],
    ids=str,
)
def test_arguments_of_the_wrong_kind_are_refused(options: dict[str, Any], error: Any) -> None:
    with pytest.raises(error):
        floats().__dlpack__(**options)


def test_arguments_are_keyword_only() -> None:
    with pytest.raises(TypeError):
        floats().__dlpack__(None)  # type: ignore[call-arg]


def test_a_private_copy_is_private() -> None:
    tensor = floats()
    managed = dl.look(capsule := tensor.__dlpack__(copy=True))
    memoryview(tensor.buffer(0))[:4] = np.float32(9).tobytes()
    assert ctypes.string_at(managed.tensor.data, 4) == bytes(4)
    assert managed.tensor.data % 64 == 0
    del capsule


# --- lifetime ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"max_version": (0, 8)}], ids=str)
def test_an_unused_capsule_gives_its_reference_back(options: dict[str, Any]) -> None:
    """The Tensor's reference count MUST be incremented when the capsule is created and decremented when deleted."""
    tensor = floats()
    before = sys.getrefcount(tensor)
    capsule = tensor.__dlpack__(**options)
    assert sys.getrefcount(tensor) == before + 1
    more = [tensor.__dlpack__(**options) for _ in range(10)]
    assert sys.getrefcount(tensor) == before + 11
    del capsule, more
    assert sys.getrefcount(tensor) == before


@pytest.mark.parametrize("options", [{}, {"max_version": (0, 8)}], ids=str)
def test_a_consumed_capsule_leaves_the_reference_to_its_deleter(options: dict[str, Any]) -> None:
    """… and decremented when the capsule is consumed: by the deleter, once."""
    tensor = floats()
    before = sys.getrefcount(tensor)
    managed = dl.consume(capsule := tensor.__dlpack__(**options))
    del capsule
    assert sys.getrefcount(tensor) == before + 1
    watch = weakref.ref(tensor)
    del tensor
    assert watch() is not None
    assert ctypes.string_at(managed.tensor.data, 24) == np.arange(6, dtype=np.float32).tobytes()
    dl.delete(managed)
    assert watch() is None


def test_the_deleter_may_run_in_a_thread_that_python_does_not_know() -> None:
    """buffers.md §6: it must be callable from any thread."""
    tensor = floats()
    before = sys.getrefcount(tensor)
    managed = dl.consume(tensor.__dlpack__())
    # A CFUNCTYPE call lets go of the GIL: the deleter has to attach by itself.
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)
    worker = threading.Thread(target=deleter, args=(ctypes.addressof(managed),))
    worker.start()
    worker.join()
    assert sys.getrefcount(tensor) == before


def test_capsules_leak_nothing() -> None:
    tensor = floats()
    before = sys.getrefcount(tensor)
    for _ in range(2000):
        tensor.__dlpack__()
        np.from_dlpack(tensor)
        hurray.from_dlpack(tensor)
    assert sys.getrefcount(tensor) == before


# --- real consumers ----------------------------------------------------------------------------------------

LAYOUTS = [
    hurray.RowMajorLayout(),
    hurray.ColMajorLayout(),
    hurray.StridedLayout((3, 1)),
    hurray.StridedLayout((0, 1)),
    hurray.StridedLayout((1, 0)),
]


@pytest.mark.parametrize("name", [name for name in CODES if name != "bfloat16"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_numpy_takes_it_without_a_copy(name: str, layout: hurray.Layout) -> None:
    """A consumer's from_dlpack works on any object exposing __dlpack__."""
    tensor = hurray.Tensor(aligned(96), getattr(hurray.dtype, name), (2, 3), layout=layout)
    seen: Any = np.from_dlpack(tensor)
    assert (seen.dtype.name, seen.shape, seen.flags.writeable) == (name, (2, 3), True)
    assert seen.__array_interface__["data"][0] == address(tensor)
    seen[1, 2] = 1
    assert tensor.tolist() == seen.tolist()


def test_numpys_arguments_are_honoured() -> None:
    """PEERS, copies: from_dlpack(copy=True), dl_device, max_version, stream: none ignored."""
    tensor = floats()
    copied: Any = np.from_dlpack(tensor, copy=True)
    assert copied.__array_interface__["data"][0] != address(tensor)
    shared: Any = np.from_dlpack(tensor, copy=False, device="cpu")
    assert shared.__array_interface__["data"][0] == address(tensor)
    assert not np.from_dlpack(floats(readonly=True)).flags.writeable


def test_numpy_takes_scalars_empty_and_backward_tensors() -> None:
    for array in (np.float64(2.5).reshape(()), np.zeros((0, 4)), np.arange(24.0).reshape(4, 6)[::-2, ::3]):
        tensor = hurray.Tensor.from_buffer(array)
        seen: Any = np.from_dlpack(tensor)
        np.testing.assert_array_equal(seen, array)
        assert seen.shape == array.shape


def test_the_array_keeps_the_memory() -> None:
    tensor = floats()
    watch = weakref.ref(tensor)
    seen: Any = np.from_dlpack(tensor)
    del tensor
    assert seen.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert watch() is not None
    del seen
    assert watch() is None


@pytest.mark.parametrize("shape", [(None,), (2, None)])
def test_a_dynamic_dimension_is_refused(shape: Any) -> None:
    with pytest.raises(builtins.BufferError, match="dynamic"):
        hurray.Tensor(bytes(24), hurray.float32, shape).__dlpack__()


@pytest.mark.parametrize("stream", [0, -2, -(2**40)])
def test_a_stream_is_none_minus_one_or_a_positive_handle(stream: int) -> None:
    """04-tables §2, stream: None, -1 and positive handles are all there are."""
    tensor = hurray.Tensor(bytes(64), hurray.uint8, [64])
    with pytest.raises(BufferError, match="positive handle"):
        tensor.__dlpack__(stream=stream)
    tensor.__dlpack__(stream=-1)
    tensor.__dlpack__(stream=7)
