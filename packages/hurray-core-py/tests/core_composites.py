"""Composites to test with: members at their places, and all of it at random."""

from __future__ import annotations

from typing import Any

import hurray
from hypothesis import strategies as st

F32 = hurray.float32


def box(
    value: float,
    shape: tuple[int, ...],
    offset: tuple[int, ...] | None = None,
    parent: tuple[int, ...] | None = None,
    dtype: Any = F32,
    **more: Any,
) -> hurray.Tensor:
    """A tensor of one value, at its place in a parent where one is given."""
    data = bytearray(hurray.full(shape, value, dtype=dtype).tobytes())
    shard = None if offset is None or parent is None else hurray.Shard(parent, offset)
    return hurray.Tensor(data, dtype, shape, shard=shard, **more)


def partition(**more: Any) -> hurray.Composite:
    """Two halves of a 4 by 4 view."""
    halves = [box(1, (2, 4), (0, 0), (4, 4)), box(2, (2, 4), (2, 0), (4, 4))]
    return hurray.Composite("partition", shape=(4, 4), dtype=F32, members=halves, **more)


def overlay(combine_op: Any = "add") -> hurray.Composite:
    """A base and a correction of a 4 by 4 view."""
    members = [box(1, (4, 4), (0, 0), (4, 4)), box(2, (2, 2), (1, 1), (4, 4))]
    return hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=members, combine_op=combine_op)


def group(*members: Any) -> hurray.Composite:
    """Members without a place."""
    return hurray.Composite("group", shape=(), dtype="int8", members=members)


@st.composite
def rows(draw: st.DrawFn, width: int = 3) -> hurray.Composite:
    """A partition by rows, one of its parts perhaps a partition itself, in any order."""
    heights = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    parent, offset = (sum(heights), width), 0
    parts: list[hurray.Tensor | hurray.Composite] = []
    for height in heights:
        place = hurray.Shard(parent, (offset, 0))
        if height > 1 and draw(st.booleans()):
            inner = [
                box(draw(st.integers(0, 9)), (1, width), (row, 0), (height, width)) for row in range(height)
            ]
            parts.append(
                hurray.Composite("partition", shape=(height, width), dtype=F32, members=inner, shard=place)
            )
        else:
            parts.append(box(draw(st.integers(0, 9)), (height, width), (offset, 0), parent))
        offset += height
    return hurray.Composite("partition", shape=parent, dtype=F32, members=draw(st.permutations(parts)))


@st.composite
def overlays(draw: st.DrawFn) -> hurray.Composite:
    """A base and corrections that may overlap."""
    members = [box(draw(st.integers(0, 9)), (4, 4), (0, 0), (4, 4))]
    for _ in range(draw(st.integers(0, 3))):
        height, width = draw(st.integers(0, 2)), draw(st.integers(1, 2))
        offset = (draw(st.integers(0, 4 - height)), draw(st.integers(0, 4 - width)))
        members.append(box(draw(st.integers(0, 9)), (height, width), offset, (4, 4)))
    op: Any = draw(st.sampled_from(["add", "replace"]))
    return hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=members, combine_op=op)


def composites() -> st.SearchStrategy[hurray.Composite]:
    """Any of them, groups of them, and groups of groups."""
    leaves = st.integers(0, 9).map(lambda value: box(value, (2,)))
    inner = st.lists(rows() | overlays() | leaves, max_size=3).map(lambda members: group(*members))
    outer = st.lists(rows() | overlays() | inner | leaves, max_size=3).map(lambda members: group(*members))
    return rows() | overlays() | outer


def arranged(composite: Any) -> Any:
    """What a composite holds, as nested lists: rule, roles, and the members' values."""
    if isinstance(composite, hurray.Tensor):
        return composite.tolist()
    held = [arranged(member) for member in composite.members]
    return [composite.layout.composition_rule, composite.shape, composite.member_roles, held]
