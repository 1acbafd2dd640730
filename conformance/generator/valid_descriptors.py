"""Descriptors alone: devices, versions, dynamic dims, heads and members, and what readers must tolerate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..reference.buffers import CLASSES, Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import BlockPaged, CompositeHead, Coo, Hilbert, RowMajor, Strided, Tiled
from ..reference.layouts.composite import ADD, GROUP, OVERLAY, PARTITION, REPLACE
from ..reference.quantization import PER_BLOCK, SYMMETRIC, Quantization
from ..reference.sections import DYNAMIC, Extension, Member, Shard, Statistics
from .vector import Vector

F32, INT4 = 0x03, 0x48
DEVICES = ["cpu", "cuda", "rocm", "metal", "vulkan", "webgpu", "hexagon", "level_zero", "opencl"]
MEMORY = ["standard", "host_pinned", "unified", "peer"]
BASE = Descriptor(F32, (3, 4), handles=(Handle(48),))
QUANTIZED = Descriptor(
    INT4,
    (128, 128),
    handles=(Handle(8192), Handle(256)),
    quantization=Quantization(PER_BLOCK, 1, 128, 1, scale_type=1, flags=SYMMETRIC),
)


def valid_descriptors() -> Iterator[Vector]:
    """All of them."""
    made = {**_devices(), **_shapes(), **_versions(), **_composites(), **_sections()}
    for name, (descriptor, about) in made.items():
        yield Vector(f"descriptors/{name}", "descriptor", descriptor.encode(), about)
    yield Vector(
        "descriptors/bytes-after", "descriptor", BASE.encode() + b"\0HRRY", "what follows is not part of it"
    )


Made = dict[str, tuple[Descriptor, str]]


def _handle(**fields: int) -> Descriptor:
    return replace(BASE, handles=(replace(BASE.handles[0], **fields),))


def _devices() -> Made:
    """Every valid pair of buffers.md §4, every sync mode, alignments."""
    made: Made = {}
    for device, classes in CLASSES.items():
        for one in map(int, classes):
            name = f"device-{DEVICES[device]}-{MEMORY[one]}"
            made[name] = (_handle(device=device, memory_class=one), "a pair of buffers.md §4")
    made["device-private"] = (_handle(device=0xF0), "a private device")
    made["device-private-class"] = (
        _handle(device=0xFE, memory_class=0xF0),
        "a private class on a private device",
    )
    made["sync-event"] = (_handle(device=1, sync=1), "an event on CUDA")
    made["sync-consumer-stream"] = (_handle(device=2, sync=2), "a consumer's stream on ROCm")
    for power in (12, 16, 31):
        made[f"alignment-2-{power}"] = (_handle(alignment=1 << power), "a larger alignment")
    empty = replace(BASE, shape=(0, 4))
    made["empty-alignment-1"] = (replace(empty, handles=(Handle(0, 1),)), "an empty buffer aligned to 1")
    made["empty-alignment-4096"] = (
        replace(empty, handles=(Handle(0, 4096),)),
        "an empty buffer aligned to 4096",
    )
    made["empty-with-bytes"] = (replace(empty, handles=(Handle(64),)), "more bytes than needed")
    return made


def _shapes() -> Made:
    made: Made = {
        "rank-64": (replace(BASE, shape=(1,) * 64, handles=(Handle(4),)), "the highest rank"),
        "dynamic": (replace(BASE, shape=(DYNAMIC, 4), handles=(Handle(0, 1),)), "a dynamic dim"),
        "dynamic-all": (replace(BASE, shape=(DYNAMIC,) * 3, handles=(Handle(64),)), "dynamic dims only"),
        "dynamic-strided": (
            Descriptor(F32, (DYNAMIC, 4), Strided((4, 1)), (Handle(0, 1),)),
            "a dynamic dim with strides",
        ),
        "dynamic-coo": (
            Descriptor(F32, (DYNAMIC, 4), Coo(0), (Handle(0, 1), Handle(0, 1))),
            "a dynamic dim of a sparse tensor",
        ),
        "dynamic-quantized-elsewhere": (
            replace(QUANTIZED, shape=(DYNAMIC, 128)),
            "per-block along a static axis beside a dynamic one",
        ),
        "empty-beside-huge": (
            replace(BASE, shape=(1 << 63, 1 << 63, 0), handles=(Handle(0, 1),)),
            "0 elements, whatever the other dims are",
        ),
        "byte-offset": (replace(BASE, byte_offset=16, handles=(Handle(64),)), "data after 16 bytes"),
        "byte-offset-at-end": (
            replace(BASE, shape=(0,), byte_offset=64, handles=(Handle(64),)),
            "an empty tensor at the end of its buffer",
        ),
        "larger-buffer": (replace(BASE, handles=(Handle(192),)), "descriptor.md §11.12"),
        "hilbert-64-bits-empty-buffer": (
            Descriptor(0x11, (1 << 16,) * 3, Hilbert(16, 3), (Handle(1 << 48),)),
            "48 bits of Hilbert index",
        ),
    }
    nested = Tiled((1,))
    for _ in range(7):
        nested = Tiled((1,), 1, 4, nested=nested)
    made["tiled-8-levels"] = (Descriptor(F32, (1,), nested, (Handle(4),)), "the deepest nesting")
    for role in range(3):
        paged = BlockPaged(4, 5, num_seqs=2, kv_role=role, layer_index=role, index_type=role % 2)
        width = 8 if role % 2 else 4
        handles = (Handle(640), Handle(3 * width), Handle(3 * width))
        made[f"paged-role-{role}"] = (Descriptor(0x01, (9, 2, 8), paged, handles), "a role of the KV cache")
    return made


def _versions() -> Made:
    one = replace(BASE, version=(1, 1))
    quantization = QUANTIZED.quantization
    if quantization is None:
        raise ValueError("not quantized")
    return {
        "minor-1": (one, "a newer minor, nothing new in it"),
        "minor-255": (replace(BASE, version=(1, 255)), "the newest minor"),
        "minor-1-surplus": (replace(one, surplus=b"\1\2\3"), "a newer minor with trailing bytes"),
        "quantization-surplus": (
            replace(QUANTIZED, quantization=replace(quantization, surplus=b"\5\6\7\xff")),
            "quantization_length larger than the scheme",
        ),
    }


def _composites() -> Made:
    def head(rule: int, count: int, combine: int = 0) -> Descriptor:
        return Descriptor(F32, (8, 8), CompositeHead(rule, count, combine))

    shard = Shard((8, 8), (0, 4))
    member = Descriptor(F32, (8, 4), handles=(Handle(128),), shard=shard)
    base = Descriptor(F32, (8, 8), handles=(Handle(256),), shard=Shard((8, 8), (0, 0)), member=Member(1))
    return {
        "head-partition": (head(PARTITION, 2), "a partition"),
        "head-overlay-replace": (head(OVERLAY, 2, REPLACE), "an overlay that replaces"),
        "head-overlay-add": (head(OVERLAY, 2, ADD), "an overlay that adds"),
        "head-group": (head(GROUP, 3), "a group"),
        "head-group-of-none": (head(GROUP, 0), "a group of no members"),
        "head-group-of-most": (head(GROUP, 0xFFFF_FFFE), "the largest member count"),
        "head-group-dynamic": (replace(head(GROUP, 1), shape=(DYNAMIC,)), "a group's shape is advisory"),
        "head-nested": (replace(head(PARTITION, 2), shape=(8, 4), shard=shard), "a head that is a member"),
        "member-of-partition": (member, "a box of its parent"),
        "member-base": (base, "the base of an overlay"),
        "member-correction": (replace(member, member=Member(0)), "a correction of an overlay"),
    }


def _sections() -> Made:
    top = (1 << 64) - 2
    clear = Statistics(
        0, nnz=99, sparsity_ratio=math.nan, value_stddev=-1.0, nm_n=9, nm_m=2, has_nan=2, has_inf=255
    )
    made: Made = {
        "shard-at-the-end": (
            replace(BASE, shard=Shard((top, 4), (top - 3, 0))),
            "a box that ends where 64 bits nearly do",
        ),
        "shard-empty": (replace(BASE, shape=(0, 4), shard=Shard((3, 4), (3, 0))), "an empty box at the edge"),
        "statistics-clear": (
            replace(BASE, statistics=clear),
            "fields whose mask bit is clear are unknown, whatever they say",
        ),
        "statistics-odd": (
            replace(BASE, statistics=replace(clear, mask=0b111110)),
            "fields that only a writer must keep in bounds",
        ),
        "everything": (
            replace(
                QUANTIZED,
                shard=Shard((256, 128), (128, 0)),
                statistics=Statistics(1, nnz=5),
                member=Member(0),
            ),
            "all sections that a public type may have",
        ),
    }
    for width in (1, 2, 4, 8, 16, 24, 128):
        extension = Extension(width, packing_factor=max(8 // width, 1))
        handle = Handle(-(-3 * width // 8))
        made[f"private-type-{width}-bits"] = (
            Descriptor(0xF1, (3,), RowMajor(), (handle,), extension=extension),
            "a private type",
        )
    return made
