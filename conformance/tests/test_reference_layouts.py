"""The reference codec's addressing against the worked examples of layouts.md."""

from __future__ import annotations

import itertools

import pytest

from conformance.reference.buffers import Handle
from conformance.reference.descriptor import Descriptor
from conformance.reference.layouts import (
    BlockPaged,
    ColMajor,
    Csc,
    Csf,
    Csr,
    Hilbert,
    Layout,
    Morton,
    RowMajor,
    Strided,
    Tiled,
)
from conformance.reference.layouts.tiled import TILED
from conformance.reference.wire import u64s

HILBERT = "00 10 11 01 02 03 13 12 22 23 33 32 31 21 20 30"


@pytest.mark.parametrize(
    ("layout", "shape", "index", "offset"),
    [
        (RowMajor(), (3, 4), (1, 2), 6),
        (ColMajor(), (3, 4), (1, 2), 7),
        (Strided((-4, 1)), (3, 4), (2, 3), -5),
        (Tiled((2, 4)), (6, 8), (3, 5), 29),
        (Tiled((4, 4), 1, TILED, nested=Tiled((2, 2))), (8, 8), (5, 6), 54),
        (Morton((2, 2)), (4, 4), (2, 3), 14),
        (Hilbert(2, 2), (4, 4), (2, 3), 9),
    ],
)
def test_worked_offsets(layout: Layout, shape: tuple[int, ...], index: tuple[int, ...], offset: int) -> None:
    assert layout.find(Descriptor(0x03, shape, layout), [], index) == offset


def test_the_whole_hilbert_table() -> None:
    descriptor = Descriptor(0x03, (4, 4), Hilbert(2, 2))
    found = {
        descriptor.layout.find(descriptor, [], index): index
        for index in itertools.product(range(4), repeat=2)
    }
    assert [f"{found[offset][0]}{found[offset][1]}" for offset in range(16)] == HILBERT.split()


@pytest.mark.parametrize("rank", [2, 3, 4])
def test_hilbert_neighbours_differ_by_one(rank: int) -> None:
    descriptor = Descriptor(0x03, (4,) * rank, Hilbert(2, rank))
    order = sorted(
        (descriptor.layout.find(descriptor, [], index) or 0, index)
        for index in itertools.product(range(4), repeat=rank)
    )
    assert [offset for offset, _ in order] == list(range(4**rank))
    for (_, first), (_, second) in itertools.pairwise(order):
        assert sum(abs(a - b) for a, b in zip(first, second, strict=True)) == 1


DENSE = {(0, 0): 0, (0, 3): 1, (1, 2): 2, (2, 1): 3, (2, 4): 4}


def test_csr_and_csc_of_one_matrix() -> None:
    csr = Descriptor(0x03, (4, 5), Csr(5))
    buffers = [b"", u64s([0, 3, 2, 1, 4]), u64s([0, 2, 3, 5, 5])]
    assert {i: p for i in itertools.product(range(4), range(5)) if (p := csr.layout.find(csr, buffers, i)) is not None
            } == DENSE  # fmt: skip
    csc = Descriptor(0x03, (4, 5), Csc(5))
    buffers = [b"", u64s([0, 2, 1, 0, 2]), u64s([0, 1, 2, 3, 4, 5])]
    order = {(0, 0): 0, (2, 1): 1, (1, 2): 2, (0, 3): 3, (2, 4): 4}
    assert {i: p for i in itertools.product(range(4), range(5)) if (p := csc.layout.find(csc, buffers, i)) is not None
            } == order  # fmt: skip


def test_csf_example() -> None:
    descriptor = Descriptor(0x03, (2, 3, 4), Csf(5, (2, 0, 1)))
    arrays = [[0, 4], [0, 1, 2, 3], [0, 1, 3, 4, 5], [1, 0, 1, 1, 0], [0, 1, 2, 3, 4, 5], [1, 0, 2, 1, 2]]
    buffers = [b"", *map(u64s, arrays)]
    values = [3, 1, 5, 4, 2]
    found = {}
    for index in itertools.product(range(2), range(3), range(4)):
        position = descriptor.layout.find(descriptor, buffers, index)
        if position is not None:
            found[index] = values[position]
    assert found == {(1, 1, 0): 3, (0, 0, 1): 1, (1, 2, 1): 5, (1, 1, 2): 4, (0, 2, 3): 2}


def test_block_paged_example() -> None:
    layout = BlockPaged(4, 5, num_seqs=2)
    descriptor = Descriptor(0x01, (9, 2, 8), layout, (Handle(640), Handle(12), Handle(12)))
    tables = [b"".join(one.to_bytes(4, "little") for one in table) for table in ([0, 1, 0], [0, 2, 3])]
    assert layout.address(descriptor, [b"", *tables], (0, 5, 1, 3)) == 91
    assert layout.address(descriptor, [b"", *tables], (1, 2, 0, 0)) == 32


@pytest.mark.parametrize(
    ("layout", "payload"),
    [
        (Strided((4, 1)), "04000000000000000100000000000000"),
        (Morton((2, 2)), "0200000002000000"),
        (Hilbert(2, 2), "0200000002000000"),
        (Csr(2), "02000000000000000000000000000000"),
        (Tiled((2, 4)), "0200000000000000040000000000000001010000"),
    ],
)
def test_payload_bytes(layout: Layout, payload: str) -> None:
    assert layout.encode().hex() == payload
