"""hurray.verify: every rule that a file breaks, not the first alone (file.md §10; STYLE 5)."""

from __future__ import annotations

from pathlib import Path
from struct import pack
from typing import Any

import core_files as craft
import hurray
import pytest
from core_files import FLOAT32, INT8, UINT8, Crafted, Put, descriptor, handle, kv_entry, kv_section, single

GOOD = descriptor(INT8, shape=(3,), sizes=(3,))
TWO = Crafted((Put(b"a", GOOD, (b"\1\2\3",)), Put(b"b", GOOD, (b"\4\5\6",))))


def codes(data: Any) -> list[str]:
    return [problem.code for problem in hurray.verify(data)]


def test_a_good_file_has_no_problem(tmp_path: Path) -> None:
    assert hurray.verify(TWO.build()) == []
    assert hurray.verify(Crafted().build()) == []
    (tmp_path / "a.hrry").write_bytes(TWO.build())
    with open(tmp_path / "a.hrry", "rb") as file:
        assert hurray.verify(file) == []


def test_a_problem_says_what_where_and_of_whom() -> None:
    bad = Put(b"bad", descriptor(0x7F), (bytes(8),))
    (problem,) = hurray.verify(Crafted((TWO.tensors[0], bad)).build())
    assert type(problem) is hurray.Problem
    assert (problem.code, problem.name) == ("D-8", "bad")
    assert problem.offset == 4104
    assert "0x7f" in problem.message
    assert problem.code in str(problem)
    assert problem.code in repr(problem)
    assert hurray.Problem.__module__ == "hurray"
    with pytest.raises(AttributeError):
        problem.code = "D-1"  # type: ignore[misc]
    with pytest.raises(TypeError):
        hurray.Problem()


def test_every_problem_is_listed_not_the_first() -> None:
    """Validators report every problem, not the first."""
    puts = [Put(f"t{at}".encode(), descriptor(0x7F), (bytes(8),)) for at in range(5)]
    kv = kv_section(kv_entry(b"k", 5, b"\1"))
    data = Crafted((*puts, *TWO.tensors), kv=kv, tail=b"\1" + bytes(27), trailer_reserved=1).build()
    found = hurray.verify(data)
    assert sorted(problem.code for problem in found) == ["D-8"] * 5 + ["F-10", "F-5"]
    assert {problem.name for problem in found if problem.code == "D-8"} == {f"t{at}" for at in range(5)}


PADDED = TWO.build()


@pytest.mark.parametrize("at", [64 + len(GOOD), 4095, 4096 + 3, 4104 + len(GOOD), 8191, 8195])
def test_padding_must_be_zero(at: int) -> None:
    """F-46: non-zero padding; optional for a reader, a problem for verify."""
    data = PADDED[:at] + b"\1" + PADDED[at + 1 :]
    assert hurray.load(data)["a"].tolist() == [1, 2, 3]
    (problem,) = hurray.verify(data)
    assert (problem.code, problem.offset) == ("F-46", at)


def test_a_descriptor_that_no_entry_names_is_found() -> None:
    """F-45: an unindexed descriptor in a gap."""
    data = TWO.build()
    index = craft.Parsed.of(data)
    first = index.entries[0]
    entry = pack("<Q", 1) + pack("<H", 1) + b"a" + pack("<QIQQI", *first[1:])
    at = index.index[0]
    trailer = pack("<QQQIII", at, len(entry), 0, 0, craft.crc32c(entry), 0) + b"HRRY"
    changed = data[:at] + entry + trailer
    assert list(hurray.load(changed)) == ["a"]
    assert "F-45" in codes(changed)


CONTENTS: list[tuple[str, bytes, tuple[bytes, ...]]] = [
    (
        "L-31",
        descriptor(FLOAT32, 6, (2, 2), (4, 16), payload=pack("<QQ", 1, 0)),
        (bytes(4), pack("<QQ", 0, 2)),
    ),
    (
        "L-31",
        descriptor(FLOAT32, 6, (2,), (8, 16), payload=pack("<QQ", 2, 0)),
        (bytes(8), pack("<QQ", 1, 1)),
    ),
    (
        "L-32",
        descriptor(FLOAT32, 7, (1, 1), (4, 8, 16), payload=pack("<QQ", 1, 0)),
        (bytes(4), bytes(8), pack("<QQ", 1, 1)),
    ),
    (
        "L-32",
        descriptor(FLOAT32, 7, (1, 1), (4, 8, 16), payload=pack("<QQ", 1, 0)),
        (bytes(4), pack("<Q", 2**63), pack("<QQ", 0, 1)),
    ),
    (
        "L-38",
        descriptor(UINT8, 10, (1, 1, 1), (1, 4, 8), payload=pack("<IQIIBIB6x", 1, 1, 0, 1, 0, 0, 0)),
        (bytes(1), pack("<I", 1), pack("<II", 0, 1)),
    ),
    (
        "Q-29",
        descriptor(
            0x40,
            shape=(16,),
            sizes=(16, 1),
            sections=pack("<I", 16) + pack("<BBHIII", 5, 1, 0, 0, 16, 1),
            flags=craft.QUANTIZATION,
        ),
        (bytes(16), b"\xff"),
    ),
]


@pytest.mark.parametrize(
    ("code", "blob", "buffers"), CONTENTS, ids=[f"{c[0]}-{at}" for at, c in enumerate(CONTENTS)]
)
def test_contents_of_index_and_scale_buffers_are_checked(code: str, blob: bytes, buffers: Any) -> None:
    """PEERS, memory: sparse indices are checked before they are handed to a library that trusts them."""
    data = single(blob, *buffers)
    assert codes(data) == [code]


def test_composites_are_checked() -> None:
    """F-42, L-47, L-52: torn, without boxes, with a gap."""
    member = descriptor(FLOAT32, shape=(2,), sizes=(8,))

    def boxed(offset: int) -> bytes:
        return descriptor(FLOAT32, shape=(2,), sizes=(8,), sections=pack("<QQ", 4, offset), flags=craft.SHARD)

    def composite(count: int, *members: bytes) -> bytes:
        head = descriptor(FLOAT32, 11, (4,), (), payload=pack("<BBHI", 1, 0, 0, count))
        puts = [Put(f"m{at}".encode(), blob, (bytes(8),)) for at, blob in enumerate(members)]
        return Crafted((Put(b"h", head), *puts)).build()

    assert codes(composite(2, boxed(0), boxed(2))) == []
    assert codes(composite(3, boxed(0), boxed(2))) == ["F-42"]
    assert codes(composite(2**32 - 2, boxed(0), boxed(2))) == ["F-42"]
    assert codes(composite(2, member, member))[0] == "L-47"
    assert "L-52" in codes(composite(2, boxed(0), boxed(0)))
    assert "L-52" in codes(composite(1, boxed(0)))


def test_what_cannot_be_read_is_an_error_not_a_problem(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        hurray.verify(tmp_path / "missing")
    with pytest.raises(hurray.FileError):
        hurray.verify(tmp_path)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "F-8"),
        (b"HRRYFILE", "F-8"),
        (b"PK\3\4" + bytes(200), "F-1"),
        (TWO.build()[:-1], "F-9"),
        (TWO.but(crc=0).build(), "F-13"),
        (TWO.but(count=2**63).build(), "F-15"),
    ],
)
def test_a_file_of_which_too_little_can_be_read(data: bytes, code: str) -> None:
    assert code in codes(data)


def test_device_tensors_of_a_good_file_are_no_problem() -> None:
    blob = descriptor(INT8, shape=(3,), sizes=(3,), handles=handle(3, device=1, sync=1))
    assert codes(single(blob, b"\1\2\3")) == []
