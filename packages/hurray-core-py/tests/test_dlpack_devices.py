"""DLPack memory that is not the CPU's, from a producer in C: described, handed on, and never read.

The producer's pages allow no access: one byte read of them ends the process.
"""

from __future__ import annotations

import builtins
import copy as copies
import ctypes
import gc
import pickle
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import core_cc
import core_dlpack as dl
import hurray
import pytest
from core_memory import run

# DLPack's device type -> the pair that it is (04-tables.md §2, read from right to left).
DEVICES = {
    2: ("cuda", "standard"),
    3: ("cuda", "host_pinned"),
    13: ("cuda", "unified"),
    10: ("rocm", "standard"),
    11: ("rocm", "host_pinned"),
    8: ("metal", "standard"),
    7: ("vulkan", "standard"),
    15: ("webgpu", "standard"),
    16: ("hexagon", "standard"),
    14: ("level_zero", "standard"),
    4: ("opencl", "standard"),
}
HANDLES = (4, 7, 8, 15)
VERSIONS = pytest.mark.parametrize("version", [1, 0], ids=["versioned", "legacy"])


class Library:
    """The C producer, and counts since it was asked for."""

    def __init__(self, folder: Path) -> None:
        self.c: Any = core_cc.dlpack_producer(folder)
        self.forbidden: int = self.c.producer_memory(ctypes.c_size_t(1 << 16), 1)
        self.ordinary: int = self.c.producer_memory(ctypes.c_size_t(1 << 16), 0)
        self.start = 0

    @property
    def deleted(self) -> int:
        return int(self.c.producer_deleted()) - self.start


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(tmp_path_factory.mktemp("producer"))


@pytest.fixture
def library(built: Library) -> Library:
    gc.collect()
    built.start += built.deleted
    return built


class Producer:
    """An array of a framework for devices."""

    def __init__(self, library: Library, kind: int, *, version: int = 1, **more: Any) -> None:
        self.library, self.place, self.version, self.more = library, (kind, more.pop("id", 1)), version, more
        self.asked: dict[str, Any] = {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.place

    def __dlpack__(self, **options: Any) -> Any:
        self.asked = options
        return self.capsule(**self.more)

    def capsule(
        self,
        shape: Sequence[int] = (2, 3),
        strides: Sequence[int] | None = None,
        *,
        offset: int = 0,
        shift: int = 0,
        flags: int = 0,
        dtype: tuple[int, int] = (2, 32),
        data: int | None = -1,
    ) -> Any:
        numbers = ctypes.c_int64 * len(shape)
        address = (self.library.forbidden + shift) if data == -1 else data
        return self.library.c.producer_make(
            ctypes.c_uint32(self.version),
            ctypes.c_uint64(flags),
            *self.place,
            *(ctypes.c_uint8(number) for number in dtype),
            len(shape),
            numbers(*shape),
            None if strides is None else numbers(*strides),
            ctypes.c_void_p(address),
            ctypes.c_uint64(offset),
        )


@VERSIONS
@pytest.mark.parametrize("kind", DEVICES)
def test_a_device_tensor_is_described(library: Library, kind: int, version: int) -> None:
    """Device and Memory Class Mapping, inwards: DLPack integers MUST NOT be stored in a buffer handle."""
    tensor = hurray.from_dlpack(Producer(library, kind, version=version))
    name, memory_class = DEVICES[kind]
    assert tensor.device == hurray.Device(name, 1, memory_class)
    assert (tensor.shape, tensor.dtype, tensor.layout) == ((2, 3), hurray.float32, hurray.RowMajorLayout())
    only = tensor.buffer_handles[0]
    assert (only.byte_size, only.sync_mode, only.device) == (24, "producer_synced", tensor.device)
    assert only.alignment == (64 if kind in HANDLES else 4096)
    assert tensor.__dlpack_device__() == (kind, 1)
    assert hurray.Descriptor.decode(tensor.descriptor.encode()).shape == (2, 3)
    assert name in repr(tensor)
    assert library.deleted == 0
    del tensor
    assert library.deleted == 1


@VERSIONS
@pytest.mark.parametrize("kind", DEVICES)
def test_a_device_tensor_is_handed_on(library: Library, kind: int, version: int) -> None:
    """The capsule MUST reference the original buffer without copying."""
    tensor = hurray.from_dlpack(Producer(library, kind, version=version, strides=(1, 2)))
    for options in ({}, {"max_version": (1, 0), "stream": 5, "dl_device": (kind, 1)}, {"stream": -1}):
        capsule = tensor.__dlpack__(**options)
        inner = dl.look(capsule).tensor
        assert (inner.data, inner.byte_offset) == (library.forbidden, 0)
        assert (inner.device.kind, inner.device.id) == (kind, 1)
        assert (inner.shape[:2], inner.strides[:2]) == ([2, 3], [1, 2])
        again = hurray.from_dlpack(tensor)
        assert (again.device, again.layout, again.descriptor) == (
            tensor.device,
            tensor.layout,
            tensor.descriptor,
        )
        del capsule, again
    native = hurray.from_hurray(tensor)
    assert (native.descriptor, native.device) == (tensor.descriptor, tensor.device)
    capsule = native.__dlpack__()
    del tensor, native
    assert library.deleted == 0
    del capsule
    assert library.deleted == 1


READS: dict[str, Any] = {
    "tolist": lambda tensor: tensor.tolist(),
    "tobytes": lambda tensor: tensor.tobytes(),
    "buffer": lambda tensor: tensor.buffer(0),
    "validate": lambda tensor: tensor.validate(),
    "memoryview": memoryview,
    "pickle": lambda tensor: pickle.dumps(tensor, 5),
    "pickle 4": lambda tensor: pickle.dumps(tensor, 4),
    "deepcopy": copies.deepcopy,
    "constructor": lambda tensor: hurray.Tensor(tensor, hurray.uint8, (24,)),
    "from_buffer": lambda tensor: hurray.Tensor.from_buffer(tensor, copy=True),
    "asarray": lambda tensor: hurray.asarray(tensor, copy=True),
    "from_descriptor": lambda tensor: hurray.Tensor.from_descriptor(tensor.descriptor, [tensor]),
    "copy over DLPack": lambda tensor: tensor.__dlpack__(copy=True),
    "from_dlpack with a copy": lambda tensor: hurray.from_dlpack(tensor, copy=True),
    "NumPy": lambda tensor: tensor.to("numpy"),
}


@pytest.mark.parametrize("what", READS)
@pytest.mark.parametrize("kind", [2, 3, 13, 4])
def test_memory_of_a_device_is_never_read(library: Library, kind: int, what: str) -> None:
    """buffers.md §3: what the CPU does not reach is refused, by each door with its own class."""
    tensor = hurray.from_dlpack(Producer(library, kind))
    with pytest.raises((hurray.UnsupportedError, builtins.BufferError)) as caught:
        READS[what](tensor)
    assert str(caught.value)
    shown = copies.copy(tensor)
    assert (shown.T.shape, "float32" in repr(shown), hurray.asarray(tensor) is tensor) == ((3, 2), True, True)
    del caught, tensor, shown
    gc.collect()
    assert library.deleted == 1


def test_memory_of_a_device_is_not_written_to_a_file(library: Library, tmp_path: Path) -> None:
    tensor = hurray.from_dlpack(Producer(library, 2))
    with pytest.raises(hurray.UnsupportedError, match="copy the tensor to the CPU"):
        hurray.save(tmp_path / "a.hrry", {"w": tensor})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [2, 4])
@pytest.mark.parametrize(
    ("more", "first"),
    [
        ({"offset": 256}, 256),
        ({"offset": 4, "shift": 8}, 12),
        ({"shift": 68, "strides": (-3, 1), "offset": 12}, 80),
        ({"shape": (), "offset": 8}, 8),
    ],
    ids=str,
)
def test_offsets_are_kept(library: Library, kind: int, more: dict[str, Any], first: int) -> None:
    """PEERS, values: byte_offset counts, also where elements lie before it."""
    tensor = hurray.from_dlpack(Producer(library, kind, **more))
    capsule = tensor.__dlpack__()
    inner = dl.look(capsule).tensor
    assert inner.data + inner.byte_offset == library.forbidden + first
    if kind in HANDLES:  # nothing can be added to a handle
        assert (inner.data, inner.byte_offset) == (library.forbidden + more.get("shift", 0), more["offset"])
    else:
        assert tensor.buffer_handles[0].alignment >= 64


@VERSIONS
def test_no_elements_on_a_device(library: Library, version: int) -> None:
    for shape in ((0,), (3, 0)):
        tensor = hurray.from_dlpack(Producer(library, 2, version=version, shape=shape, data=None))
        assert (tensor.shape, tensor.device, tensor.nbytes) == (shape, hurray.Device("cuda", 1), 0)
        assert dl.look(tensor.__dlpack__()).tensor.device.kind == 2
    del tensor
    assert library.deleted == 2


def test_the_read_only_flag_is_handed_on(library: Library) -> None:
    tensor = hurray.from_dlpack(Producer(library, 2, flags=dl.READ_ONLY))
    assert tensor.readonly
    assert dl.look(tensor.__dlpack__()).flags == dl.READ_ONLY
    # What a legacy capsule cannot say would need a copy (ruling 7).
    with pytest.raises(builtins.BufferError, match="does not copy cuda memory"):
        tensor.__dlpack__(max_version=(0, 8))
    with pytest.raises(builtins.BufferError, match="read-only"):
        tensor.__dlpack__(max_version=(0, 8), copy=False)


def test_a_copy_is_the_producers_to_make(library: Library) -> None:
    """copy=True always copies: the memory is not ours to read, so its producer is asked."""
    producer = Producer(library, 2, flags=dl.COPIED)
    assert hurray.from_dlpack(producer, copy=True).device.kind == "cuda"
    assert producer.asked["copy"] is True
    silent = Producer(library, 2)
    with pytest.raises(hurray.UnsupportedError, match="does not say that it has copied"):
        hurray.from_dlpack(silent, copy=True)
    for copy in (None, False):
        assert hurray.from_dlpack(silent, copy=copy).device.kind == "cuda"
        assert "copy" not in silent.asked


@pytest.mark.parametrize("kind", [2, 4])
@pytest.mark.parametrize(
    "lie",
    [
        {"data": None},
        {"shape": (2**62,)},
        {"shape": (2**40, 2**40)},
        {"shape": (2,), "strides": (2**61,)},
        {"shape": (3,), "strides": (-(2**60),)},
        {"offset": 2**64 - 1},
    ],
    ids=str,
)
def test_a_lie_about_device_memory_is_refused(library: Library, kind: int, lie: dict[str, Any]) -> None:
    for copy in (None, False):
        with pytest.raises(hurray.BufferError):
            hurray.from_dlpack(Producer(library, kind, **lie), copy=copy)
    assert library.deleted == 2


def test_bool_cannot_be_packed_there(library: Library) -> None:
    with pytest.raises(hurray.UnsupportedError, match="packed"):
        hurray.from_dlpack(Producer(library, 2, dtype=(6, 8)))
    assert library.deleted == 1


@pytest.mark.parametrize("device", [(1, 0), (2, 0), (3, 1), (13, 1)])
def test_it_is_handed_over_where_it_is_and_nowhere_else(library: Library, device: tuple[int, int]) -> None:
    """PEERS, copies: dl_device is not ignored."""
    tensor = hurray.from_dlpack(Producer(library, 2))
    with pytest.raises(builtins.BufferError, match="device"):
        tensor.__dlpack__(dl_device=device)


def test_zero_is_a_stream_of_rocm_alone(library: Library) -> None:
    """Array API: 0 is ROCm's default stream, and for CUDA means none in particular."""
    hurray.from_dlpack(Producer(library, 10)).__dlpack__(stream=0)
    with pytest.raises(builtins.BufferError, match="positive handle"):
        hurray.from_dlpack(Producer(library, 2)).__dlpack__(stream=0)


@pytest.mark.parametrize("announced", [(1, 0), (2, 0), (3, 1)])
def test_a_capsule_from_elsewhere_than_announced_is_refused(library: Library, announced: Any) -> None:
    class Liar(Producer):
        def __dlpack_device__(self) -> Any:
            return announced

    with pytest.raises(hurray.BufferError, match="its producer had it on"):
        hurray.from_dlpack(Liar(library, 2))
    assert library.deleted == 1


# --- deleters and destructors --------------------------------------------------------------------------------


@VERSIONS
def test_a_capsule_of_c_is_deleted_once(library: Library, version: int) -> None:
    """CPU memory by a producer in C: the deleter runs when the last view goes, not later and not twice."""
    producer = Producer(library, 1, version=version, data=library.ordinary, id=0)
    capsule = producer.capsule(data=library.ordinary)
    del capsule
    assert library.deleted == 1
    tensor = hurray.from_dlpack(producer)
    view, transposed = memoryview(tensor), tensor.T
    del tensor
    assert library.deleted == 1
    view.release()
    del transposed
    assert library.deleted == 2


def test_eight_threads_take_and_drop(library: Library) -> None:
    producer = Producer(library, 2)

    def work() -> None:
        for _ in range(200):
            hurray.from_dlpack(producer).__dlpack__()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.deleted == 1600


def test_device_tensors_at_exit(tmp_path: Path) -> None:
    Library(tmp_path)
    code = """
import sys, hurray
from pathlib import Path
from test_dlpack_devices import Library, Producer
import core_cc
core_cc.build = lambda source, folder, *_, **__: Path(folder) / Path(source).with_suffix(".so").name
library = Library(Path(sys.argv[1]))
t = hurray.from_dlpack(Producer(library, 2))
sys.kept = [t, t.__dlpack__(), Producer(library, 13).capsule(), hurray.from_hurray(t), t.__hurray__()]
print("end")
"""
    assert run(code, tmp_path) == "end"


def test_a_deleter_may_be_called_where_the_gil_was_released() -> None:
    """A framework that is asked for a capsule may let go of older ones without the GIL, in the same thread."""
    code = """
import ctypes, weakref, core_dlpack as dl, hurray
big = hurray.zeros((1 << 23,), dtype="float32")
gone = weakref.ref(big)
managed = [dl.consume(big.__dlpack__())]
del big

class Framework:
    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **options):
        held = managed.pop()
        # A call of a CFUNCTYPE releases the GIL for as long as it lasts.
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(held.deleter)(ctypes.addressof(held))
        return hurray.ones((2,)).__dlpack__()

assert hurray.from_dlpack(Framework()).tolist() == [1.0, 1.0]
assert gone() is None
"""
    run(code)
