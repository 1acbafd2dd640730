"""Real use of the public surface, with the types that a checker must find. mypy reads it; a test also runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import hurray

if TYPE_CHECKING:
    from typing_extensions import assert_type
else:

    def assert_type(value: Any, _: Any) -> Any:
        """Nothing at run time."""
        return value


def tensors() -> hurray.Tensor:
    """Constructors and getters."""
    tensor = hurray.Tensor(bytearray(24), hurray.float32, (2, 3))
    assert_type(tensor, hurray.Tensor)
    assert_type(tensor.shape, "tuple[int | None, ...]")
    assert_type(tensor.size, "int | None")
    assert_type(tensor.nbytes, int)
    assert_type(tensor.readonly, bool)
    assert_type(tensor.T, hurray.Tensor)
    assert_type(tensor.dtype, hurray.Dtype)
    assert_type(tensor.device.kind, str)
    assert_type(tensor.layout, hurray.Layout)
    assert_type(tensor.buffer_handles[0].byte_size, int)
    assert_type(memoryview(tensor).nbytes, int)
    assert_type(bytes(tensor), bytes)
    assert_type(tensor.__dlpack_device__(), "tuple[int, int]")
    assert_type(hurray.buffer_size_bytes(hurray.dtype.int4, 3), int)
    return tensor


def layouts() -> None:
    """Layouts narrow by isinstance."""
    base = hurray.Tensor(bytearray(64), hurray.int8, (2, 2), layout=hurray.StridedLayout((8, 1))).layout
    if isinstance(base, hurray.StridedLayout):
        assert_type(base.strides, "tuple[int, ...]")
    assert_type(base.name, str)
    assert_type(base.buffer_count, "int | None")


def descriptors(tensor: hurray.Tensor) -> None:
    """Descriptors go to bytes and back."""
    data = tensor.descriptor.encode()
    assert_type(data, bytes)
    back = hurray.Descriptor.decode(memoryview(data))
    assert_type(back, hurray.Descriptor)
    assert_type(back.version, "tuple[int, int]")
    assert_type(back.encoded_len, int)


def sections(descriptor: hurray.Descriptor) -> None:
    """The optional sections are objects of their own, or None; schemes narrow by isinstance."""
    scheme = descriptor.quantization
    if isinstance(scheme, hurray.PerBlockAffine):
        assert_type(scheme.scale_type, hurray.Dtype)
        assert_type(scheme.zero_point_buffer_index, "int | None")
    made = hurray.PerBlockAffine.symmetric(1, 32, 1, "float16")
    assert_type(made, hurray.PerBlockAffine)
    assert_type(made.encode(), bytes)
    assert_type(hurray.PerTensorAffine(0.5, 3).scale, float)
    decoded = hurray.decode_quantization(made.encode())
    if not isinstance(decoded, hurray.PerTensorAffine):
        assert_type(decoded.axis, int)
    assert_type(descriptor.shard, "hurray.Shard | None")
    assert_type(hurray.Shard([8, 8], [0, 4]).parent_shape, "tuple[int, ...]")
    assert_type(hurray.Statistics(nnz=3).value_mean, "float | None")
    assert_type(hurray.ExtensionType(4).buffer_size_bytes(3), int)
    assert_type(hurray.Dtype.of("f4"), hurray.Dtype)
    assert_type(hurray.float32.itemsize, "int | None")


def files(folder: Path, tensor: hurray.Tensor) -> None:
    """Every kind of path, and both ways of reading."""
    path = folder / "typed.hrry"
    hurray.save(path, {"a": tensor}, kv={"step": 1, "tags": ["x"], "raw": b"\x00", "final": True})
    loaded = hurray.load(str(path), names=["a"])
    assert_type(loaded, "dict[str, hurray.Tensor]")
    assert_type(hurray.load(path.read_bytes(), io="read")["a"], hurray.Tensor)
    with hurray.open(path) as file:
        assert_type(file["a"], hurray.Tensor)
        assert_type(file.get("b"), "hurray.Tensor | None")
        assert_type(list(file), "list[str]")
        assert_type(file.descriptor("a"), hurray.Descriptor)
        assert_type(file.entry("a").data_offset, int)
    with hurray.FileWriter(path, durable=False) as writer:
        writer.write("b", tensor)
    for problem in hurray.verify(path):
        assert_type(problem.code, str)
        assert_type(problem.offset, "int | None")


def exchange(tensor: hurray.Tensor) -> None:
    """The doors that take other libraries' objects."""
    assert_type(hurray.asarray(memoryview(b"abc")), hurray.Tensor)
    assert_type(hurray.from_dlpack(tensor, copy=None), hurray.Tensor)
    assert_type(hurray.bridges.names(), "tuple[str, ...]")
    assert_type(hurray.formats.names(), "tuple[str, ...]")


def errors(folder: Path) -> None:
    """What is caught has what a handler needs."""
    try:
        hurray.load(folder / "missing.hrry")
    except hurray.FileError as error:
        assert_type(error.code, "str | None")
        assert_type(error.errno, "int | None")
    try:
        hurray.Descriptor.decode(b"")
    except hurray.InvalidDescriptorError as error:
        assert_type(error.code, "str | None")


def use(folder: Path) -> None:
    """All of it."""
    tensor = tensors()
    layouts()
    descriptors(tensor)
    sections(tensor.descriptor)
    files(folder, tensor)
    exchange(tensor)
    errors(folder)
