"""hurray.Layout and its classes (requirements: Layout Descriptor Classes; layouts.md)."""

from __future__ import annotations

import copy
import itertools
import pickle
import types
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import descriptor
from hypothesis import given
from hypothesis import strategies as st

DENSE = [
    hurray.RowMajorLayout(),
    hurray.ColMajorLayout(),
    hurray.StridedLayout((3, 1)),
    hurray.StridedLayout(()),
]

# Payloads of layouts.md §15 and what the base must say of them: tag, name, payload, shape, sizes, count, dense.
OTHERS: list[tuple[int, str, bytes, tuple[int, ...], tuple[int, ...], int | None, bool]] = [
    (4, "tiled", pack("<QQBBH", 2, 2, 1, 1, 0), (4, 4), (64,), 1, True),
    (5, "morton", pack("<II", 2, 2), (4, 4), (64,), 1, True),
    (6, "coo", pack("<QQ", 3, 0), (4, 4), (12, 48), 2, False),
    (7, "csr", pack("<QQ", 2, 0), (3, 3), (8, 16, 32), 3, False),
    (8, "csc", pack("<QQ", 2, 0), (3, 3), (8, 16, 32), 3, False),
    (9, "csf", pack("<QIIIQ", 1, 0, 1, 2, 0), (2, 2, 2), (4, 16, 8, 16, 8, 16, 8), 7, False),
    (
        10,
        "block_paged",
        pack("<IQIIBIB6x", 2, 2, 0, 1, 0, 0xFFFFFFFF, 0),
        (4, 1, 1),
        (16, 8, 8),
        3,
        False,
    ),
    (0x40, "hilbert", pack("<II", 2, 2), (4, 4), (64,), 1, True),
    # buffer_count MUST be None where the count is genuinely not knowable.
    (0xF0, "extension", pack("<QI", 7, 3) + b"abc", (2,), (8,), None, False),
    (0xFE, "extension", pack("<QI", 2**64 - 1, 0), (2, 2), (1, 2, 3), None, False),
    (11, "composite", pack("<BBHI", 3, 0, 0, 0), (1,), (), 0, False),
]

CLASSES: dict[int, type[hurray.Layout]] = {
    1: hurray.RowMajorLayout,
    2: hurray.ColMajorLayout,
    3: hurray.StridedLayout,
    4: hurray.TiledLayout,
    5: hurray.MortonLayout,
    6: hurray.CooLayout,
    7: hurray.CsrLayout,
    8: hurray.CscLayout,
    9: hurray.CsfLayout,
    10: hurray.BlockPagedLayout,
    11: hurray.CompositeLayout,
    0x40: hurray.HilbertLayout,
    **dict.fromkeys(range(0xF0, 0xFF), hurray.PrivateExtensionLayout),
}


def layout_of(tag: int, payload: bytes, shape: tuple[int, ...], sizes: tuple[int, ...]) -> hurray.Layout:
    return hurray.Descriptor.decode(descriptor(layout=tag, shape=shape, sizes=sizes, payload=payload)).layout


def of_row(name: str) -> hurray.Layout:
    tag, _, payload, shape, sizes, _, _ = next(row for row in OTHERS if row[1] == name)
    return layout_of(tag, payload, shape, sizes)


def test_the_hierarchy() -> None:
    """The base MUST implement tag, name, buffer_count, is_dense and is_virtual once."""
    for kind in {*CLASSES.values(), hurray.UnknownLayout}:
        assert kind.__mro__ == (kind, hurray.Layout, object)
        for name in ("tag", "name", "buffer_count", "is_dense", "is_virtual"):
            assert name not in vars(kind)
            assert name in vars(hurray.Layout)
        assert kind.__module__ == "hurray"


def test_the_base_is_not_made_from_python() -> None:
    """The base MUST NOT be constructible from Python."""
    with pytest.raises(TypeError):
        hurray.Layout()


@pytest.mark.parametrize(
    ("layout", "tag", "name"),
    [
        (hurray.RowMajorLayout(), 1, "row_major"),
        (hurray.ColMajorLayout(), 2, "col_major"),
        (hurray.StridedLayout((1,)), 3, "strided"),
    ],
)
def test_tags_and_frozen_names(layout: hurray.Layout, tag: int, name: str) -> None:
    """Layout.name is one of the frozen strings."""
    assert (layout.tag, layout.name) == (tag, name)
    assert (layout.buffer_count, layout.is_dense, layout.is_virtual) == (1, True, False)


@pytest.mark.parametrize(
    ("tag", "name", "payload", "shape", "sizes", "count", "dense"), OTHERS, ids=[row[1] for row in OTHERS]
)
def test_the_base_answers_for_every_layout(
    tag: int,
    name: str,
    payload: bytes,
    shape: tuple[int, ...],
    sizes: tuple[int, ...],
    count: int | None,
    dense: bool,
) -> None:
    """The base MUST implement tag, name, buffer_count, is_dense and is_virtual once."""
    layout = layout_of(tag, payload, shape, sizes)
    assert type(layout) is CLASSES[tag]
    assert (layout.tag, layout.name, layout.buffer_count) == (tag, name, count)
    # buffer_count MUST be 0 for a composite head, a known zero.
    assert (layout.is_dense, layout.is_virtual) == (dense, name == "composite")
    assert eval(repr(layout), vars(hurray).copy()) == layout
    assert layout == layout_of(tag, payload, shape, sizes)
    assert hash(layout) == hash(layout_of(tag, payload, shape, sizes))
    layout.validate_against_shape(shape)


def test_strides_are_a_tuple_of_elements() -> None:
    """StridedLayout.strides are in logical elements, signed, and may be negative or zero."""
    layout = hurray.StridedLayout([4, -1, 0, 2**63 - 1, -(2**63)])
    assert layout.strides == (4, -1, 0, 2**63 - 1, -(2**63))
    assert hurray.StridedLayout(iter((1, 2))) == hurray.StridedLayout((1, 2))


def test_layouts_are_values() -> None:
    """Layout objects MUST compare by value and hash consistently with that equality."""
    for one, two in itertools.product(DENSE, repeat=2):
        again = pickle.loads(pickle.dumps(two))
        assert (one == again) is (one is two)
        assert (one != again) is (one is not two)
        if one is two:
            assert hash(one) == hash(again)
            assert copy.copy(one) == copy.deepcopy(one) == one
    assert len({*DENSE, *pickle.loads(pickle.dumps(DENSE))}) == len(DENSE)


def test_layouts_do_not_equal_strings_or_tuples() -> None:
    """Layout classes MUST NOT define equality against strings."""
    row: Any = hurray.RowMajorLayout()
    strided: Any = hurray.StridedLayout((3, 1))
    for other in ("row_major", "strided", "RowMajorLayout()", 1, None, (3, 1), [3, 1]):
        assert row != other
        assert strided != other
    # Declared to be row-major and strides that say the same are two declarations.
    assert row != strided


@pytest.mark.parametrize("layout", DENSE, ids=repr)
def test_layouts_are_immutable(layout: hurray.Layout) -> None:
    """Layout objects MUST be immutable."""
    for name in ("tag", "name", "strides", "extra"):
        with pytest.raises(AttributeError):
            setattr(layout, name, 1)


def test_repr_has_the_form_of_the_requirement() -> None:
    """Repr MUST take the form CsrLayout(nnz=4)."""
    assert repr(hurray.RowMajorLayout()) == "RowMajorLayout()"
    assert repr(hurray.ColMajorLayout()) == "ColMajorLayout()"
    assert repr(hurray.StridedLayout((128, -2))) == "StridedLayout(strides=(128, -2))"
    assert repr(hurray.StridedLayout((128,))) == "StridedLayout(strides=(128,))"
    for layout in DENSE:
        assert eval(repr(layout), vars(hurray).copy()) == layout


def test_a_tensors_layout_is_read_only_and_equal_at_each_access() -> None:
    """.layout is read-only; t.layout == t.layout is guaranteed."""
    tensor = hurray.Tensor(bytes(24), hurray.float32, (2, 3), layout=hurray.StridedLayout((3, 1)))
    assert tensor.layout == tensor.layout == tensor.descriptor.layout == hurray.StridedLayout((3, 1))
    with pytest.raises(AttributeError):
        tensor.layout = hurray.RowMajorLayout()  # type: ignore[misc]


def test_omitting_the_layout_means_row_major() -> None:
    """Omitting it means row-major."""
    assert hurray.Tensor(bytes(4), hurray.uint8, (2, 2)).layout == hurray.RowMajorLayout()


@pytest.mark.parametrize("layout", ["row_major", "strided", 1, (1, 2), object(), hurray.RowMajorLayout])
def test_a_layout_is_a_layout_object(layout: Any) -> None:
    """A non-Layout value MUST raise TypeError; a layout string MUST NOT be accepted."""
    with pytest.raises(TypeError, match=r"hurray\.Layout"):
        hurray.Tensor(bytes(24), hurray.float32, (2, 3), layout=layout)


def test_layout_is_keyword_only() -> None:
    with pytest.raises(TypeError):
        hurray.Tensor(bytes(4), hurray.uint8, (2, 2), None, hurray.RowMajorLayout())  # type: ignore[call-arg, arg-type]


def test_a_composite_layout_makes_no_tensor() -> None:
    """Constructing a Tensor with a composite layout MUST raise UnsupportedError."""
    head = of_row("composite")
    with pytest.raises(hurray.UnsupportedError, match="composite"):
        hurray.Tensor(bytes(4), hurray.float32, (1,), layout=head)


@pytest.mark.parametrize(("name", "count"), [("coo", 2), ("csr", 3), ("csf", 7), ("block_paged", 3)])
def test_a_layout_of_more_buffers_fails_the_buffer_count_tier(name: str, count: int) -> None:
    """04-tables.md §2: buffer-count tier: InvalidDescriptorError."""
    shape = next(row[3] for row in OTHERS if row[1] == name)
    with pytest.raises(hurray.InvalidDescriptorError, match=rf"(?s)\b1\b.*\b{count}\b") as caught:
        hurray.Tensor(bytes(512), hurray.float32, shape, layout=of_row(name))
    assert caught.value.code == "D-31"


@pytest.mark.parametrize("stride", [None, "1", 1.0, 1j, [1]])
def test_what_is_no_stride_is_a_type_error_that_names_the_place(stride: Any) -> None:
    with pytest.raises(TypeError, match=r"strides\[1\]"):
        hurray.StridedLayout((1, stride))


@pytest.mark.parametrize("strides", [None, 3, object()])
def test_what_is_no_iterable_of_strides_is_a_type_error(strides: Any) -> None:
    with pytest.raises(TypeError):
        hurray.StridedLayout(strides)


@pytest.mark.parametrize("stride", [2**63, -(2**63) - 1, 10**30])
def test_a_stride_beyond_64_bits_overflows(stride: int) -> None:
    with pytest.raises(OverflowError, match=r"strides\[0\]"):
        hurray.StridedLayout((stride,))


def test_strides_have_at_most_64_places_and_an_endless_iterable_ends() -> None:
    assert len(hurray.StridedLayout((1,) * 64).strides) == 64
    for strides in ((1,) * 65, itertools.repeat(1)):
        with pytest.raises(hurray.InvalidDescriptorError, match="64"):
            hurray.StridedLayout(strides)


def test_layout_classes_are_final() -> None:
    with pytest.raises(TypeError):
        types.new_class("Mine", (hurray.StridedLayout,))


SHAPES = st.lists(st.one_of(st.integers(0, 4), st.none(), st.just(2**62)), max_size=4)
LAYOUTS = st.one_of(
    st.just(hurray.RowMajorLayout()),
    st.just(hurray.ColMajorLayout()),
    st.builds(hurray.StridedLayout, st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4)),
    st.sampled_from([of_row("morton"), of_row("hilbert")]),
)


@given(LAYOUTS, SHAPES)
def test_validate_against_shape_agrees_with_the_constructor(
    layout: hurray.Layout, shape: list[int | None]
) -> None:
    """The result MUST agree with what hurray.Tensor enforces at construction."""
    outcomes: list[Any] = []
    for door in (
        lambda: layout.validate_against_shape(shape),
        lambda: hurray.Tensor(bytes(64), hurray.float32, shape, layout=layout),
    ):
        try:
            door()
            outcomes.append(None)
        except hurray.InvalidDescriptorError as error:
            outcomes.append((error.code, str(error)))
        except hurray.BufferError:
            outcomes.append(None)  # another tier, which needs a buffer
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    ("layout", "shape", "code"),
    [
        (hurray.StridedLayout((1,)), (2, 3), None),
        (hurray.StridedLayout((1, 2, 3)), (2, 3), None),
        (hurray.StridedLayout(()), (), "L-6"),
        (hurray.ColMajorLayout(), (), "L-6"),
        (of_row("morton"), (5, 4), "L-18"),
        (of_row("hilbert"), (4, 5), "L-21"),
        (of_row("csr"), (4, 5, 6), "L-25"),
    ],
    ids=str,
)
def test_pairs_that_cannot_go_together(
    layout: hurray.Layout, shape: tuple[int, ...], code: str | None
) -> None:
    """validate_against_shape MUST apply the layout's own rank and extent constraints."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    if code is not None:
        assert caught.value.code == code


@pytest.mark.parametrize("row", OTHERS, ids=[row[1] for row in OTHERS])
def test_a_dynamic_dimension_violates_no_extent(row: Any) -> None:
    """It MUST accept a dynamic dimension without complaint."""
    layout = layout_of(row[0], row[2], row[3], row[4])
    layout.validate_against_shape((None,) * len(row[3]))
    layout.validate_against_shape((*row[3][:-1], None))
