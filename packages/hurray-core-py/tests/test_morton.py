"""hurray.MortonLayout (layouts.md §5)."""

from __future__ import annotations

from typing import Any

import core_files
import hurray
import pytest


def test_bits_per_dimension() -> None:
    layout = hurray.MortonLayout(morton_bits=[3, 3])
    assert layout.morton_bits == (3, 3)
    assert repr(layout) == "MortonLayout(morton_bits=(3, 3))"
    assert repr(hurray.MortonLayout([64])) == "MortonLayout(morton_bits=(64,))"
    assert len(hurray.MortonLayout([1] * 64).morton_bits) == 64


def test_the_wire_has_the_examples_bytes() -> None:
    """layouts.md §15: morton [2,2]."""
    blob = core_files.descriptor(1, 5, (4, 4), [64], payload=bytes.fromhex("02 00 00 00 02 00 00 00"))
    assert hurray.Descriptor.decode(blob).layout == hurray.MortonLayout([2, 2])


@pytest.mark.parametrize(
    ("bits", "code", "words"),
    [
        ([], "L-6", ("morton_bits", "empty")),
        ([2, 0], "L-17", ("morton_bits[1]", "0", "at least one")),
        ([65], "L-19", ("morton_bits[0]", "65", "bit 64", "0 to 63")),
        ([32, 33], "L-19", ("morton_bits[1]", "33", "bit 65")),
        ([1, 1, 23], "L-19", ("morton_bits[2]", "bit 68")),
        ([2**32 - 1, 1], "L-19", ("morton_bits[0]",)),
        ([1] * 65, "D-13", ("morton_bits", "64")),
    ],
)
def test_what_no_curve_has(bits: list[int], code: str, words: tuple[str, ...]) -> None:
    """L-17 and L-19."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.MortonLayout(bits)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("bits", [[32, 32], [64], [22, 21, 21], [1] * 64])
def test_the_widest_codes(bits: list[int]) -> None:
    """Bits 0 to 63 exist: (bits[d] - 1) * r + d is 63 at most."""
    layout = hurray.MortonLayout(bits)
    layout.validate_against_shape([None] * len(bits))
    layout.validate_against_shape([2] * len(bits))


@pytest.mark.parametrize(
    ("bits", "error"), [(3, TypeError), (["1"], TypeError), ([-1], OverflowError), ([2**32], OverflowError)]
)
def test_what_is_no_bit_count(bits: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="morton_bits"):
        hurray.MortonLayout(bits)


@pytest.mark.parametrize(
    ("shape", "code"),
    [((4, 8), None), ((5, 8), "L-18"), ((4, 9), "L-18"), ((4,), "D-1"), ((0, 0), None), ((None, 9), "L-18")],
)
def test_extents_that_the_bits_address(shape: tuple[int | None, ...], code: str | None) -> None:
    """L-18: s[k] is 2 ** bits[k] at most; what is not known yet violates nothing."""
    layout = hurray.MortonLayout([2, 3])
    if code is None:
        layout.validate_against_shape(shape)
        return
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    assert caught.value.code == code
