"""quantization.md §4 to §8: from a stored code to the real number, and the rules about parameter contents."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .element_types import BY_NAME, TYPES, ElementType
from .faults import Report
from .layouts import BlockPaged
from .layouts.base import dot, row_major_strides
from .numbers import Number, float32
from .packing import unpack
from .quantization import MXFP, NF4, PER_BLOCK, PER_CHANNEL, PER_TENSOR, Quantization
from .quantization_checks import parameter_count, scale_width

if TYPE_CHECKING:
    from .descriptor import Descriptor

# §7, bit for bit.
NF4_BITS = (
    0xBF800000, 0xBF3239B1, 0xBF066B30, 0xBECA32A0, 0xBE91A24D, 0xBE3D353F, 0xBDBA7871, 0x00000000,
    0x3DA2FAFF, 0x3E24CAE3, 0x3E7C04DD, 0x3EAD033A, 0x3EE1A4B8, 0x3F1007AB, 0x3F3913B3, 0x3F800000,
)  # fmt: skip
NF4_VALUES: tuple[float, ...] = struct.unpack("<16f", struct.pack("<16I", *NF4_BITS))


class Dequantizer:
    """The formula of a tensor's scheme, with its parameters read from their buffers."""

    def __init__(self, descriptor: Descriptor, one: Quantization, buffers: list[bytes]) -> None:
        self.descriptor, self.one = descriptor, one
        self.scales: list[float] = []
        self.zeros: list[int] = []
        if one.scheme == PER_TENSOR:
            return
        count = parameter_count(descriptor, one)
        self.scales = [float(x) for x in unpack(scale_type(one), buffers[one.scale_index], count)]  # type: ignore[arg-type]
        if not one.symmetric:
            shared = one.zero_index == one.scale_index
            raw = buffers[one.zero_index][count * scale_width(one) if shared else 0 :]
            self.zeros = [int(x) for x in unpack(BY_NAME["int32"], raw, count)]  # type: ignore[arg-type]

    def parameter_of(self, index: Sequence[int], element: int) -> int:
        """Which scale is for the element at logical ``index``, stored as ``element`` of buffer 0."""
        one, shape = self.one, self.descriptor.shape
        if one.scheme == PER_CHANNEL:
            return index[one.axis]
        layout = self.descriptor.layout
        if one.scheme == PER_BLOCK and isinstance(layout, BlockPaged):
            return layout.slot_of(self.descriptor, element)
        others = [*index[: one.axis], *index[one.axis + 1 :]]
        outer = dot(others, row_major_strides([*shape[: one.axis], *shape[one.axis + 1 :]]))
        return outer * -(-shape[one.axis] // one.block_size) + index[one.axis] // one.block_size

    def real(self, code: Number, index: Sequence[int], element: int) -> float:
        """The real number of a stored value: exact inside, rounded once to float32."""
        one = self.one
        if one.scheme == PER_TENSOR:
            return float32(one.scale * float32(int(code) - one.zero_point))  # type: ignore[arg-type]
        place = self.parameter_of(index, element)
        scale = self.scales[place]
        if one.scheme == NF4:
            return float32(scale * NF4_VALUES[int(code)])  # type: ignore[arg-type]
        if one.scheme == MXFP:
            return float32(scale * float(code))  # type: ignore[arg-type]
        zero = self.zeros[place] if self.zeros else 0
        return float32(scale * float32(int(code) - zero))  # type: ignore[arg-type]

    def check(self, report: Report) -> None:
        """Q-27, Q-28 and Q-29."""
        scheme = self.one.scheme
        if scheme == MXFP:
            report.check(not any(map(math.isnan, self.scales)), "Q-29", "a scale byte of 0x00 or 0xFF")
            return
        finite = all(map(math.isfinite, self.scales))
        sign = all(one >= 0 for one in self.scales) if scheme == NF4 else 0.0 not in self.scales
        report.check(finite and sign, "Q-27", f"scales {self.scales[:9]}")
        low, high = TYPES[self.descriptor.type_tag].range
        report.check(all(low <= one <= high for one in self.zeros), "Q-28", f"zero points {self.zeros[:9]}")


def scale_type(one: Quantization) -> ElementType:
    """The element type of the scale buffer, §2."""
    if one.scheme == MXFP:
        return BY_NAME["float8_e8m0"]
    return TYPES[one.scale_type if one.scheme == PER_BLOCK else 0x03]
