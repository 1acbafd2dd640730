"""Real use of the public surface, with the types that a checker must find. mypy reads it; a test also runs it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

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
    tiles = hurray.TiledLayout((2, 2), "strided", outer_strides=(1, 2))
    assert_type(tiles.outer_strides, "tuple[int, ...] | None")
    assert_type(tiles.inner_tiled, "hurray.TiledLayout | None")
    assert_type(hurray.MortonLayout([2]).morton_bits, "tuple[int, ...]")
    assert_type(hurray.HilbertLayout(2, 2).hilbert_order, int)
    assert_type(hurray.CooLayout(1, is_sorted=True).is_sorted, bool)
    assert_type(hurray.CsrLayout(1).nnz + hurray.CscLayout(1).nnz, int)
    assert_type(hurray.CsfLayout(1, range(3)).mode_order, "tuple[int, ...]")
    paged = hurray.BlockPagedLayout(1, 1, 0, 1, "value", block_table_index_type="uint64")
    assert_type(paged.layer_index, "int | None")
    paged.validate_index_buffers([0, 1], bytearray(8))
    paged.validate_quantization_compatibility(hurray.PerTensorAffine(0.5, 0))
    head: hurray.Layout = hurray.CompositeLayout("overlay", 1, "add")
    head.validate_against_shape((2, 3))
    private = hurray.PrivateExtensionLayout(0xF0, 7, b"a")
    assert_type(private.extension_data, bytes)
    assert_type(hurray.UnknownLayout(0x0C, bytearray(1)).raw_bytes, bytes)
    # Words are literal, so that a match over them is complete.
    if hurray.layout_tag_kind(0x0C) == "reserved":
        assert_type(paged.kv_role, Literal["key", "value", "fused"])


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
    assert_type(loaded, "dict[str, hurray.Tensor | Any]")
    assert_type(hurray.load(path.read_bytes(), io="read")["a"], "hurray.Tensor | Any")
    with hurray.open(path) as file:
        assert_type(file["a"], "hurray.Tensor | Any")
        assert_type(file.get("b"), "hurray.Tensor | Any | None")
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


def printing(tensor: hurray.Tensor) -> None:
    """What people look at."""
    with hurray.print_options(sparse_display="content", threshold=10, precision="shortest") as options:
        assert_type(options, "dict[str, str | int]")
    hurray.set_print_options(precision=3, edgeitems=2, linewidth=100)
    hurray.set_print_options(precision="shortest", edgeitems=3, linewidth=88)
    assert_type(hurray.get_print_options(), "dict[str, str | int]")
    assert_type(tensor._repr_html_(), str)


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


def creation() -> None:
    """Tensors out of nothing, and the block for another library's allocations."""
    made = hurray.zeros((2, 3), dtype=hurray.int8)
    assert_type(made, hurray.Tensor)
    assert_type(hurray.full(3, 1j), hurray.Tensor)
    assert_type(hurray.full_like(made, 7, dtype="float32"), hurray.Tensor)
    assert_type(hurray.arange(0, 1, 0.25), hurray.Tensor)
    assert_type(hurray.linspace(0, 1, 5, endpoint=False), hurray.Tensor)
    assert_type(hurray.eye(2, 3, k=-1, device=hurray.device.cpu), hurray.Tensor)
    indices = hurray.Tensor(bytes(24), hurray.uint64, (3, 1))
    assert_type(hurray.sparse_coo(hurray.ones(3), indices, (1,), copy=None), hurray.Tensor)
    assert_type(hurray.aligned_functions(), "tuple[int, int, int, int]")


def use(folder: Path) -> None:
    """All of it."""
    tensor = tensors()
    creation()
    layouts()
    descriptors(tensor)
    sections(tensor.descriptor)
    files(folder, tensor)
    exchange(tensor)
    printing(tensor)
    errors(folder)
