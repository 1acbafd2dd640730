"""The bytes of a zip member: checked while they pass, and never more than the directory claims."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator

from hurray_numpy._zip import BadZip, Member

__all__ = ["head", "inflate", "verify_stored"]

_STEP = 1 << 20
_INPUT_STEP = 1 << 17  # zlib copies what it has not used yet, each time


def head(view: memoryview, member: Member, count: int) -> bytes:
    """The first ``count`` bytes of a member, fewer where it has fewer.

    :raises BadZip: it does not inflate.
    """
    data = view[member.data : member.data + member.stored]
    if member.method == 0:
        return bytes(data[:count])
    found = bytearray()
    for chunk in _pieces(data, member, count):
        found += chunk
        if len(found) >= count:
            break
    return bytes(found[:count])


def inflate(view: memoryview, member: Member, skip: int) -> Iterator[memoryview]:
    """A compressed member without its first ``skip`` bytes, in pieces of at most 1 MiB.

    :raises BadZip: it does not inflate, inflates to another size than claimed, or has another checksum.
    """
    crc = total = 0
    for chunk in _pieces(view[member.data : member.data + member.stored], member, _STEP):
        total += len(chunk)
        if total > member.size:
            raise BadZip(f"{member.name!r} inflates beyond the {member.size} bytes it claims", member.data)
        crc = zlib.crc32(chunk, crc)
        if rest := memoryview(chunk)[max(0, skip - (total - len(chunk))) :]:
            yield rest
    if total != member.size:
        raise BadZip(f"{member.name!r} inflates to {total} bytes and claims {member.size}", member.data)
    _check(member, crc)


def verify_stored(fd: int, member: Member) -> None:
    """Compare a stored member's checksum, reading through ``fd`` so that no mapped page stays in memory.

    :raises BadZip: it differs, or the file was cut short meanwhile.
    """
    crc, at, stop = 0, member.data, member.data + member.stored
    while at < stop:
        chunk = os.pread(fd, min(_STEP, stop - at), at)
        if not chunk:
            raise BadZip(f"{member.name!r} ends at {at}: the file became shorter while it was read", at)
        crc = zlib.crc32(chunk, crc)
        at += len(chunk)
    _check(member, crc)


def _pieces(data: memoryview, member: Member, most: int) -> Iterator[bytes]:
    """Inflate ``data`` in pieces of at most ``most`` bytes."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for start in range(0, len(data), _INPUT_STEP):
            pending: bytes | memoryview = data[start : start + _INPUT_STEP]
            while pending and not engine.eof:
                yield engine.decompress(pending, most)
                pending = engine.unconsumed_tail
    except zlib.error as error:
        raise BadZip(f"{member.name!r} does not inflate: {error}", member.data) from error
    yield engine.flush()
    if not engine.eof:
        raise BadZip(f"{member.name!r} is cut short", member.data)


def _check(member: Member, crc: int) -> None:
    if crc != member.crc:
        raise BadZip(
            f"{member.name!r} is damaged: its checksum is {crc:08x}, and {member.crc:08x} is written",
            member.data,
        )
