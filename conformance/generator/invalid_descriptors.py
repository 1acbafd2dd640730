"""Descriptors, each with one fault: descriptor.md §8 and, as far as a descriptor shows it, layouts.md §13."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import (
    BlockPaged,
    ColMajor,
    CompositeHead,
    Coo,
    Csc,
    Csf,
    Csr,
    Hilbert,
    Layout,
    Morton,
    Private,
    RowMajor,
    Strided,
    Tiled,
)
from ..reference.quantization import PER_TENSOR, Quantization
from ..reference.sections import DYNAMIC, Extension, Member, Shard, Statistics
from .valid_descriptors import BASE, F32, QUANTIZED
from .vector import Vector

RAW = BASE.encode()
Fault = tuple[str, str, bytes]


def patched(raw: bytes, at: int, new: bytes) -> bytes:
    """``raw`` with ``new`` over what is at ``at``."""
    return raw[:at] + new + raw[at + len(new) :]


def resized(raw: bytes) -> bytes:
    """The same with a descriptor_length that is true."""
    return patched(raw, 6, struct.pack("<I", len(raw)))


def invalid_descriptors() -> Iterator[Vector]:
    """One vector for each fault, its name beginning with the rule."""
    for make in (_header, _layout_faults, _dense, _sparse, _paged, _heads, _buffers, _sections):
        for rule, name, raw in make():
            yield Vector(
                f"descriptors/{rule.lower()}-{name}", "descriptor", raw, name.replace("-", " "), rule
            )


def of(layout: Layout, shape: tuple[int, ...], *sizes: int, tag: int = F32, **fields: object) -> bytes:
    """The bytes of a descriptor over buffers of these sizes."""
    handles = tuple(Handle(size, 64 if size else 1) for size in sizes)
    return replace(Descriptor(tag, shape, layout, handles), **fields).encode()  # type: ignore[arg-type]


def _header() -> Iterator[Fault]:
    yield "D-1", "nothing", b""
    yield "D-1", "nine-bytes", RAW[:9]
    yield "D-1", "last-byte-missing", RAW[:-1]
    yield "D-1", "length-past-the-data", patched(RAW, 6, struct.pack("<I", len(RAW) + 1))
    yield "D-1", "length-at-minor-1", patched(patched(RAW, 5, b"\1"), 6, struct.pack("<I", 80))
    yield "D-1", "field-crosses-length", patched(RAW, 6, struct.pack("<I", len(RAW) - 1))
    yield "D-1", "length-20", patched(RAW, 6, struct.pack("<I", 20))
    yield "D-2", "magic", b"hRRY" + RAW[4:]
    yield "D-2", "magic-of-a-file", b"HRRF" + RAW[4:]
    yield "D-3", "major-2", patched(RAW, 4, b"\2")
    yield "D-3", "major-255", patched(RAW, 4, b"\xff")
    yield "D-4", "major-0", patched(RAW, 4, b"\0")
    yield "D-5", "length-19", patched(RAW, 6, struct.pack("<I", 19))
    yield "D-5", "length-0", patched(RAW, 6, struct.pack("<I", 0))
    for bit in (5, 16, 31):
        yield "D-6", f"flag-bit-{bit}", patched(RAW, 10, struct.pack("<I", 1 << bit))
    yield "D-6", "flag-bit-5-at-minor-1", patched(patched(RAW, 5, b"\1"), 10, struct.pack("<I", 1 << 5))
    for tag in (0x00, 0xFF):
        yield "D-7", f"type-tag-{tag:02x}", patched(RAW, 14, bytes([tag]))
    for tag in (0x05, 0x1F, 0x21, 0x47, 0x4C, 0x52, 0x7F, 0x80, 0xEF):
        yield "D-8", f"type-tag-{tag:02x}", patched(RAW, 14, bytes([tag]))
    yield "D-8", "type-tag-52-at-minor-1", patched(patched(RAW, 5, b"\1"), 14, b"\x52")
    yield "D-9", "private-type-without-section", patched(RAW, 14, b"\xf0")
    yield "D-9", "public-type-with-section", replace(BASE, extension=Extension(32)).encode()
    yield "D-13", "rank-65", of(RowMajor(), (1,) * 65, 4)
    yield "D-13", "rank-most", patched(RAW, 16, b"\xff\xff\xff\xff")
    yield "D-51", "left-over", resized(RAW + b"\0")
    yield "D-51", "three-left-over", resized(RAW + b"\1\2\3")


def _layout_faults() -> Iterator[Fault]:
    for tag in (0x00, 0xFF):
        yield "D-10", f"layout-tag-{tag:02x}", patched(RAW, 15, bytes([tag]))
    for tag in (0x0C, 0x3F, 0x41, 0x7F, 0x80, 0xEF):
        yield "D-11", f"layout-tag-{tag:02x}", patched(RAW, 15, bytes([tag]))
    yield "D-12", "private-layout", of(Private(0xF0, 0x1234, b"opaque"), (3, 4), 48)
    huge = of(Private(0xFE, 1, b"opaque"), (3, 4), 48)
    yield "L-4", "private-layout-data-past-the-end", patched(huge, 52, b"\xff\xff\xff\x7f")
    yield "L-7", "payload-cut", resized(of(Strided((4, 1)), (3, 4), 48)[:50])
    yield "D-14", "scalar-col-major", of(ColMajor(), (), 4)
    yield "D-14", "scalar-strided", of(Strided(()), (), 4)
    yield "D-14", "scalar-tiled", of(Tiled(()), (), 4)
    yield "D-14", "scalar-morton", of(Morton(()), (), 4)
    yield "D-14", "scalar-coo", of(Coo(1), (), 4, 0)
    yield "D-14", "scalar-composite", of(CompositeHead(3, 0), ())
    yield "D-14", "scalar-hilbert", of(Hilbert(1, 2), (), 4)


def _dense() -> Iterator[Fault]:
    yield "D-15", "byte-offset-past-the-buffer", replace(BASE, byte_offset=49).encode()
    yield "L-12", "buffer-too-small", of(RowMajor(), (3, 4), 47)
    yield "L-12", "buffer-too-small-after-offset", replace(BASE, byte_offset=4).encode()
    yield "L-12", "scalar-without-bytes", of(RowMajor(), (), 0)
    yield "L-12", "bits-too-few", of(RowMajor(), (9,), 1, tag=0x20)
    yield "L-12", "six-bit-group-cut", of(RowMajor(), (5,), 4, tag=0x44)
    yield "L-12", "size-past-64-bits", of(RowMajor(), (1 << 63, 1 << 63), 48)
    yield "L-12", "tiled-edge-tile-missing", of(Tiled((2, 4)), (3, 5), 120)
    yield "L-12", "tiled-outer-strides-before-the-buffer", of(Tiled((2,), 3, 1, (-1,)), (4,), 64)
    yield "L-12", "tiled-outer-strides-past-the-end", of(Tiled((2,), 3, 1, (3,)), (4,), 24)
    yield "L-12", "morton-too-small", of(Morton((2, 2)), (3, 3), 60)
    yield "L-12", "hilbert-too-small", of(Hilbert(2, 2), (4, 4), 63)
    yield "L-13", "strided-past-the-end", of(Strided((5, 1)), (3, 4), 48)
    yield "L-13", "strided-before-the-start", of(Strided((-4, 1)), (3, 4), 48)
    yield "L-13", "strided-huge", of(Strided((2**63 - 1, -(2**63))), (3, 4), 48)
    yield "D-17", "tile-dim-0", of(Tiled((2, 0)), (3, 4), 48)
    yield "D-17", "tiled-outer-0", of(Tiled((3, 4), 0), (3, 4), 48)
    yield "D-17", "tiled-outer-4", of(Tiled((3, 4), 4), (3, 4), 48)
    yield "D-17", "tiled-inner-5", of(Tiled((3, 4), 1, 5), (3, 4), 48)
    yield "D-17", "tiled-reserved", of(Tiled((3, 4), reserved=b"\0\1"), (3, 4), 48)
    nested = Tiled((1,))
    for _ in range(8):
        nested = Tiled((1,), 1, 4, nested=nested)
    yield "L-15", "tiled-9-levels", of(nested, (1,), 4)
    yield "L-16", "nested-tile-does-not-divide", of(Tiled((4,), 1, 4, nested=Tiled((3,))), (4,), 64)
    yield "L-16", "inner-strides-leave-the-tile", of(Tiled((2, 2), 1, 3, (), (1, 3)), (4, 4), 64)
    yield "L-16", "inner-strides-negative", of(Tiled((2,), 1, 3, (), (-1,)), (4,), 64)
    yield "D-18", "morton-bits-0", of(Morton((2, 0)), (4, 1), 64)
    yield "D-19", "morton-dim-past-bits", of(Morton((2, 2)), (4, 5), 128)
    yield "L-19", "morton-bits-past-64", of(Morton((33, 32)), (4, 4), 64)
    yield "L-19", "morton-bits-most", of(Morton((0xFFFF_FFFF,)), (4,), 64)
    yield "L-19", "morton-unequal-bits-too-small", of(Morton((1, 3)), (2, 8), 64)
    yield "D-25", "hilbert-order-0", of(Hilbert(0, 2), (1, 1), 4)
    yield "D-25", "hilbert-rank-1", of(Hilbert(2, 1), (4,), 16)
    yield "D-26", "hilbert-rank-differs", of(Hilbert(2, 3), (4, 4), 64)
    yield "D-26", "hilbert-dim-differs", of(Hilbert(2, 2), (4, 3), 64)
    yield "L-22", "hilbert-66-bits", of(Hilbert(33, 2), (1 << 33, 1 << 33), 64)
    yield "L-22", "hilbert-order-most", of(Hilbert(0xFFFF_FFFF, 2), (4, 4), 64)


def _sparse() -> Iterator[Fault]:
    yield "D-16", "coo-byte-offset", of(Coo(2), (3, 3), 8, 32, byte_offset=4)
    yield "D-16", "csr-byte-offset", of(Csr(2), (3, 3), 8, 16, 32, byte_offset=8)
    yield "D-20", "coo-reserved", of(Coo(2, reserved=b"\0\0\0\0\0\0\1"), (3, 3), 8, 32)
    yield "D-20", "csr-reserved", of(Csr(2, b"\1" + bytes(7)), (3, 3), 8, 16, 32)
    yield "D-20", "csc-reserved", of(Csc(2, b"\1" + bytes(7)), (3, 3), 8, 16, 32)
    csf = (4, 16, 8, 16, 8, 16, 8)
    yield "D-20", "csf-reserved", of(Csf(1, (0, 1, 2), b"\1" + bytes(7)), (2, 2, 2), *csf)
    yield "L-24", "coo-is-sorted-2", of(Coo(2, 2), (3, 3), 8, 32)
    yield "L-25", "csr-rank-1", of(Csr(1), (3,), 4, 8, 32)
    yield "L-25", "csc-rank-3", of(Csc(1), (3, 3, 3), 4, 8, 32)
    yield "L-26", "csf-rank-2", of(Csf(1, (0, 1)), (2, 2), 4, 16, 8, 16, 8)
    yield "D-22", "mode-order-twice", of(Csf(1, (0, 1, 1)), (2, 2, 2), *csf)
    yield "D-22", "mode-order-past-rank", of(Csf(1, (0, 1, 3)), (2, 2, 2), *csf)
    yield "L-29", "coo-values-too-long", of(Coo(2), (3, 3), 12, 32)
    yield "L-29", "coo-indices-too-short", of(Coo(2), (3, 3), 8, 24)
    yield "L-29", "coo-nnz-past-64-bits", of(Coo((1 << 64) - 1), (3, 3), 8, 32)
    yield "L-29", "csr-pointers-too-short", of(Csr(2), (3, 3), 8, 16, 24)
    yield "L-29", "csc-pointers-by-rows", of(Csc(2), (3, 4), 8, 16, 32)
    yield "L-29", "csf-leaves-differ", of(Csf(2, (0, 1, 2)), (2, 2, 2), 8, 16, 8, 16, 8, 16, 8)
    yield "L-30", "statistics-nnz-differs", of(Coo(2), (3, 3), 8, 32, statistics=Statistics(1, nnz=3))
    yield "L-28", "csf-shard", of(Csf(1, (0, 1, 2)), (2, 2, 2), *csf, shard=Shard((2, 2, 2), (0, 0, 0)))


def _paged() -> Iterator[Fault]:
    sizes = (64, 4, 8)

    def paged(shape: tuple[int, ...] = (2, 2, 2), **fields: int | bytes) -> bytes:
        return of(replace(BlockPaged(2, 2), **fields), shape, *sizes)  # type: ignore[arg-type]

    yield "D-16", "paged-byte-offset", of(BlockPaged(2, 2), (2, 2, 2), *sizes, byte_offset=4)
    yield "L-34", "paged-rank-2", paged((2, 2))
    yield "D-24", "page-size-0", paged(page_size=0)
    yield "D-24", "paged-axis-1", paged(paged_axis=1)
    yield "D-23", "kv-role-3", paged(kv_role=3)
    yield "D-23", "index-type-2", paged(index_type=2)
    yield "L-37", "paged-reserved", paged(reserved=b"\0\0\0\0\0\1")
    yield "L-39", "pool-too-small", paged(num_pages=3)
    yield "L-39", "pool-past-64-bits", paged(num_pages=(1 << 64) - 1)
    yield "L-39", "block-table-too-short", paged((6, 2, 2))
    yield "L-29", "coo-dynamic-and-too-long", of(Coo(2), (DYNAMIC, 3), 12, 32)
    yield "L-39", "seq-ptr-too-short", paged(num_seqs=2)
    yield "L-28", "paged-shard", of(BlockPaged(2, 2), (2, 2, 2), *sizes, shard=Shard((2, 2, 2), (0, 0, 0)))


def _heads() -> Iterator[Fault]:
    def head(
        rule: int, count: int = 1, combine: int = 0, reserved: bytes = b"\0\0", **fields: object
    ) -> bytes:
        one = Descriptor(F32, (8, 8), CompositeHead(rule, count, combine, reserved))
        return replace(one, **fields).encode()  # type: ignore[arg-type]

    for rule in (0x00, 0x04, 0xEF, 0xF0, 0xFF):
        yield "L-43", f"rule-{rule:02x}", head(rule)
    yield "L-44", "combine-on-partition", head(1, combine=1)
    yield "L-44", "combine-on-group", head(3, combine=2)
    yield "L-44", "overlay-without-combine", head(2)
    yield "L-44", "overlay-combine-3", head(2, combine=3)
    yield "L-45", "head-reserved", head(1, reserved=b"\1\0")
    yield "L-45", "open-composite", head(3, 0xFFFF_FFFF)
    yield "D-28", "overlay-of-none", head(2, 0, 1)
    yield "L-41", "head-with-buffer", head(3, handles=(Handle(48),))
    yield "L-41", "head-byte-offset", head(3, byte_offset=8)
    yield "L-42", "head-quantized", head(3, quantization=Quantization(PER_TENSOR))
    yield "L-42", "head-with-role", head(3, member=Member(0))
    yield "L-55", "partition-dynamic", of(CompositeHead(1, 1), (DYNAMIC, 8))
    yield "D-29", "no-buffers", of(RowMajor(), (3, 4))
    yield "D-31", "one-buffer-too-many", of(RowMajor(), (3, 4), 48, 48)
    yield "D-31", "csr-two-buffers", of(Csr(2), (3, 3), 8, 16)


def _buffers() -> Iterator[Fault]:
    def handle(**fields: int) -> bytes:
        return replace(BASE, handles=(replace(BASE.handles[0], **fields),)).encode()

    for alignment in (0, 1, 32, 63, 96):
        yield "D-32", f"alignment-{alignment}", handle(alignment=alignment)
    yield "D-32", "empty-alignment-3", of(RowMajor(), (0,), handles=(Handle(0, 3),))
    for device in (0x09, 0xEF, 0xFF):
        yield "D-33", f"device-{device:02x}", handle(device=device)
    for sync in (3, 0xFE, 0xFF):
        yield "D-34", f"sync-{sync}", handle(device=1, sync=sync)
    for sync in (1, 2):
        yield "D-34", f"cpu-sync-{sync}", handle(sync=sync)
    for one in (0x04, 0xEF, 0xFF):
        yield "D-35", f"class-{one:02x}", handle(memory_class=one)
    pairs = ((0, 3), (3, 3), (5, 1), (5, 2), (5, 3), (6, 3), (8, 3), (0xF0, 1), (0xF0, 3), (1, 0xF0))
    for device, one in pairs:
        yield "D-36", f"device-{device:02x}-class-{one:02x}", handle(device=device, memory_class=one)
    yield "D-37", "reserved-byte", handle(reserved=1)
    csr = Descriptor(F32, (3, 3), Csr(2), (Handle(8), Handle(16), Handle(32)))
    first, second, third = csr.handles
    yield (
        "D-38",
        "buffers-on-two-devices",
        replace(csr, handles=(first, second, replace(third, device=1))).encode(),
    )
    on_cuda = [replace(one, device=1) for one in csr.handles]
    on_cuda[1] = replace(on_cuda[1], memory_class=2)
    yield "D-38", "buffers-of-two-classes", replace(csr, handles=tuple(on_cuda)).encode()


def _sections() -> Iterator[Fault]:
    yield "D-44", "shard-past-the-parent", replace(BASE, shard=Shard((3, 4), (0, 1))).encode()
    wraps = Shard((3, 4), ((1 << 64) - 2, 0))
    yield "D-44", "shard-wraps-around", replace(BASE, shard=wraps).encode()
    dynamic = replace(BASE, shape=(DYNAMIC, 4))
    yield "D-45", "shard-of-dynamic", replace(dynamic, shard=Shard((DYNAMIC, 4), (0, 0))).encode()
    yield "D-45", "shard-of-dynamic-parent", replace(BASE, shard=Shard((DYNAMIC, 4), (0, 0))).encode()
    for bit in (6, 31):
        yield "D-47", f"statistics-mask-bit-{bit}", replace(BASE, statistics=Statistics(1 << bit)).encode()
    yield "D-47", "statistics-reserved", replace(BASE, statistics=Statistics(1, reserved=1)).encode()
    yield "D-47", "statistics-tail", replace(BASE, statistics=Statistics(1, tail=1 << 31)).encode()
    bad = {
        "0": (0, 1),
        "3": (3, 1),
        "6": (6, 1),
        "4-factor-1": (4, 1),
        "8-factor-2": (8, 2),
        "16-factor-0": (16, 0),
    }
    for name, (width, factor) in bad.items():
        yield "D-48", f"extension-width-{name}", _private(Extension(width, factor))
    yield "D-48", "extension-reserved", _private(Extension(32, reserved=1))
    yield "D-48", "extension-tail", _private(Extension(32, tail=256))
    yield "D-49", "member-role-2", replace(BASE, member=Member(2)).encode()
    yield "D-49", "member-reserved", replace(BASE, member=Member(0, bytes(14) + b"\1")).encode()
    raw = QUANTIZED.encode()
    yield "D-40", "quantization-past-the-end", patched(raw, 77, struct.pack("<I", 25))
    yield "D-40", "quantization-length-most", patched(raw, 77, b"\xff\xff\xff\xff")


def _private(extension: Extension) -> bytes:
    return replace(BASE, type_tag=0xF0, extension=extension).encode()
