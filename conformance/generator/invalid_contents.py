"""Tensors whose descriptors are good and whose buffers are not: rules about index and parameter data."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import BlockPaged, Coo, Csc, Csf, Csr, Layout
from ..reference.quantization import MXFP, NF4, PER_BLOCK, PER_CHANNEL
from ..reference.stream import encode_item
from ..reference.tensor import Tensor
from ..reference.wire import u32s, u64s
from .invalid_descriptors import Fault
from .invalid_quantization import ASYMMETRIC, GOOD
from .tensors import handles_for
from .vector import Vector

INT8 = 0x10
PAIRS = [[0, 1], [1, 2], [2, 0]]


def invalid_contents() -> Iterator[Vector]:
    """Streams of one tensor each."""
    for make in (_coo, _compressed, _csf, _paged, _parameters):
        for rule, name, raw in make():
            yield Vector(f"contents/{rule.lower()}-{name}", "stream", raw, name.replace("-", " "), rule)


def _tensor(layout: Layout, shape: tuple[int, ...], *arrays: bytes) -> bytes:
    """int8 values 1, 2, 3 … and these index arrays."""
    buffers = [bytes(range(1, getattr(layout, "nnz", 8) + 1)), *arrays]
    return encode_item(Tensor(Descriptor(INT8, shape, layout, handles_for(buffers)), buffers))


def _coo() -> Iterator[Fault]:
    def coo(pairs: Sequence[Sequence[int]], is_sorted: int = 1) -> bytes:
        return _tensor(Coo(len(pairs), is_sorted), (3, 3), u64s(one for pair in pairs for one in pair))

    yield "L-31", "coo-out-of-bounds", coo([*PAIRS, [3, 0]])
    yield "L-31", "coo-far-out-of-bounds", coo([*PAIRS, [(1 << 64) - 1, 0]])
    yield "L-31", "coo-twice-unsorted", coo([[0, 1], [1, 1], [0, 1]], 0)
    yield "L-31", "coo-twice-sorted", coo([[0, 1], [0, 1]])
    yield "L-31", "coo-not-sorted", coo([[1, 2], [0, 1]])


def _compressed() -> Iterator[Fault]:
    bad = {
        "pointers-start-at-1": ([0, 1, 2], [1, 1, 2, 3]),
        "pointers-end-early": ([0, 1, 2], [0, 1, 2, 2]),
        "pointers-end-late": ([0, 1, 2], [0, 1, 2, 4]),
        "pointers-fall": ([0, 1, 2], [0, 2, 1, 3]),
        "pointer-huge": ([0, 1, 2], [0, 1 << 63, 1, 3]),
        "index-out-of-bounds": ([0, 1, 4], [0, 1, 2, 3]),
        "indices-fall": ([2, 1, 0], [0, 2, 3, 3]),
        "index-twice": ([1, 1, 0], [0, 2, 3, 3]),
    }
    for name, (indices, pointers) in bad.items():
        yield "L-32", f"csr-{name}", _tensor(Csr(3), (3, 4), u64s(indices), u64s(pointers))
        yield "L-32", f"csc-{name}", _tensor(Csc(3), (4, 3), u64s(indices), u64s(pointers))
    longer = _tensor(Csr(3), (3, 4), u64s([0, 1, 2]), u64s([0, 1, 2, 3, 3]))
    yield "L-29", "csr-one-pointer-more", longer


def _csf() -> Iterator[Fault]:
    good = [[0, 1], [1], [0, 2], [0, 1], [0, 1, 3], [1, 0, 1]]
    bad = {
        "pos-starts-at-1": (2, [1, 2]),
        "pos-ends-early": (4, [0, 1, 2]),
        "pos-falls": (4, [0, 4, 3]),
        "siblings-twice": (5, [1, 1, 1]),
        "siblings-fall": (3, [1, 0]),
        "crd-out-of-bounds": (5, [1, 0, 2]),
    }
    for name, (which, array) in bad.items():
        arrays = [array if number == which else one for number, one in enumerate(good)]
        yield "L-33", f"csf-{name}", _tensor(Csf(3, (0, 1, 2)), (2, 2, 2), *map(u64s, arrays))
    # n_L = byte_size(crd_L) / 8: a node of level 1 that no pointer reaches, and for which pos_2 has no entry.
    longer = [*good[:3], [0, 1, 1], *good[4:]]
    yield (
        "L-29",
        "csf-crd-longer-than-its-pointers",
        _tensor(Csf(3, (0, 1, 2)), (2, 2, 2), *map(u64s, longer)),
    )


def _paged() -> Iterator[Fault]:
    bad = {
        "seq-ptr-starts-at-1": ([1, 0], [1, 1, 2]),
        "seq-ptr-falls": ([1, 0], [0, 3, 2]),
        "seq-ptr-past-the-table": ([1, 0], [0, 1, 3]),
        "seq-ptr-before-the-end": ([1, 0], [0, 1, 1]),
        "page-out-of-bounds": ([1, 2], [0, 1, 2]),
    }
    for name, (table, pointers) in bad.items():
        layout = BlockPaged(2, 2, num_seqs=2)
        yield "L-38", f"paged-{name}", _tensor(layout, (4, 1, 2), u32s(*table), u32s(*pointers))


def _parameters() -> Iterator[Fault]:
    def over(descriptor: Descriptor, *parameters: bytes) -> bytes:
        buffers = [bytes(descriptor.handles[0].byte_size), *parameters]
        handles = tuple(Handle(len(one)) for one in buffers)
        return encode_item(Tensor(replace(descriptor, handles=handles), buffers))

    def floats(bits: int, count: int) -> bytes:
        return struct.pack(f"<{count}I", *[0x3F800000] * (count - 1), bits)

    odd = {"nan": 0x7FC00000, "inf": 0x7F800000, "0": 0, "minus-0": 0x80000000}
    for name, bits in odd.items():
        yield "Q-27", f"per-channel-scale-{name}", over(GOOD[PER_CHANNEL], floats(bits, 16))
        yield "Q-27", f"per-block-scale-{name}", over(GOOD[PER_BLOCK], floats(bits, 4))
    for name, bits in {"nan": 0x7FC00000, "inf": 0x7F800000, "negative": 0xBF800000}.items():
        yield "Q-27", f"nf4-scale-{name}", over(GOOD[NF4], floats(bits, 4))
    for value in (128, -129, 2**31 - 1):
        zeros = struct.pack("<16i", *[0] * 15, value)
        yield "Q-28", f"per-channel-zero-point-{value}", over(ASYMMETRIC, floats(0x3F800000, 16), zeros)
    for byte in (0x00, 0xFF):
        buffers = [bytes([0x7F, byte, 0x01])]
        made = Tensor(Descriptor(0x42, (3,), handles=handles_for(buffers)), buffers)
        yield "Q-29", f"e8m0-element-{byte:02x}", encode_item(made)
    yield "Q-29", "mxfp-scale-00", over(GOOD[MXFP], b"\x7f\x00")
    yield "Q-29", "mxfp-scale-ff", over(GOOD[MXFP], b"\xff\x7f")
