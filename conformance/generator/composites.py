"""Composites: valid ones with the values that their merge gives, and one for each broken rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..reference.composite import Composite, Item
from ..reference.descriptor import Descriptor
from ..reference.element_types import BY_NAME
from ..reference.layouts import CompositeHead, Coo, Csr, Layout, RowMajor
from ..reference.layouts.composite import ADD, GROUP, OVERLAY, PARTITION, REPLACE
from ..reference.numbers import Number, encode
from ..reference.quantization import PER_TENSOR, Quantization
from ..reference.sections import Member, Shard
from ..reference.tensor import Tensor
from .tensors import make

Shape = tuple[int, ...]
BASE, CORRECTION = Member(1), Member(0)


def dense(
    values: Sequence[Number], shape: Shape, kind: str = "float32", layout: Layout | None = None
) -> Tensor:
    """A tensor of these values."""
    one = BY_NAME[kind]
    return make(Descriptor(one.tag, shape, layout or RowMajor()), [encode(one, value) for value in values])


def boxed(tensor: Tensor, parent: Shape, offset: Shape, member: Member | None = None) -> Tensor:
    """The tensor as the box of ``parent`` at ``offset``."""
    descriptor = replace(tensor.descriptor, shard=Shard(parent, offset), member=member)
    return Tensor(descriptor, tensor.buffers)


def head(
    rule: int, shape: Shape, members: Sequence[Item], combine: int = 0, kind: str = "float32"
) -> Composite:
    """A head over its members."""
    layout = CompositeHead(rule, len(members), combine)
    return Composite(Tensor(Descriptor(BY_NAME[kind].tag, shape, layout), []), list(members))


def halves(kind: str = "float32") -> list[Tensor]:
    """A tensor of 2 rows and 4 columns in two boxes."""
    left = boxed(dense([1, 2, 5, 6], (2, 2), kind), (2, 4), (0, 0))
    return [left, boxed(dense([3, 4, 7, 8], (2, 2), kind), (2, 4), (0, 2))]


def layers() -> list[Tensor]:
    """A base and two corrections that overlap."""
    base = boxed(dense([1, 2, 3, 4, 5, 6, 7, 8], (2, 4)), (2, 4), (0, 0), BASE)
    first = boxed(dense([10.5, 20.5, 30.5, 40.5], (2, 2)), (2, 4), (0, 1), CORRECTION)
    second = dense([0, 100, 200, 0, 0, 300, 0, 0], (2, 4), layout=Coo(0, is_sorted=1))
    return [base, first, boxed(second, (2, 4), (0, 0), CORRECTION)]


def nest(depth: int) -> Item:
    """Groups in groups, ``depth`` heads around one tensor."""
    item: Item = dense([1, 2], (2,))
    for _ in range(depth):
        item = head(GROUP, (2,), [item])
    return item


def _nested_partition() -> Composite:
    inner = head(PARTITION, (2, 4), [replace_offset(one, (2, 4)) for one in halves()])
    descriptor = replace(inner.head.descriptor, shard=Shard((3, 4), (0, 0)))
    last = boxed(dense([9, 10, 11, 12], (1, 4)), (3, 4), (2, 0))
    return head(PARTITION, (3, 4), [Composite(Tensor(descriptor, []), inner.members), last])


def replace_offset(tensor: Tensor, parent: Shape) -> Tensor:
    """The same box in a parent of this shape."""
    shard = tensor.descriptor.shard
    return boxed(tensor, parent, shard.offset if shard else (0,) * len(parent))


def _quantized_half() -> list[Tensor]:
    left, right = halves()
    codes = dense([3, 4, 7, 8], (2, 2), "int8")
    one = Quantization(PER_TENSOR, scale=0.5, zero_point=1)
    return [
        left,
        Tensor(replace(codes.descriptor, quantization=one, shard=right.descriptor.shard), codes.buffers),
    ]


def valid_composites() -> dict[str, list[Item]]:
    """Items by name."""
    mixed: list[Item] = [dense([1, 2], (2,)), dense([True, False, True], (3,), "bool"), *halves("int16")]
    sparse = boxed(dense(range(8), (2, 4), layout=Csr(0)), (2, 4), (0, 0))
    return {
        "partition": [head(PARTITION, (2, 4), halves())],
        "partition-of-integers": [head(PARTITION, (2, 4), halves("int16"), kind="int16")],
        "partition-in-another-order": [head(PARTITION, (2, 4), halves()[::-1])],
        "partition-of-a-quantized-box": [head(PARTITION, (2, 4), _quantized_half())],
        "partition-of-one-sparse-box": [head(PARTITION, (2, 4), [sparse])],
        "partition-of-none": [head(PARTITION, (0, 4), [])],
        "partition-nested": [_nested_partition()],
        "overlay-replace": [head(OVERLAY, (2, 4), layers(), REPLACE)],
        "overlay-add": [head(OVERLAY, (2, 4), layers(), ADD)],
        "overlay-of-a-base": [head(OVERLAY, (2, 4), layers()[:1], REPLACE)],
        "group-mixed": [head(GROUP, (7,), mixed)],
        "group-of-none": [head(GROUP, (1,), [])],
        "group-8-heads": [nest(8)],
        "composites-and-tensors": [
            dense([1], (1,)),
            head(GROUP, (2,), halves()),
            head(GROUP, (4,), []),
            nest(2),
        ],
    }


def invalid_composites() -> Iterator[tuple[str, str, Item]]:
    """Rule, name and the item that breaks it."""

    def overlay(members: Sequence[Item]) -> Composite:
        return head(OVERLAY, (2, 4), members, REPLACE)

    left, right = halves()
    base, first, _ = layers()
    bare = dense([1, 2, 3, 4], (2, 2))
    no_role = boxed(dense([1, 2, 3, 4], (2, 2)), (2, 4), (0, 0))
    partition = {
        ("L-47", "member-without-shard"): [left, bare],
        ("L-47", "member-of-another-parent"): [left, replace_offset(right, (2, 5))],
        ("L-48", "member-of-another-type"): [
            left,
            boxed(dense([1, 2, 3, 4], (2, 2), "int32"), (2, 4), (0, 2)),
        ],
        ("L-51", "partition-member-with-role"): [left, boxed(bare, (2, 4), (0, 2), CORRECTION)],
        ("L-52", "partition-overlap"): [left, boxed(bare, (2, 4), (0, 1))],
        ("L-52", "partition-gap"): [left],
        ("L-52", "partition-twice"): [left, right, right],
    }
    for (rule, name), members in partition.items():
        yield rule, name, head(PARTITION, (2, 4), members)
    layered = {
        ("L-49", "overlay-member-without-role"): [base, no_role],
        ("L-49", "overlay-first-is-correction"): [first, base],
        ("L-49", "overlay-two-bases"): [base, base],
        ("L-49", "overlay-base-does-not-span"): [boxed(bare, (2, 4), (0, 0), BASE)],
        ("L-47", "overlay-member-without-shard"): [
            base, Tensor(replace(bare.descriptor, member=CORRECTION), bare.buffers)
        ],
    }  # fmt: skip
    for (rule, name), members in layered.items():
        yield rule, name, overlay(members)
    grouped = head(GROUP, (2,), [Tensor(replace(bare.descriptor, member=CORRECTION), bare.buffers)])
    yield "L-51", "group-member-with-role", grouped
    yield "L-54", "torn", Composite(head(PARTITION, (2, 4), [left, right]).head, [left])
    yield "L-46", "nine-heads", nest(9)
    many = Composite(Tensor(Descriptor(0x03, (2,), CompositeHead(GROUP, 0xFFFF_FFFE)), []), [bare])
    yield "L-56", "more-members-than-bytes", many
