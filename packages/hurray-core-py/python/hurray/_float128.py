"""binary128 as decimal text (element-types.md §2): Python has no number for it, but integers of any size."""

from __future__ import annotations

__all__ = ["digits"]

BIAS, MANTISSA = 16383, 112
TOP = 0x7FFF
ENOUGH = 36  # digits that tell any two binary128 numbers apart


def digits(data: bytes) -> str:
    """The fewest digits that name the number of these 16 bytes, as ``1.5e-1``; ``nan`` and ``inf``.

    Whole numbers below 2^24 have all of theirs.
    """
    code = int.from_bytes(data, "little")
    sign = "-" if code >> 127 else ""
    exponent, mantissa = code >> MANTISSA & TOP, code & ((1 << MANTISSA) - 1)
    if exponent == TOP:
        return "nan" if mantissa else f"{sign}inf"
    if exponent:
        mantissa |= 1 << MANTISSA
    if not mantissa:
        return f"{sign}0e0"
    return sign + _shortest(mantissa, max(exponent, 1) - BIAS - MANTISSA, exponent > 1)


def _shortest(mantissa: int, power: int, has_closer: bool) -> str:
    """The digits of ``mantissa · 2^power``; below a power of two the next number is half as far away."""
    # In quarters of the last bit, as a fraction, so that the bounds between neighbours are whole.
    value, scale = mantissa << 2 + max(power, 0), 1 << max(-power, 0) + 2
    unit = 1 << max(power, 0)
    low = value - (unit if has_closer and mantissa == 1 << MANTISSA else 2 * unit)
    high = value + 2 * unit
    whole = value % scale == 0 and value // scale < 1 << 24
    size = _size(value, scale)
    for count in range(1, ENOUGH + 1):
        up, down = 10 ** max(count - 1 - size, 0), 10 ** max(size - count + 1, 0)
        number, rest = divmod(value * up, scale * down)
        if 2 * rest > scale * down or (2 * rest == scale * down and number % 2):
            number += 1
        read = number * scale * down  # of value · up
        even = mantissa % 2 == 0
        inside = low * up < read < high * up or (even and read in (low * up, high * up))
        if read == value * up if whole else inside:
            break
    text = str(number)
    size += len(text) - count  # 9.99 became 10.0
    text = text.rstrip("0") or "0"
    return f"{text[0]}.{text[1:]}e{size}" if len(text) > 1 else f"{text}e{size}"


def _size(value: int, scale: int) -> int:
    """The exponent of ten of the first digit of ``value / scale``."""
    guess = (value.bit_length() - scale.bit_length()) * 30103 // 100000
    for size in (guess + 1, guess, guess - 1):
        if value * 10 ** max(-size, 0) >= scale * 10 ** max(size, 0):
            return size
    return guess - 2
