"""hurray.Device (requirements: Private device tags, Device and Memory Class Mapping; buffers.md §3, §4)."""

from __future__ import annotations

import builtins
import copy
import itertools
import pickle
from pathlib import Path
from typing import Any

import hurray
import pytest

KINDS = ("cpu", "cuda", "rocm", "metal", "vulkan", "webgpu", "hexagon", "level_zero", "opencl")
CLASSES = ("standard", "host_pinned", "unified", "peer")
PRIVATE = range(0xF0, 0xFF)
RESERVED_KINDS = [*range(0x09, 0xF0), 0xFF]
RESERVED_CLASSES = [*range(0x04, 0xF0), 0xFF]
UNSUPPORTED = "UnsupportedError"

# 04-tables.md §2: (device, class) -> DLPack device type; None is a pair that does not exist.
MAPPING: dict[str, tuple[Any, ...]] = {
    "cpu": (1, 1, 1, None),
    "cuda": (2, 3, 13, UNSUPPORTED),
    "rocm": (10, 11, UNSUPPORTED, UNSUPPORTED),
    "metal": (8, 8, 8, None),
    "vulkan": (7, 7, 7, UNSUPPORTED),
    "webgpu": (15, None, None, None),
    "hexagon": (16, 16, 16, None),
    "level_zero": (14, 14, 14, UNSUPPORTED),
    "opencl": (4, 4, 4, None),
}
PAIRS = [(kind, memory, MAPPING[kind][number]) for kind in KINDS for number, memory in enumerate(CLASSES)]


def on(device: hurray.Device) -> hurray.Tensor:
    return hurray.Tensor(bytearray(64), hurray.uint8, (64,), device)


@pytest.mark.parametrize(("tag", "kind"), list(enumerate(KINDS)))
def test_kinds_by_name_and_by_byte_are_equal(tag: int, kind: str) -> None:
    """Kind MUST accept a name or a wire byte; tag MUST expose the byte."""
    device = hurray.Device(kind)
    assert (device.kind, device.tag, device.is_private) == (kind, tag, False)
    assert (device.device_id, device.memory_class, device.memory_class_tag) == (0, "standard", 0)
    assert device == hurray.Device(tag) == getattr(hurray.device, kind)


@pytest.mark.parametrize(("tag", "memory"), list(enumerate(CLASSES)))
def test_memory_classes_by_name_and_by_byte_are_equal(tag: int, memory: str) -> None:
    """memory_class MUST accept a name or a wire byte; memory_class_tag MUST expose the byte."""
    device = hurray.Device("cuda", memory_class=memory)
    assert (device.memory_class, device.memory_class_tag) == (memory, tag)
    assert device == hurray.Device("cuda", 0, tag)


def test_the_device_module_has_one_constant_per_kind() -> None:
    assert sorted(hurray.device.__all__) == sorted(KINDS)


@pytest.mark.parametrize("byte", PRIVATE)
def test_private_bytes_report_private_and_repr_has_them(byte: int) -> None:
    """Kind and memory_class MUST report "private" in the range, so repr MUST include the tag."""
    device = hurray.Device(byte, memory_class=byte)
    assert (device.kind, device.tag, device.is_private) == ("private", byte, True)
    assert (device.memory_class, device.memory_class_tag) == ("private", byte)
    assert repr(device).lower().count(f"0x{byte:02x}") == 2
    other = hurray.Device(0xF0 if byte != 0xF0 else 0xF1, memory_class=byte)
    assert repr(other) != repr(device)
    assert other != device


def test_reserved_bytes_are_refused() -> None:
    """A reserved or permanently-invalid byte MUST be refused rather than accepted as a private one."""
    for byte in (*RESERVED_KINDS, -1, 256, 2**40):
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Device(byte)
    for byte in (*RESERVED_CLASSES, -1, 256, 2**40):
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Device("cuda", memory_class=byte)


@pytest.mark.parametrize("name", ["", "gpu", "CPU", "private", "cuda:0"])
def test_unknown_names_are_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match="cpu, cuda, rocm"):
        hurray.Device(name)
    with pytest.raises(hurray.InvalidDescriptorError, match="standard, host_pinned"):
        hurray.Device("cpu", memory_class=name)


@pytest.mark.parametrize("kind", [None, 1.0, b"cpu", ["cpu"]])
def test_other_types_are_a_type_error(kind: Any) -> None:
    with pytest.raises(TypeError):
        hurray.Device(kind)


@pytest.mark.parametrize(("kind", "memory", "expected"), PAIRS)
def test_dlpack_device_is_that_of_the_table(kind: str, memory: str, expected: Any) -> None:
    """__dlpack_device__ MUST derive the DLDeviceType from (device_tag, memory_class), never the raw tag."""
    device = hurray.Device(kind, 3, memory)
    if expected is None:
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            on(device)
        assert caught.value.code == "D-36"
    elif expected is UNSUPPORTED:
        with pytest.raises(hurray.UnsupportedError, match=kind):
            on(device).__dlpack_device__()
    else:
        assert on(device).__dlpack_device__() == (expected, 3)


@pytest.mark.parametrize("byte", PRIVATE)
@pytest.mark.parametrize("memory", ["standard", 0xF0, 0xFE])
def test_private_devices_have_no_dlpack_mapping(byte: int, memory: Any) -> None:
    """For private tags the binding MUST NOT fabricate a mapping; it MUST raise UnsupportedError."""
    tensor = on(hurray.Device(byte, 0, memory))
    with pytest.raises(hurray.UnsupportedError):
        tensor.__dlpack_device__()


@pytest.mark.parametrize(
    ("kind", "memory"), [("cpu", 0xF0), ("cuda", 0xFE), (0xF0, "unified"), (0xF0, "peer")]
)
def test_pairs_outside_the_validity_table_make_no_tensor(kind: Any, memory: Any) -> None:
    """buffers.md §4: any other pair is rejected."""
    with pytest.raises(hurray.InvalidDescriptorError):
        on(hurray.Device(kind, 0, memory))


def test_device_id_is_runtime_metadata_and_defaults_to_0() -> None:
    """device_id defaults to 0; __dlpack_device__ MUST return this runtime device_id."""
    assert on(hurray.Device("cuda")).__dlpack_device__() == (2, 0)
    tensor = on(hurray.Device("cuda", 5))
    assert tensor.device.device_id == 5
    assert tensor.__dlpack_device__() == (2, 5)
    # It is not stored in the format.
    assert hurray.Descriptor.decode(tensor.descriptor.encode()).device == hurray.Device("cuda")


@pytest.mark.parametrize("device_id", [-1, 2**31, 2**40])
def test_a_device_id_that_dlpack_cannot_carry_is_refused(device_id: int) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match="device_id"):
        hurray.Device("cuda", device_id)
    assert hurray.Device("cuda", 2**31 - 1).device_id == 2**31 - 1


def test_devices_are_values() -> None:
    """Value objects compare by value, hash with it, and survive pickle and copy."""
    parts: Any = itertools.product((*KINDS, 0xF0, 0xFE), (0, 7), (*CLASSES, 0xF0))
    devices = [hurray.Device(kind, number, memory) for kind, number, memory in parts]
    again = [pickle.loads(pickle.dumps(device)) for device in devices]
    assert again == devices
    assert [hash(device) for device in again] == [hash(device) for device in devices]
    assert len(set(devices)) == len(devices)
    assert copy.deepcopy(devices) == devices
    text: Any = "cpu"
    assert devices[0] != text


@pytest.mark.parametrize("kind", [*KINDS, 0xF5])
def test_repr_is_the_expression(kind: Any) -> None:
    device = hurray.Device(kind, 2, "standard")
    assert eval(repr(device), {"hurray": hurray}) == device


def test_a_device_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        hurray.device.cpu.device_id = 1  # type: ignore[misc]
    assert hurray.Device.__module__ == "hurray"


def test_the_tensor_reports_the_very_device_it_was_given() -> None:
    device = hurray.Device("cuda", 1)
    tensor = on(device)
    assert tensor.device is device
    assert tensor.buffer_handles[0].device is device


def test_what_is_no_device_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        hurray.Tensor(bytearray(4), hurray.uint8, (4,), "cpu")  # type: ignore[arg-type]


DEVICES = [hurray.Device("cuda"), hurray.Device("metal", 0, "unified"), hurray.Device(0xF1)]


@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_bytes_of_device_memory_are_not_handed_out(device: hurray.Device) -> None:
    """What the CPU cannot read is refused by each protocol with its own class; metadata stays."""
    tensor = on(device)
    for read in (tensor.tolist, tensor.tobytes, lambda: tensor.buffer(0)):
        with pytest.raises(hurray.UnsupportedError):
            read()
    with pytest.raises(builtins.BufferError):
        memoryview(tensor)
    # DLPack has no name for a private device, and bytes of this process are no device's.
    with pytest.raises(hurray.UnsupportedError if device.is_private else builtins.BufferError):
        tensor.__dlpack__()
    assert tensor.buffer_handles[0].byte_size == 64
    assert "data" not in repr(tensor)


@pytest.mark.parametrize("device", DEVICES, ids=str)
def test_a_file_keeps_the_device_that_a_tensor_is_meant_for(device: hurray.Device, tmp_path: Path) -> None:
    """file.md §11.12: the bytes are host memory; the tag is where the tensor is meant to live."""
    hurray.save(tmp_path / "a.hrry", {"w": on(device)})
    assert hurray.load(tmp_path / "a.hrry")["w"].device == device


def test_two_private_devices_do_not_print_alike_anywhere() -> None:
    """Without the tag two different vendor devices print identically."""
    one, two = on(hurray.Device(0xF0)), on(hurray.Device(0xF1))
    assert repr(one) != repr(two)
    assert repr(one.descriptor) != repr(two.descriptor)
    assert repr(one.buffer_handles[0]) != repr(two.buffer_handles[0])


@pytest.mark.parametrize(
    "door",
    [
        lambda device: hurray.Tensor(bytes(4), hurray.uint8, [4], device),
        lambda device: hurray.zeros([2], device=device),
        lambda device: hurray.full([2], 1, device=device),
        lambda device: hurray.eye(2, device=device),
        lambda device: hurray.arange(3, device=device),
        lambda device: hurray.linspace(0, 1, 3, device=device),
        lambda device: hurray.zeros_like(hurray.zeros([2]), device=device),
        lambda device: hurray.from_dlpack(hurray.zeros([2]), device=device),
        lambda device: hurray.asarray(hurray.zeros([2]), device=device),
    ],
    ids=["Tensor", "zeros", "full", "eye", "arange", "linspace", "zeros_like", "from_dlpack", "asarray"],
)
def test_a_device_by_name_is_told_what_a_device_is(door: Any) -> None:
    """An error says which argument, which value, and what would be right."""
    with pytest.raises(TypeError, match=r"device is a hurray\.Device, such as hurray\.device\.cpu.*'cpu'"):
        door("cpu")
    door(hurray.device.cpu)
    door(None)
