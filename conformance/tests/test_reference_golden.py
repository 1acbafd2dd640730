"""The reference codec over the golden vectors, and the worked bytes of the format's pages."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from conformance.reference.dequantize import NF4_VALUES, Dequantizer
from conformance.reference.descriptor import Descriptor, decode, parse
from conformance.reference.faults import Rejected
from conformance.reference.file import parse_file
from conformance.reference.layouts import CompositeHead
from conformance.reference.quantization import Quantization
from conformance.reference.stream import encode_stream, parse_stream
from conformance.reference.tensor import Tensor

GOLDEN = Path(__file__).resolve().parent.parent / "vectors" / "golden"
DESCRIPTORS = json.loads((GOLDEN / "manifest.json").read_text(encoding="utf-8"))["descriptors"]


@pytest.mark.parametrize("vector", DESCRIPTORS, ids=lambda vector: str(vector["file"]))
def test_golden_descriptor(vector: dict[str, dict[str, object]]) -> None:
    data, expect = (GOLDEN / str(vector["file"])).read_bytes(), vector["expect"]
    descriptor = decode(data)
    assert descriptor.type_tag == expect["element_type_tag"]
    assert list(descriptor.shape) == expect["shape"]
    assert descriptor.layout.tag == expect["layout_tag"]
    assert [handle.byte_size for handle in descriptor.handles] == expect["buffer_byte_sizes"]
    assert (descriptor.quantization is not None) == expect["has_quantization"]
    assert (descriptor.shard is not None) == expect["has_shard"]
    assert descriptor.encode() == data
    for length in range(len(data)):
        with pytest.raises(Rejected):
            decode(data[:length])


def test_golden_file() -> None:
    data = (GOLDEN / "files" / "basic.hrry").read_bytes()
    file, report = parse_file(data)
    assert report.faults == []
    assert file is not None
    assert [entry.name for entry in file.entries] == ["weights", "bias"]
    assert file.encode() == data


def test_stream_of_the_text() -> None:
    """stream.md §14: 202 bytes, three tensors."""
    head = "48525259 0100 3d000000 00000000 03 01 02000000 0200000000000000 0300000000000000 0000000000000000"
    head += "01 1800000000000000 40000000 00000000"
    first = bytes.fromhex(head) + struct.pack("<6f", 1, 2, 3, 4, 5, 6)
    second = "48525259 0100 35000000 00000000 10 01 01000000 0300000000000000 0000000000000000"
    second += "01 0300000000000000 40000000 00000000 010203"
    third = (
        "48525259 0100 3d000000 00000000 03 01 02000000 0000000000000000 0400000000000000 0000000000000000"
    )
    third += "01 0000000000000000 01000000 00000000"
    data = first + bytes.fromhex(second) + bytes.fromhex(third)
    assert len(data) == 202
    items, report = parse_stream(data)
    assert report.faults == []
    assert items is not None
    values = [list(item.values().values()) for item in items if isinstance(item, Tensor)]
    assert values == [[1, 2, 3, 4, 5, 6], [1, 2, 3], []]
    assert encode_stream(items) == data


def test_block_number_of_the_text() -> None:
    """quantization.md §3: shape [2,6,3], axis 1, K 4: index [1,5,2] has block 11."""
    one = Quantization(3, axis=1, block_size=4, scale_index=1, flags=1)
    descriptor = Descriptor(0x10, (2, 6, 3))
    made = Dequantizer(descriptor, one, [b"", bytes(48)])
    assert len(made.scales) == 12
    assert made.parameter_of((1, 5, 2), 0) == 11


def test_nf4_values_of_the_text() -> None:
    assert NF4_VALUES[0] == -1.0
    assert NF4_VALUES[7] == 0.0
    assert NF4_VALUES[8] == 0.07958029955625534
    assert NF4_VALUES[14] == 0.7229568362236023
    assert NF4_VALUES[15] == 1.0
    assert list(NF4_VALUES) == sorted(NF4_VALUES)


def test_one_pass_reports_all_that_apply() -> None:
    """STYLE: validators report every problem, not the first."""
    data = bytearray((GOLDEN / "descriptors" / "row_major_f32_3x4.bin").read_bytes())
    data[10], data[14], data[53], data[57], data[60] = 0x20, 0x52, 3, 9, 1
    _, report = parse(bytes(data))
    assert {rule for fault in report.faults for rule in fault.rules} == {"D-6", "D-8", "D-32", "D-33", "D-37"}


def test_smallest_head() -> None:
    """descriptor.md §1: 37 bytes would be a rank-0 head; a scalar takes 45."""
    assert len(Descriptor(0x03, (), CompositeHead(3, 0)).encode()) == 37
