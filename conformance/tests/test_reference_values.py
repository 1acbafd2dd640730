"""The reference's dequantization and merges against values worked out by hand from the formulas."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from conformance.generator.composites import valid_composites
from conformance.reference.buffers import Handle
from conformance.reference.composite import values
from conformance.reference.descriptor import Descriptor
from conformance.reference.layouts import BlockPaged, Coo, Csr, Layout, RowMajor
from conformance.reference.numbers import float32
from conformance.reference.quantization import (
    MXFP,
    NF4,
    PER_BLOCK,
    PER_CHANNEL,
    PER_TENSOR,
    SYMMETRIC,
    Quantization,
)
from conformance.reference.tensor import Tensor, nested
from conformance.reference.wire import u32s, u64s

INT8, UINT8, INT32, UINT32, UINT4, E2M1 = 0x10, 0x11, 0x14, 0x15, 0x49, 0x43
Shape = tuple[int, ...]


def real(
    tag: int, shape: Shape, one: Quantization, *buffers: bytes, layout: Layout | None = None
) -> Sequence[object]:
    handles = tuple(Handle(len(raw)) for raw in buffers)
    tensor = Tensor(Descriptor(tag, shape, layout or RowMajor(), handles, quantization=one), list(buffers))
    found = nested(tensor.values(), shape)
    assert isinstance(found, list)
    return found


def floats(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def test_per_tensor() -> None:
    """quantization.md §4: x = scale · float32(q - zero_point)."""
    one = Quantization(PER_TENSOR, scale=-0.5, zero_point=3)
    assert real(INT8, (4,), one, struct.pack("<4b", 3, 4, -128, 127)) == [-0.0, -0.5, 65.5, -62.0]


def test_difference_is_exact_before_it_is_rounded() -> None:
    """quantization.md §10.6: 64 bits inside, then one rounding to float32."""
    low = Quantization(PER_TENSOR, scale=1.0, zero_point=-(2**31))
    assert real(INT32, (1,), low, struct.pack("<i", 2**31 - 1)) == [float32(2**32 - 1)]
    top = Quantization(PER_TENSOR, scale=0.5, zero_point=1)
    assert real(UINT32, (2,), top, struct.pack("<2I", 2**32 - 1, 2**24 + 2)) == [2.0**31, 2.0**23]


def test_product_is_rounded_to_float32() -> None:
    tenth = struct.unpack("<f", struct.pack("<f", 0.1))[0]
    one = Quantization(PER_TENSOR, scale=tenth)
    assert real(INT8, (1,), one, b"\x03") == [struct.unpack("<f", struct.pack("<f", tenth * 3))[0]]


def test_per_channel_with_zero_points() -> None:
    """quantization.md §5: c = i[axis]."""
    one = Quantization(PER_CHANNEL, 0, 0, 1, 2)
    parameters = (floats(2.0, -0.25), struct.pack("<2i", 1, -8))
    assert real(INT8, (2, 2), one, bytes([1, 2, 0, 8]), *parameters) == [[0.0, 2.0], [-2.0, -4.0]]


def test_per_block_with_bfloat16_scales_and_a_partial_block() -> None:
    """quantization.md §3 and §6: blocks along the axis, the last one with a scale of its own."""
    one = Quantization(PER_BLOCK, 1, 2, 1, scale_type=0x02, flags=SYMMETRIC)
    scales = struct.pack("<4H", 0x3F80, 0x4000, 0xC040, 0x3F00)  # 1, 2, -3, 0.5
    codes = struct.pack("<6b", 1, 2, 3, 4, 5, 6)
    assert real(INT8, (2, 3), one, codes, scales) == [[1.0, 2.0, 6.0], [-12.0, -15.0, 3.0]]


def test_padded_partial_blocks() -> None:
    """quantization.md §10.3: a buffer of the size with the axis rounded up holds whole blocks."""
    one = Quantization(PER_BLOCK, 1, 2, 1, scale_type=0x03, flags=SYMMETRIC)
    codes = struct.pack("<8b", 1, 2, 3, 0, 4, 5, 6, 0)
    assert real(INT8, (2, 3), one, codes, floats(1, 1, 1, 1)) == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_nf4() -> None:
    """quantization.md §7, low nibble first."""
    one = Quantization(NF4, 0, 8, 1)
    found = real(UINT4, (8,), one, bytes([0x70, 0x8F, 0x01, 0x02]), floats(2.0))
    assert found[:4] == [-2.0, 0.0, 2.0, 2 * 0.07958029955625534]
    assert found[4] == 2 * -0.6961928009986877


def test_mxfp() -> None:
    """quantization.md §7: x = 2^(e - 127) · v(q)."""
    one = Quantization(MXFP, 0, 16, 1)
    codes = bytes([0x21, 0x9F, *[0] * 14])  # 0.5, 1.0, -6.0, -0.5
    found = real(E2M1, (32,), one, codes, bytes([129, 126]))
    assert found[:4] == [2.0, 4.0, -24.0, -2.0]
    codes = bytes([*[0] * 8, 0x07, *[0] * 7])
    assert real(E2M1, (32,), one, codes, bytes([129, 126]))[16] == 3.0


def test_sparse_parameters_go_by_logical_coordinates() -> None:
    """quantization.md §8: an unstored coordinate is real zero, whatever the zero point."""
    one = Quantization(PER_CHANNEL, 1, 0, 3, 4)
    buffers = (bytes([10, 20]), u64s([2, 0]), u64s([0, 1, 2]))
    parameters = (floats(1, 2, 4), struct.pack("<3i", 1, 2, 3))
    assert real(UINT8, (2, 3), one, *buffers, *parameters, layout=Csr(2)) == [
        [0.0, 0.0, 28.0],
        [19.0, 0.0, 0.0],
    ]


def test_paged_parameters_go_by_slots() -> None:
    """quantization.md §8: entry p·page_size + t, shared by all heads and lanes."""
    one = Quantization(PER_BLOCK, 0, 2, 3, scale_type=0x03, flags=SYMMETRIC)
    pool = struct.pack("<8b", 5, 6, 7, 8, 1, 2, 3, 4)  # page 0: 5 6, 7 8; page 1: 1 2, 3 4
    buffers = (pool, u32s(1, 0), u32s(0, 2), floats(100, 1000, 1, 10))
    found = real(INT8, (3, 1, 2), one, *buffers, layout=BlockPaged(2, 2))
    assert found == [[[1.0, 2.0]], [[30.0, 40.0]], [[500.0, 600.0]]]


def test_shared_parameter_buffer() -> None:
    """quantization.md §2: ``[scales | zero points]``."""
    one = Quantization(PER_CHANNEL, 0, 0, 1, 1)
    assert real(INT8, (2,), one, b"\x05\x05", floats(1, 2) + struct.pack("<2i", 1, 2)) == [4.0, 6.0]


def test_coo_values() -> None:
    buffers = [bytes([7, 9]), u64s([1, 0, 0, 2])]
    tensor = Tensor(Descriptor(INT8, (2, 3), Coo(2), (Handle(2), Handle(32))), buffers)
    assert nested(tensor.values(), (2, 3)) == [[0, 0, 9], [7, 0, 0]]


@pytest.mark.parametrize(
    ("name", "merged"),
    [
        ("partition", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ("partition-in-another-order", [[1, 2, 3, 4], [5, 6, 7, 8]]),
        ("partition-of-a-quantized-box", [[1, 2, 1, 1.5], [5, 6, 3, 3.5]]),
        ("partition-nested", [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]),
        # The second correction stores (0,2)=200, (1,0)=0 and (1,3)=0; the rest covers nothing (layouts.md §16.10).
        ("overlay-replace", [[1, 10.5, 200, 4], [0, 30.5, 40.5, 0]]),
        ("overlay-add", [[1, 12.5, 223.5, 4], [5, 36.5, 47.5, 8]]),
        ("partition-of-none", []),
    ],
)
def test_merges(name: str, merged: object) -> None:
    """layouts.md §11."""
    (item,) = valid_composites()[name]
    found = values(item)
    assert found is not None
    shape = {"partition-nested": (3, 4), "partition-of-none": (0, 4)}.get(name, (2, 4))
    assert nested(found, shape) == merged
