"""The zip directory, record by record: each claim that contradicts another, or the bytes, is refused."""

from __future__ import annotations

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from hurray_numpy._inflate import head, inflate
from hurray_numpy._zip import BadZip, Member, comment_of, members

LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
# Fields of the records by their place.
PLACES: dict[str, dict[str, int]] = {
    "local": {"magic": 0, "flags": 2, "method": 3, "crc": 6, "stored": 7, "size": 8, "name_length": 9},
    "central": {
        "magic": 0,
        "flags": 3,
        "method": 4,
        "crc": 7,
        "stored": 8,
        "size": 9,
        "extra_length": 11,
        "at": 16,
    },
    "end": {"disk": 1, "here": 3, "total": 4, "size": 5, "start": 6, "comment": 7},
}


def deflated(data: bytes, finish: int = zlib.Z_FINISH) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush(finish)


def build(*files: dict[str, Any], end: dict[str, int] | None = None, comment: bytes = b"") -> memoryview:
    """An archive of ``files``: name, data, content, and what its "local" and "central" records say instead."""
    body, directory = b"", b""
    for file in files:
        name, data = file.get("name", b"w"), file.get("data", b"hello")
        content = file.get("content", data)
        method = file.get("method", 0)
        sizes = [zlib.crc32(content), len(data), len(content)]
        local = [b"PK\3\4", 20, 0, method, 0, 33, *sizes, len(name), 0]
        central = [b"PK\1\2", 20, 20, 0, method, 0, 33, *sizes, len(name), 0, 0, 0, 0, 0, len(body)]
        central[11] = len(file.get("extra", b""))
        for record, values in (("local", local), ("central", central)):
            for field, value in file.get(record, {}).items():
                values[PLACES[record][field]] = value
        body += LOCAL.pack(*local) + file.get("local_name", name) + data
        directory += CENTRAL.pack(*central) + name + file.get("extra", b"")
    last: list[Any] = [b"PK\5\6", 0, 0, len(files), len(files), len(directory), len(body), len(comment)]
    for field, value in (end or {}).items():
        last[PLACES["end"][field]] = value
    return memoryview(body + directory + END.pack(*last) + comment)


def stored(data: memoryview, member: Member) -> memoryview:
    return data[member.data : member.data + member.stored]


WIDE = struct.pack("<2H2Q", 1, 16, 5, 5)


def test_what_is_in_order_is_read(tmp_path: Path) -> None:
    """The builder of these tests makes archives that zipfile takes, and both read the same."""
    data = build({"name": b"a"}, {"name": "ü".encode(), "central": {"flags": 0x800}}, comment=b"note")
    (tmp_path / "a.zip").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        expected = [(info.filename, info.file_size, info.CRC) for info in archive.infolist()]
    found = members(data)
    assert [(member.name, member.size, member.crc) for member in found] == expected
    assert [bytes(stored(data, member)) for member in found] == [b"hello"] * 2
    assert comment_of(data) == b"note"


def test_64_bit_sizes_come_from_the_extra_field() -> None:
    wide = {"central": {"size": 0xFFFFFFFF, "stored": 0xFFFFFFFF}, "extra": b"\7\7\0\0" + WIDE}
    (member,) = members(build(wide))
    assert (member.stored, member.size) == (5, 5)


@pytest.mark.parametrize(
    ("files", "options", "match"),
    [
        ([{"local_name": b"v"}], {}, "'w' has a header that contradicts the directory"),
        ([{"local": {"method": 8}}], {}, "'w' has a header that contradicts the directory"),
        ([{"local": {"magic": b"PK\1\2"}}], {}, "'w' has no header where the directory says"),
        ([{"data": b"x" * 50, "central": {"at": 7}}], {}, "'w' has no header where the directory says"),
        ([{"central": {"at": 9999}}], {}, "'w' is claimed at 9999, and the directory begins at 36"),
        ([{"central": {"magic": b"PK\3\4"}}], {}, "the directory has no entry where one is due"),
        ([{"central": {"extra_length": 60}}], {}, "the directory has no entry where one is due"),
        (
            [{"central": {"stored": 6, "size": 6}}],
            {},
            "'w' claims 6 bytes at 31, and the directory begins at 36",
        ),
        ([{"central": {"size": 4}}], {}, "'w' is not compressed and claims 5 bytes as 4"),
        ([{"central": {"size": 0xFFFFFFFF}, "extra": WIDE[:10]}], {}, "a 64-bit field is cut short"),
        ([{"name": b"\xff", "central": {"flags": 0x800}}], {}, "is said to be UTF-8 and is not"),
        ([{"central": {"method": 8, "size": 5161}, "local": {"method": 8}}], {}, "which no compression can"),
        ([{}, {"central": {"at": 0}}], {}, "overlaps"),
        ([{}], {"end": {"here": 2, "total": 2}}, "the directory claims 2 files and lists 1"),
        ([{}, {}], {"end": {"here": 1, "total": 1}}, "the directory claims 1 files and lists 2"),
        ([{}], {"end": {"total": 2}}, "one part of several"),
        ([{}], {"end": {"disk": 1}}, "one part of several"),
        ([{}], {"end": {"size": 46}}, "the directory claims 46 bytes at 36, and its end record lies at 83"),
        ([{}], {"end": {"start": 35}}, "the directory claims 47 bytes at 35, and its end record lies at 83"),
        ([{}], {"end": {"start": 30, "size": 53}}, "the directory has no entry where one is due"),
        ([{}], {"end": {"comment": 1}}, "no end record"),
        ([], {"end": {"start": 0xFFFFFFFF}}, "the directory claims"),
    ],
)
def test_a_claim_that_contradicts_another_is_refused(
    files: list[dict[str, Any]], options: dict[str, Any], match: str
) -> None:
    with pytest.raises(BadZip, match=match):
        members(build(*files, **options))


def test_an_end_record_inside_the_comment_is_not_the_end() -> None:
    fake = END.pack(b"PK\5\6", 0, 0, 0, 0, 0, 0, 3)
    data = build({}, comment=b"before " + fake + b" and more than three bytes after")
    assert [member.name for member in members(data)] == ["w"]


def test_data_before_the_archive_are_refused() -> None:
    with pytest.raises(BadZip, match="the directory claims 47 bytes at 36"):
        members(memoryview(b"#!/bin/sh\n" + bytes(build({}))))


@pytest.mark.parametrize("length", range(22))
def test_less_than_an_end_record_is_no_archive(length: int) -> None:
    with pytest.raises(BadZip, match="no end record"):
        members(build()[:length])


def test_a_stream_that_does_not_end_is_refused() -> None:
    """All bytes are there and the checksum is right, but what follows the last block is missing."""
    content = b"hello " * 100
    data = build({"method": 8, "data": deflated(content, zlib.Z_SYNC_FLUSH), "content": content})
    (member,) = members(data)
    with pytest.raises(BadZip, match="'w' is cut short"):
        list(inflate([stored(data, member)], member, 0))


def test_garbage_does_not_inflate() -> None:
    data = build({"method": 8, "data": b"\xff" * 50, "content": b"x" * 50})
    (member,) = members(data)
    with pytest.raises(BadZip, match="'w' does not inflate"):
        head(stored(data, member), member, 10)


@pytest.mark.parametrize("skip", [0, 1, 100, 1_048_575, 1_048_576, 1_048_577, 2_999_999, 3_000_000])
def test_the_head_is_skipped_and_the_rest_comes_in_pieces(skip: int) -> None:
    content = bytes(range(250)) * 12_000
    data = build({"method": 8, "data": deflated(content), "content": content})
    (member,) = members(data)
    pieces = list(inflate([stored(data, member)], member, skip))
    assert b"".join(pieces) == content[skip:]
    assert all(0 < len(piece) <= 1 << 20 for piece in pieces)
    assert head(stored(data, member), member, 1000) == content[:1000]
