"""Numbers as people read them. The exact number always stands beside a rounded one, or alone."""

from __future__ import annotations

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")


def grouped(number: int) -> str:
    """``1234567`` as ``1,234,567``."""
    return f"{number:,}"


def size(number: int) -> str:
    """Bytes in the largest binary unit that leaves a number of 1 or more: ``86.6 MiB``."""
    step = 0
    value = float(number)
    while abs(value) >= 1024 and step + 1 < len(_BINARY):
        value /= 1024
        step += 1
    return f"{number} B" if step == 0 else f"{value:.1f} {_BINARY[step]}"


def count(number: int) -> str:
    """A count in thousands, millions, billions: ``22.7 M``; below 10,000 exact."""
    if number < 10_000:
        return str(number)
    for factor, letter in ((10**12, "T"), (10**9, "B"), (10**6, "M"), (10**3, "k")):
        if number >= factor:
            return f"{number / factor:.1f} {letter}"
    raise AssertionError(number)


def seconds(value: float) -> str:
    """A duration: ``0.43 s``, from a minute on ``2 min 03 s``."""
    if value < 60:
        return f"{value:.2f} s"
    return f"{int(value) // 60} min {int(value) % 60:02d} s"


def plural(number: int, noun: str) -> str:
    """``1 tensor``, ``2 tensors``, ``1,000 tensors``."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
