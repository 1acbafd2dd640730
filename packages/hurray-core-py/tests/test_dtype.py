"""hurray.Dtype and hurray.buffer_size_bytes (requirements: Dtype surface, Buffer sizing; element-types.md)."""

from __future__ import annotations

import copy
import pickle
import types
from typing import Any

import hurray
import pytest
from hypothesis import given
from hypothesis import strategies as st

# Tag, name, tier, bits, kind (float, integer, bool, complex), signed, alignment: element-types.md §2.
TABLE = [
    (0x01, "float16", 1, 16, "F", True, 2),
    (0x02, "bfloat16", 1, 16, "F", True, 2),
    (0x03, "float32", 1, 32, "F", True, 4),
    (0x04, "float64", 1, 64, "F", True, 8),
    (0x10, "int8", 1, 8, "I", True, 1),
    (0x11, "uint8", 1, 8, "I", False, 1),
    (0x12, "int16", 1, 16, "I", True, 2),
    (0x13, "uint16", 1, 16, "I", False, 2),
    (0x14, "int32", 1, 32, "I", True, 4),
    (0x15, "uint32", 1, 32, "I", False, 4),
    (0x16, "int64", 1, 64, "I", True, 8),
    (0x17, "uint64", 1, 64, "I", False, 8),
    (0x20, "bool", 1, 1, "B", False, 1),
    (0x40, "float8_e4m3", 2, 8, "F", True, 1),
    (0x41, "float8_e5m2", 2, 8, "F", True, 1),
    (0x42, "float8_e8m0", 2, 8, "F", False, 1),
    (0x43, "float4_e2m1", 2, 4, "F", True, 1),
    (0x44, "float6_e2m3", 2, 6, "F", True, 1),
    (0x45, "float6_e3m2", 2, 6, "F", True, 1),
    (0x46, "float128", 2, 128, "F", True, 16),
    (0x48, "int4", 2, 4, "I", True, 1),
    (0x49, "uint4", 2, 4, "I", False, 1),
    (0x4A, "int2", 2, 2, "I", True, 1),
    (0x4B, "uint2", 2, 2, "I", False, 1),
    (0x50, "complex64", 2, 64, "C", True, 4),
    (0x51, "complex128", 2, 128, "C", True, 8),
]
NAMES = [row[1] for row in TABLE]
TAGS = {row[0] for row in TABLE}
PRIVATE = range(0xF0, 0xFF)


@pytest.mark.parametrize(("tag", "name", "tier", "bits", "kind", "signed", "align"), TABLE, ids=NAMES)
def test_every_property_is_that_of_the_format(
    tag: int, name: str, tier: int, bits: int, kind: str, signed: bool, align: int
) -> None:
    """Dtype MUST expose name, bit_width, tier and the predicates (element-types.md §2)."""
    dtype = hurray.Dtype.from_name(name)
    assert (dtype.name, dtype.tag, dtype.tier, dtype.bit_width) == (name, tag, tier, bits)
    assert dtype.element_alignment == align
    # The format counts complex as float, and bool as neither.
    assert (dtype.is_float, dtype.is_integer) == (kind in "FC", kind == "I")
    assert (dtype.is_signed, dtype.is_sub_byte) == (signed, bits < 8)
    assert dtype.is_array_api is (tier == 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_door_gives_the_one_object(name: str) -> None:
    """from_tag and from_name MUST return the singleton for the type, not a new object."""
    dtype = getattr(hurray.dtype, name)
    assert hurray.Dtype.from_name(name) is dtype
    assert hurray.Dtype.from_tag(dtype.tag) is dtype
    size = hurray.buffer_size_bytes(dtype, 2)
    tensor = hurray.Tensor(bytearray(size), dtype, (2,))
    assert tensor.dtype is dtype
    assert tensor.descriptor.dtype is dtype
    assert hurray.Descriptor.decode(tensor.descriptor.encode()).dtype is dtype
    assert copy.copy(dtype) is copy.deepcopy(dtype) is dtype
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(dtype, protocol)) is dtype


@pytest.mark.parametrize("tag", PRIVATE)
def test_private_types_are_singletons_whose_repr_has_the_tag(tag: int) -> None:
    """Every private type shares the name "extension", so repr MUST include the tag."""
    dtype = hurray.Dtype.from_tag(tag)
    assert hurray.Dtype.from_tag(tag) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert (dtype.name, dtype.tag, dtype.tier) == ("extension", tag, 2)
    assert f"0x{tag:02x}" in repr(dtype).lower()
    assert f"0x{tag:02x}" in str(dtype).lower()


def test_the_dtype_module_has_all_types_and_only_tier_1_stands_in_hurray() -> None:
    """04-tables.md §1: Tier 1 types are also module attributes, Tier 2 ones are only in hurray.dtype."""
    assert sorted(hurray.dtype.__all__) == sorted(NAMES)
    for _, name, tier, *_ in TABLE:
        if tier == 1:
            assert getattr(hurray, name) is getattr(hurray.dtype, name)
        else:
            assert not hasattr(hurray, name)


def test_from_tag_takes_assigned_and_private_tags_alone() -> None:
    """element-types.md §1: unassigned, reserved and invalid tags are rejected."""
    accepted = set()
    for tag in range(256):
        try:
            accepted.add(hurray.Dtype.from_tag(tag).tag)
        except hurray.InvalidDescriptorError as error:
            assert f"{tag:#04x}" in str(error)  # noqa: PT017 - the accepted ones are compared below
    assert accepted == TAGS | set(PRIVATE)


@pytest.mark.parametrize("tag", [-1, 256, 2**31, -(2**63), 2**63 - 1])
def test_from_tag_refuses_what_is_no_byte(tag: int) -> None:
    with pytest.raises(hurray.InvalidDescriptorError):
        hurray.Dtype.from_tag(tag)


@pytest.mark.parametrize("name", ["", "float", "Float32", "float32 ", "extension", "float8", "f4", "float\0"])
def test_from_name_refuses_what_the_format_has_no_name_for(name: str) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match=r"unknown element type .*float32, float64"):
        hurray.Dtype.from_name(name)


@pytest.mark.parametrize("name", NAMES)
def test_repr_is_the_expression_and_str_the_name(name: str) -> None:
    dtype = hurray.Dtype.from_name(name)
    assert eval(repr(dtype), {"hurray": hurray}) is dtype
    assert str(dtype) == name


def test_private_repr_is_the_expression_too() -> None:
    dtype = hurray.Dtype.from_tag(0xF3)
    assert eval(repr(dtype), {"hurray": hurray}) is dtype
    assert repr(dtype) != repr(hurray.Dtype.from_tag(0xF4))


def test_a_dtype_is_neither_made_nor_changed_nor_derived() -> None:
    """04-tables.md §1: Dtype is not constructible."""
    with pytest.raises(TypeError):
        hurray.Dtype()
    with pytest.raises(AttributeError):
        hurray.float32.name = "float64"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        hurray.float32.extra = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        types.new_class("Mine", (hurray.Dtype,))
    assert hurray.Dtype.__module__ == "hurray"


def test_dtypes_compare_by_identity_and_hash() -> None:
    all_types = [hurray.Dtype.from_tag(tag) for tag in sorted(TAGS | set(PRIVATE))]
    assert len(dict.fromkeys(all_types)) == len(all_types)
    assert hurray.float32 == hurray.dtype.float32
    assert hurray.float32 != hurray.float64
    text: Any = "float32"
    assert hurray.float32 != text


# Sizes of N elements: element-types.md §5. Columns: bool, 2-bit, 4-bit, 6-bit, float32, complex128.
SIZES = {0: (0, 0, 0, 0, 0, 0), 1: (1, 1, 1, 3, 4, 16), 5: (1, 2, 3, 6, 20, 80), 9: (2, 3, 5, 9, 36, 144)}
COLUMNS = ("bool", "uint2", "int4", "float6_e2m3", "float32", "complex128")


@pytest.mark.parametrize("count", SIZES)
def test_buffer_sizes_are_those_of_the_format(count: int) -> None:
    """buffer_size_bytes MUST apply the packing rules; count * bit_width // 8 is not a substitute."""
    found = tuple(hurray.buffer_size_bytes(hurray.Dtype.from_name(column), count) for column in COLUMNS)
    assert found == SIZES[count]


def rule(bits: int, count: int) -> int:
    """element-types.md §5."""
    if bits >= 8:
        return count * (bits // 8)
    return -(-count // 4) * 3 if bits == 6 else -(-count * bits // 8)


@given(st.sampled_from(TABLE), st.integers(0, 2**64 - 1))
def test_buffer_size_follows_the_rule_or_says_that_it_overflows(row: Any, count: int) -> None:
    """PEERS, memory: arithmetic that cannot overflow."""
    dtype, expected = hurray.Dtype.from_tag(row[0]), rule(row[3], count)
    if expected < 2**64:
        assert hurray.buffer_size_bytes(dtype, count) == expected
    else:
        with pytest.raises(OverflowError):
            hurray.buffer_size_bytes(dtype, count)


@pytest.mark.parametrize("count", [-1, 2**64, -(2**70)])
def test_buffer_size_of_an_impossible_count(count: int) -> None:
    with pytest.raises(OverflowError):
        hurray.buffer_size_bytes(hurray.int8, count)


def test_buffer_size_refuses_private_types_and_strings() -> None:
    """Only the extension section knows a private type's width."""
    with pytest.raises(hurray.UnsupportedError):
        hurray.buffer_size_bytes(hurray.Dtype.from_tag(0xF0), 4)
    with pytest.raises(TypeError):
        hurray.buffer_size_bytes("float32", 4)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hurray.buffer_size_bytes(hurray.float32, 1.5)  # type: ignore[arg-type]
