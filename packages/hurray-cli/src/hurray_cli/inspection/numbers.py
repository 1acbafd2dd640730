"""Element values as the shortest text that still names them: 0.1 for a float32, not 0.10000000149011612."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DIGITS = {"float32": 9, "complex64": 9, "float16": 5, "bfloat16": 4}


def text_of(value: object, dtype: str) -> str:
    """A Python value out of a tensor of that element type."""
    if isinstance(value, complex):
        sign = "" if _text(value.imag, dtype).startswith("-") else "+"
        return f"{_text(value.real, dtype)}{sign}{_text(value.imag, dtype)}j"
    return _text(value, dtype) if isinstance(value, float) else repr(value)


def _text(value: float, dtype: str) -> str:
    digits = _DIGITS.get(dtype)
    if digits is None or value != value or value in (float("inf"), float("-inf")):
        return repr(value)
    narrow = _NARROW[dtype]
    for precision in range(1, digits + 1):
        text = f"{value:.{precision}g}"
        if narrow(float(text)) == value:
            return repr(float(text))
    return repr(value)


def _float32(value: float) -> float:
    from struct import pack, unpack

    try:
        return float(unpack("<f", pack("<f", value))[0])
    except OverflowError:  # a shortened text may lie beyond the largest number
        return float("inf")


def _float16(value: float) -> float:
    from struct import pack, unpack

    try:
        return float(unpack("<e", pack("<e", value))[0])
    except OverflowError:
        return float("inf")


def _bfloat16(value: float) -> float:
    """To the nearest bfloat16, ties to even: the upper half of a float32."""
    from struct import pack, unpack

    bits = int(unpack("<I", pack("<f", _float32(value)))[0])
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    return float(unpack("<f", pack("<I", bits & 0xFFFFFFFF))[0])


_NARROW: dict[str, Callable[[float], float]] = {
    "float32": _float32,
    "complex64": _float32,
    "float16": _float16,
    "bfloat16": _bfloat16,
}
