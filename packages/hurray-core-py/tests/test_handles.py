"""hurray.BufferHandle (requirements: Buffer Handles; buffers.md §1, §2)."""

from __future__ import annotations

import types
import weakref
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, descriptor, handle, single
from core_memory import address, aligned


def tensor(size: int = 64, shift: int = 0, device: hurray.Device | None = None) -> hurray.Tensor:
    return hurray.Tensor(aligned(size, shift), hurray.uint8, (size,), device)


def csr() -> hurray.Tensor:
    blob = descriptor(layout=7, shape=(3, 3), sizes=(8, 16, 32), payload=pack("<QQ", 2, 0))
    pointers = pack("<4Q", 0, 1, 2, 2)
    return hurray.load(single(blob, pack("<ff", 1, 2), pack("<QQ", 0, 1), pointers))["w"]


def test_one_handle_for_each_buffer_in_order() -> None:
    """buffer_handles MUST be a tuple with one handle per buffer, in descriptor order, for every layout."""
    for one, sizes in ((tensor(), [64]), (csr(), [8, 16, 32])):
        handles = one.buffer_handles
        assert type(handles) is tuple
        assert len(handles) == one.buffer_count == one.descriptor.buffer_count
        assert [handle.byte_size for handle in handles] == sizes
        assert handles == one.descriptor.buffer_handles


@pytest.mark.parametrize("kind", ["cpu", "cuda", "vulkan", 0xF0])
def test_the_handles_are_there_for_every_device(kind: Any) -> None:
    """It MUST be available for every device, including tensors whose bytes cannot be handed out."""
    one = tensor(device=hurray.Device(kind, 2))
    (only,) = one.buffer_handles
    assert (only.byte_size, only.sync_mode, only.is_empty) == (64, "producer_synced", False)
    assert only.device == hurray.Device(kind, 2)


def test_device_is_the_tensors_very_object() -> None:
    """BufferHandle.device MUST be the same object as Tensor.device."""
    for one in (tensor(), tensor(device=hurray.Device("cuda", 1)), csr()):
        assert all(each.device is one.device for each in one.buffer_handles)
        declared = one.descriptor
        assert all(each.device is declared.device for each in declared.buffer_handles)


@pytest.mark.parametrize("shift", [64, 128, 256, 512, 1024, 2048, 0, 192, 4096 - 64])
def test_alignment_of_borrowed_memory_is_measured(shift: int) -> None:
    """MUST declare the largest power of two that the address satisfies, capped at PAGE_ALIGNMENT."""
    one = tensor(64, shift)
    (only,) = one.buffer_handles
    assert address(one) % only.alignment == 0
    assert only.alignment == min(shift & -shift or hurray.PAGE_ALIGNMENT, hurray.PAGE_ALIGNMENT)


@pytest.mark.parametrize("shift", [1, 8, 32])
def test_alignment_of_owned_memory_is_what_was_allocated(shift: int) -> None:
    """An owned buffer MUST be allocated to at least MIN_BUFFER_ALIGNMENT and declare what it allocated."""
    for size in (1, 64, 5000, 3 << 20):
        one = tensor(size, shift)
        (only,) = one.buffer_handles
        assert only.alignment >= hurray.MIN_BUFFER_ALIGNMENT
        assert address(one) % only.alignment == 0


def test_an_empty_buffer_declares_1() -> None:
    """An empty buffer MUST declare 1."""
    for one in (hurray.Tensor(b"", hurray.float32, (0,)), hurray.Tensor(bytearray(), hurray.float32, (4, 0))):
        (only,) = one.buffer_handles
        assert (only.byte_size, only.alignment, only.is_empty) == (0, 1, True)


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_loaded_memory_declares_an_alignment_it_has(io: Any, tmp_path: Any) -> None:
    """The binding MUST NOT declare an alignment it has not established."""
    blob = descriptor(sizes=(8,), handles=handle(8, alignment=1 << 21))
    (tmp_path / "a.hrry").write_bytes(single(blob, bytes(8)))
    loaded = hurray.load(tmp_path / "a.hrry", io=io)["w"]
    (only,) = loaded.buffer_handles
    assert hurray.MIN_BUFFER_ALIGNMENT <= only.alignment <= hurray.PAGE_ALIGNMENT
    assert address(loaded) % only.alignment == 0


def test_the_constants_are_those_of_the_format() -> None:
    """The module MUST expose MIN_BUFFER_ALIGNMENT and PAGE_ALIGNMENT."""
    assert (hurray.MIN_BUFFER_ALIGNMENT, hurray.PAGE_ALIGNMENT) == (64, 4096)


def test_handles_are_immutable_and_not_made_from_python() -> None:
    """BufferHandle MUST be immutable and MUST NOT be constructible from Python."""
    (only,) = tensor().buffer_handles
    with pytest.raises(TypeError):
        hurray.BufferHandle()
    with pytest.raises(TypeError):
        types.new_class("Mine", (hurray.BufferHandle,))
    for name in ("byte_size", "alignment", "device", "sync_mode", "is_empty", "extra"):
        with pytest.raises(AttributeError):
            setattr(only, name, 1)
    assert hurray.BufferHandle.__module__ == "hurray"


def test_handles_compare_and_hash_by_value() -> None:
    """It MUST compare and hash by value."""
    one, two = tensor().buffer_handles[0], tensor().buffer_handles[0]
    assert one is not two
    assert one == two
    assert hash(one) == hash(two)
    others = [
        tensor(65).buffer_handles[0],
        tensor(shift=128).buffer_handles[0],
        tensor(device=hurray.Device("cuda")).buffer_handles[0],
        tensor(device=hurray.Device("cpu", memory_class="unified")).buffer_handles[0],
        tensor(device=hurray.Device("cpu", 1)).buffer_handles[0],
    ]
    assert one not in others
    assert len({one, two, *others}) == 6
    number: Any = 64
    assert one != number


def test_a_handle_pins_nothing() -> None:
    """A BufferHandle MUST NOT hold a reference to its tensor or to any buffer."""

    class Source(bytearray):
        pass

    kept = []
    for _ in range(5):
        source = Source(8192)
        start = -address(source) % 64
        one = hurray.Tensor(memoryview(source)[start : start + 64], hurray.uint8, (64,))
        watches = weakref.ref(source), weakref.ref(one)
        kept.append((one.buffer_handles, one.descriptor, one.descriptor.buffer_handles))
        del source, one
        assert [watch() for watch in watches] == [None, None]
    assert all(handles[0].byte_size == 64 for handles, *_ in kept)


def test_sync_mode_is_read_only_and_no_constructor_takes_it() -> None:
    """sync_mode MUST be read-only, and no constructor MAY accept it."""
    with pytest.raises(TypeError):
        hurray.Tensor(bytes(4), hurray.uint8, (4,), sync_mode="event")  # type: ignore[call-arg]
    assert tensor().buffer_handles[0].sync_mode == "producer_synced"


@pytest.mark.parametrize(("mode", "name"), [(1, "event"), (2, "consumer_stream")])
def test_a_tensor_that_is_not_synced_hands_no_bytes_out(mode: int, name: str) -> None:
    """It MUST refuse the paths that hand out its bytes with UnsupportedError; __dlpack__ with BufferError."""
    blob = descriptor(FLOAT32, sizes=(8,), handles=handle(8, device=1, sync=mode))
    one = hurray.load(single(blob, bytes(8)))["w"]
    assert one.buffer_handles[0].sync_mode == name
    for read in (lambda: one.buffer(0), one.tolist, one.tobytes):
        with pytest.raises(hurray.UnsupportedError, match=name):
            read()
    for protocol in (one.__dlpack__, lambda: one.__dlpack__(stream=1), lambda: memoryview(one)):
        with pytest.raises(BufferError):
            protocol()


def test_repr_has_every_field() -> None:
    text = repr(tensor().buffer_handles[0])
    for part in ("64", "4096", "cpu", "producer_synced"):
        assert part in text


def test_what_differs_is_shown_to_differ() -> None:
    """Private device tags: two different vendor devices MUST NOT print identically; nor do ids and classes."""
    places = [
        hurray.Device("cpu"),
        hurray.Device("cuda"),
        hurray.Device("cuda", 1),
        hurray.Device("cuda", 1, "unified"),
        hurray.Device(0xF1, 0, 0xF2),
        hurray.Device(0xF1, 0, 0xF3),
        hurray.Device(0xF2, 0, 0xF2),
    ]
    tensors = [tensor(device=place) for place in places]
    assert len({repr(one.buffer_handles[0]) for one in tensors}) == len(places)
    assert len({repr(one.descriptor) for one in tensors}) == len(places)
