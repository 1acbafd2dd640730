"""hurray.HilbertLayout (layouts.md §6)."""

from __future__ import annotations

from typing import Any

import core_files
import hurray
import pytest


def test_order_and_rank() -> None:
    layout = hurray.HilbertLayout(3, 2)
    assert (layout.hilbert_order, layout.hilbert_rank) == (3, 2)
    assert layout == hurray.HilbertLayout(hilbert_order=3, hilbert_rank=2)
    assert layout != hurray.HilbertLayout(2, 3)
    assert repr(layout) == "HilbertLayout(hilbert_order=3, hilbert_rank=2)"


def test_the_wire_has_the_examples_bytes() -> None:
    """layouts.md §15: hilbert order 2 rank 2."""
    blob = core_files.descriptor(1, 0x40, (4, 4), [64], payload=bytes.fromhex("02 00 00 00 02 00 00 00"))
    assert hurray.Descriptor.decode(blob).layout == hurray.HilbertLayout(2, 2)


@pytest.mark.parametrize(
    ("order", "rank", "code", "words"),
    [
        (0, 2, "L-20", ("hilbert_order is 0",)),
        (1, 1, "L-20", ("hilbert_rank is 1", "2")),
        (1, 0, "L-20", ("hilbert_rank is 0",)),
        (33, 2, "L-22", ("33", "2", "64")),
        (1, 65, "L-22", ("65", "64")),
        (2**32 - 1, 2**32 - 1, "L-22", ("64",)),
    ],
)
def test_what_no_curve_has(order: int, rank: int, code: str, words: tuple[str, ...]) -> None:
    """L-20 and L-22, before 2 ** order is computed."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.HilbertLayout(order, rank)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(("order", "rank"), [(32, 2), (1, 64), (16, 4)])
def test_the_widest_codes(order: int, rank: int) -> None:
    hurray.HilbertLayout(order, rank).validate_against_shape([2**order] * rank)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("1", 2), TypeError, "hilbert_order"),
        ((1, 2.0), TypeError, "hilbert_rank"),
        ((-1, 2), OverflowError, "hilbert_order is -1"),
        ((1, 2**32), OverflowError, "hilbert_rank"),
        ((1,), TypeError, "hilbert_rank"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.HilbertLayout(*arguments)


@pytest.mark.parametrize(
    ("shape", "code"),
    [
        ((4, 4), None),
        ((None, 4), None),
        ((4, 5), "L-21"),
        ((0, 4), "L-21"),
        ((4, 2), "L-21"),
        ((4, 4, 4), "L-21"),
        ((), "L-21"),
    ],
)
def test_every_extent_is_the_power_of_the_order(shape: tuple[int | None, ...], code: str | None) -> None:
    """L-21."""
    layout = hurray.HilbertLayout(2, 2)
    if code is None:
        layout.validate_against_shape(shape)
        return
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    assert caught.value.code == code
