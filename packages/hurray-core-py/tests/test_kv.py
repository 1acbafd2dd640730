"""Metadata: save(..., kv=...) and load_kv are exact inverses (requirements: File metadata; 04-tables.md §2)."""

from __future__ import annotations

import collections
import enum
import math
import os
import struct
import tempfile
import types
from pathlib import Path
from struct import pack
from typing import Any

import core_files as craft
import hurray
import pytest
from core_files import Crafted, kv_entry, kv_section
from core_memory import run
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

# Cut surrogates have no UTF-8.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INTS = st.integers(-(2**63), 2**63 - 1)
SCALARS = [st.booleans(), INTS, st.floats(), TEXT, st.binary(max_size=20)]
VALUES = st.one_of(*SCALARS, *(st.lists(scalar, max_size=5) for scalar in SCALARS))
KVS = st.dictionaries(TEXT.filter(bool), VALUES, max_size=8)


def kept(kv: Any, folder: Path) -> dict[str, Any]:
    """What load_kv gives of what save was given."""
    hurray.save(folder / "kv.hrry", {}, kv=kv)
    with hurray.open(folder / "kv.hrry") as file:
        assert exact(file.kv) == exact(hurray.load_kv(folder / "kv.hrry"))
    return hurray.load_kv(folder / "kv.hrry")


def exact(value: Any) -> Any:
    """A value with its types and the bits of its floats, so that == is exactness."""
    if isinstance(value, dict):
        return [(key, exact(item)) for key, item in value.items()]
    if isinstance(value, list):
        return [exact(item) for item in value]
    return type(value), struct.pack("d", value) if isinstance(value, float) else value


@settings(max_examples=150, deadline=None)
@given(KVS)
def test_a_dict_saved_and_reloaded_is_equal(kv: dict[str, Any]) -> None:
    """load_kv MUST be the exact inverse of save: types, order, NaN payloads and signs of zero too."""
    with tempfile.TemporaryDirectory() as folder:
        assert exact(kept(kv, Path(folder))) == exact(kv)


def test_the_kinds_by_example(tmp_path: Path) -> None:
    kv: dict[str, Any] = {
        "flag": True,
        "off": False,
        "one": 1,
        "least": -(2**63),
        "most": 2**63 - 1,
        "zero": -0.0,
        "inf": math.inf,
        "text": "ü\0日本",
        "none": "",
        "raw": b"\0\xff",
        "flags": [True, False],
        "ints": [1, 2],
        "floats": [0.5, -0.0],
        "texts": ["a", ""],
        "raws": [b"", b"x"],
        " ": 1,
        "k" * 65535: "longest",
    }
    assert exact(kept(kv, tmp_path)) == exact(kv)


def test_bool_is_tested_before_int(tmp_path: Path) -> None:
    """Bool MUST be tested before int in both directions."""
    found = kept({"a": True, "b": 1, "c": [True], "d": [1]}, tmp_path)
    assert found["a"] is True
    assert type(found["b"]) is int
    assert found["c"][0] is True
    assert type(found["d"][0]) is int


def test_an_empty_list_reads_back_as_an_empty_list(tmp_path: Path) -> None:
    """Ruling 16: written as an array of zero strings."""
    assert kept({"a": []}, tmp_path) == {"a": []}
    data = (tmp_path / "kv.hrry").read_bytes()
    at, length = craft.Parsed.of(data).kv
    assert data[at : at + length] == kv_section(kv_entry(b"a", 7, b"\x01\0\0\0\0"))


def test_no_metadata_reads_as_an_empty_dict(tmp_path: Path) -> None:
    """A file with no KV section MUST read as an empty dict."""
    nothing: list[Any] = [None, {}]
    for kv in nothing:
        hurray.save(tmp_path / "a.hrry", {}, kv=kv)
        assert hurray.load_kv(tmp_path / "a.hrry") == {}
        assert craft.Parsed.of((tmp_path / "a.hrry").read_bytes()).kv == (0, 0)


def test_it_is_a_call_of_its_own() -> None:
    """It MUST be a separate call rather than an argument to load."""
    with pytest.raises(TypeError):
        hurray.load(Crafted().build(), kv=True)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    "kv",
    [
        collections.OrderedDict(b=1, a=2),
        types.MappingProxyType({"b": 1, "a": 2}),
        collections.ChainMap({"b": 1, "a": 2}),
    ],
    ids=lambda kv: type(kv).__name__,
)
def test_any_mapping_in_its_order(kv: Any, tmp_path: Path) -> None:
    assert list(kept(kv, tmp_path).items()) == list(kv.items())


class Level(enum.IntEnum):
    HIGH = 3


class Name(str):
    __slots__ = ()


def test_subclasses_are_written_as_what_they_are(tmp_path: Path) -> None:
    found = kept({"level": Level.HIGH, Name("name"): Name("x"), "half": np.float64(0.5)}, tmp_path)
    assert exact(found) == exact({"level": 3, "name": "x", "half": 0.5})


REFUSED: list[tuple[str, Any, type[Exception]]] = [
    ("none", None, TypeError),
    ("complex", 1j, TypeError),
    ("dict", {"a": 1}, TypeError),
    ("tuple", (1, 2), TypeError),
    ("set", {1}, TypeError),
    ("bytearray", bytearray(b"x"), TypeError),
    ("numpy int", np.int64(1), TypeError),
    ("numpy array", np.arange(3), TypeError),
    ("object", object(), TypeError),
    ("nested", [[1]], TypeError),
    ("nested empty", [[]], TypeError),
    ("mixed", [1, "a"], TypeError),
    ("bool and int", [True, 1], TypeError),
    ("int and bool", [1, True], TypeError),
    ("int and float", [1, 1.0], TypeError),
    ("text and bytes", ["a", b"a"], TypeError),
    ("none inside", ["a", None], TypeError),
    ("above int64", 2**63, OverflowError),
    ("below int64", -(2**63) - 1, OverflowError),
    ("far above", 10**100, OverflowError),
    ("above inside", [1, 2**63], OverflowError),
    ("surrogate", "a\ud800", ValueError),
    ("surrogate inside", ["a", "\udfff"], ValueError),
]


@pytest.mark.parametrize(("what", "value", "error"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_stored_is_refused_by_its_key(
    what: str, value: Any, error: type[Exception], tmp_path: Path
) -> None:
    """An int outside int64, a mixed or nested list, None: an error that names the key, and no file is written."""
    path = tmp_path / "a.hrry"
    for write in (lambda kv: hurray.save(path, {}, kv=kv), lambda kv: hurray.FileWriter(path, kv=kv)):
        with pytest.raises(error, match=r"the\.key") as caught:
            write({"fine": 1, "the.key": value})
        assert isinstance(caught.value, hurray.FileError)
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "value", [2**63, -(2**63) - 1, 10**5000, [2**64]], ids=["above", "below", "far", "inside"]
)
def test_an_int_outside_int64_is_told_the_range(value: Any, tmp_path: Path) -> None:
    """2^63 is of 64 bits, and still no int64."""
    with pytest.raises(OverflowError, match=r'kv\["k"\]: the int is outside int64, -2\^63 to 2\^63 - 1'):
        hurray.save(tmp_path / "a.hrry", {}, kv={"k": value})


def test_the_ends_of_int64_are_stored(tmp_path: Path) -> None:
    kv = {"least": -(2**63), "most": 2**63 - 1}
    hurray.save(tmp_path / "a.hrry", {}, kv=kv)
    assert hurray.load_kv(tmp_path / "a.hrry") == kv


KEYS: list[tuple[Any, type[Exception]]] = [
    ("", ValueError),
    ("a\ud800", ValueError),
    ("k" * 65536, ValueError),
    (5, TypeError),
    (None, TypeError),
    (b"k", TypeError),
    (("a",), TypeError),
]


@pytest.mark.parametrize(("key", "error"), KEYS, ids=lambda value: repr(value)[:12])
def test_a_bad_key_is_refused_and_no_file_is_written(
    key: Any, error: type[Exception], tmp_path: Path
) -> None:
    """An empty key: an error that names the key, and no file is written."""
    path = tmp_path / "a.hrry"
    for write in (lambda kv: hurray.save(path, {}, kv=kv), lambda kv: hurray.FileWriter(path, kv=kv)):
        with pytest.raises(error, match=r"key|kv\[") as caught:
            write({"fine": 1, key: 1})
        assert isinstance(caught.value, hurray.FileError)
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kv", [5, "text", [("a", 1)], object()])
def test_what_is_no_mapping_is_a_type_error(kv: Any, tmp_path: Path) -> None:
    for write in (
        lambda: hurray.save(tmp_path / "a", {}, kv=kv),
        lambda: hurray.FileWriter(tmp_path / "a", kv=kv),
    ):
        with pytest.raises(TypeError, match="mapping"):
            write()
    assert os.listdir(tmp_path) == []


def test_nested_lists_cost_no_stack(tmp_path: Path) -> None:
    """PEERS, memory: depth never means stack. In a process of its own."""
    code = """
import sys, hurray
loop = []
loop.append(loop)
deep = []
for _ in range(200_000):
    deep = [deep]
for value in (loop, deep):
    try:
        hurray.save(sys.argv[1], {}, kv={"k": value})
    except TypeError as error:
        print("k" in str(error))
"""
    assert run(code, tmp_path / "a.hrry") == "True\nTrue"
    assert os.listdir(tmp_path) == []


# --- what other writers write ------------------------------------------------------------------------------

FOREIGN: list[tuple[bytes, Any]] = [
    (kv_entry(b"k", 3, pack("<Q", 2**64 - 1)), 2**64 - 1),
    (kv_entry(b"k", 3, pack("<Q", 5)), 5),
    (kv_entry(b"k", 7, b"\x03" + pack("<IQQ", 2, 2**63, 1)), [2**63, 1]),
    (kv_entry(b"k", 7, b"\x05" + pack("<I", 2) + b"\1\0"), [True, False]),
    (kv_entry(b"k", 7, b"\x06" + pack("<II", 1, 2) + b"ab"), [b"ab"]),
    (kv_entry(b"k", 7, b"\x02" + pack("<I", 0)), []),
    (kv_entry(b"k", 1, pack("<I", 0)), ""),
    (kv_entry(b"k", 6, pack("<I", 0)), b""),
    (kv_entry(b"k", 5, b"\1"), True),
]


@pytest.mark.parametrize(("entry", "value"), FOREIGN, ids=[repr(value) for _, value in FOREIGN])
def test_every_kind_of_the_format_reads(entry: bytes, value: Any) -> None:
    """A uint64 written by another producer MUST read back as int."""
    data = Crafted(kv=kv_section(entry)).build()
    assert exact(hurray.load_kv(data)) == exact({"k": value})


BAD: list[tuple[str, bytes]] = [
    ("F-33", kv_section(count=1)),
    ("F-33", kv_section(kv_entry(b"k", 5, b"\1"), count=2**32 - 1)),
    ("F-34", kv_section(kv_entry(b"", 5, b"\1"), kv_entry(b"a", 2, bytes(8)))),
    ("F-34", kv_section(kv_entry(b"\xff", 5, b"\1"))),
    ("F-35", kv_section(kv_entry(b"k", 5, b"\1"), kv_entry(b"k", 5, b"\0"))),
    *(("F-36", kv_section(kv_entry(b"k", tag, bytes(8)))) for tag in (0x00, 0x08, 0xEF, 0xF0, 0xFE, 0xFF)),
    ("F-37", kv_section(kv_entry(b"k", 5, b"\2"))),
    ("F-38", kv_section(kv_entry(b"k", 7, b"\0" + pack("<I", 0)))),
    ("F-38", kv_section(kv_entry(b"k", 7, b"\7" + pack("<I", 0)))),
    ("F-39", kv_section(kv_entry(b"k", 7, b"\2" + pack("<I", 2**32 - 1)))),
    ("F-39", kv_section(kv_entry(b"k", 7, b"\5" + pack("<I", 2) + b"\1"))),
    ("F-40", kv_section(kv_entry(b"k", 1, pack("<I", 1) + b"\xff"))),
    ("F-40", kv_section(kv_entry(b"k", 1, pack("<I", 2**32 - 1) + b"x"))),
    ("F-40", kv_section(kv_entry(b"k", 6, pack("<I", 5) + b"x"))),
    ("F-40", kv_section(kv_entry(b"k", 2, bytes(7)))),
    ("F-41", kv_section(kv_entry(b"k", 5, b"\1")) + b"\0"),
]


@pytest.mark.parametrize(("code", "section"), BAD, ids=[f"{code}-{at}" for at, (code, _) in enumerate(BAD)])
def test_bad_metadata_is_refused_by_its_rule(code: str, section: bytes) -> None:
    """A value this build does not recognise MUST raise rather than being dropped."""
    data = Crafted(kv=section).build()
    for read in (hurray.load_kv, hurray.load, hurray.open):
        with pytest.raises(hurray.FileError) as caught:
            read(data)
        assert caught.value.code == code
    assert code in [problem.code for problem in hurray.verify(data)]


def test_a_megabyte_of_metadata(tmp_path: Path) -> None:
    kv = {"text": "é" * (1 << 19), "raw": os.urandom(1 << 20), "many": list(range(1 << 15))}
    assert kept(kv, tmp_path) == kv
