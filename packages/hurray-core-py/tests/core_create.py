"""What the tests of creation share: element types with independent codecs, and numbers read exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import hurray
import ml_dtypes
from core_numpy import np

# Types that another library has, one element a byte or more.
NATIVE = {
    name: getattr(np, name)
    for name in (
        *("float16", "float32", "float64", "complex64", "complex128"),
        *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
    )
}
OTHERS = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e4m3": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e8m0": ml_dtypes.float8_e8m0fnu,
}
PACKED = {
    "bool": np.bool_,
    "int4": ml_dtypes.int4,
    "uint4": ml_dtypes.uint4,
    "int2": ml_dtypes.int2,
    "uint2": ml_dtypes.uint2,
    "float4_e2m1": ml_dtypes.float4_e2m1fn,
    "float6_e2m3": ml_dtypes.float6_e2m3fn,
    "float6_e3m2": ml_dtypes.float6_e3m2fn,
}
WHOLE = NATIVE | OTHERS
ALL = [*WHOLE, *PACKED, "float128"]
BITS = {
    "bool": 1,
    "int4": 4,
    "uint4": 4,
    "int2": 2,
    "uint2": 2,
    "float4_e2m1": 4,
    "float6_e2m3": 6,
    "float6_e3m2": 6,
}
INTEGERS = [name for name in ALL if "int" in name]


def dtype(name: str) -> hurray.Dtype:
    """The element type of that name."""
    found: hurray.Dtype = getattr(hurray.dtype, name)
    return found


def packed(codes: list[int], bits: int) -> bytes:
    """Least significant bits first; 6-bit types by whole groups of four (element-types.md §3)."""
    number = sum(code << bits * at for at, code in enumerate(codes))
    size = -(-len(codes) // 4) * 3 if bits == 6 else -(-len(codes) * bits // 8)
    return number.to_bytes(size, "little")


def binary128(value: Fraction) -> bytes:
    """The bits of a binary128 that holds a normal number exactly."""
    if not value:
        return bytes(16)
    sign, magnitude = value < 0, abs(value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if magnitude < Fraction(2) ** exponent:
        exponent -= 1
    fraction = (magnitude / Fraction(2) ** exponent - 1) * 2**112
    assert fraction.denominator == 1
    return (sign << 127 | exponent + 16383 << 112 | int(fraction)).to_bytes(16, "little")


def encoded(name: str, values: list[Any]) -> bytes:
    """``values``, each of which the type holds, as the format stores them; by other libraries."""
    if name == "float128":
        return b"".join(binary128(Fraction(value)) for value in values)
    if name in WHOLE:
        return bytes(np.array(values, WHOLE[name]).tobytes())
    codes = np.array(values, PACKED[name]).view(np.uint8) & (2 ** BITS[name] - 1)
    return packed(codes.tolist(), BITS[name])
