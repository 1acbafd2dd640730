"""Quantization of a tensor: a scheme, its storage type, and parameters that reach its corners."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..reference.dequantize import scale_type
from ..reference.descriptor import Descriptor
from ..reference.element_types import BY_NAME
from ..reference.layouts import BlockPaged, Layout
from ..reference.packing import pack, pack_bits
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
from ..reference.quantization_checks import parameter_count

BLOCKS = {PER_BLOCK: 4, NF4: 8, MXFP: 16}


@dataclass(frozen=True)
class Case:
    """A scheme over a storage type."""

    name: str
    scheme: int
    storage: str
    asymmetric: bool = False
    scale_type: int = 0x03
    block_size: int = 0

    def fits(self, layout: Layout) -> bool:
        """Whether quantization.md §8 regulates the combination."""
        return not isinstance(layout, BlockPaged) or self.scheme in (PER_TENSOR, PER_CHANNEL, PER_BLOCK)

    def quantization(self, descriptor: Descriptor) -> Quantization:
        """The scheme along the last axis, or the first of a page."""
        if self.scheme == PER_TENSOR:
            return Quantization(PER_TENSOR, scale=-0.375, zero_point=3 if self.storage != "int2" else 1)
        layout, own = descriptor.layout, descriptor.layout.own_buffers(descriptor.rank) or 1
        axis, block = descriptor.rank - 1, self.block_size or BLOCKS.get(self.scheme, 0)
        if isinstance(layout, BlockPaged) and self.scheme == PER_BLOCK:
            axis, block = 0, layout.page_size
        flags = SYMMETRIC if self.scheme in (PER_CHANNEL, PER_BLOCK) and not self.asymmetric else 0
        zero = own + 1 if self.asymmetric else NONE
        return Quantization(self.scheme, axis, block, own, zero, self.scale_type, flags=flags)

    def parameters(self, descriptor: Descriptor) -> list[bytes]:
        """Scales, and zero points where the scheme has them."""
        one = descriptor.quantization
        if one is None or one.scheme == PER_TENSOR:
            return []
        count, kind = parameter_count(descriptor, one), scale_type(one)
        if one.scheme == MXFP:
            scales = pack_bits(kind, [118 + number * 5 % 19 for number in range(count)])
        else:
            signs = 1 if one.scheme == NF4 else -1
            scales = pack(kind, [signs**number * (0.5 + number * 0.125) for number in range(count)])
        if one.symmetric:
            return [scales]
        low, high = BY_NAME[self.storage].range
        zeros = [low + number * 3 % (high - low + 1) for number in range(count)]
        return [scales, struct.pack(f"<{count}i", *zeros)]


# One of each scheme and variant, for every layout.
CASES = [
    Case("per-tensor", PER_TENSOR, "int8"),
    Case("per-channel-symmetric", PER_CHANNEL, "int8"),
    Case("per-channel-asymmetric", PER_CHANNEL, "uint4", asymmetric=True),
    Case("per-block-symmetric", PER_BLOCK, "int4", scale_type=0x01),
    Case("per-block-asymmetric", PER_BLOCK, "uint8", asymmetric=True, scale_type=0x02),
    Case("nf4", NF4, "uint4"),
    Case("mxfp", MXFP, "float4_e2m1"),
]


def every_storage() -> list[Case]:
    """Every scheme over every storage type that its list allows, and every scale type."""
    affine = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int4", "uint4", "int2", "uint2"]
    cases = [Case(f"per-tensor-{name}", PER_TENSOR, name) for name in affine]
    for wide in (False, True):
        kind = "asymmetric" if wide else "symmetric"
        cases += [Case(f"per-channel-{kind}-{name}", PER_CHANNEL, name, wide) for name in affine]
        for number, name in enumerate(("int8", "uint8", "int4", "uint4", "int2", "uint2")):
            cases.append(
                Case(f"per-block-{kind}-{name}", PER_BLOCK, name, wide, 1 + number % 3, 2 << number % 3)
            )
    for name in ("float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2", "int8", "int4"):
        cases.append(Case(f"mxfp-{name}", MXFP, name))
    return cases
