"""The directory of a zip archive, over a memory map and distrusted (PKWARE's APPNOTE 6.3.10).

Every claim is checked against the bytes that are there before anything relies on it; nothing is allocated
on the strength of one. Archives in several parts, and data before the archive, are refused.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

__all__ = ["BadZip", "Member", "comment_of", "members"]

_END = struct.Struct("<4s4H2LH")  # 4.3.16
_LOCATOR = struct.Struct("<4sLQL")  # 4.3.15
_END64 = struct.Struct("<4sQ2H2L4Q")  # 4.3.14
_CENTRAL = struct.Struct("<4s6H3L5H2L")  # 4.3.12
_LOCAL = struct.Struct("<4s5H3L2H")  # 4.3.7
_MAX16, _MAX32 = 0xFFFF, 0xFFFFFFFF
_UTF8, _DESCRIPTOR = 0x0800, 0x0008
# What deflate can make of a byte at most: a match of 258 bytes in two bits.
_DEFLATE_RATIO = 1032


class BadZip(ValueError):
    """The bytes break a rule of the zip format; ``offset`` is where."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class Member(NamedTuple):
    """One file of the archive: ``stored`` bytes at ``data``, which become ``size`` bytes."""

    name: str
    flags: int
    method: int
    crc: int
    stored: int
    size: int
    header: int
    data: int


class _End(NamedTuple):
    """Where the directory lies and how many entries it claims."""

    entries: int
    start: int
    stop: int
    comment: bytes


def members(view: memoryview) -> list[Member]:
    """The files of an archive in the order of its directory.

    :raises BadZip: a record is cut short, lies outside, overlaps another or contradicts its double.
    """
    end = _find_end(view)
    found = list(_central(view, end))
    if len(found) != end.entries:
        raise BadZip(f"the directory claims {end.entries} files and lists {len(found)}", end.start)
    by_place = sorted(found, key=lambda member: member.header)
    for member, following in pairwise(by_place):
        if member.data + member.stored > following.header:
            raise BadZip(f"{following.name!r} overlaps {member.name!r}", following.header)
    return found


def comment_of(view: memoryview) -> bytes:
    """The archive's comment, mostly empty."""
    return _find_end(view).comment


def _find_end(view: memoryview) -> _End:
    tail_start = max(0, len(view) - _END.size - _MAX16)
    tail = bytes(view[tail_start:])
    at = len(tail)
    while (at := tail.rfind(b"PK\x05\x06", 0, at)) >= 0:
        # The comment reaches to the end exactly; otherwise the signature is part of some data.
        if at + _END.size <= len(tail):
            record = _END.unpack_from(tail, at)
            if at + _END.size + record[7] == len(tail):
                return _read_end(view, tail_start + at, record, tail[at + _END.size :])
    raise BadZip("it has no end record: the archive is cut short, or none", len(view))


def _read_end(view: memoryview, at: int, record: tuple[int, ...], comment: bytes) -> _End:
    _, disk, directory_disk, here, count, size, start, _ = record
    stop = at
    locator = at - _LOCATOR.size
    if locator >= 0 and bytes(view[locator : locator + 4]) == b"PK\x06\x07":
        disk, directory_disk, here, count, size, start, stop = _read_end64(view, locator, record)
    if disk or directory_disk or here != count:
        raise BadZip("it is one part of several", at)
    if start + size != stop:
        raise BadZip(f"the directory claims {size} bytes at {start}, and its end record lies at {stop}", at)
    return _End(count, start, stop, comment)


def _read_end64(view: memoryview, locator: int, record: tuple[int, ...]) -> tuple[int, ...]:
    _, _, at, _ = _LOCATOR.unpack_from(view, locator)
    if at + _END64.size > locator:
        raise BadZip(f"the 64-bit end record is claimed at {at}", locator)
    magic, _, _, _, disk, directory_disk, here, count, size, start = _END64.unpack_from(view, at)
    if magic != b"PK\x06\x06":
        raise BadZip(f"there is no 64-bit end record at {at}", at)
    for short, long, limit in zip(record[4:7], (count, size, start), (_MAX16, _MAX32, _MAX32), strict=True):
        if short not in (long, limit):
            raise BadZip(f"the end records contradict each other: {short} and {long}", at)
    return disk, directory_disk, here, count, size, start, at


def _central(view: memoryview, end: _End) -> Iterator[Member]:
    at = end.start
    while at < end.stop:
        if at + _CENTRAL.size > end.stop:
            raise BadZip("the directory ends inside an entry", at)
        fields = _CENTRAL.unpack_from(view, at)
        after = at + _CENTRAL.size + sum(fields[10:13])
        if fields[0] != b"PK\x01\x02" or after > end.stop:
            raise BadZip("the directory has no entry where one is due", at)
        yield _member(view, at, fields, end)
        at = after


def _member(view: memoryview, at: int, fields: tuple[int, ...], end: _End) -> Member:
    flags, method, crc, stored, size = fields[3], fields[4], *fields[7:10]
    name_length, extra_length, header = fields[10], fields[11], fields[16]
    name_at = at + _CENTRAL.size
    raw_name = bytes(view[name_at : name_at + name_length])
    extra = bytes(view[name_at + name_length : name_at + name_length + extra_length])
    size, stored, header = _widened([size, stored, header], extra, at)
    name = _decoded(raw_name, flags, at)
    data = _check_local(view, header, raw_name, (name, method), end)
    if data + stored > end.start:
        raise BadZip(f"{name!r} claims {stored} bytes at {data}, and the directory begins at {end.start}", at)
    if method == 0 and size != stored:
        raise BadZip(f"{name!r} is not compressed and claims {stored} bytes as {size}", at)
    if method == 8 and size > stored * _DEFLATE_RATIO:
        raise BadZip(f"{name!r} claims that {stored} bytes inflate to {size}, which no compression can", at)
    return Member(name, flags, method, crc, stored, size, header, data)


def _widened(values: list[int], extra: bytes, at: int) -> list[int]:
    """``values`` with those that say "see the 64-bit field" taken from there (4.5.3)."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        field, extra = extra[4 : 4 + length], extra[4 + length :]
        if kind != 1:
            continue
        for index, value in enumerate(values):
            if value == _MAX32:
                if len(field) < 8:
                    raise BadZip("a 64-bit field is cut short", at)
                values[index], field = struct.unpack_from("<Q", field)[0], field[8:]
        return values
    return values


def _decoded(name: bytes, flags: int, at: int) -> str:
    try:
        return name.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError:
        raise BadZip(f"the name {name!r} is said to be UTF-8 and is not", at) from None


def _check_local(view: memoryview, at: int, raw_name: bytes, expected: tuple[str, int], end: _End) -> int:
    """The offset of the data behind the local header at ``at``, which must repeat what the directory says."""
    name, method = expected
    if at + _LOCAL.size > end.start:
        raise BadZip(f"{name!r} is claimed at {at}, and the directory begins at {end.start}", at)
    fields: tuple[Any, ...] = _LOCAL.unpack_from(view, at)
    magic, local_method, name_length, extra_length = fields[0], fields[3], fields[9], fields[10]
    name_at: int = at + _LOCAL.size
    if magic != b"PK\x03\x04":
        raise BadZip(f"{name!r} has no header where the directory says", at)
    if bytes(view[name_at : name_at + name_length]) != raw_name or local_method != method:
        raise BadZip(f"{name!r} has a header that contradicts the directory", at)
    data: int = name_at + name_length + extra_length
    return data
