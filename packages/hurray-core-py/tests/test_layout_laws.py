"""Laws of the layout classes, over every one of them (requirements: Layout Descriptor Classes, Value semantics)."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import core_files
import hurray
import pytest
from core_payloads import EVERY, ROOM, TENSORS, Case
from hypothesis import given, settings
from hypothesis import strategies as st

NAMES = {
    1: "row_major",
    2: "col_major",
    3: "strided",
    4: "tiled",
    5: "morton",
    6: "coo",
    7: "csr",
    8: "csc",
    9: "csf",
    10: "block_paged",
    11: "composite",
    0x40: "hilbert",
}
PUBLIC = ("tag", "name", "buffer_count", "is_dense", "is_virtual")


def fields(layout: hurray.Layout) -> list[str]:
    return [name for name in dir(layout) if not name.startswith("_") and not name.startswith("validate")]


@given(EVERY)
def test_the_base_answers_tag_name_and_counts(case: Case) -> None:
    """Layout.name is one of the frozen strings; buffer_count MUST be 0 for a head and None where unknowable."""
    layout = case.layout
    opaque = case.tag not in NAMES
    assert (layout.tag, layout.name) == (case.tag, NAMES.get(case.tag, "extension"))
    assert layout.buffer_count == (None if opaque else case.count)
    assert layout.is_dense == (case.tag in (1, 2, 3, 4, 5, 0x40))
    assert layout.is_virtual == (case.tag == 11)


@given(EVERY)
def test_repr_evaluates_back(case: Case) -> None:
    """Repr MUST take the form CsrLayout(nnz=4)."""
    text = repr(case.layout)
    assert text.startswith(type(case.layout).__name__ + "(")
    assert eval(text, vars(hurray).copy()) == case.layout


@given(EVERY)
def test_pickle_and_copy_give_the_same_value(case: Case) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(case.layout, protocol))
        assert type(again) is type(case.layout)
        assert again == case.layout
        assert hash(again) == hash(case.layout)
    # Nothing can change it, so that no second one is needed.
    assert copy.copy(case.layout) is copy.deepcopy(case.layout) is case.layout


@given(EVERY, EVERY)
@settings(max_examples=300)
def test_layouts_compare_by_value(one: Case, other: Case) -> None:
    """Layout objects MUST compare by value and MUST hash consistently with that equality."""
    same = (one.tag, one.payload) == (other.tag, other.payload)
    assert (one.layout == other.layout) is same
    assert (one.layout != other.layout) is not same
    assert len({one.layout, other.layout}) == (1 if same else 2)
    if same:
        assert hash(one.layout) == hash(other.layout)


@given(EVERY)
def test_a_layout_equals_no_string_and_nothing_else(case: Case) -> None:
    """Layout classes MUST NOT define equality against strings."""
    layout: Any = case.layout
    for other in (layout.name, repr(layout), layout.tag, case.payload, None, type(layout), fields(layout)):
        assert layout != other
        assert other != layout
    assert layout.__eq__(layout.name) in (False, NotImplemented)


@given(EVERY)
def test_layouts_are_immutable(case: Case) -> None:
    """Layout objects MUST be immutable."""
    for name in [*fields(case.layout), "another"]:
        with pytest.raises(AttributeError):
            setattr(case.layout, name, 1)
        with pytest.raises(AttributeError):
            delattr(case.layout, name)


@given(EVERY)
def test_a_class_adds_its_own_fields_alone(case: Case) -> None:
    """The base MUST implement tag, name, buffer_count, is_dense and is_virtual once."""
    for name in (*PUBLIC, "validate_against_shape", "__eq__", "__hash__"):
        assert name not in vars(type(case.layout))
    assert type(case.layout).__mro__ == (type(case.layout), hurray.Layout, object)


@given(EVERY)
@settings(max_examples=300)
def test_a_descriptor_reads_back_to_the_layout_and_to_its_bytes(case: Case) -> None:
    """Each layout's payload is what layouts.md says, both ways."""
    # Only a head's place cannot be named by a permissive reader, and it is none of the reserved.
    blob = case.descriptor()
    decoded = hurray.Descriptor.decode(blob, permissive=True)
    assert decoded.layout == case.layout
    assert type(decoded.layout) is type(case.layout)
    assert decoded.encode() == blob
    assert eval(repr(decoded.layout), vars(hurray).copy()) == case.layout


@given(TENSORS)
@settings(max_examples=300)
def test_a_tensor_declares_the_layout_that_it_was_given(case: Case) -> None:
    """For every constructible layout, rebuilding MUST produce an equal descriptor."""
    tensor = case.tensor()
    assert tensor.layout == tensor.descriptor.layout == case.layout
    assert tensor.layout == tensor.layout
    encoded = tensor.descriptor.encode()
    start = 28 + 8 * len(case.shape)
    assert encoded[start : start + len(case.payload)] == case.payload
    assert encoded[15] == case.tag
    buffers = [tensor.buffer(at) for at in range(tensor.buffer_count)]
    again = hurray.Tensor(
        buffers[0], tensor.dtype, tensor.shape, layout=tensor.layout, aux_buffers=buffers[1:]
    )
    assert again.descriptor == tensor.descriptor
    other = hurray.Tensor.from_descriptor(tensor.descriptor, buffers)
    assert other.descriptor == tensor.descriptor


SHAPES = st.lists(st.one_of(st.integers(0, 5), st.none(), st.sampled_from([2**32, 2**62])), max_size=5)


@given(TENSORS, SHAPES)
@settings(max_examples=400)
def test_validate_against_shape_agrees_with_the_constructor(case: Case, shape: list[int | None]) -> None:
    """The result MUST agree with what hurray.Tensor enforces at construction."""
    outcomes: list[Any] = []
    others = [bytes(ROOM)] * (case.count - 1)
    for door in (
        lambda: case.layout.validate_against_shape(shape),
        lambda: hurray.Tensor(bytes(ROOM), hurray.float32, shape, layout=case.layout, aux_buffers=others),
    ):
        try:
            door()
            outcomes.append(None)
        except hurray.InvalidDescriptorError as error:
            outcomes.append((error.code, str(error)))
        except hurray.BufferError:
            outcomes.append(None)  # the size tier, which needs the buffers
    assert outcomes[0] == outcomes[1]


@given(EVERY, SHAPES)
@settings(max_examples=300)
def test_validate_against_shape_agrees_with_the_decoder(case: Case, shape: list[int | None]) -> None:
    """The same for what comes from the wire, heads too."""
    if len(shape) != len(case.shape) and case.tag in (3, 4, 5, 9):
        return  # the payload has one value per dimension by construction
    dims = [core_files.ALL_ONES if dim is None else dim for dim in shape]
    blob = case.descriptor()
    blob = core_files.descriptor(
        core_files.FLOAT32,
        case.tag,
        dims,
        [ROOM] * case.count,
        payload=case.payload,
        byte_offset=case.byte_offset,
    )
    codes: list[str | None] = []
    for door in (
        lambda: case.layout.validate_against_shape(shape),
        lambda: hurray.Descriptor.decode(blob, permissive=True),
    ):
        try:
            door()
            codes.append(None)
        except hurray.InvalidDescriptorError as error:
            codes.append(error.code)
        except hurray.BufferError:
            codes.append(None)
    assert codes[0] == codes[1]


@given(EVERY)
def test_a_dynamic_dimension_violates_no_extent(case: Case) -> None:
    """It MUST accept a dynamic dimension without complaint."""
    if case.tag == 11:
        return  # a head needs to be covered: test_composite.py
    case.layout.validate_against_shape([None] * len(case.shape))
    case.layout.validate_against_shape([None, *case.shape[1:]][: len(case.shape)])


@given(EVERY)
def test_a_layout_that_this_release_has_no_class_for_is_a_bare_one(case: Case) -> None:
    """A variant a build has not bound: .layout MUST return a bare Layout, and MUST NOT report UnknownLayout."""
    bare = hurray._core._bare(case.layout)
    assert type(bare) is hurray.Layout
    assert not isinstance(bare, hurray.UnknownLayout)
    assert [getattr(bare, name) for name in PUBLIC] == [getattr(case.layout, name) for name in PUBLIC]
    assert repr(bare) == f"Layout(tag=0x{case.tag:02X}, name='{case.layout.name}')"
    assert copy.copy(bare) is bare
    bare.validate_against_shape(case.shape)
    with pytest.raises(TypeError):
        pickle.dumps(bare)
    assert bare == hurray.Descriptor.decode(case.descriptor(), permissive=True).layout
