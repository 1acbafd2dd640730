"""hurray.Shard (04-tables.md §1; descriptor.md §6.2)."""

from __future__ import annotations

import itertools
from typing import Any

import hurray
import pytest
from core_values import check_value
from hypothesis import given
from hypothesis import strategies as st

SIZES = st.lists(st.integers(0, 2**64 - 2), max_size=64)


@given(SIZES.flatmap(lambda parent: st.tuples(st.just(parent), st.permutations(parent))))
def test_shards_are_values(sizes: tuple[list[int], list[int]]) -> None:
    parent, offset = sizes
    shard = hurray.Shard(parent, offset)
    assert (shard.parent_shape, shard.shard_offset) == (tuple(parent), tuple(offset))
    check_value(shard, hurray.Shard(tuple(parent), iter(offset)), [hurray.Shard([7], [5])], hashable=True)


def test_each_field_counts() -> None:
    one = hurray.Shard(parent_shape=(8, 8), shard_offset=(0, 4))
    others = [hurray.Shard((8, 9), (0, 4)), hurray.Shard((8, 8), (4, 0)), hurray.Shard((8,), (0,))]
    check_value(one, hurray.Shard([8, 8], [0, 4]), others, hashable=True)
    assert repr(one) == "Shard(parent_shape=(8, 8), shard_offset=(0, 4))"


def test_both_have_the_tensors_rank() -> None:
    with pytest.raises(
        hurray.InvalidDescriptorError, match="parent_shape has 2 dimensions and shard_offset has 1"
    ):
        hurray.Shard((8, 8), (4,))


@pytest.mark.parametrize("name", ["parent_shape", "shard_offset"])
def test_arguments(name: str) -> None:
    """Errors say which argument, which value, and what would be right."""

    def make(value: Any) -> hurray.Shard:
        return hurray.Shard(**{"parent_shape": (8, 8), "shard_offset": (0, 4), name: value})

    wrong: Any
    for wrong in (5, None):
        with pytest.raises(TypeError, match=f"{name} is a sequence of ints"):
            make(wrong)
    for wrong in ("ab", (1.0, 2)):
        with pytest.raises(TypeError, match=rf"{name}\[0\] is an int"):
            make(wrong)
    for wrong in (-1, 2**64 - 1, 2**64):
        with pytest.raises(OverflowError, match=rf"{name}\[1\] is {wrong}"):
            make((1, wrong))
    # No end of them is waited for.
    with pytest.raises(hurray.InvalidDescriptorError, match="more than 64 dimensions") as caught:
        make(itertools.count())
    assert caught.value.code == "D-13"


@pytest.mark.parametrize("name", ["parent_shape", "shard_offset"])
def test_no_dimension_is_dynamic(name: str) -> None:
    """D-45: a shard needs static sizes."""
    sizes: dict[str, Any] = {"parent_shape": (8, 8), "shard_offset": (0, 4), name: (1, None)}
    with pytest.raises(hurray.InvalidDescriptorError, match=rf"{name}\[1\] is None") as caught:
        hurray.Shard(**sizes)
    assert caught.value.code == "D-45"
