"""Quantized descriptors, each with one fault: the rules of quantization.md §9."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from ..reference.buffers import Handle
from ..reference.descriptor import Descriptor
from ..reference.layouts import BlockPaged, Csr
from ..reference.quantization import (
    MXFP,
    NF4,
    NONE,
    PER_BLOCK,
    PER_CHANNEL,
    PER_TENSOR,
    SYMMETRIC,
    Quantization,
)
from ..reference.sections import DYNAMIC
from .invalid_descriptors import Fault
from .vector import Vector

INT8, UINT4, E2M1 = 0x10, 0x49, 0x43
TENSOR = Quantization(PER_TENSOR, scale=0.5)
CHANNEL = Quantization(PER_CHANNEL, 1, 0, 1, flags=SYMMETRIC)
BLOCK = Quantization(PER_BLOCK, 1, 8, 1, flags=SYMMETRIC)
NORMAL = Quantization(NF4, 1, 8, 1)
MICRO = Quantization(MXFP, 1, 16, 1)
SHAPE = (2, 16)
# The descriptor of each scheme over [2, 16] without a fault.
GOOD = {
    PER_TENSOR: Descriptor(INT8, SHAPE, handles=(Handle(32),), quantization=TENSOR),
    PER_CHANNEL: Descriptor(INT8, SHAPE, handles=(Handle(32), Handle(64)), quantization=CHANNEL),
    PER_BLOCK: Descriptor(INT8, SHAPE, handles=(Handle(32), Handle(16)), quantization=BLOCK),
    NF4: Descriptor(UINT4, SHAPE, handles=(Handle(16), Handle(16)), quantization=NORMAL),
    MXFP: Descriptor(E2M1, SHAPE, handles=(Handle(16), Handle(2)), quantization=MICRO),
}
ASYMMETRIC = replace(
    GOOD[PER_CHANNEL],
    handles=(Handle(32), Handle(64), Handle(64)),
    quantization=replace(CHANNEL, flags=0, zero_index=2),
)


def invalid_quantization() -> Iterator[Vector]:
    """One vector for each fault, its name beginning with the rule."""
    for make in (_section, _fields, _places, _blocks, _with_layouts):
        for rule, name, raw in make():
            yield Vector(
                f"quantization/{rule.lower()}-{name}", "descriptor", raw, name.replace("-", " "), rule
            )


def of(scheme: int, **fields: object) -> Descriptor:
    """The good descriptor of a scheme, some fields of the scheme changed."""
    one = GOOD[scheme].quantization
    return replace(GOOD[scheme], quantization=replace(one, **fields) if one else None)  # type: ignore[arg-type]


def raw(section: bytes, scheme: int = PER_TENSOR) -> bytes:
    """The good descriptor of a scheme over another section."""
    return replace(GOOD[scheme], quantization=Quantization(0, raw=section)).encode()


def _section() -> Iterator[Fault]:
    good = TENSOR.encode()
    yield "Q-1", "empty-section", raw(b"")
    yield "Q-1", "three-bytes", raw(good[:3])
    for scheme, descriptor in GOOD.items():
        one = descriptor.quantization
        if one is not None:
            yield "Q-1", f"scheme-{scheme}-cut", raw(one.encode()[:-1], scheme)
    for tag in (0x00, 0xFF):
        yield "Q-2", f"scheme-{tag:02x}", raw(bytes([tag]) + good[1:])
    for tag in (0x06, 0x3F, 0x40, 0x60, 0x80, 0xF0):
        yield "Q-3", f"scheme-{tag:02x}", raw(bytes([tag]) + good[1:])
    for scheme in GOOD:
        yield "Q-4", f"scheme-{scheme}-version-2", of(scheme, version=2).encode()
    yield "Q-5", "version-0", of(PER_TENSOR, version=0).encode()
    yield "Q-6", "per-tensor-flag", of(PER_TENSOR, flags=1).encode()
    yield "Q-6", "per-channel-flag-1", of(PER_CHANNEL, flags=SYMMETRIC | 2).encode()
    yield "Q-6", "per-block-flag-15", of(PER_BLOCK, flags=SYMMETRIC | 1 << 15).encode()
    yield "Q-6", "nf4-flag", of(NF4, flags=1).encode()
    yield "Q-6", "mxfp-flag", of(MXFP, flags=1).encode()


def _fields() -> Iterator[Fault]:
    wrong = {PER_TENSOR: 0x03, PER_CHANNEL: 0x40, PER_BLOCK: 0x12, NF4: 0x48, MXFP: 0x42}
    for scheme, tag in wrong.items():
        size = 32 * {0x03: 32, 0x12: 16, 0x40: 8, 0x48: 4, 0x42: 8}[tag] // 8
        handles = (Handle(size), *GOOD[scheme].handles[1:])
        yield (
            "Q-7",
            f"scheme-{scheme}-storage-{tag:02x}",
            replace(GOOD[scheme], type_tag=tag, handles=handles).encode(),
        )
    for scheme in (PER_CHANNEL, PER_BLOCK, NF4, MXFP):
        yield "Q-8", f"scheme-{scheme}-axis-2", of(scheme, axis=2).encode()
    scalar = replace(
        GOOD[PER_CHANNEL], shape=(), handles=(Handle(1), Handle(4)), quantization=replace(CHANNEL, axis=0)
    )
    yield "Q-8", "scalar-per-channel", scalar.encode()
    for scheme in (PER_CHANNEL, PER_BLOCK, NF4, MXFP):
        yield "Q-9", f"scheme-{scheme}-dynamic-axis", replace(GOOD[scheme], shape=(2, DYNAMIC)).encode()
    for name, scale in {
        "0": 0.0,
        "minus-0": -0.0,
        "nan": math.nan,
        "inf": math.inf,
        "minus-inf": -math.inf,
    }.items():
        yield "Q-10", f"scale-{name}", of(PER_TENSOR, scale=scale).encode()
    for zero in (128, -129, 2**31 - 1):
        yield "Q-11", f"zero-point-{zero}", of(PER_TENSOR, zero_point=zero).encode()
    yield "Q-12", "per-tensor-reserved", of(PER_TENSOR, reserved=1).encode()
    yield "Q-12", "per-channel-reserved", of(PER_CHANNEL, reserved=1 << 16).encode()
    yield "Q-13", "per-block-reserved", of(PER_BLOCK, reserved=1).encode()
    for tag in (0x01, 0x04):
        yield "Q-14", f"per-channel-scale-type-{tag:02x}", of(PER_CHANNEL, scale_type=tag).encode()
    for tag in (0x00, 0x04, 0x42):
        yield "Q-15", f"per-block-scale-type-{tag:02x}", of(PER_BLOCK, scale_type=tag).encode()
    yield "Q-16", "per-channel-symmetric-with-index", of(PER_CHANNEL, zero_index=1).encode()
    yield "Q-16", "per-block-symmetric-with-index", of(PER_BLOCK, zero_index=1).encode()


def _places() -> Iterator[Fault]:
    for scheme in (PER_CHANNEL, PER_BLOCK, NF4, MXFP):
        yield "Q-17", f"scheme-{scheme}-scale-index-2", of(scheme, scale_index=2).encode()
        yield "Q-17", f"scheme-{scheme}-scale-index-none", of(scheme, scale_index=NONE).encode()
        yield "Q-18", f"scheme-{scheme}-scale-index-0", of(scheme, scale_index=0).encode()
    one = ASYMMETRIC.quantization or CHANNEL
    yield (
        "Q-17",
        "zero-point-index-none",
        replace(ASYMMETRIC, quantization=replace(one, zero_index=NONE)).encode(),
    )
    yield "Q-18", "zero-point-index-0", replace(ASYMMETRIC, quantization=replace(one, zero_index=0)).encode()
    csr = Descriptor(INT8, (2, 16), Csr(4), (Handle(4), Handle(32), Handle(24), Handle(64)))
    for index in (1, 2):
        wrong = replace(csr, quantization=replace(CHANNEL, scale_index=index))
        yield "Q-19", f"scale-index-{index}-of-csr", wrong.encode()
    for name, fields in (("device", {"device": 1}), ("class", {"memory_class": 1})):
        handles = (Handle(32), replace(Handle(64), **fields))
        rule = "Q-20" if name == "device" else "Q-21"
        yield rule, f"scales-on-another-{name}", replace(GOOD[PER_CHANNEL], handles=handles).encode()
    for size in (60, 68, 0):
        wrong = replace(GOOD[PER_CHANNEL], handles=(Handle(32), Handle(size)))
        yield "Q-25", f"scales-of-{size}-bytes", wrong.encode()
    short = replace(ASYMMETRIC, handles=(Handle(32), Handle(64), Handle(60)))
    yield "Q-25", "zero-points-of-60-bytes", short.encode()
    yield "Q-25", "mxfp-scales-of-3-bytes", replace(GOOD[MXFP], handles=(Handle(16), Handle(3))).encode()
    yield (
        "Q-33",
        "per-tensor-with-parameter-buffer",
        replace(GOOD[PER_TENSOR], handles=(Handle(32), Handle(4))).encode(),
    )
    more = (Handle(32), Handle(64), Handle(64))
    yield "Q-33", "symmetric-with-two-parameter-buffers", replace(GOOD[PER_CHANNEL], handles=more).encode()


def _blocks() -> Iterator[Fault]:
    bad = {PER_BLOCK: (0, 1, 3, 12), NF4: (0, 4, 12), MXFP: (0, 8, 24)}
    for scheme, sizes in bad.items():
        for size in sizes:
            yield "Q-22", f"scheme-{scheme}-block-{size}", of(scheme, block_size=size).encode()
    long = replace(of(MXFP, block_size=4096), shape=(1, 4096), handles=(Handle(2048), Handle(1)))
    yield "Q-22", "mxfp-block-4096", long.encode()
    yield (
        "Q-23",
        "per-block-block-32-of-16",
        replace(of(PER_BLOCK, block_size=32), handles=(Handle(32), Handle(8))).encode(),
    )
    yield (
        "Q-23",
        "nf4-block-32-of-16",
        replace(of(NF4, block_size=32), handles=(Handle(16), Handle(8))).encode(),
    )
    yield (
        "Q-24",
        "mxfp-partial-block",
        replace(GOOD[MXFP], shape=(2, 24), handles=(Handle(24), Handle(4))).encode(),
    )
    none = replace(GOOD[MXFP], shape=(2, 0), handles=(Handle(0, 1), Handle(0, 1)))
    yield "Q-24", "mxfp-empty-axis", none.encode()
    huge = replace(of(PER_BLOCK, axis=0, block_size=2), shape=(2, 1 << 62))
    yield "Q-26", "blocks-past-64-bits", huge.encode()


def _with_layouts() -> Iterator[Fault]:
    layout = BlockPaged(4, 2)
    handles = (Handle(64), Handle(4), Handle(8), Handle(32))
    paged = Descriptor(INT8, (4, 2, 4), layout, handles)

    def over(one: Quantization, size: int = 32) -> bytes:
        return replace(paged, quantization=one, handles=(*handles[:3], Handle(size))).encode()

    yield "Q-30", "paged-per-block-axis-1", over(replace(BLOCK, block_size=4, scale_index=3))
    yield "Q-30", "paged-per-block-block-2", over(replace(BLOCK, axis=0, block_size=2, scale_index=3))
    yield "Q-31", "paged-per-channel-axis-0", over(replace(CHANNEL, axis=0, scale_index=3), 16)
