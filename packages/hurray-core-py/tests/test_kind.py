"""hurray.layout_tag_kind (requirements: Tag classification; layouts.md §1)."""

from __future__ import annotations

from typing import Any

import hurray
import pytest

NAMED = {*range(0x01, 0x0C), 0x40}
PRIVATE = set(range(0xF0, 0xFF))
INVALID = {0x00, 0xFF}


class Index:
    def __index__(self) -> int:
        return 0x40


def test_the_four_partition_the_whole_byte_space() -> None:
    """The four MUST partition the whole byte space."""
    kinds = {tag: hurray.layout_tag_kind(tag) for tag in range(256)}
    assert {tag for tag, kind in kinds.items() if kind == "named"} == NAMED
    assert {tag for tag, kind in kinds.items() if kind == "private"} == PRIVATE
    assert {tag for tag, kind in kinds.items() if kind == "invalid"} == INVALID
    reserved = {tag for tag, kind in kinds.items() if kind == "reserved"}
    assert reserved == set(range(256)) - NAMED - PRIVATE - INVALID
    assert reserved == {*range(0x0C, 0x40), *range(0x41, 0xF0)}


@pytest.mark.parametrize("tag", [-1, 256, 2**64, -(2**70)])
def test_an_int_that_is_no_byte(tag: int) -> None:
    with pytest.raises(OverflowError, match=r"tag .*0 to 255"):
        hurray.layout_tag_kind(tag)


@pytest.mark.parametrize("tag", ["named", b"\x01", 1.0, None, hurray.RowMajorLayout()])
def test_what_is_no_int(tag: Any) -> None:
    with pytest.raises(TypeError, match="tag"):
        hurray.layout_tag_kind(tag)


def test_anything_with_an_index_is_an_int() -> None:
    assert hurray.layout_tag_kind(Index()) == "named"
    assert hurray.layout_tag_kind(tag=0xF3) == "private"
