"""A descriptor of every layout, scheme and section, with what ``hurray inspect`` says of it."""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack
from typing import Any, NamedTuple

from hrry_files import EXTENSION, FLOAT32, INT4, QUANTIZATION, SHARD, STATISTICS, descriptor
from hurray_cli.inspection.payloads import LAYOUTS as NAMES

INT8, UINT4, FLOAT8, PRIVATE = 0x10, 0x49, 0x40, 0xF1
NONE = 0xFFFFFFFF


class Kind(NamedTuple):
    """A descriptor, what its fields are, and the text of them in the table."""

    blob: bytes
    sizes: Sequence[int]
    fields: dict[str, Any]
    text: str


def layout(
    tag: int, shape: Sequence[int], sizes: Sequence[int], payload: bytes, text: str, **fields: Any
) -> Kind:
    dtype = FLOAT32
    return Kind(
        descriptor(dtype, tag, shape, sizes, payload=payload),
        sizes,
        {"layout": fields},
        f"{NAMES[tag]}({text})",
    )


def section(
    flag: int,
    body: bytes,
    fields: dict[str, Any],
    text: str,
    *,
    dtype: int = FLOAT32,
    shape: Sequence[int] = (8, 4),
    sizes: Sequence[int] = (128,),
) -> Kind:
    return Kind(descriptor(dtype, 1, shape, sizes, sections=body, flags=flag), sizes, fields, text)


def scheme(
    body: bytes, dtype: int, shape: Sequence[int], sizes: Sequence[int], text: str, **fields: Any
) -> Kind:
    framed = pack("<I", len(body)) + body
    return section(
        QUANTIZATION, framed, {"quantization": fields}, text, dtype=dtype, shape=shape, sizes=sizes
    )


LAYOUTS = {
    "strided": layout(3, (2, 3), (24,), pack("<qq", 1, 2), "strides=[1, 2]", strides=[1, 2]),
    "tiled": layout(
        4,
        (4, 4),
        (64,),
        pack("<QQBBHqqqq", 2, 2, 3, 3, 0, 1, 2, 2, 1),
        "tile_shape=[2, 2], outer_layout=strided, inner_layout=strided, outer_strides=[1, 2], inner_strides=[2, 1]",
        tile_shape=[2, 2],
        outer_layout="strided",
        inner_layout="strided",
        outer_strides=[1, 2],
        inner_strides=[2, 1],
        inner_tiled=None,
    ),
    "nested tiles": layout(
        4,
        (8, 8),
        (256,),
        pack("<QQBBHQQBBH", 4, 4, 1, 4, 0, 2, 2, 2, 1, 0),
        "tile_shape=[4, 4], outer_layout=row_major, inner_layout=tiled, "
        "inner_tiled=(tile_shape=[2, 2], outer_layout=col_major, inner_layout=row_major)",
        tile_shape=[4, 4],
        outer_layout="row_major",
        inner_layout="tiled",
        outer_strides=None,
        inner_strides=None,
        inner_tiled={
            "tile_shape": [2, 2],
            "outer_layout": "col_major",
            "inner_layout": "row_major",
            "outer_strides": None,
            "inner_strides": None,
            "inner_tiled": None,
        },
    ),
    "morton": layout(5, (4, 4), (64,), pack("<II", 2, 2), "morton_bits=[2, 2]", morton_bits=[2, 2]),
    "coo": layout(6, (4, 5), (0, 0), pack("<QB7x", 0, 1), "nnz=0, is_sorted=true", nnz=0, is_sorted=True),
    "csr": layout(7, (3, 3), (0, 0, 32), pack("<QQ", 0, 0), "nnz=0", nnz=0),
    "csc": layout(8, (3, 2), (0, 0, 24), pack("<QQ", 0, 0), "nnz=0", nnz=0),
    "csf": layout(
        9,
        (2, 3, 4),
        (0, 16, 0, 8, 0, 8, 0),
        pack("<QIIIQ", 0, 2, 0, 1, 0),
        "nnz=0, mode_order=[2, 0, 1]",
        nnz=0,
        mode_order=[2, 0, 1],
    ),
    "block_paged": layout(
        10,
        (0, 2, 8),
        (1280, 0, 8),
        pack("<IQIIBIB6x", 4, 5, 0, 0, 1, 7, 1),
        "page_size=4, num_pages=5, paged_axis=0, num_seqs=0, kv_role=value, layer_index=7, "
        "block_table_index_type=uint64",
        page_size=4,
        num_pages=5,
        paged_axis=0,
        num_seqs=0,
        kv_role="value",
        layer_index=7,
        block_table_index_type="uint64",
    ),
    "composite": layout(
        11,
        (1,),
        (),
        pack("<BBHI", 3, 0, 0, 0),
        "composition_rule=group, member_count=0",
        composition_rule="group",
        combine_op=None,
        member_count=0,
    ),
    "hilbert": layout(
        0x40,
        (4, 4),
        (64,),
        pack("<II", 2, 2),
        "hilbert_order=2, hilbert_rank=2",
        hilbert_order=2,
        hilbert_rank=2,
    ),
}
QUANTIZED = {
    "per_tensor": scheme(
        pack("<BBHfi4x", 1, 1, 0, 0.5, -3),
        INT8,
        (4,),
        (4,),
        "PerTensorAffine(scheme_version=1, scale=0.5, zero_point=-3, is_symmetric=false)",
        scheme="PerTensorAffine",
        scheme_version=1,
        scale=0.5,
        zero_point=-3,
        is_symmetric=False,
    ),
    "per_channel": scheme(
        pack("<BBHIIIB3x", 2, 1, 0, 1, 1, 2, 3),
        INT8,
        (4, 2),
        (8, 8, 8),
        "PerChannelAffine(scheme_version=1, is_symmetric=false, axis=1, scale_buffer_index=1, "
        "zero_point_buffer_index=2, scale_type=float32)",
        scheme="PerChannelAffine",
        scheme_version=1,
        is_symmetric=False,
        axis=1,
        scale_buffer_index=1,
        zero_point_buffer_index=2,
        scale_type="float32",
    ),
    "per_block": scheme(
        pack("<BBHIIIIB3x", 3, 1, 1, 1, 128, 1, NONE, 1),
        INT4,
        (128, 128),
        (8192, 256),
        "PerBlockAffine(scheme_version=1, is_symmetric=true, axis=1, block_size=128, scale_buffer_index=1, "
        "scale_type=float16)",
        scheme="PerBlockAffine",
        scheme_version=1,
        is_symmetric=True,
        axis=1,
        block_size=128,
        scale_buffer_index=1,
        zero_point_buffer_index=None,
        scale_type="float16",
    ),
    "nf4": scheme(
        pack("<BBHIII", 4, 1, 0, 0, 64, 1),
        UINT4,
        (64,),
        (32, 4),
        "NF4(scheme_version=1, axis=0, block_size=64, scale_buffer_index=1, scale_type=float32)",
        scheme="NF4",
        scheme_version=1,
        axis=0,
        block_size=64,
        scale_buffer_index=1,
        scale_type="float32",
    ),
    "mxfp": scheme(
        pack("<BBHIII", 5, 1, 0, 0, 32, 1),
        FLOAT8,
        (64,),
        (64, 2),
        "MXFP(scheme_version=1, axis=0, block_size=32, scale_buffer_index=1, scale_type=float8_e8m0)",
        scheme="MXFP",
        scheme_version=1,
        axis=0,
        block_size=32,
        scale_buffer_index=1,
        scale_type="float8_e8m0",
    ),
}
REALS = ("sparsity_ratio", "value_min", "value_max", "value_abs_max", "value_mean", "value_stddev")
UNKNOWN = dict.fromkeys(("nnz", *REALS, "nm_n", "nm_m", "has_nan", "has_inf"))
SECTIONS = {
    "shard": section(
        SHARD,
        pack("<QQQQ", 8, 8, 0, 4),
        {"shard": {"parent_shape": [8, 8], "shard_offset": [0, 4]}},
        "shard(parent_shape=[8, 8], shard_offset=[0, 4])",
    ),
    "shard of a scalar": section(
        SHARD, b"", {"shard": {"parent_shape": [], "shard_offset": []}}, "", shape=(), sizes=(4,)
    ),
    "statistics": section(
        STATISTICS,
        pack("<IIQddddddBBBBI", 63, 0, 8, 0.75, -1.0, 2.5, 2.5, 0.25, 1.5, 2, 4, 0, 1, 0),
        {
            "statistics": {
                "nnz": 8,
                "sparsity_ratio": 0.75,
                "value_min": -1.0,
                "value_max": 2.5,
                "value_abs_max": 2.5,
                "value_mean": 0.25,
                "value_stddev": 1.5,
                "nm_n": 2,
                "nm_m": 4,
                "has_nan": False,
                "has_inf": True,
            }
        },
        "statistics(nnz=8, sparsity_ratio=0.75, value_min=-1.0, value_max=2.5, value_abs_max=2.5, value_mean=0.25, "
        "value_stddev=1.5, nm_n=2, nm_m=4, has_nan=false, has_inf=true)",
    ),
    "statistics that know little": section(
        STATISTICS,
        pack("<IIQddddddBBBBI", 4, 0, 8, 0.75, -1.0, 2.5, 2.5, 0.25, 1.5, 2, 4, 0, 1, 0),
        {"statistics": {**UNKNOWN, "value_min": -1.0, "value_max": 2.5, "value_abs_max": 2.5}},
        "statistics(value_min=-1.0, value_max=2.5, value_abs_max=2.5)",
    ),
    "extension type": section(
        EXTENSION,
        pack("<IBBBBBBHIBBH", 16, 1, 1, 0, 1, 6, 9, 0, 31, 1, 0, 0),
        {
            "extension_type": {
                "bit_width": 16,
                "packing_factor": 1,
                "is_float": True,
                "is_signed": False,
                "sign_bits": 1,
                "exponent_bits": 6,
                "mantissa_bits": 9,
                "exponent_bias": 31,
                "has_nan": True,
                "has_inf": False,
            }
        },
        "extension_type(bit_width=16, packing_factor=1, is_float=true, is_signed=false, sign_bits=1,"
        " exponent_bits=6, "
        "mantissa_bits=9, exponent_bias=31, has_nan=true, has_inf=false)",
        dtype=PRIVATE,
        sizes=(64,),
    ),
}
WITH_SECTIONS = {**QUANTIZED, **SECTIONS}
KINDS = {**LAYOUTS, **WITH_SECTIONS}
