"""hurray.CompositeLayout, the head of a composite (layouts.md §11)."""

from __future__ import annotations

from struct import pack
from typing import Any

import core_files
import hurray
import pytest

RULES: list[tuple[str, str | None, tuple[int, int]]] = [
    ("partition", None, (1, 0)),
    ("overlay", "replace", (2, 1)),
    ("overlay", "add", (2, 2)),
    ("group", None, (3, 0)),
]


@pytest.mark.parametrize(("rule", "operation", "codes"), RULES)
def test_rule_and_operation_are_two_properties(rule: Any, operation: Any, codes: tuple[int, int]) -> None:
    """Combine MUST be None for non-overlay rules; they MUST NOT be flattened into one string."""
    layout = hurray.CompositeLayout(rule, 3, operation)
    assert (layout.composition_rule, layout.member_count, layout.combine_op) == (rule, 3, operation)
    assert layout == hurray.CompositeLayout(composition_rule=rule, member_count=3, combine_op=operation)
    # readable in full, so a composite head decoded from a stream reports its own layout truthfully
    blob = core_files.descriptor(3, 11, (2, 2), (), payload=pack("<BBHI", *codes, 0, 3))
    decoded = hurray.Descriptor.decode(blob)
    assert decoded.layout == layout
    assert decoded.encode() == blob
    shown = f", combine_op='{operation}'" if operation else ""
    assert repr(layout) == f"CompositeLayout(composition_rule='{rule}', member_count=3{shown})"


def test_a_head_has_no_buffers() -> None:
    """buffer_count MUST be 0 for a composite head, a known zero."""
    layout = hurray.CompositeLayout("group", 0)
    assert (layout.buffer_count, layout.is_virtual, layout.is_dense) == (0, True, False)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("overlay", 3), "L-44", ("combine_op", "'replace'", "'add'")),
        (("group", 3, "add"), "L-44", ("combine_op", "group")),
        (("partition", 3, "replace"), "L-44", ("combine_op", "partition")),
        (("overlay", 3, "sum"), None, ("combine_op", "'sum'", "'add'")),
        (("sum", 3), None, ("composition_rule", "'sum'", "'partition', 'overlay', 'group'")),
        (("group", 2**32 - 1), "L-45", ("member_count 4294967295",)),
        (("overlay", 0, "add"), "L-53", ("member_count is 0",)),
    ],
)
def test_what_no_head_says(arguments: tuple[Any, ...], code: str | None, words: tuple[str, ...]) -> None:
    """L-43 to L-45 and L-53."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.CompositeLayout(*arguments)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3, 1), TypeError, "composition_rule"),
        (("group",), TypeError, "member_count"),
        (("group", "1"), TypeError, "member_count"),
        (("group", -1), OverflowError, "member_count is -1"),
        (("group", 2**32), OverflowError, "member_count"),
        (("overlay", 1, 2), TypeError, "combine_op"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.CompositeLayout(*arguments)


@pytest.mark.parametrize(("rule", "operation", "codes"), RULES)
def test_no_tensor_has_one(rule: Any, operation: Any, codes: tuple[int, int]) -> None:
    """Constructing a hurray.Tensor with a composite layout MUST raise hurray.UnsupportedError."""
    layout = hurray.CompositeLayout(rule, 1, operation)
    with pytest.raises(hurray.UnsupportedError, match="a composite head owns no buffers"):
        hurray.Tensor(bytes(16), hurray.float32, [4], layout=layout)


@pytest.mark.parametrize(
    ("rule", "shape", "code"),
    [
        ("partition", (2, 2), None),
        ("partition", (2, None), "L-55"),
        ("partition", (), "L-6"),
        ("partition", (0,), None),
        ("group", (2, None), None),
        ("group", (), None),
    ],
)
def test_shapes_of_heads(rule: Any, shape: tuple[int | None, ...], code: str | None) -> None:
    """A group's shape is advisory; the others' must be covered."""
    layout = hurray.CompositeLayout(rule, 2)
    if code is None:
        layout.validate_against_shape(shape)
        return
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    assert caught.value.code == code
