"""quantization.md §9: the rules of a scheme against the tensor that it is for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .element_types import TYPES
from .faults import Report
from .layouts import BlockPaged
from .layouts.base import LIMIT
from .quantization import MXFP, NAMES, NF4, PER_BLOCK, PER_CHANNEL, PER_TENSOR, STORAGE, Quantization

if TYPE_CHECKING:
    from .descriptor import Descriptor

LEAST_BLOCK = {PER_BLOCK: 2, NF4: 8, MXFP: 16}
PAYLOAD = " D-41"


def check_quantization(descriptor: Descriptor, one: Quantization, report: Report) -> None:
    """Everything that the descriptor alone shows."""
    if one.scheme not in NAMES:
        return
    stored = f"{NAMES[one.scheme]} over type tag {descriptor.type_tag:#x}"
    report.check(descriptor.type_tag in STORAGE[one.scheme], "Q-7" + PAYLOAD, stored)
    _check_fields(descriptor, one, report)
    _check_places(descriptor, one, report)
    if not one.along_axis:
        return
    _check_paged(descriptor, one, report)
    _check_block_size(one, report)
    if not report.check(
        one.axis < descriptor.rank, "Q-8" + PAYLOAD, f"axis {one.axis} of rank {descriptor.rank}"
    ):
        return
    size = descriptor.static_shape[one.axis]
    if size is None:
        report.add("Q-9" + PAYLOAD, f"quantized along the dynamic axis {one.axis}")
        return
    _check_blocks(descriptor, one, size, report)
    _check_sizes(descriptor, one, report)


def _check_fields(descriptor: Descriptor, one: Quantization, report: Report) -> None:
    if one.scheme == PER_TENSOR:
        good = math.isfinite(one.scale) and one.scale != 0
        report.check(good, "Q-10" + PAYLOAD, f"scale {one.scale}")
        if one.scheme == PER_TENSOR and descriptor.type_tag in STORAGE[PER_TENSOR]:
            low, high = TYPES[descriptor.type_tag].range
            report.check(low <= one.zero_point <= high, "Q-11" + PAYLOAD, f"zero_point {one.zero_point}")
    rule = "Q-13" if one.scheme == PER_BLOCK else "Q-12"
    report.check(one.reserved == 0, rule + PAYLOAD, "reserved bytes of the scheme")
    if one.scheme == PER_CHANNEL:
        report.check(one.scale_type == 3, "Q-14" + PAYLOAD, f"scale_type_tag {one.scale_type:#x}")
    if one.scheme == PER_BLOCK:
        report.check(one.scale_type in (1, 2, 3), "Q-15" + PAYLOAD, f"scale_type_tag {one.scale_type:#x}")
    if one.scheme in (PER_CHANNEL, PER_BLOCK) and one.symmetric:
        good = one.zero_index == 0xFFFF_FFFF
        report.check(good, "Q-16" + PAYLOAD, f"SYMMETRIC with zero points in buffer {one.zero_index}")


def _check_places(descriptor: Descriptor, one: Quantization, report: Report) -> None:
    own = descriptor.layout.own_buffers(descriptor.rank)
    for index in one.parameters:
        what = f"parameter buffer index {index}"
        if index >= len(descriptor.handles):
            report.add("Q-17 D-42", f"{what} of {len(descriptor.handles)} buffers")
            continue
        report.check(index != 0, "Q-18 D-42", f"{what} is the data buffer")
        report.check(not (own and 0 < index < own), "Q-19", f"{what} belongs to the layout")
        data, parameter = descriptor.handles[0], descriptor.handles[index]
        report.check(data.device == parameter.device, "Q-20", f"{what} is on another device")
        report.check(
            data.memory_class == parameter.memory_class, "Q-21", f"{what} is of another memory class"
        )


def _check_paged(descriptor: Descriptor, one: Quantization, report: Report) -> None:
    if isinstance(descriptor.layout, BlockPaged):
        pages = one.axis == 0 and one.block_size == descriptor.layout.page_size
        if one.scheme == PER_BLOCK:
            report.check(
                pages, "Q-30 D-43 L-40", f"block_paged: axis {one.axis}, block_size {one.block_size}"
            )
        if one.scheme == PER_CHANNEL:
            report.check(one.axis != 0, "Q-31 D-43 L-40", "block_paged per-channel along axis 0")


def _check_block_size(one: Quantization, report: Report) -> None:
    if one.scheme in LEAST_BLOCK:
        power = one.block_size & one.block_size - 1 == 0 and one.block_size >= LEAST_BLOCK[one.scheme]
        small = one.scheme != MXFP or one.block_size <= 2048
        report.check(power and small, "Q-22" + PAYLOAD, f"block_size {one.block_size}")


def _check_blocks(descriptor: Descriptor, one: Quantization, size: int, report: Report) -> None:
    block = one.block_size
    if one.scheme in (PER_BLOCK, NF4) and not isinstance(descriptor.layout, BlockPaged):
        report.check(size == 0 or block <= size, "Q-23" + PAYLOAD, f"block_size {block} > {size}")
    if one.scheme == MXFP and block:
        report.check(size > 0 and size % block == 0, "Q-24" + PAYLOAD, f"{size} is not a multiple of {block}")


def _check_sizes(descriptor: Descriptor, one: Quantization, report: Report) -> None:
    if None in descriptor.static_shape or (one.scheme in LEAST_BLOCK and not one.block_size):
        return
    count = parameter_count(descriptor, one)
    report.check(count * 4 < LIMIT, "Q-26", f"{count} parameters")
    sizes = dict.fromkeys(one.parameters, 0)
    for index, width in zip(one.parameters, (scale_width(one), 4), strict=False):
        sizes[index] += count * width
    for index, size in sizes.items():
        if index < len(descriptor.handles):
            have = descriptor.handles[index].byte_size
            report.check(have == size, "Q-25", f"parameter buffer {index} has {have} bytes, not {size}")


def scale_width(one: Quantization) -> int:
    """Bytes of one scale, §2."""
    if one.scheme == MXFP:
        return 1
    return 2 if one.scheme == PER_BLOCK and one.scale_type in (1, 2) else 4


def parameter_count(descriptor: Descriptor, one: Quantization) -> int:
    """How many scales, §2, §3 and §8."""
    shape, axis = descriptor.shape, one.axis
    if one.scheme == PER_CHANNEL:
        return shape[axis]
    layout = descriptor.layout
    if one.scheme == PER_BLOCK and isinstance(layout, BlockPaged):
        return layout.num_pages * layout.page_size
    return -(-shape[axis] // one.block_size) * math.prod(shape[:axis] + shape[axis + 1 :])
