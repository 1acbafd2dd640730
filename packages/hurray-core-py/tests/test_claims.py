"""Claims of 2^63 in every size, count and offset of a file: refused, and nothing allocated by them (PEERS, claims)."""

from __future__ import annotations

import collections
import sys
from collections.abc import Iterator
from struct import pack
from typing import Any

import core_files as craft
import pytest
from core_files import (
    FLOAT32,
    INT8,
    QUANTIZATION,
    SHARD,
    Crafted,
    Put,
    descriptor,
    handle,
    kv_entry,
    kv_section,
)
from core_memory import run

HUGE = (2**63, 2**64 - 1, 2**64 - 8, 2**63 - 1, 2**62, 2**48, 2**40, 2**32, 2**32 - 1, 2**31)
ROOM = 256 << 20

GOOD = descriptor(INT8, shape=(3,), sizes=(3,))
BASE = Crafted(
    (Put(b"a", GOOD, (b"\1\2\3",)), Put(b"w", GOOD, (b"\4\5\6",))), kv=kv_section(kv_entry(b"k", 5, b"\1"))
)


def narrow(value: int, bits: int) -> int:
    """As much of a claim as a field holds."""
    return int(min(value, 2**bits - 1))


def of_the_container(value: int) -> Iterator[tuple[str, bytes]]:
    """Header, trailer and index."""
    for field in ("hint", "first", "count", "index_offset", "index_length", "kv_offset"):
        yield field, BASE.but(**{field: value}).build()
    for field in ("alignment", "kv_length"):
        yield field, BASE.but(**{field: narrow(value, 32)}).build()
    yield (
        "everything",
        BASE.but(
            count=value, index_length=value, kv_offset=value, kv_length=narrow(value, 32), first=value
        ).build(),
    )
    for field in ("descriptor_offset", "data_offset", "data_length"):
        claim = {field: value}
        yield field, Crafted((Put(b"w", GOOD, (b"\1\2\3",), **claim),)).build()
    entry = Put(b"w", GOOD, (b"\1\2\3",), descriptor_length=narrow(value, 32), name_length=narrow(value, 16))
    yield "name_length", Crafted((entry,)).build()
    yield (
        "descriptor_length",
        Crafted((Put(b"w", GOOD, (b"\1",), descriptor_length=narrow(value, 32)),)).build(),
    )
    yield (
        "data offset and length",
        Crafted((Put(b"w", GOOD, (b"\1",), data_offset=2**64 - value % 2**64, data_length=value),)).build(),
    )


def of_the_metadata(value: int) -> Iterator[tuple[str, bytes]]:
    """The KV section."""
    four = pack("<I", narrow(value, 32))
    yield "kv_count", Crafted(kv=kv_section(kv_entry(b"k", 5, b"\1"), count=narrow(value, 32))).build()
    yield "kv_count alone", Crafted(kv=kv_section(count=narrow(value, 32))).build()
    yield "key_length", Crafted(kv=pack("<IH", 1, narrow(value, 16)) + b"k\5\1").build()
    for tag in (1, 6):
        yield f"length of {tag}", Crafted(kv=kv_section(kv_entry(b"k", tag, four + b"x"))).build()
    for tag in range(1, 7):
        section = kv_section(kv_entry(b"k", 7, bytes([tag]) + four + bytes(8)))
        yield f"array of {tag}", Crafted(kv=section).build()
        yield (
            f"element of {tag}",
            Crafted(kv=kv_section(kv_entry(b"k", 7, bytes([tag]) + pack("<I", 1) + four))).build(),
        )


def of_the_descriptor(value: int) -> Iterator[tuple[str, bytes]]:
    """Shape, strides, offsets, buffer sizes and counts."""
    signed = value - 2**64 if value >= 2**63 else value
    four = narrow(value, 32)
    blobs = {
        "length": descriptor(length=four),
        "rank": descriptor(rank=four),
        "shape": descriptor(INT8, shape=(value,), sizes=(3,)),
        "shape of 1 bit": descriptor(craft.BOOL, shape=(value,), sizes=(3,)),
        "shape of 6 bits": descriptor(0x44, shape=(value,), sizes=(3,)),
        "shape of 128 bits": descriptor(0x46, shape=(value,), sizes=(3,)),
        "shapes": descriptor(INT8, shape=(value,) * 64, sizes=(3,)),
        "shape beside 0": descriptor(INT8, shape=(value, 0, value), sizes=(0,)),
        "byte_offset": descriptor(INT8, shape=(3,), sizes=(3,), byte_offset=value),
        "byte_size": descriptor(INT8, shape=(3,), sizes=(value,)),
        "byte_size and shape": descriptor(INT8, shape=(value,), sizes=(value,)),
        "alignment": descriptor(INT8, shape=(3,), sizes=(3,), handles=handle(3, alignment=four)),
        "buffers": descriptor(INT8, shape=(3,), sizes=(3,), count=narrow(value, 8)),
        "stride": descriptor(INT8, 3, (3,), (3,), payload=pack("<q", signed)),
        "strides": descriptor(INT8, 3, (value, value), (3,), payload=pack("<qq", signed, -1)),
        "tile": descriptor(INT8, 4, (3,), (3,), payload=pack("<QBBH", value or 1, 1, 1, 0)),
        "tiles": descriptor(INT8, 4, (value,), (3,), payload=pack("<QBBHq", 1, 3, 1, 0, signed)),
        "morton": descriptor(INT8, 5, (3,), (3,), payload=pack("<I", four)),
        "morton shape": descriptor(INT8, 5, (value, value), (3,), payload=pack("<II", four, 1)),
        "hilbert": descriptor(INT8, 0x40, (2, 2), (4,), payload=pack("<II", four, 2)),
        "hilbert rank": descriptor(INT8, 0x40, (2, 2), (4,), payload=pack("<II", 1, four)),
        "coo": descriptor(INT8, 6, (3,), (3, 3), payload=pack("<QQ", value, 0)),
        "csr": descriptor(INT8, 7, (value, 3), (3, 3, 3), payload=pack("<QQ", value, 0)),
        "csc": descriptor(INT8, 8, (3, value), (3, 3, 16), payload=pack("<QQ", 0, 0)),
        "csf": descriptor(INT8, 9, (3, 3, 3), (3,) * 7, payload=pack("<QIIIQ", value, 0, 1, 2, 0)),
        "pages": descriptor(
            INT8, 10, (4, 1, 1), (4, 4, 8), payload=pack("<IQIIBIB6x", 1, value, 0, 1, 0, 0, 0)
        ),
        "page": descriptor(
            INT8, 10, (4, 1, 1), (4, 4, 8), payload=pack("<IQIIBIB6x", four, value, 0, four, 0, 0, 1)
        ),
        "shard": descriptor(INT8, shape=(3,), sizes=(3,), sections=pack("<QQ", value, value), flags=SHARD),
        "block": descriptor(
            INT8,
            shape=(value,),
            sizes=(3, 3),
            sections=pack("<I", 24) + pack("<BBHIIIIB3x", 3, 1, 1, 0, four, 1, 0xFFFFFFFF, 1),
            flags=QUANTIZATION,
        ),
        "section": descriptor(INT8, shape=(3,), sizes=(3,), sections=pack("<I", four), flags=QUANTIZATION),
        "private": descriptor(INT8, 0xF0, (3,), (3,), payload=pack("<QI", 1, four)),
        "members": descriptor(FLOAT32, 11, (3,), (), payload=pack("<BBHI", 1, 0, 0, narrow(value, 32) - 1)),
    }
    for name, blob in blobs.items():
        count = {"coo": 2, "csr": 3, "csc": 3, "csf": 7, "pages": 3, "page": 3, "block": 2, "members": 0}.get(
            name, 1
        )
        yield name, craft.single(blob, *[b"\0\0\0"] * count)
    yield (
        "data_length alike",
        Crafted(
            (Put(b"w", descriptor(INT8, shape=(3,), sizes=(value,)), (b"\1",), data_length=value),)
        ).build(),
    )


def variants() -> Iterator[tuple[str, bytes]]:
    """Every field with every claim."""
    for value in HUGE:
        for part in (of_the_container, of_the_metadata, of_the_descriptor):
            for name, data in part(value):
                yield f"{name} = {value}", data


def probe(data: bytes, folder: str) -> str:
    """How every door takes a file; the name of the exception of load, or "loads"."""
    import hurray

    path = f"{folder}/claim.hrry"
    with open(path, "wb") as file:
        file.write(data)
    outcome = "loads"
    doors: tuple[Any, ...] = (
        lambda: hurray.load_kv(data),
        lambda: hurray.verify(path),
        lambda: hurray.verify(data),
        lambda: opened(data),
        lambda: opened(path),
        lambda: hurray.Descriptor.decode(data[64:]),
        lambda: hurray.load(path, io="read"),
        lambda: hurray.load(data),
        lambda: [tensor.buffer_handles and tensor.size for tensor in hurray.load(path).values()],
    )
    for door in doors:
        outcome = "loads"
        try:
            door()
        except (
            hurray.FileError,
            hurray.InvalidDescriptorError,
            hurray.BufferError,
            hurray.UnsupportedError,
        ) as error:
            outcome = type(error).__name__
    return outcome


def opened(file: Any) -> None:
    """Every method of an open file."""
    import hurray

    with hurray.open(file) as one:
        for name in one:
            one.entry(name)
            one.descriptor_bytes(name)
            for method in (one.descriptor, one.is_composite, one.get):
                try:
                    method(name)
                except (OSError, ValueError, NotImplementedError):
                    continue


def main(folder: str) -> None:
    """Probe all variants in the memory that is left; print what came of them."""
    import faulthandler

    import hurray
    from core_memory import limit_memory, resident

    faulthandler.enable()
    hurray.load(BASE.build())
    probe(BASE.build(), folder)
    made = list(variants())
    before = resident()
    limit_memory(ROOM)
    count = collections.Counter(probe(data, folder) for _, data in made)
    grown = resident("VmHWM") - before
    print(len(made), grown >> 20, *sorted(f"{name}={number}" for name, number in count.items()))


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc are Linux's")
def test_claims_allocate_nothing(tmp_path: Any) -> None:
    """Sizes, counts and offsets of 2^63: an error, never a panic, a crash, or memory beyond what the file holds."""
    code = "import sys, test_claims; test_claims.main(sys.argv[1])"
    words = run(code, tmp_path, timeout=100).split()
    total, grown = int(words[0]), int(words[1])
    outcomes = {name: int(number) for name, number in (word.split("=") for word in words[2:])}
    assert total == sum(outcomes.values()) > 500
    assert grown < 32, f"{grown} MiB"
    # The claims that a file may make: a hint, a large alignment in memory, an extent beside a 0, a private layout.
    assert outcomes.pop("loads") < total / 8
    assert set(outcomes) == {"FileError", "InvalidDescriptorError", "BufferError"}
    assert min(outcomes.values()) > 20


def test_the_base_is_good() -> None:
    """What the variants change was right before."""
    import hurray

    assert hurray.verify(BASE.build()) == []
    assert hurray.load(BASE.build())["w"].tolist() == [4, 5, 6]
    assert hurray.load_kv(BASE.build()) == {"k": True}
