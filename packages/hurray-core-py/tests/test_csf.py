"""hurray.CsfLayout (layouts.md §9)."""

from __future__ import annotations

from struct import pack
from typing import Any

import core_files
import hurray
import pytest


def test_nnz_and_mode_order() -> None:
    layout = hurray.CsfLayout(nnz=5, mode_order=[2, 0, 1])
    assert (layout.nnz, layout.mode_order) == (5, (2, 0, 1))
    assert layout != hurray.CsfLayout(5, [0, 1, 2])
    assert repr(layout) == "CsfLayout(nnz=5, mode_order=(2, 0, 1))"


@pytest.mark.parametrize("rank", [3, 4, 64])
def test_it_has_two_buffers_for_each_level_and_the_values(rank: int) -> None:
    """2 * rank + 1; any valid permutation must be honoured."""
    layout = hurray.CsfLayout(0, range(rank - 1, -1, -1))
    assert layout.buffer_count == 2 * rank + 1
    layout.validate_against_shape([2] * rank)


def test_the_wire() -> None:
    """nnz, a u32 for each level, then eight reserved bytes."""
    payload = pack("<QIIIQ", 1, 2, 0, 1, 0)
    blob = core_files.descriptor(3, 9, (2, 2, 2), [4, 16, 8, 16, 8, 16, 8], payload=payload)
    assert hurray.Descriptor.decode(blob).layout == hurray.CsfLayout(1, [2, 0, 1])


@pytest.mark.parametrize(
    ("order", "code", "words"),
    [
        ([], "L-26", ("mode_order", "0", "3")),
        ([0, 1], "L-26", ("mode_order", "2", "CooLayout")),
        ([0, 1, 1], "L-27", ("mode_order[2] is 1", "mode_order[1]")),
        ([0, 1, 3], "L-27", ("mode_order[2] is 3", "0 to 2")),
        ([1, 2, 3], "L-27", ("mode_order[2] is 3",)),
        ([0, 1, 2**32 - 1], "L-27", ("mode_order[2]",)),
        (range(65), "D-13", ("mode_order", "64")),
    ],
)
def test_an_order_that_is_no_permutation(order: Any, code: str, words: tuple[str, ...]) -> None:
    """L-26 and L-27."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.CsfLayout(1, order)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((1,), TypeError, "mode_order"),
        ((-1, [0, 1, 2]), OverflowError, "nnz is -1"),
        ((1, 3), TypeError, "mode_order"),
        ((1, [0, 1, -1]), OverflowError, r"mode_order\[2\] is -1"),
        ((1, [0, 1, "2"]), TypeError, r"mode_order\[2\]"),
        ((1, [0, 1, 2**32]), OverflowError, r"mode_order\[2\]"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.CsfLayout(*arguments)


@pytest.mark.parametrize("shape", [(), (2, 2), (2, 2, 2, 2)])
def test_its_rank_is_the_tensors(shape: tuple[int, ...]) -> None:
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.CsfLayout(0, [0, 1, 2]).validate_against_shape(shape)
    assert caught.value.code == "D-1"
