"""hurray.Dtype and hurray.buffer_size_bytes (requirements: Dtype surface, Buffer sizing; element-types.md)."""

from __future__ import annotations

import copy
import pickle
import types
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_numpy import np
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


@pytest.mark.parametrize("name", NAMES)
def test_what_is_loaded_or_handed_over_has_the_one_object(name: str, tmp_path: Path) -> None:
    """Singletons from every door: a file, DLPack where it has the type, a scheme that names one."""
    dtype, path = getattr(hurray.dtype, name), tmp_path / "a.hrry"
    tensor = hurray.Tensor(bytearray(b"\x01" * hurray.buffer_size_bytes(dtype, 8)), dtype, (8,))
    hurray.save(path, {"a": tensor})
    assert hurray.load(path)["a"].dtype is dtype
    with hurray.open(path) as file:
        assert file.descriptor("a").dtype is dtype
        assert file["a"].dtype is dtype
    if name in ("float16", "bfloat16", "float32"):
        assert hurray.PerBlockAffine.symmetric(0, 2, 1, dtype).scale_type is dtype
    if (dtype.tier == 1 and name != "bool") or dtype.kind == "c":
        assert hurray.from_dlpack(tensor).dtype is dtype


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
            assert f"0x{tag:02X}" in str(error)  # noqa: PT017 - the accepted ones are compared below
    assert accepted == TAGS | set(PRIVATE)


@pytest.mark.parametrize("tag", [-1, 256, 2**31, -(2**63), 2**63 - 1])
def test_from_tag_refuses_what_is_no_byte(tag: int) -> None:
    with pytest.raises(hurray.InvalidDescriptorError):
        hurray.Dtype.from_tag(tag)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "float",
        "int",
        "Float32",
        "float32 ",
        "extension",
        "float8",
        "float\0",
        "F32",
        "<float32",
        "f4 ",
        "<",
        "<<f4",
    ],
)
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


def test_buffer_size_refuses_private_types_and_what_is_no_type() -> None:
    """Only the extension section knows a private type's width."""
    with pytest.raises(hurray.UnsupportedError):
        hurray.buffer_size_bytes(hurray.Dtype.from_tag(0xF0), 4)
    with pytest.raises(TypeError, match=r"dtype is a hurray\.Dtype"):
        hurray.buffer_size_bytes(4, 4)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        hurray.buffer_size_bytes(hurray.float32, 1.5)  # type: ignore[arg-type]


# What others call the types. `struct` and the array interface are the authorities for codes and letters.
CODES = {
    "float16": ["f2", "<f2", "=f2", "e", "<e", "half"],
    "float32": ["f4", "<f4", "=f4", "|f4", "f", "<f", "single"],
    "float64": ["f8", "<f8", "d", "double"],
    "bfloat16": ["bf16"],
    "int8": ["i1", "|i1", "<i1", ">i1", "b"],
    "uint8": ["u1", "|u1", "<u1", ">u1", "B"],
    "int16": ["i2", "<i2", "h"],
    "uint16": ["u2", "<u2", "H"],
    "int32": ["i4", "<i4", "i"],
    "uint32": ["u4", "<u4", "I"],
    "int64": ["i8", "<i8", "q", "longlong"],
    "uint64": ["u8", "<u8", "Q", "ulonglong"],
    "bool": ["b1", "|b1", "?", "bool_"],
    "complex64": ["c8", "<c8", "F", "csingle"],
    "complex128": ["c16", "<c16", "D", "cdouble"],
    "float8_e4m3": ["float8_e4m3fn"],
    "float8_e8m0": ["float8_e8m0fnu"],
    "float4_e2m1": ["float4_e2m1fn"],
    "float6_e2m3": ["float6_e2m3fn"],
    "float6_e3m2": ["float6_e3m2fn"],
}


@pytest.mark.parametrize(("name", "aliases"), CODES.items(), ids=CODES)
def test_names_that_others_use(name: str, aliases: list[str]) -> None:
    """Dtype accepts NumPy-like names, and every door gives the one object."""
    dtype = getattr(hurray.dtype, name)
    for alias in [name, *aliases]:
        assert hurray.Dtype.from_name(alias) is dtype
        assert hurray.Dtype.of(alias) is dtype
        size = hurray.buffer_size_bytes(dtype, 3)
        assert hurray.Tensor(bytearray(size), alias, (3,)).dtype is dtype
        assert hurray.buffer_size_bytes(alias, 3) == size


@pytest.mark.parametrize("name", [">f4", "!f4", ">c16", ">i2", ">d", "!Q"])
def test_big_endian_types_are_refused_as_such(name: str) -> None:
    """element-types.md: all multi-byte elements are little-endian."""
    with pytest.raises(hurray.UnsupportedError, match="big-endian"):
        hurray.Dtype.from_name(name)


@pytest.mark.parametrize(
    "name", ["float", "int", "long", "l", "L", "f16", "g", "F16", "F4", "I8", "U8", "BF16", "V2", "S1"]
)
def test_names_that_mean_several_types_are_refused(name: str) -> None:
    """f16 is a long double to some and a half to others; F4 and f4 are other types."""
    with pytest.raises(hurray.InvalidDescriptorError, match="unknown element type"):
        hurray.Dtype.from_name(name)


class Named:
    """Another library's type object, as far as is looked at."""

    def __init__(self, name: Any, code: Any = None) -> None:
        self.name = name
        self.str = code


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("float8_e4m3", "float128")])
def test_type_objects_of_others_are_known_by_name(name: str) -> None:
    dtype = getattr(hurray.dtype, name)
    assert hurray.Dtype.of(Named(name)) is dtype
    assert hurray.Dtype.of(Named(name, "<V1")) is dtype
    assert hurray.Dtype.of(type(name, (), {})) is dtype
    assert hurray.Dtype.of(dtype) is dtype


@pytest.mark.parametrize("name", ["float8_e4m3", "float128"])
def test_a_foreign_type_that_only_shares_its_name_is_refused(name: str) -> None:
    """Nothing is reinterpreted: elsewhere the one has infinities and the other is the C compiler's long double."""
    for one in (Named(name), type(name, (), {})):
        with pytest.raises(
            hurray.UnsupportedError, match=rf"need not be the format's {name}; pass hurray\.dtype\.{name}"
        ):
            hurray.Dtype.of(one)
    assert hurray.Dtype.of(name) is getattr(hurray.dtype, name)


def test_python_classes_that_hold_one_type() -> None:
    classes = {float: "float64", int: "int64", complex: "complex128", bool: "bool"}
    for one, name in classes.items():
        assert hurray.Dtype.of(one) is getattr(hurray.dtype, name)


def test_big_endian_type_objects_are_refused() -> None:
    with pytest.raises(hurray.UnsupportedError, match="big-endian"):
        hurray.Dtype.of(Named("float32", ">f4"))


@pytest.mark.parametrize("one", [Named("datetime64[ns]"), Named("void32"), Named("object"), str, bytes, dict])
def test_type_objects_that_the_format_lacks(one: Any) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match="unknown element type"):
        hurray.Dtype.of(one)


@pytest.mark.parametrize("one", [None, 1, 1.0, b"f4", object(), Named(None), Named(3), ["f4"]])
def test_what_names_no_type_is_a_type_error(one: Any) -> None:
    with pytest.raises(TypeError, match=r"dtype is a hurray\.Dtype such as"):
        hurray.Dtype.of(one)


def test_a_type_object_that_raises_is_a_type_error() -> None:
    class Broken:
        @property
        def name(self) -> str:
            raise RuntimeError

    with pytest.raises(TypeError, match=r"hurray\.Dtype"):
        hurray.Dtype.of(Broken())


@pytest.mark.parametrize(("tag", "name", "tier", "bits", "kind", "signed", "align"), TABLE, ids=NAMES)
def test_attributes_that_numpy_users_expect(
    tag: int, name: str, tier: int, bits: int, kind: str, signed: bool, align: int
) -> None:
    """Answers that are exact: no itemsize below a byte, no type string for what others keep elsewhere."""
    dtype = getattr(hurray.dtype, name)
    assert dtype.itemsize == (bits // 8 if bits >= 8 else None)
    assert dtype.kind == {"F": "f", "B": "b", "C": "c", "I": "i" if signed else "u"}[kind]
    codes = [code for code in CODES.get(name, []) if code[0] in "<|" and code[1] in "fiuc" and len(code) > 2]
    shared = (tier == 1 and name not in ("bool", "bfloat16")) or kind == "C"
    assert (dtype.typestr in codes) if shared else dtype.typestr is None
    if dtype.typestr:
        assert hurray.Dtype.from_name(dtype.typestr) is dtype


def test_private_types_have_none_of_them() -> None:
    dtype = hurray.Dtype.from_tag(0xF1)
    assert (dtype.itemsize, dtype.kind, dtype.typestr) == (None, None, None)


@pytest.mark.parametrize("strides", [(0,), (8,)])
def test_an_exporter_has_no_private_elements(strides: tuple[int]) -> None:
    """D-9: a private type needs its extension section, which no exporter has."""
    items = np.lib.stride_tricks.as_strided(np.empty(5, "V0"), (5,), strides)
    with pytest.raises(hurray.UnsupportedError, match="extension section"):
        hurray.Tensor.from_buffer(items, hurray.Dtype.from_tag(0xF0))
