"""element-types.md §4: the number that each bit pattern means, exactly; and the pattern of a number."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

from .element_types import TYPES, ElementType

Number = bool | int | float | complex | Fraction


def decode(kind: ElementType, bits: int) -> Number:
    """The number of a bit pattern. float128 beyond binary64 comes as a ``Fraction``, never rounded."""
    if kind.kind == "bool":
        return bool(bits)
    if kind.kind == "int":
        return bits - (1 << kind.bits) if kind.signed and bits >> kind.bits - 1 else bits
    if kind.kind == "complex":
        half = TYPES[0x03 if kind.bits == 64 else 0x04]
        low = bits & (1 << half.bits) - 1
        return complex(_binary(half, low), _binary(half, bits >> half.bits))
    return _binary(kind, bits)


def _binary(kind: ElementType, bits: int) -> float:
    """A float by sign, exponent and mantissa. A Fraction passes for a float where that is not exact."""
    if kind.name == "float8_e8m0":
        return math.ldexp(1.0, bits - 127) if 0 < bits < 255 else math.nan
    mantissa = bits & (1 << kind.mantissa) - 1
    top = (1 << kind.exponent) - 1
    exponent = bits >> kind.mantissa & top
    sign = -1.0 if bits >> kind.bits - 1 else 1.0
    if exponent == top and kind.name == "float8_e4m3":
        if mantissa == 7:
            return math.nan
    elif exponent == top and kind.bits >= 8:
        return math.nan if mantissa else sign * math.inf
    scaled = mantissa if exponent == 0 else mantissa + (1 << kind.mantissa)
    power = max(exponent, 1) - kind.bias - kind.mantissa
    exact = Fraction(scaled) * Fraction(2) ** power * int(sign)
    if not exact:
        return sign * 0.0
    try:
        near = float(exact)
    except OverflowError:
        near = math.inf
    return near if not math.isinf(near) and Fraction(near) == exact else exact  # type: ignore[return-value]


def encode(kind: ElementType, value: Number) -> int:
    """The bit pattern of a number that the type holds; floats round to the nearest, ties to even."""
    if kind.kind == "bool":
        return int(bool(value))
    if kind.kind == "int":
        low, high = kind.range
        if not isinstance(value, int) or not low <= value <= high:
            raise ValueError(f"{value!r} is not in {kind.name}")
        return value & (1 << kind.bits) - 1
    if kind.kind == "complex":
        whole = complex(value)
        half = TYPES[0x03 if kind.bits == 64 else 0x04]
        return encode(half, whole.real) | encode(half, whole.imag) << half.bits
    return _encode_float(kind, value)


def _encode_float(kind: ElementType, value: Number) -> int:
    if isinstance(value, complex):
        raise ValueError(f"{value!r} is not in {kind.name}")
    if kind.name == "float8_e8m0":
        return int(math.log2(value)) + 127
    top = (1 << kind.exponent) - 1
    negative = math.copysign(1.0, value) < 0 if not isinstance(value, Fraction) else value < 0
    sign = int(negative) << kind.bits - 1
    if isinstance(value, float) and not math.isfinite(value):
        return sign | _special(kind, math.isnan(value), top)
    exact = abs(Fraction(value))
    if not exact:
        return sign
    exponent = max(_log2(exact), 1 - kind.bias)
    scaled = round(exact / Fraction(2) ** (exponent - kind.mantissa))
    if scaled >> kind.mantissa + 1:
        scaled, exponent = scaled >> 1, exponent + 1
    field = exponent + kind.bias if scaled >> kind.mantissa else 0
    return sign | field << kind.mantissa | scaled & (1 << kind.mantissa) - 1


def _special(kind: ElementType, nan: bool, top: int) -> int:
    if kind.name == "float8_e4m3" and nan:
        return 0x7F
    if kind.bits < 8 or kind.name == "float8_e4m3":
        raise ValueError(f"{kind.name} has no such value")
    return top << kind.mantissa | (1 << kind.mantissa - 1 if nan else 0)


def _log2(value: Fraction) -> int:
    """Greatest e with 2**e <= value."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def float32(value: float) -> float:
    """Rounded once to binary32; what is too large becomes infinite."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)
