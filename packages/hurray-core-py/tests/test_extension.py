"""hurray.ExtensionType (04-tables.md §1; descriptor.md §6.4, element-types.md §6)."""

from __future__ import annotations

import struct
from typing import Any

import hurray
import pytest
from core_files import EXTENSION, descriptor
from core_values import check_closed, check_travels, check_value
from hypothesis import given
from hypothesis import strategies as st

FLOAT: dict[str, Any] = {
    "is_float": True,
    "sign_bits": 1,
    "exponent_bits": 4,
    "mantissa_bits": 3,
    "exponent_bias": 7,
    "has_nan": True,
    "has_inf": True,
}
FIELDS = ["is_signed", *FLOAT]
WIDTHS = {1: 8, 2: 4, 4: 2, 8: 1, 16: 1, 24: 1, 128: 1, 2**32 - 8: 1}


def section(width: int, factor: int, **changes: Any) -> bytes:
    """The 20 bytes of descriptor.md §6.4."""
    f = {**dict.fromkeys(FIELDS, 0), **changes}
    first = (f["is_float"], f["is_signed"], f["sign_bits"], f["exponent_bits"], f["mantissa_bits"])
    return struct.pack("<I6B2xI2B2x", width, factor, *first, f["exponent_bias"], f["has_nan"], f["has_inf"])


def decoded(width: int, factor: int, **changes: Any) -> hurray.ExtensionType:
    # No elements, so that no width is too wide for the buffer.
    sections = section(width, factor, **changes)
    data = descriptor(0xF3, shape=(0,), sizes=(0,), sections=sections, flags=EXTENSION)
    found = hurray.Descriptor.decode(data)
    assert found.encode() == data
    assert found.extension_type is not None
    return found.extension_type


@pytest.mark.parametrize(("width", "factor"), WIDTHS.items())
def test_the_packing_factor_follows_from_the_width(width: int, factor: int) -> None:
    """1 if bit_width >= 8; else 8 / bit_width."""
    one = hurray.ExtensionType(width)
    assert (one.bit_width, one.packing_factor) == (width, factor)
    assert {name: getattr(one, name) for name in FIELDS} == dict.fromkeys(FIELDS, 0)
    assert one == decoded(width, factor)
    check_value(one, hurray.ExtensionType(bit_width=width), [hurray.ExtensionType(48)], hashable=True)


@pytest.mark.parametrize("width", [0, 3, 5, 6, 7, 9, 12, 15, 2**32 - 1])
def test_widths_that_cannot_be_packed(width: int) -> None:
    """D-48, and element-types.md §8.7: a writer emits no width of 8 bits or more that is no multiple of 8."""
    with pytest.raises(
        hurray.InvalidDescriptorError, match=f"bit_width is {width}; .*1, 2, 4 or a multiple"
    ) as caught:
        hurray.ExtensionType(width)
    assert caught.value.code == "D-48"


def test_each_field_counts() -> None:
    one = hurray.ExtensionType(8, **FLOAT)
    assert {name: getattr(one, name) for name in FIELDS} == {"is_signed": False, **FLOAT}
    assert one == decoded(8, 1, **FLOAT)
    less = [{**FLOAT, name: type(FLOAT[name])()} for name in FLOAT if name != "is_float"]
    others = [hurray.ExtensionType(8, **fields) for fields in less]
    others += [
        hurray.ExtensionType(16, **FLOAT),
        hurray.ExtensionType(8),
        hurray.ExtensionType(8, is_signed=True),
    ]
    check_value(one, hurray.ExtensionType(8, **FLOAT), others, hashable=True)


@pytest.mark.parametrize("name", [name for name in FLOAT if name != "is_float"])
def test_an_integer_has_no_field_of_a_float(name: str) -> None:
    """descriptor.md §6.4: floats only, else 0."""
    with pytest.raises(hurray.InvalidDescriptorError, match=f"{name} is for floats; pass is_float=True"):
        hurray.ExtensionType(8, **{name: FLOAT[name]})


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"is_signed": True}, "is_signed is for integers"),
        ({"sign_bits": 2}, "sign_bits is 2"),
        (
            {"sign_bits": 1, "exponent_bits": 4, "mantissa_bits": 4},
            "add up to 9, more than the bit_width of 8",
        ),
        ({"exponent_bits": 255, "mantissa_bits": 255}, "add up to 510"),
    ],
)
def test_a_floats_fields_fit(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match=text):
        hurray.ExtensionType(8, is_float=True, **fields)


def test_exponent_only_floats_are_expressible() -> None:
    """element-types.md §6: sign 0, mantissa 0."""
    one = hurray.ExtensionType(8, is_float=True, exponent_bits=8, exponent_bias=127)
    assert (one.sign_bits, one.exponent_bits, one.mantissa_bits) == (0, 8, 0)


@pytest.mark.parametrize(
    "name", ["sign_bits", "exponent_bits", "mantissa_bits", "exponent_bias", "bit_width"]
)
def test_numbers_are_ints_in_range(name: str) -> None:
    def make(value: Any) -> hurray.ExtensionType:
        return hurray.ExtensionType(**{"bit_width": 8, "is_float": True, name: value})

    wrong: Any
    for wrong in (-1, 2**32):
        with pytest.raises(OverflowError, match=f"{name} is {wrong}"):
            make(wrong)
    for wrong in (1.0, "1"):
        with pytest.raises(TypeError, match=f"{name} is an int"):
            make(wrong)


@given(st.sampled_from(sorted(WIDTHS)), st.integers(0, 2**64 - 1))
def test_buffer_sizes(width: int, count: int) -> None:
    """element-types.md §5, with arithmetic that cannot overflow (§8.10)."""
    one = hurray.ExtensionType(width)
    size = -(-count // one.packing_factor) if width < 8 else count * (width // 8)
    if size < 2**64:
        assert one.buffer_size_bytes(count) == size
    else:
        with pytest.raises(OverflowError, match="exceed"):
            one.buffer_size_bytes(count)


def test_impossible_counts() -> None:
    one = hurray.ExtensionType(8)
    for count in (-1, 2**64):
        with pytest.raises(OverflowError, match="element_count"):
            one.buffer_size_bytes(count)
    wrong: Any
    for wrong in (1.0, "1", None):
        with pytest.raises(TypeError, match="element_count is an int"):
            one.buffer_size_bytes(wrong)
    assert one.buffer_size_bytes(element_count=3) == 3


@pytest.mark.parametrize(
    ("width", "fields", "size"),
    [(12, {}, 10), (8, {"sign_bits": 9}, 5), (8, {"is_float": 1, "is_signed": 1}, 5)],
)
def test_what_a_reader_takes_is_kept(width: int, fields: dict[str, Any], size: int) -> None:
    """element-types.md §8.7: a decoded width of 12 bits is rounded up to whole bytes, never truncated."""
    one = decoded(width, 1, **fields)
    assert one.buffer_size_bytes(5) == size
    check_travels(one)
    check_closed(one)
    assert hash(one) == hash(decoded(width, 1, **fields))


@pytest.mark.parametrize("tag", [0xF0, 0xF7, 0xFE])
def test_private_types_are_described_by_it(tag: int) -> None:
    """Private tags with ExtensionType: the section is required, and given back."""
    dtype, one = hurray.Dtype.from_tag(tag), hurray.ExtensionType(4, is_signed=True)
    tensor = hurray.Tensor(bytearray(3), dtype, (5,), extension_type=one)
    assert tensor.dtype is dtype
    assert tensor.extension_type == tensor.descriptor.extension_type == one
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Tensor(bytearray(3), dtype, (5,))
    assert caught.value.code == "D-9"
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Tensor(bytearray(5), hurray.int8, (5,), extension_type=one)
    assert caught.value.code == "D-9"
    with pytest.raises(hurray.BufferError):
        hurray.Tensor(bytearray(2), dtype, (5,), extension_type=one)
