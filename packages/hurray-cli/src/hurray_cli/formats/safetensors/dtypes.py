"""The element types of safetensors, in the order in which its library sorts them (least aligned first)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hurray import Dtype

# Code, bits of one element in the file, Hurray's name or None, and then why there is none.
_TABLE: tuple[tuple[str, int, str | None, str], ...] = (
    ("BOOL", 8, "bool", ""),
    ("F4", 4, "float4_e2m1", ""),
    ("F6_E2M3", 6, None, "safetensors does not say in which order its bits lie"),
    ("F6_E3M2", 6, None, "safetensors does not say in which order its bits lie"),
    ("U8", 8, "uint8", ""),
    ("I8", 8, "int8", ""),
    ("F8_E5M2", 8, "float8_e5m2", ""),
    ("F8_E4M3", 8, "float8_e4m3", ""),
    ("F8_E8M0", 8, "float8_e8m0", ""),
    ("F8_E4M3FNUZ", 8, None, "Hurray has no float8 without negative zero"),
    ("F8_E5M2FNUZ", 8, None, "Hurray has no float8 without negative zero"),
    ("I16", 16, "int16", ""),
    ("U16", 16, "uint16", ""),
    ("F16", 16, "float16", ""),
    ("BF16", 16, "bfloat16", ""),
    ("I32", 32, "int32", ""),
    ("U32", 32, "uint32", ""),
    ("F32", 32, "float32", ""),
    ("C64", 64, "complex64", ""),
    ("F64", 64, "float64", ""),
    ("I64", 64, "int64", ""),
    ("U64", 64, "uint64", ""),
)

# By code: (bits, Hurray's name or None, why there is none).
CODES = {code: (bits, name, reason) for code, bits, name, reason in _TABLE}
# By Hurray's name: (rank in the library's order, code).
BY_NAME = {name: (rank, code) for rank, (code, _, name, _) in enumerate(_TABLE) if name is not None}

_dtypes: dict[str, Dtype] = {}


def dtype_of(code: str) -> Dtype:
    """The dtype of Hurray for a code that has one."""
    if code not in _dtypes:
        from hurray import Dtype

        name = CODES[code][1]
        assert name is not None  # noqa: S101 - the reader has refused it
        _dtypes[code] = Dtype.from_name(name)
    return _dtypes[code]
