"""The bytes of a zip member: checked while they pass, and never more than the directory claims."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from hurray_numpy._zip import BadZip, Member

__all__ = ["head", "inflate", "verify"]

Chunk: TypeAlias = "memoryview | bytes | bytearray"

_STEP = 1 << 20
_INPUT_STEP = 1 << 17  # zlib copies what it has not used yet, each time


def head(data: memoryview, member: Member, count: int) -> bytes:
    """The first ``count`` bytes of a member whose stored bytes are ``data``, fewer where it has fewer.

    :raises BadZip: it does not inflate.
    """
    if member.method == 0:
        return bytes(data[:count])
    found = bytearray()
    for chunk in _pieces([data], member, count):
        found += chunk
        if len(found) >= count:
            break
    return bytes(found[:count])


def inflate(stored: Iterable[Chunk], member: Member, skip: int) -> Iterator[memoryview]:
    """A compressed member without its first ``skip`` bytes, in pieces of at most 1 MiB.

    :raises BadZip: it does not inflate, inflates to another size than claimed, or has another checksum.
    """
    crc = total = 0
    for chunk in _pieces(stored, member, _STEP):
        total += len(chunk)
        if total > member.size:
            raise BadZip(f"{member.name!r} inflates beyond the {member.size} bytes it claims", member.data)
        crc = zlib.crc32(chunk, crc)
        if rest := memoryview(chunk)[max(0, skip - (total - len(chunk))) :]:
            yield rest
    if total != member.size:
        raise BadZip(f"{member.name!r} inflates to {total} bytes and claims {member.size}", member.data)
    _check(member, crc)


def verify(stored: Iterable[Chunk], member: Member) -> None:
    """Compare the checksum of a member that is not compressed.

    :raises BadZip: it differs.
    """
    crc = 0
    for chunk in stored:
        crc = zlib.crc32(chunk, crc)
    _check(member, crc)


def _pieces(stored: Iterable[Chunk], member: Member, most: int) -> Iterator[bytes]:
    """Inflate ``stored`` in pieces of at most ``most`` bytes."""
    engine = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for piece in _small(stored):
            pending = piece
            while pending and not engine.eof:
                yield engine.decompress(pending, most)
                pending = engine.unconsumed_tail
    except zlib.error as error:
        raise BadZip(f"{member.name!r} does not inflate: {error}", member.data) from error
    yield engine.flush()
    if not engine.eof:
        raise BadZip(f"{member.name!r} is cut short", member.data)


def _small(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        for start in range(0, len(chunk), _INPUT_STEP):
            yield chunk[start : start + _INPUT_STEP]


def _check(member: Member, crc: int) -> None:
    if crc != member.crc:
        raise BadZip(
            f"{member.name!r} is damaged: its checksum is {crc:08x}, and {member.crc:08x} is written",
            member.data,
        )
