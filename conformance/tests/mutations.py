"""Vectors with a byte or two changed, the same ones in every run."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from functools import cache
from typing import Any

from conformance.generator.corpus import FOLDER, content_of
from conformance.judge.verdicts import manifest
from conformance.reference.composite import Composite, Item
from conformance.reference.file.crc import crc32c
from conformance.reference.stream import parse_stream
from conformance.reference.tensor import Tensor

SMALL = 17_000
ODD = (0, 1, 2, 3, 4, 5, 0x7F, 0x80, 0xF0, 0xFE, 0xFF)


def changed(data: bytes, chance: random.Random, places: list[int]) -> bytes:
    """One or two bytes of ``places`` changed: a bit flipped, an odd value, or any."""
    raw = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2))):
        at = chance.choice(places)
        how = chance.random()
        if how < 0.4:
            raw[at] ^= 1 << chance.randrange(8)
        else:
            raw[at] = chance.choice(ODD) if how < 0.7 else chance.randrange(256)
    return bytes(raw)


def _valid(prefix: str) -> Iterator[tuple[dict[str, Any], bytes]]:
    for entry in manifest():
        path = FOLDER / entry["path"]
        if entry["path"].startswith(f"valid/{prefix}") and path.suffix != ".gz":
            yield entry, content_of(path)


def _tensors(items: list[Item]) -> Iterator[Tensor]:
    for item in items:
        if isinstance(item, Composite):
            yield item.head
            yield from _tensors(item.members)
        else:
            yield item


@cache
def tensors() -> list[Tensor]:
    """The first tensors of every valid stream of tensors."""
    return [one for _, data in _valid("tensors") for one in list(_tensors(parse_stream(data)[0] or []))[:3]]


@cache
def descriptors() -> list[bytes]:
    """Every valid descriptor of the corpus, once."""
    alone = {data for entry, data in _valid("") if entry["kind"] == "descriptor"}
    heads = {
        one.descriptor.encode()
        for _, data in _valid("composites")
        for one in _tensors(parse_stream(data)[0] or [])
    }
    return sorted(alone | heads | {one.descriptor.encode() for one in tensors()})


@cache
def files() -> list[bytes]:
    """Every valid file that is small."""
    return [data for _, data in _valid("files") if len(data) < SMALL]


def mutated_descriptors(count: int, seed: int) -> Iterator[bytes]:
    """``count`` changed descriptors."""
    chance = random.Random(seed)
    for _ in range(count):
        data = chance.choice(descriptors())
        yield changed(data, chance, list(range(len(data))))


def mutated_tensors(count: int, seed: int) -> Iterator[Tensor]:
    """``count`` tensors with a buffer changed."""
    chance = random.Random(seed)
    for _ in range(count):
        tensor = chance.choice(tensors())
        buffers = list(tensor.buffers)
        which = [number for number, one in enumerate(buffers) if one]
        if which:
            number = chance.choice(which)
            buffers[number] = changed(buffers[number], chance, list(range(len(buffers[number]))))
        yield Tensor(tensor.descriptor, buffers)


def mutated_files(count: int, seed: int) -> Iterator[bytes]:
    """``count`` changed files; most have the CRC that their index then needs."""
    chance = random.Random(seed)
    for _ in range(count):
        data = chance.choice(files())
        full = [at for at, byte in enumerate(data) if byte]
        raw = changed(data, chance, [*full, *(min(at + 1, len(data) - 1) for at in full)])
        offset, length = struct.unpack("<QQ", raw[-40:-24])
        if chance.random() < 0.8 and offset + length <= len(raw) - 40:
            raw = raw[:-12] + struct.pack("<I", crc32c(raw[offset : offset + length])) + raw[-8:]
        yield raw
