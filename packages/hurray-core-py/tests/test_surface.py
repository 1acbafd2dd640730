"""Names, parameters and keyword-only markers that programs rely on (04-tables.md §1)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hurray
import pytest

# What a program written for the released package passes; parameters of our own may follow as keywords.
SIGNATURES: list[tuple[Callable[..., Any], tuple[str, ...], tuple[str, ...]]] = [
    (hurray.Tensor, ("buffer", "dtype", "shape", "device"), ("layout",)),
    (hurray.Tensor.buffer, ("self", "index"), ()),
    (hurray.Tensor.__array__, ("self", "dtype", "copy"), ()),
    (hurray.Tensor.__dlpack__, ("self",), ("stream", "max_version", "dl_device", "copy")),
    (hurray.Tensor.__dlpack_device__, ("self",), ()),
    (hurray.Tensor.to_scipy, ("self",), ()),
    (hurray.Tensor.to_torch, ("self",), ()),
    (hurray.Descriptor.decode, ("data",), ()),
    (hurray.Descriptor.encode, ("self",), ()),
    (hurray.Device, ("kind", "device_id", "memory_class"), ()),
    (hurray.Dtype.from_name, ("name",), ()),
    (hurray.Dtype.from_tag, ("tag",), ()),
    (
        hurray.ExtensionType,
        ("bit_width",),
        (
            "is_float",
            "is_signed",
            "sign_bits",
            "exponent_bits",
            "mantissa_bits",
            "exponent_bias",
            "has_nan",
            "has_inf",
        ),
    ),
    (hurray.ExtensionType.buffer_size_bytes, ("self", "element_count"), ()),
    (hurray.Shard, ("parent_shape", "shard_offset"), ()),
    (
        hurray.Statistics,
        (),
        (
            "nnz",
            "sparsity_ratio",
            "value_min",
            "value_max",
            "value_abs_max",
            "value_mean",
            "value_stddev",
            "nm_n",
            "nm_m",
            "has_nan",
            "has_inf",
        ),
    ),
    (hurray.PerTensorAffine, ("scale", "zero_point"), ()),
    (hurray.PerChannelAffine.symmetric, ("axis", "scale_buffer_index"), ()),
    (hurray.PerChannelAffine.asymmetric, ("axis", "scale_buffer_index", "zero_point_buffer_index"), ()),
    (hurray.PerBlockAffine.symmetric, ("axis", "block_size", "scale_buffer_index", "scale_type"), ()),
    (
        hurray.PerBlockAffine.asymmetric,
        ("axis", "block_size", "scale_buffer_index", "zero_point_buffer_index", "scale_type"),
        (),
    ),
    (hurray.NF4, ("axis", "block_size", "scale_buffer_index"), ()),
    (hurray.MXFP, ("axis", "block_size", "scale_buffer_index"), ()),
    (hurray.decode_quantization, ("data",), ()),
    (hurray.RowMajorLayout, (), ()),
    (hurray.ColMajorLayout, (), ()),
    (hurray.StridedLayout, ("strides",), ()),
    (
        hurray.TiledLayout,
        ("tile_shape", "outer_layout", "inner_layout", "outer_strides", "inner_strides", "inner_tiled"),
        (),
    ),
    (hurray.MortonLayout, ("morton_bits",), ()),
    (hurray.HilbertLayout, ("hilbert_order", "hilbert_rank"), ()),
    (hurray.CooLayout, ("nnz", "is_sorted"), ()),
    (hurray.CsrLayout, ("nnz",), ()),
    (hurray.CscLayout, ("nnz",), ()),
    (hurray.CsfLayout, ("nnz", "mode_order"), ()),
    (
        hurray.BlockPagedLayout,
        (
            "page_size",
            "num_pages",
            "paged_axis",
            "num_seqs",
            "kv_role",
            "layer_index",
            "block_table_index_type",
        ),
        (),
    ),
    (hurray.BlockPagedLayout.validate_index_buffers, ("self", "seq_ptr", "block_table"), ()),
    (hurray.BlockPagedLayout.validate_quantization_compatibility, ("self", "quantization"), ()),
    (hurray.CompositeLayout, ("composition_rule", "member_count", "combine_op"), ()),
    (hurray.PrivateExtensionLayout, ("tag", "extension_layout_id", "extension_data"), ()),
    (hurray.UnknownLayout, ("tag", "raw_bytes"), ()),
    (hurray.layout_tag_kind, ("tag",), ()),
    (hurray.Layout.validate_against_shape, ("self", "shape"), ()),
    (hurray.save, ("path", "tensors"), ("kv",)),
    (hurray.load, ("path",), ("names",)),
    (hurray.load_kv, ("path",), ()),
    (hurray.from_numpy, ("array",), ("copy",)),
    (hurray.from_torch, ("tensor",), ("copy",)),
    (hurray.from_scipy, ("matrix",), ("copy",)),
    (hurray.from_dlpack, ("x",), ("device", "copy")),
    (hurray.asarray, ("obj",), ("dtype", "device", "copy")),
    (hurray.buffer_size_bytes, ("dtype", "count"), ()),
]


@pytest.mark.parametrize(
    ("function", "positional", "keywords"), SIGNATURES, ids=[row[0].__qualname__ for row in SIGNATURES]
)
def test_parameters(function: Any, positional: tuple[str, ...], keywords: tuple[str, ...]) -> None:
    """A program written for pyhurray 0.1.0 must run on this one unchanged."""
    parameters = inspect.signature(function).parameters.values()
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    assert tuple(p.name for p in by_place) == positional
    assert {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} >= set(keywords)
    # What follows them of our own may be left out.
    assert all(p.default is not p.empty for p in parameters if p.kind is p.KEYWORD_ONLY)


def test_arguments_by_their_names(tmp_path: Path) -> None:
    """Every one of them works as a keyword, too."""
    path = tmp_path / "a.hrry"
    tensor = hurray.Tensor(buffer=bytes(4), dtype=hurray.uint8, shape=(4,), device=hurray.device.cpu)
    hurray.save(path=path, tensors={"w": tensor}, kv={"k": 1})
    assert hurray.load(path=path, names=["w"])["w"].tolist() == [0] * 4
    assert hurray.load_kv(path=path) == {"k": 1}
    assert hurray.from_dlpack(x=tensor, device=None, copy=None).shape == (4,)
    assert hurray.asarray(obj=tensor, dtype=None, device=None, copy=None) is tensor
    assert hurray.buffer_size_bytes(dtype=hurray.bool, count=9) == 2
    assert hurray.Device(kind="cuda", device_id=1, memory_class="peer").device_id == 1
    assert hurray.StridedLayout(strides=(1,)).strides == (1,)
    assert hurray.Descriptor.decode(data=tensor.descriptor.encode()) == tensor.descriptor
    assert tensor.buffer(index=0).shape == (4,)
    assert hurray.Dtype.from_name(name="int8") is hurray.Dtype.from_tag(tag=0x10)


DEFAULTS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (
        hurray.TiledLayout,
        {
            "outer_layout": "row_major",
            "inner_layout": "row_major",
            "outer_strides": None,
            "inner_strides": None,
            "inner_tiled": None,
        },
    ),
    (hurray.CooLayout, {"is_sorted": False}),
    (
        hurray.BlockPagedLayout,
        {"kv_role": "key", "layer_index": None, "block_table_index_type": "uint32"},
    ),
    (hurray.CompositeLayout, {"combine_op": None}),
    (hurray.PrivateExtensionLayout, {"extension_data": None}),
    (hurray.UnknownLayout, {"raw_bytes": None}),
]


@pytest.mark.parametrize(("function", "defaults"), DEFAULTS, ids=[row[0].__name__ for row in DEFAULTS])
def test_defaults_of_layouts(function: Any, defaults: dict[str, Any]) -> None:
    """04-tables.md §1; what has no default is required."""
    parameters = inspect.signature(function).parameters.values()
    assert {p.name: p.default for p in parameters if p.default is not p.empty} == defaults


@pytest.mark.parametrize("kind", [hurray.Descriptor, hurray.BufferHandle, hurray.Dtype, hurray.Layout])
def test_what_is_not_constructible(kind: Any) -> None:
    for arguments in ((), (b"",), ("float32",)):
        with pytest.raises(TypeError):
            kind(*arguments)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (
            hurray.Tensor,
            "T buffer buffer_count buffer_handles descriptor device dtype layout ndim shape size to_scipy to_torch",
        ),
        (
            hurray.Descriptor,
            "encode encoded_len version byte_offset dtype shape ndim size layout buffer_handles buffer_count device",
        ),
        (hurray.BufferHandle, "alignment byte_size device is_empty sync_mode"),
        (hurray.Device, "kind device_id memory_class tag memory_class_tag is_private"),
        (
            hurray.Dtype,
            "name tag bit_width tier element_alignment is_float is_integer is_signed is_sub_byte is_array_api",
        ),
        (hurray.Layout, "tag name buffer_count is_dense is_virtual validate_against_shape"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_members(kind: type, names: str) -> None:
    for name in names.split():
        assert hasattr(kind, name), name


def test_module_names() -> None:
    names = [
        "Tensor",
        "Descriptor",
        "BufferHandle",
        "Device",
        "Dtype",
        "Layout",
        "RowMajorLayout",
        "ColMajorLayout",
        "StridedLayout",
        "TiledLayout",
        "MortonLayout",
        "HilbertLayout",
        "CooLayout",
        "CsrLayout",
        "CscLayout",
        "CsfLayout",
        "BlockPagedLayout",
        "CompositeLayout",
        "PrivateExtensionLayout",
        "UnknownLayout",
        "layout_tag_kind",
        "save",
        "load",
        "load_kv",
        "from_numpy",
        "from_torch",
        "from_scipy",
        "from_dlpack",
        "asarray",
        "buffer_size_bytes",
        "MIN_BUFFER_ALIGNMENT",
        "PAGE_ALIGNMENT",
        "InvalidDescriptorError",
        "BufferError",
        "CopyRequiredError",
        "UnsupportedError",
        "FileError",
        "StreamError",
        "InternalError",
        "dtype",
        "device",
    ]
    assert [name for name in names if not hasattr(hurray, name)] == []
    assert set(names) - {"dtype", "device"} <= set(hurray.__all__)
