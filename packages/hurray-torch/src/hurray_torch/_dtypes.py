"""Which PyTorch element type is which of the format's (rulings 6, 8 and 9 of 04-tables.md; element-types.md §2)."""

from __future__ import annotations

import hurray
import torch

__all__ = ["FLOAT4", "FROM_TORCH", "PLAIN", "TO_TORCH", "VIEWED", "way_out"]

# Same name, same bits, in every DLPack that PyTorch has spoken.
_PLAIN_NAMES = (
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
# A byte each, which crosses as uint8 and is viewed again. Those with "fnuz" are encodings that the format lacks.
_VIEWED_NAMES = {
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float8_e8m0": "float8_e8m0fnu",
}

PLAIN: dict[torch.dtype, hurray.Dtype] = {
    getattr(torch, name): hurray.Dtype.from_name(name) for name in _PLAIN_NAMES
}
VIEWED: dict[torch.dtype, hurray.Dtype] = {
    getattr(torch, theirs): hurray.Dtype.from_name(ours)
    for ours, theirs in _VIEWED_NAMES.items()
    if hasattr(torch, theirs)
}
# Two elements a byte, the first in the low bits; shapes count bytes in the last dimension. Not in every release.
FLOAT4: torch.dtype | None = getattr(torch, "float4_e2m1fn_x2", None)

FROM_TORCH: dict[torch.dtype, hurray.Dtype] = {**PLAIN, **VIEWED, torch.bool: hurray.dtype.bool}
if FLOAT4 is not None:
    FROM_TORCH[FLOAT4] = hurray.dtype.float4_e2m1
TO_TORCH: dict[hurray.Dtype, torch.dtype] = {ours: theirs for theirs, ours in FROM_TORCH.items()}


def way_out(dtype: torch.dtype) -> str:
    """Why ``dtype`` cannot be expressed, and what to do instead."""
    name = str(dtype).removeprefix("torch.")
    if name == "complex32":
        return "the format has no complex numbers of two halves: t.to(torch.complex64) widens them exactly"
    if name.endswith("fnuz"):
        return "the format has no float8 of the kind without negative zero: t.to(torch.float16) is exact"
    if name.startswith(("uint", "int", "bits")):
        return "PyTorch has a byte for each of its elements and no values in it: t.view(torch.uint8) has the bytes"
    return "the format has no such element type: cast the values first"
