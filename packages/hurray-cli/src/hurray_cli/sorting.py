"""Names in the order in which people count: ``layer.2`` before ``layer.10``."""

from __future__ import annotations

import re

_NUMBER = re.compile("([0-9]+)")


def natural(name: str) -> tuple[tuple[str, int, str], ...]:
    """A sort key: numbers in a name by value, the rest by its characters.

    Numbers are compared as (length, digits) without their leading zeros, so that any length will do; names
    that are equal up to leading zeros keep an order by the zeros.
    """
    parts = _NUMBER.split(name)
    key = []
    for text, digits in zip(parts[::2], [*parts[1::2], ""], strict=True):
        value = digits.lstrip("0")
        key.append((text, len(value), value))
    return (*key, (name, 0, ""))
