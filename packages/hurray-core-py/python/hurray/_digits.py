"""Numbers as aligned text, as NumPy aligns them: decimal points below each other."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["aligned", "plain"]

# From here on, and below, numbers are written with an exponent.
LARGE, SMALL = 8, -4


class _Float:
    """A float out of its shortest digits: ``sign digits · 10^exponent``, the point behind the first digit."""

    __slots__ = ("digits", "exponent", "sign", "word")

    def __init__(self, text: str) -> None:
        self.sign = "-" if text.startswith("-") else ""
        body = text.removeprefix("-")
        self.word = body if body in ("nan", "inf") else ""
        mantissa, _, exponent = ("0e0" if self.word else body).partition("e")
        self.digits = mantissa.replace(".", "")
        self.exponent = int(exponent)

    @property
    def is_zero(self) -> bool:
        return not self.digits.strip("0")

    def rounded(self, behind: int) -> None:
        """Keep so many digits behind the first one, less where that is negative; half goes to even."""
        keep = behind + 1
        if keep >= len(self.digits):
            return
        if keep < 0:
            self.digits, self.exponent = "0", 0
            return
        power = 10 ** (len(self.digits) - keep)
        number, rest = divmod(int(self.digits), power)
        if rest * 2 > power or (rest * 2 == power and number % 2):
            number += 1
        text = str(number).rjust(keep, "0")
        if len(text) > keep:  # 9.99 became 10.0
            self.exponent += 1
            text = text[:-1] if keep else text
        text = text.rstrip("0") or "0"
        self.digits, self.exponent = (text, self.exponent) if text != "0" else ("0", 0)

    def positional(self) -> tuple[str, str]:
        """What stands before and behind the point."""
        digits, point = self.digits, self.exponent + 1
        if point <= 0:
            return self.sign + "0", ("0" * -point + digits).rstrip("0")
        return self.sign + digits[:point].ljust(point, "0"), digits[point:].rstrip("0")


def _floats(texts: Sequence[str], precision: int | str) -> list[str]:
    numbers = [_Float(text) for text in texts]
    finite = [number for number in numbers if not number.word]
    sizes = [number.exponent for number in finite if not number.is_zero]
    scientific = bool(sizes) and (max(sizes) >= LARGE or min(sizes) < SMALL)
    if isinstance(precision, int):
        for number in finite:
            number.rounded(precision if scientific else precision + number.exponent)
    if scientific:
        parts = [(one.sign + one.digits[0], _exponential(one)) for one in finite]
    else:
        parts = [number.positional() for number in finite]
    left = max((len(before) for before, _ in parts), default=0)
    right = max((len(behind) for _, behind in parts), default=0)
    words = max((len(one.sign + one.word) for one in numbers if one.word), default=0)
    width = max(left + 1 + right, words) if parts else words
    made = iter(f"{before.rjust(left)}.{behind.ljust(right)}".rjust(width) for before, behind in parts)
    return [(one.sign + one.word).rjust(width) if one.word else next(made) for one in numbers]


def _exponential(number: _Float) -> str:
    sign = "-" if number.exponent < 0 else "+"
    return f"{number.digits[1:]}e{sign}{abs(number.exponent):02}"


def _complex(pairs: Sequence[tuple[str, str]], precision: int | str) -> list[str]:
    real = _floats([one for one, _ in pairs], precision)
    imaginary = [text.strip() for text in _floats([one for _, one in pairs], precision)]
    signed = [(text if text.startswith("-") else f"+{text}") + "j" for text in imaginary]
    width = max(map(len, signed))
    return [one + two.ljust(width) for one, two in zip(real, signed, strict=True)]


def aligned(items: Sequence[object], precision: int | str) -> list[str]:
    """Each of the items of one tensor as text of one width.

    :param items: what ``Tensor._chosen`` gives: ints and bools, floats as text, complex numbers as two texts,
        float128 as bytes.
    :param precision: digits behind the point, or ``"shortest"``.
    """
    if items and isinstance(items[0], str):
        return _floats(items, precision)  # type: ignore[arg-type]
    if items and isinstance(items[0], bytes):
        from ._float128 import digits

        return _floats([digits(item) for item in items], precision)  # type: ignore[arg-type]
    if items and isinstance(items[0], tuple):
        return _complex(items, precision)  # type: ignore[arg-type]
    texts = [str(item) for item in items]
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def plain(items: Sequence[object], precision: int | str) -> list[str]:
    """The same without the alignment."""
    return [aligned([item], precision)[0].strip() for item in items]
