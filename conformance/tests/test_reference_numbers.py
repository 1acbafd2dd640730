"""The reference codec against the tables and worked checks of element-types.md."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest

from conformance.reference.element_types import BY_NAME, TYPES
from conformance.reference.file.crc import crc32c
from conformance.reference.numbers import decode, encode
from conformance.reference.packing import bits_at, pack, unpack

E2M1 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
E2M3 = [x * 0.125 for x in range(16)] + [2 + x * 0.25 for x in range(8)] + [4 + x * 0.5 for x in range(8)]
E3M2 = [x * 0.0625 for x in range(8)]
for step in (0.125, 0.25, 0.5, 1.0, 2.0, 4.0):
    E3M2 += [4 * step + x * step for x in range(4)]


def test_there_are_26_types_with_the_widths_of_the_table() -> None:
    assert len(TYPES) == 26
    widths = {
        name: BY_NAME[name].bits
        for name in ("float128", "complex64", "float6_e2m3", "bool", "uint2", "int64")
    }
    assert widths == {"float128": 128, "complex64": 64, "float6_e2m3": 6, "bool": 1, "uint2": 2, "int64": 64}
    assert BY_NAME["uint64"].tag == 0x17
    assert BY_NAME["int2"].tag == 0x4A
    assert BY_NAME["uint4"].tag == 0x49


@pytest.mark.parametrize(
    ("name", "values"), [("float4_e2m1", E2M1), ("float6_e2m3", E2M3), ("float6_e3m2", E3M2)]
)
def test_small_floats_by_code(name: str, values: list[float]) -> None:
    kind = BY_NAME[name]
    assert [decode(kind, code) for code in range(len(values))] == values
    signed = [decode(kind, code | len(values)) for code in range(len(values))]
    assert signed == [-one for one in values]
    assert math.copysign(1, float(str(signed[0]))) == -1


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("float8_e4m3", 0x7E, 448.0), ("float8_e4m3", 0x08, 2.0**-6), ("float8_e4m3", 0x01, 2.0**-9),
        ("float8_e4m3", 0x78, 256.0), ("float8_e5m2", 0x7B, 57344.0), ("float8_e5m2", 0x04, 2.0**-14),
        ("float8_e5m2", 0x01, 2.0**-16), ("float8_e5m2", 0x7C, math.inf), ("float8_e5m2", 0xFC, -math.inf),
        ("float8_e8m0", 0x01, 2.0**-126), ("float8_e8m0", 0xFE, 2.0**127), ("int4", 0x8, -8), ("int2", 0b10, -2),
        ("uint64", 2**64 - 1, 2**64 - 1), ("float128", 0x3FFF << 112, 1.0),
        ("float128", 0x3FFF << 112 | 1, 1 + Fraction(1, 2**112)), ("bfloat16", 0x3F80, 1.0),
    ],
)  # fmt: skip
def test_values_that_the_text_names(name: str, code: int, value: float) -> None:
    assert decode(BY_NAME[name], code) == value


@pytest.mark.parametrize(("name", "codes"), [("float8_e4m3", [0x7F, 0xFF]), ("float8_e5m2", [0x7D, 0xFF])])
def test_nan_codes(name: str, codes: list[int]) -> None:
    assert all(math.isnan(float(str(decode(BY_NAME[name], code)))) for code in codes)


@pytest.mark.parametrize(("name", "code"), [("float16", "e"), ("float32", "f"), ("float64", "d")])
def test_ieee_types_agree_with_struct(name: str, code: str) -> None:
    width = struct.calcsize(code)
    for raw in (
        b"\x01" * width,
        b"\x7b" * width,
        b"\x80" * width,
        bytes(width),
        b"\x00" * (width - 1) + b"\x80",
    ):
        pattern = int.from_bytes(raw, "little")
        value = decode(BY_NAME[name], pattern)
        assert value == struct.unpack(f"<{code}", raw)[0]
        assert encode(BY_NAME[name], value) == pattern


@pytest.mark.parametrize("kind", [one for one in TYPES.values() if one.bits <= 8], ids=lambda kind: kind.name)
def test_every_pattern_of_a_small_type_survives(kind: object) -> None:
    assert kind in TYPES.values()
    one = next(each for each in TYPES.values() if each == kind)
    for pattern in range(1 << one.bits):
        value = decode(one, pattern)
        if value == value:  # a NaN has more than one pattern
            assert encode(one, value) == pattern


@pytest.mark.parametrize(
    ("name", "values", "packed"),
    [
        ("bool", [1, 0, 1, 1, 0], "0d"), ("uint4", [5, 12, 3], "c503"), ("uint2", [3, 1, 2], "27"),
        ("bool", [1, 0, 1, 1, 0, 0, 0, 0, 1, 1], "0d03"),
    ],
)  # fmt: skip
def test_packing_checks(name: str, values: list[int], packed: str) -> None:
    kind = BY_NAME[name]
    assert pack(kind, values).hex() == packed
    assert unpack(kind, bytes.fromhex(packed), len(values)) == values


def test_six_bits_pack_four_in_three_bytes() -> None:
    kind, raw = BY_NAME["float6_e2m3"], bytes.fromhex("814020")
    assert [bits_at(kind, raw, 0, element) for element in range(4)] == [1, 2, 4, 8]


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (0, [0, 0, 0, 0, 0, 0]),
        (1, [1, 1, 1, 3, 4, 16]),
        (5, [1, 2, 3, 6, 20, 80]),
        (9, [2, 3, 5, 9, 36, 144]),
    ],
)
def test_sizes(count: int, sizes: list[int]) -> None:
    names = ("bool", "uint2", "uint4", "float6_e3m2", "float32", "complex128")
    assert [BY_NAME[name].size_of(count) for name in names] == sizes


def test_negative_offsets_floor() -> None:
    """layouts.md §1: floor and non-negative mod even for negative offsets."""
    assert bits_at(BY_NAME["uint4"], b"\x21\x43", 1, -1) == 2
    assert bits_at(BY_NAME["bool"], b"\x80\x00", 1, -1) == 1


def test_crc_of_the_check_string() -> None:
    assert crc32c(b"123456789") == 0xE3069283
