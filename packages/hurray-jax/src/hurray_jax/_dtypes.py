"""Which JAX element type is which of the format's (rulings 6 and 8 of 04-tables.md; element-types.md §2)."""

from __future__ import annotations

from typing import Any

import hurray

__all__ = ["BY_DLPACK", "BY_ML_DTYPES", "FROM_JAX", "NEEDS_X64", "PACKED", "TO_JAX", "way_out"]

# Same name, same bits, in the DLPack that both sides speak.
_PLAIN = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
# A byte each, under the names of ml_dtypes: DLPack brings them in, and does not take them out (ruling 6).
_SMALL = {
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float8_e8m0": "float8_e8m0fnu",
}
# A byte for each element there, packed here: a copy both ways.
_PACKED = {
    "bool": "bool",
    "float4_e2m1": "float4_e2m1fn",
    "int4": "int4",
    "uint4": "uint4",
    "int2": "int2",
    "uint2": "uint2",
}

TO_JAX: dict[hurray.Dtype, str] = {
    hurray.Dtype.from_name(ours): theirs
    for ours, theirs in {**{name: name for name in _PLAIN}, **_SMALL, **_PACKED}.items()
}
FROM_JAX: dict[str, hurray.Dtype] = {theirs: ours for ours, theirs in TO_JAX.items()}
BY_DLPACK = frozenset(hurray.Dtype.from_name(name) for name in _PLAIN)
BY_ML_DTYPES = frozenset(hurray.Dtype.from_name(name) for name in _SMALL)
PACKED = frozenset(hurray.Dtype.from_name(name) for name in _PACKED)
# What JAX narrows in silence as long as jax_enable_x64 is off.
NEEDS_X64 = frozenset(hurray.Dtype.from_name(name) for name in ("float64", "complex128", "int64", "uint64"))


def way_out(dtype: Any) -> str:
    """Why ``dtype`` cannot be expressed, and what to do instead."""
    name = str(dtype)
    if "float0" in name:
        return "float0 is the gradient of what has none and holds no data: leave it out"
    if name.startswith("float8"):
        return "the format has no float8 of this encoding: x.astype('float16') holds its values exactly"
    return "the format has no such element type: cast the values first"
