"""Elements that reach the corners of each type."""

from __future__ import annotations

import math
from fractions import Fraction

from ..reference.element_types import BY_NAME, ElementType
from ..reference.numbers import Number, encode

FLOATS = (0.0, -0.0, 1.0, -2.5, 0.15625, math.inf, -math.inf, math.nan, 1e-7, -448.0, 3.0, 65504.0)


def patterns(kind: ElementType, count: int) -> list[int]:
    """``count`` bit patterns, neighbours different, the same each time."""
    if kind.name == "float8_e8m0":
        return [1 + 37 * number % 254 for number in range(count)]
    if kind.bits <= 8:
        return [(number * 7 + 3) & (1 << kind.bits) - 1 for number in range(count)]
    if kind.kind == "int":
        low, high = kind.range
        corners = [low, high, 0, 1, high // 3, low // 5]
        return [encode(kind, _integer(corners, number, low, high)) for number in range(count)]
    if kind.kind == "complex":
        half = BY_NAME["float32" if kind.bits == 64 else "float64"]
        halves = patterns(half, 2 * count + 3)
        return [halves[number] | halves[2 * number + 1] << half.bits for number in range(count)]
    return [encode(kind, _float(kind, number)) for number in range(count)]


def _integer(corners: list[int], number: int, low: int, high: int) -> int:
    base = corners[number % len(corners)] + number // len(corners)
    return base if low <= base <= high else low + number


def _float(kind: ElementType, number: int) -> Number:
    if kind.name == "float128" and number % 12 == 4:
        return Fraction(1) + Fraction(1, 1 << 112)
    if number < len(FLOATS):
        return FLOATS[number]
    return (number - 7) * 0.375
