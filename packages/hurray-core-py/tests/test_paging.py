"""BlockPagedLayout.validate_index_buffers (requirements: Block-paged validation; layouts.md §10, L-38)."""

from __future__ import annotations

import array
import itertools
from struct import pack
from typing import Any

import hurray
import pytest
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

# The example of layouts.md §10: page_size 4, five pages, six and three tokens.
LAYOUT = hurray.BlockPagedLayout(4, 5, 0, 2)
WIDE = hurray.BlockPagedLayout(4, 5, 0, 2, block_table_index_type="uint64")
SEQ_PTR, BLOCK_TABLE = [0, 2, 3], [0, 1, 0]


def u32(numbers: Any) -> bytes:
    return pack(f"<{len(numbers)}I", *numbers)


def u64(numbers: Any) -> bytes:
    return pack(f"<{len(numbers)}Q", *numbers)


def tensor(dtype: hurray.Dtype, data: bytes, count: int) -> hurray.Tensor:
    return hurray.Tensor(data, dtype, (count,))


GIVEN: list[Any] = [
    list,
    tuple,
    lambda numbers: iter(list(numbers)),
    u32,
    lambda numbers: bytearray(u32(numbers)),
    lambda numbers: memoryview(u32(numbers)),
    lambda numbers: memoryview(u32(numbers)).cast("I"),
    lambda numbers: array.array("I", numbers),
    lambda numbers: array.array("q", numbers),
    lambda numbers: np.array(numbers, np.uint32),
    lambda numbers: np.array(numbers, np.int64),
    lambda numbers: np.array(numbers, np.uint16),
    lambda numbers: tensor(hurray.uint32, u32(numbers), len(numbers)),
    lambda numbers: tensor(hurray.uint32, u32(numbers), len(numbers)).buffer(0),
]


@pytest.mark.parametrize("make", GIVEN)
def test_entries_come_in_many_ways(make: Any) -> None:
    """Bytes are entries of the layout's index type; what has items counts by their values."""
    LAYOUT.validate_index_buffers(make(SEQ_PTR), make(BLOCK_TABLE))
    LAYOUT.validate_index_buffers(seq_ptr=make(SEQ_PTR), block_table=make(BLOCK_TABLE))
    for seq_ptr, block_table in (([0, 2, 2], BLOCK_TABLE), (SEQ_PTR, [0, 1, 5])):
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            LAYOUT.validate_index_buffers(make(seq_ptr), make(block_table))
        assert caught.value.code == "L-38"


def test_bytes_are_of_the_index_type() -> None:
    WIDE.validate_index_buffers(u64(SEQ_PTR), u64(BLOCK_TABLE))
    with pytest.raises(hurray.InvalidDescriptorError, match="seq_ptr has 12 bytes"):
        WIDE.validate_index_buffers(u32(SEQ_PTR), u64(BLOCK_TABLE))
    with pytest.raises(hurray.InvalidDescriptorError, match="seq_ptr has 6 entries"):
        LAYOUT.validate_index_buffers(u64(SEQ_PTR), u32(BLOCK_TABLE))


def test_a_tensors_own_buffers() -> None:
    """They come from the tensor as t.buffer(2) and t.buffer(1)."""
    cache = hurray.Tensor(
        bytes(5 * 4 * 2 * 8 * 2),
        hurray.float16,
        (9, 2, 8),
        aux_buffers=[u32(BLOCK_TABLE), u32(SEQ_PTR)],
        layout=LAYOUT,
    )
    layout = cache.layout
    assert isinstance(layout, hurray.BlockPagedLayout)
    layout.validate_index_buffers(cache.buffer(2), cache.buffer(1))
    with pytest.raises(hurray.InvalidDescriptorError):
        layout.validate_index_buffers(cache.buffer(1), cache.buffer(2))


@pytest.mark.parametrize(
    ("seq_ptr", "block_table", "words"),
    [
        ([1, 2, 3], [0, 1, 0], ("seq_ptr[0] is 1",)),
        ([0, 3, 2], [0, 1], ("seq_ptr[2] is 2", "3")),
        ([0, 2, 3], [0, 1], ("seq_ptr[2] is 3", "2 entries")),
        ([0, 2, 3], [0, 1, 0, 0], ("seq_ptr[2] is 3", "4 entries")),
        ([0, 2, 3], [0, 5, 0], ("block_table[1] is 5", "num_pages=5")),
        ([0, 2, 3], [0, 1, -1], ("block_table[2] is -1",)),
        ([0, -1, 3], [0, 1, 1], ("seq_ptr[1] is -1",)),
        ([0, 3], [0, 1, 1], ("seq_ptr has 2 entries", "num_seqs=2", "3")),
        ([0, 1, 2, 3], [0, 1, 1], ("seq_ptr has 4 entries",)),
        ([], [], ("seq_ptr has 0 entries",)),
    ],
)
def test_the_four_invariants(seq_ptr: list[int], block_table: list[int], words: tuple[str, ...]) -> None:
    """The four storage invariants of block-paged.md, and the number of entries."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        LAYOUT.validate_index_buffers(seq_ptr, block_table)
    assert caught.value.code == "L-38"
    assert [word for word in words if word not in str(caught.value)] == []


def test_aliasing_is_how_a_prefix_is_shared() -> None:
    """Aliasing MUST be accepted."""
    hurray.BlockPagedLayout(4, 1, 0, 3).validate_index_buffers([0, 1, 2, 3], [0, 0, 0])


def test_no_sequences() -> None:
    """num_seqs = 0: block_table empty, seq_ptr = [0]."""
    layout = hurray.BlockPagedLayout(4, 0, 0, 0)
    layout.validate_index_buffers([0], [])
    layout.validate_index_buffers(u32([0]), b"")
    with pytest.raises(hurray.InvalidDescriptorError):
        layout.validate_index_buffers([0], [0])


def test_a_page_that_the_index_type_cannot_name() -> None:
    layout = hurray.BlockPagedLayout(4, 2**40, 0, 1)
    layout.validate_index_buffers([0, 1], [2**32 - 1])
    with pytest.raises(hurray.InvalidDescriptorError, match=r"block_table\[0\] is 4294967296"):
        layout.validate_index_buffers([0, 1], [2**32])
    wide = hurray.BlockPagedLayout(4, 2**64 - 1, 0, 1, block_table_index_type="uint64")
    wide.validate_index_buffers([0, 1], [2**64 - 2])


@pytest.mark.parametrize(
    ("seq_ptr", "error", "words"),
    [
        (None, TypeError, "seq_ptr .* got None"),
        (3, TypeError, "seq_ptr .* got int"),
        ("012", TypeError, r"seq_ptr\[0\] .* got str"),
        ([0, 1.5, 3], TypeError, r"seq_ptr\[1\] .* got float"),
        ([0, 2, 2**65], OverflowError, r"seq_ptr\[2\]"),
        (np.array(SEQ_PTR, np.float32), TypeError, "seq_ptr holds integers, got float32"),
        (np.array(SEQ_PTR, ">u4"), hurray.UnsupportedError, "big-endian"),
        (np.array(SEQ_PTR * 2, np.uint32)[::2], hurray.BufferError, "contiguous"),
        (bytes(11), hurray.InvalidDescriptorError, "seq_ptr has 11 bytes"),
    ],
)
def test_what_holds_no_entries(seq_ptr: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        LAYOUT.validate_index_buffers(seq_ptr, BLOCK_TABLE)


def test_a_tensor_says_itself_why_it_cannot_be_read() -> None:
    entries = hurray.Tensor(u32(SEQ_PTR), hurray.uint32, (3,), hurray.Device("cuda"))
    with pytest.raises(BufferError, match="cuda"):
        LAYOUT.validate_index_buffers(entries, BLOCK_TABLE)


def holds(pages: int, seqs: int, seq_ptr: list[int], block_table: list[int]) -> bool:
    """The invariants in the words of layouts.md §10."""
    return (
        len(seq_ptr) == seqs + 1
        and seq_ptr[0] == 0
        and all(a <= b for a, b in itertools.pairwise(seq_ptr))
        and seq_ptr[-1] == len(block_table)
        and all(0 <= page < pages for page in block_table)
    )


@given(
    st.integers(0, 3),
    st.integers(0, 3),
    st.lists(st.integers(0, 3), max_size=4),
    st.lists(st.integers(0, 3), max_size=3),
    st.sampled_from([list, u32, lambda numbers: array.array("B", numbers).tolist()]),
)
def test_it_says_what_the_words_say(
    pages: int, seqs: int, steps: list[int], block_table: list[int], make: Any
) -> None:
    layout = hurray.BlockPagedLayout(1, pages, 0, seqs)
    for seq_ptr in (steps, [0, *itertools.accumulate(steps)]):
        try:
            layout.validate_index_buffers(make(seq_ptr), make(block_table))
            found = True
        except hurray.InvalidDescriptorError:
            found = False
        assert found is holds(pages, seqs, seq_ptr, block_table)
