"""Bare streams of stream.md: valid ones beside the tensors, and one for each broken rule of §12."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import BlockPaged
from ..reference.sections import DYNAMIC
from ..reference.stream import encode_item, encode_stream
from ..reference.tensor import Tensor
from .composites import dense, invalid_composites, nest, valid_composites
from .invalid_descriptors import Fault, patched
from .valid_descriptors import BASE
from .vector import Vector

ONE = dense([1, 2, 3], (3,), "int8")
RAW = encode_item(ONE)
HEAD = len(ONE.descriptor.encode())


def valid_streams() -> Iterator[Vector]:
    """No tensor, some, and composites."""
    three = [dense([1, 2, 3, 4, 5, 6], (2, 3)), ONE, dense([], (0, 4))]
    yield Vector("streams/empty", "stream", b"", "no tensor")
    yield Vector("streams/three-tensors", "stream", encode_stream([*three]), "stream.md §14")
    event = Tensor(replace(ONE.descriptor, handles=(Handle(3, device=1, sync=1),)), ONE.buffers)
    yield Vector(
        "streams/event-on-one-machine", "stream", encode_item(event), "sync_mode 1 inside one machine"
    )
    for name, items in valid_composites().items():
        yield Vector(f"composites/{name}", "stream", encode_stream(items), name.replace("-", " "))


def invalid_streams() -> Iterator[Vector]:
    """One vector for each fault, its name beginning with the rule."""
    for rule, name, raw in (*_framing(), *_claims()):
        yield Vector(f"streams/{rule.lower()}-{name}", "stream", raw, name.replace("-", " "), rule)
    event = replace(ONE.descriptor, handles=(Handle(3, device=1, sync=1),)).encode() + b"\1\2\3"
    options = {"cross_machine": True}
    yield Vector(
        "streams/s-11-event-over-a-network", "stream", event, "sync mode over a network", "S-11", options
    )
    for rule, name, item in invalid_composites():
        raw = encode_item(item)
        yield Vector(f"composites/{rule.lower()}-{name}", "stream", raw, name.replace("-", " "), rule)


def _framing() -> Iterator[Fault]:
    yield "S-1", "one-byte", RAW[:1]
    yield "S-1", "nine-bytes", RAW[:9]
    yield "S-1", "descriptor-cut", RAW[: HEAD - 1]
    yield "S-1", "no-buffer", RAW[:HEAD]
    yield "S-1", "buffer-cut", RAW[:-1]
    yield "S-1", "second-tensor-cut", RAW + RAW[:20]
    yield "S-2", "magic", b"NOPE" + RAW[4:]
    yield "S-3", "a-file", b"HRRYFILE" + bytes(104)
    yield "S-3", "major-2", patched(RAW, 4, b"\2")
    yield "S-3", "major-0", patched(RAW, 4, b"\0")
    yield "S-4", "length-19", patched(RAW, 6, struct.pack("<I", 19))
    yield "S-5", "length-most", patched(RAW, 6, b"\xff\xff\xff\xff")
    yield "S-5", "length-most-in-ten-bytes", patched(RAW, 6, b"\xff\xff\xff\xff")[:10]
    yield "S-6", "reserved-flag", patched(RAW, 10, b"\x20")
    yield "S-12", "padding-after", RAW + bytes(8) + RAW
    yield "S-12", "text-after", RAW + b"HRRF\1\0 and so on"
    torn = encode_item(nest(1))[:45]
    yield "S-13", "head-alone", torn
    yield "S-15", "nine-heads", encode_item(nest(9))


def _claims() -> Iterator[Fault]:
    for power in (41, 62, 63):
        claim = replace(BASE, handles=(Handle(1 << power),)).encode()
        yield "S-7", f"buffer-of-2-{power}-bytes", claim + bytes(48)
    two = replace(BASE, handles=(Handle((1 << 64) - 1), Handle((1 << 64) - 1))).encode()
    yield "S-9", "too-many-buffers", two
    yield "S-8", "buffers-past-64-bits", _past_64_bits()
    yield "S-9", "too-few-bytes", replace(BASE, handles=(Handle(40),)).encode() + bytes(40)
    dynamic = replace(BASE, shape=(DYNAMIC, 4)).encode() + bytes(48)
    yield "S-10", "dynamic-with-data", dynamic
    many = encode_item(nest(1))
    yield "S-16", "member-count-most", patched(many, 40, struct.pack("<I", 0xFFFF_FFFE))


def _past_64_bits() -> bytes:
    """A paged pool and a table, each of 2^63 bytes, which a layout allows."""
    handles = (Handle(1 << 63), Handle(1 << 63), Handle(8))
    return Descriptor(0x10, (1, 1, 1), BlockPaged(1, 1), handles).encode() + bytes(64)
