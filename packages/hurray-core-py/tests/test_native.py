"""The native protocol: ``__hurray__`` and ``from_hurray`` (requirements: Native Interchange Protocol)."""

from __future__ import annotations

import builtins
import ctypes
import gc
import sys
import threading
import weakref
from typing import Any

import core_tensors
import hurray
import pytest
from core_dlpack import capsule_named, name_of
from core_files import FLOAT32, descriptor, handle
from core_memory import address, aligned, run
from core_strategies import plans
from hypothesis import given, settings

NAME, USED = b"hurray_tensor", b"used_hurray_tensor"


class Bare:
    """An object of somebody else's class: the dunder alone."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __hurray__(self, stream: Any = None) -> Any:
        return self.inner.__hurray__(stream)


class Returns:
    """An object whose dunder gives what it is told to."""

    def __init__(self, result: Any, **attributes: Any) -> None:
        self.result = result
        vars(self).update(attributes)

    def __hurray__(self, stream: Any = None) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def floats(*, readonly: bool = False) -> hurray.Tensor:
    source = aligned(24)
    source[:] = bytes(range(24))
    return hurray.Tensor(source.toreadonly() if readonly else source, hurray.float32, (2, 3))


def samples() -> dict[str, hurray.Tensor]:
    """A tensor of every element type, and of every kind that has several buffers."""
    made = {}
    for name in hurray.dtype.__all__:
        dtype = getattr(hurray.dtype, name)
        made[name] = hurray.Tensor(bytes(range(hurray.buffer_size_bytes(dtype, 8))), dtype, (2, 4))
    kinds = ("coo", "csr", "csc", "csf", "paged", "private", "quantised", "by_channel", "counted")
    return made | {kind: getattr(core_tensors, kind)() for kind in kinds}


SAMPLES = samples()


@pytest.mark.parametrize("wrap", [lambda tensor: tensor, Bare], ids=["tensor", "another class"])
@pytest.mark.parametrize("kind", SAMPLES)
def test_every_dtype_and_layout_crosses(kind: str, wrap: Any) -> None:
    """__hurray__: available for all dtypes; every buffer MUST be carried in a single capsule."""
    tensor = SAMPLES[kind]
    back = hurray.from_hurray(wrap(tensor))
    assert back is not tensor
    assert back.descriptor == tensor.descriptor
    assert core_tensors.same(back, tensor)
    assert [address(back.buffer(at)) for at in range(back.buffer_count)] == [
        address(tensor.buffer(at)) for at in range(tensor.buffer_count)
    ]


@settings(max_examples=200)
@given(plans())
def test_whatever_can_be_made_crosses(plan: Any) -> None:
    tensor = plan.build()
    assert core_tensors.same(hurray.from_hurray(Bare(tensor)), tensor)


@pytest.mark.parametrize(
    "device",
    [
        hurray.Device("cpu", 5),
        hurray.Device("cuda", 3),
        hurray.Device("cuda", 1, "peer"),
        hurray.Device("rocm", 2, "unified"),
        hurray.Device(0xF3, 7),
    ],
    ids=repr,
)
def test_the_device_and_its_number_cross(device: hurray.Device) -> None:
    """It covers pairs that DLPack cannot represent; the number is runtime metadata and is carried."""
    tensor = hurray.Tensor(bytes(64), hurray.float32, (16,), device)
    for obj in (tensor, Bare(tensor)):
        assert hurray.from_hurray(obj).device == device


def test_read_only_memory_stays_so() -> None:
    for obj in (floats(readonly=True), Bare(floats(readonly=True))):
        assert hurray.from_hurray(obj).readonly
    assert not hurray.from_hurray(Bare(floats())).readonly


def test_memory_is_shared() -> None:
    tensor = floats()
    back = hurray.from_hurray(Bare(tensor))
    memoryview(back).cast("B")[3] = 65
    assert tensor.tobytes()[3] == 65


# --- capsules ------------------------------------------------------------------------------------------------


def test_the_capsule_is_named_as_agreed_and_renamed_when_taken() -> None:
    """Capsule name on creation: "hurray_tensor"; after consumption: "used_hurray_tensor"."""
    capsule = floats().__hurray__()
    assert name_of(capsule) == NAME
    tensor = hurray.from_hurray(Returns(capsule))
    assert name_of(capsule) == USED
    assert tensor.tobytes() == bytes(range(24))
    for _ in range(2):
        with pytest.raises(hurray.BufferError, match="consumed before"):
            hurray.from_hurray(Returns(capsule))


@pytest.mark.parametrize("stream", [None, -1, 1, 2**40])
def test_streams_that_a_synced_tensor_need_not_wait_for(stream: int | None) -> None:
    """04-tables §2, stream: ignored for a producer-synced tensor."""
    assert name_of(floats().__hurray__(stream)) == NAME
    assert name_of(floats().__hurray__(stream=stream)) == NAME


@pytest.mark.parametrize("stream", [0, -2, -(2**40)])
def test_other_streams_are_refused(stream: int) -> None:
    with pytest.raises(builtins.BufferError, match="positive handle"):
        floats().__hurray__(stream)


@pytest.mark.parametrize("stream", ["1", 1.5, object()])
def test_what_is_no_stream_is_a_type_error(stream: Any) -> None:
    with pytest.raises(TypeError):
        floats().__hurray__(stream)


@pytest.mark.parametrize(("mode", "name"), [(1, "event"), (2, "consumer_stream")])
def test_a_tensor_that_is_not_synced_is_refused(mode: int, name: str) -> None:
    """04-tables §2, stream: a tensor in sync mode event or consumer_stream raises the built-in BufferError."""
    blob = descriptor(FLOAT32, sizes=(8,), handles=handle(8, device=1, sync=mode))
    tensor = hurray.Tensor.from_descriptor(hurray.Descriptor.decode(blob), [aligned(8)])
    for stream in (None, -1, 1):
        with pytest.raises(builtins.BufferError, match=name):
            tensor.__hurray__(stream)


def test_an_unused_capsule_gives_its_reference_back() -> None:
    """The source Tensor's reference count MUST be incremented when the capsule is created and decremented after."""
    tensor = floats()
    before = sys.getrefcount(tensor)
    capsule = tensor.__hurray__()
    assert sys.getrefcount(tensor) == before + 1
    more = [tensor.__hurray__() for _ in range(10)]
    assert sys.getrefcount(tensor) == before + 11
    del capsule, more
    assert sys.getrefcount(tensor) == before


def test_a_taken_capsule_gives_its_reference_back() -> None:
    tensor = floats()
    before = sys.getrefcount(tensor)
    back = hurray.from_hurray(Returns(capsule := tensor.__hurray__()))
    assert sys.getrefcount(tensor) == before
    del capsule, back
    assert sys.getrefcount(tensor) == before


def test_the_memory_outlives_the_source_and_goes_with_the_last_view() -> None:
    class Source(bytearray):
        pass

    source = Source(64 + 64)
    start = -address(source) % 64
    watch = weakref.ref(source)
    tensor = hurray.Tensor(memoryview(source)[start : start + 64], hurray.uint8, (64,))
    back = hurray.from_hurray(Bare(tensor))
    del source, tensor
    gc.collect()
    assert back.tobytes() == bytes(64)
    view = memoryview(back)
    del back
    assert watch() is not None
    view.release()
    del view
    assert watch() is None


def test_capsules_may_end_in_any_thread() -> None:
    tensor = floats()
    before = sys.getrefcount(tensor)
    kept = [tensor.__hurray__() for _ in range(100)]
    workers = [threading.Thread(target=kept.pop) for _ in range(100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sys.getrefcount(tensor) == before


def test_eight_threads_take_one_tensor() -> None:
    tensor = floats()
    before = sys.getrefcount(tensor)
    wrong: list[object] = []

    def work() -> None:
        for _ in range(500):
            back = hurray.from_hurray(Bare(tensor))
            if back.tobytes() != bytes(range(24)):
                wrong.append(back)

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    assert sys.getrefcount(tensor) == before


@pytest.mark.parametrize("how", ["t", "Bare(t)"])
def test_taking_again_and_again_costs_no_stack_and_no_memory(how: str) -> None:
    code = f"""
import hurray
from core_memory import aligned, resident
from test_native import Bare
t = hurray.Tensor(aligned(64), hurray.uint8, (64,))
for at in range(110_000):
    if at == 10_000:
        start = resident()
    t = hurray.from_hurray({how})
print(t.tobytes() == bytes(64), resident() - start < 4 << 20)
"""
    assert run(code) == "True True"


def test_capsules_that_nobody_takes_at_exit() -> None:
    code = """
import sys, hurray
t = hurray.Tensor(bytes(64), hurray.uint8, (64,))
sys.kept = [t.__hurray__(), t, hurray.from_hurray(t), t.__hurray__()]
print("end")
"""
    assert run(code) == "end"


# --- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("obj", [None, 5, "text", b"bytes", [1]])
def test_what_has_no_dunder_is_a_type_error(obj: Any) -> None:
    """Consumers MUST discover support by probing hasattr(obj, '__hurray__')."""
    assert not hasattr(obj, "__hurray__")
    with pytest.raises(TypeError, match=f"{type(obj).__name__} has no __hurray__"):
        hurray.from_hurray(obj)


def test_a_composite_does_not_cross() -> None:
    """Not on the native protocol: Composite MUST NOT implement __hurray__."""
    composite = hurray.Composite("group", shape=(), dtype="int8", members=[hurray.zeros(2)])
    assert not hasattr(composite, "__hurray__")
    with pytest.raises(hurray.UnsupportedError, match="members"):
        hurray.from_hurray(composite)


@pytest.mark.parametrize("result", [None, 5, "hurray_tensor", object()])
def test_what_is_no_capsule_is_refused(result: Any) -> None:
    with pytest.raises(hurray.BufferError, match=f"returned a {type(result).__name__}, not a capsule"):
        hurray.from_hurray(Returns(result))


@pytest.mark.parametrize("name", [b"dltensor", b"dltensor_versioned", b"hurray_tensor2", b""])
def test_a_capsule_of_another_name_is_refused_unread(name: bytes) -> None:
    with pytest.raises(hurray.BufferError, match=r"name is"):
        hurray.from_hurray(Returns(capsule_named(name, 1)))


def test_a_capsule_without_a_name_is_refused() -> None:
    nameless = ctypes.pythonapi.PyCapsule_New(1, None, None)
    with pytest.raises(hurray.BufferError, match="no name"):
        hurray.from_hurray(Returns(nameless))


def test_a_capsule_without_a_context_is_refused_unread() -> None:
    with pytest.raises(hurray.BufferError, match="no context"):
        hurray.from_hurray(Returns(capsule_named(NAME, 1)))


@pytest.mark.parametrize("error", [RuntimeError("mine"), TypeError("mine"), KeyError("mine")], ids=repr)
def test_a_producers_own_error_comes_through(error: Exception) -> None:
    with pytest.raises(type(error), match="mine"):
        hurray.from_hurray(Returns(error))


def test_the_argument_is_positional() -> None:
    with pytest.raises(TypeError):
        hurray.from_hurray(obj=floats())


def test_asarray_takes_it_before_dlpack() -> None:
    """What the native protocol carries is more: DLPack has no int4."""

    class Both(Bare):
        def __dlpack__(self, **options: Any) -> Any:
            raise AssertionError("asked")

    codes = hurray.Tensor(bytes(range(64)), hurray.dtype.int4, (128,))
    shared = hurray.asarray(Both(codes))
    assert core_tensors.same(shared, codes)
    assert address(shared.buffer(0)) == address(codes.buffer(0))
    copied = hurray.asarray(Both(codes), copy=True)
    assert core_tensors.same(copied, codes)
    assert address(copied.buffer(0)) != address(codes.buffer(0))
