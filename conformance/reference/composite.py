"""layouts.md §11: composites, their rules and the merge of their members."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

from .descriptor import Descriptor
from .element_types import ElementType
from .faults import Report
from .layouts import CompositeHead
from .layouts.composite import GROUP, OVERLAY, PARTITION, REPLACE
from .numbers import Number, decode, encode
from .tensor import Tensor

DEPTH = 8
FLOATS = (0x01, 0x03)
Values = dict[tuple[int, ...], Number]
BROKEN = " D-50 F-44 S-14"


@dataclass
class Composite:
    """A head and what followed it."""

    head: Tensor
    members: list[Item] = field(default_factory=list)

    @property
    def layout(self) -> CompositeHead:
        """The head's payload."""
        layout = self.head.descriptor.layout
        if not isinstance(layout, CompositeHead):
            raise TypeError("not a composite head")
        return layout


Item = Tensor | Composite


def head_of(item: Item) -> Descriptor:
    """The descriptor that stands for an item."""
    return item.head.descriptor if isinstance(item, Composite) else item.descriptor


def gather(
    first: Tensor,
    following: Callable[[], Tensor | None],
    room: Callable[[], int],
    report: Report,
    depth: int = 1,
) -> Item:
    """``first`` with its members, pre-order. ``room``: how many tensors can still follow at most."""
    if not isinstance(first.descriptor.layout, CompositeHead):
        return first
    if depth > DEPTH:
        report.stop("L-46 D-50 F-43 S-15", f"heads nested deeper than {DEPTH}")
    composite = Composite(first)
    count = composite.layout.member_count
    report.check(count <= room(), "L-56 S-16", f"{count} members declared, {room()} can follow")
    for number in range(count):
        tensor = following()
        if tensor is None:
            report.stop("L-54 D-50 F-42 S-13", f"torn: {number} of {count} members are there")
        member = gather(tensor, following, room, report, depth + 1)
        check_member(composite, number, head_of(member), report)
        composite.members.append(member)
    if composite.layout.rule == PARTITION:
        _check_cover(composite, report)
    return composite


def check_member(composite: Composite, number: int, member: Descriptor, report: Report) -> None:
    """What must hold of a member when it arrives."""
    rule, head = composite.layout.rule, composite.head.descriptor
    where = f"member {number}"
    if rule == OVERLAY:
        role = member.member.role if member.member else None
        report.check(role == (1 if number == 0 else 0), "L-49" + BROKEN, f"{where} has the role {role}")
    else:
        report.check(member.member is None, "L-51" + BROKEN, f"{where} of no overlay has a member section")
    if rule == GROUP:
        return
    shard = member.shard
    if shard is None or member.rank != head.rank:
        report.add("L-47" + BROKEN, f"{where} has no shard section of the head's rank")
    else:
        same = shard.parent_shape == head.shape
        inside = all(
            start + size <= whole
            for start, size, whole in zip(shard.offset, member.shape, head.shape, strict=False)
        )
        report.check(same and inside, "L-47" + BROKEN, f"{where} is not a box in the head's shape")
        if rule == OVERLAY and number == 0:
            spans = member.shape == head.shape and not any(shard.offset)
            report.check(spans, "L-49" + BROKEN, "the base does not span the head")
    floats = head.type_tag in FLOATS
    same = floats if member.quantization else member.type_tag == head.type_tag
    report.check(same, "L-48" + BROKEN, f"{where} decodes to another type than the head's")


def _check_cover(composite: Composite, report: Report) -> None:
    """The boxes are disjoint and fill the head."""
    boxes = [
        (head.shard.offset, head.shape) for head in map(head_of, composite.members) if head.shard is not None
    ]
    if any(len(offset) != composite.head.descriptor.rank for offset, _ in boxes):
        return
    for first, second in itertools.combinations(boxes, 2):
        if _overlap(*first, *second) and _overlap(*second, *first):
            report.add("L-52" + BROKEN, f"boxes at {first[0]} and {second[0]} overlap")
    volume = sum(math.prod(shape) for _, shape in boxes)
    whole = math.prod(composite.head.descriptor.shape)
    report.check(volume == whole, "L-52" + BROKEN, f"boxes hold {volume} of {whole} elements")


def _overlap(
    offset: tuple[int, ...], _: tuple[int, ...], other: tuple[int, ...], shape: tuple[int, ...]
) -> bool:
    return all(start < begin + size for start, begin, size in zip(offset, other, shape, strict=False))


def values(item: Item) -> Values | None:
    """Logical values; None for a group, which has none of its own."""
    if isinstance(item, Tensor):
        return item.values()
    if item.layout.rule == GROUP:
        return None
    kind = item.head.descriptor.element
    merged: Values = {}
    for number, member in enumerate(item.members):
        descriptor, part = head_of(member), values(member)
        if part is None or descriptor.shard is None or kind is None:
            return None
        for index, value in part.items():
            place = tuple(
                position + start for position, start in zip(index, descriptor.shard.offset, strict=False)
            )
            if number == 0 or item.layout.rule == PARTITION:
                merged[place] = _as(kind, value)
            elif item.layout.combine != REPLACE:
                merged[place] = _as(kind, merged[place] + value)
            elif not isinstance(member, Tensor) or member.position(index) is not None:
                # §16.10: a coordinate that is not stored covers nothing.
                merged[place] = _as(kind, value)
    return merged


def _as(kind: ElementType, value: Number) -> Number:
    """A value in the head's type, which evaluates it."""
    return decode(kind, encode(kind, value)) if kind.kind == "float" else value
