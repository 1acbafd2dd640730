"""``t.validate()``: every broken rule of a sparse, paged or quantised tensor's contents, in memory.

Issue 4, "index checks on demand"; layouts.md §13 (the V rules L-31, L-32, L-33, L-38), quantization.md §9 (Q-27 to
Q-29), element-types.md §4. What is found in memory is what :func:`hurray.verify` finds in the file.
"""

from __future__ import annotations

import pickle
import sys
import threading
from itertools import pairwise
from pathlib import Path
from struct import pack

import core_contents as make
import core_files as craft
import hurray
import pytest
from core_contents import INF, NAN, TREES, loaded
from hypothesis import given, settings
from hypothesis import strategies as st

GOOD = {
    "coo": make.coo((3, 4), (2, 3), (0, 3), (1, 0)),
    "sorted coo": make.coo((3, 4), (0, 3), (1, 0), (2, 3), is_sorted=True),
    "empty coo": make.coo((3, 4)),
    "csr": make.csr((4, 5), (0, 3, 2, 1, 4), (0, 2, 3, 5, 5)),
    "csc": make.compressed(8, (5, 4), (0, 3, 2, 1, 4), (0, 2, 3, 5, 5)),
    "csf": make.csf(),
    "empty csf": make.csf(((0, 0), (), (0,), (), (0,), ()), 0),
    "block_paged": make.paged((0, 1, 0), (0, 2, 3)),
    "per channel": make.per_channel((-1.0, 1e-40), (-128, 127)),
    "nf4": make.nf4(0.0, 1.0),
    "mxfp": make.mxfp(1, 254),
}


@pytest.mark.parametrize("data", GOOD.values(), ids=GOOD)
def test_sound_contents_have_no_problem(data: bytes) -> None:
    assert loaded(data).validate() == []
    assert hurray.verify(data) == []


# What is wrong, the rule, and what the messages say, in order.
BAD = {
    "coo outside": (make.coo((3, 4), (0, 4)), "L-31", ["buffer 1, entry 0: (0, 4) lies outside the shape"]),
    "coo far outside": (
        make.coo((3, 4), (2**64 - 1, 0)),
        "L-31",
        ["buffer 1, entry 0: (18446744073709551615, 0) lies outside the shape"],
    ),
    "coo twice": (
        make.coo((3, 4), (1, 1), (0, 0), (1, 1)),
        "L-31",
        ["buffer 1, entry 2: (1, 1) is a duplicate of entry 0"],
    ),
    "coo not sorted": (
        make.coo((3, 4), (1, 1), (1, 0), is_sorted=True),
        "L-31",
        ["buffer 1, entry 1: (1, 0) does not come after the entry before it, although the layout says is_sorted"],
    ),
    "csr first pointer": (
        make.csr((2, 5), (0, 3), (1, 1, 2)),
        "L-32",
        ["buffer 2, position 0: 1, where the first pointer must be 0"],
    ),
    "csr falling pointer": (
        make.csr((3, 5), (0, 3), (0, 2, 1, 2)),
        "L-32",
        ["buffer 2, position 2: 1, below the pointer before it, 2"],
    ),
    "csr pointer beyond": (
        make.csr((3, 5), (0, 3), (0, 7, 1, 2)),
        "L-32",
        ["buffer 2, position 1: 7, a pointer beyond the number of entries, 2"],
    ),
    "csr last pointer": (
        make.csr((2, 5), (0, 3), (0, 1, 1)),
        "L-32",
        ["buffer 2, position 2: 1, where the last pointer must be nnz, 2"],
    ),
    "csc index outside": (
        make.compressed(8, (5, 2), (0, 5), (0, 1, 2)),
        "L-32",
        ["buffer 1, position 1: 5, outside its dimension, whose size is 5"],
    ),
    "csc unsorted": (
        make.compressed(8, (5, 1), (3, 1), (0, 2)),
        "L-32",
        ["buffer 1, position 1: 1, not in ascending order: the one before it in its slice is 3"],
    ),
    "csr twice": (
        make.csr((1, 5), (3, 3), (0, 2)),
        "L-32",
        ["buffer 1, position 1: 3, a duplicate: the one before it in its slice is also 3"],
    ),
    "csf outside": (
        make.csf((TREES[0], (0, 1, 2, 4), *TREES[2:])),
        "L-33",
        ["buffer 2 (level 0), position 3: 4, outside its dimension, whose size is 4"],
    ),
    "csf pointer": (
        make.csf((*TREES[:4], (0, 1, 0, 3, 4, 5), TREES[5])),
        "L-33",
        ["buffer 5 (level 2), position 2: 0, below the pointer before it, 1"],
    ),
    "csf leaves": (
        make.csf((*TREES[:4], (0, 1, 2, 3, 4, 4), TREES[5])),
        "L-33",
        ["buffer 5 (level 2), position 5: 4, where the last pointer must be nnz, 5"],
    ),
    "csf short": (
        make.csf((*TREES[:4], TREES[4][:4], TREES[5])),
        "L-33",
        [
            "buffer 5 (level 2), position 4: 4, the number of pointers that the buffer holds; the nodes above need 6",
            "buffer 5 (level 2), position 3: 3, where the last pointer must be nnz, 5",
        ],
    ),
    "page": (
        make.paged((0, 5, 0), (0, 2, 3)),
        "L-38",
        ["buffer 1, position 1: 5, no page of the pool, whose pages number 5"],
    ),
    "sequence pointers": (
        make.paged((0, 1, 0), (1, 4, 0)),
        "L-38",
        [
            "buffer 2, position 0: 1, where the first sequence pointer must be 0",
            "buffer 2, position 1: 4, a sequence pointer past the block table, whose entries number 3",
            "buffer 2, position 2: 0, below the sequence pointer before it, 1",
        ],
    ),
    "scales": (
        make.per_channel((0.0, INF, NAN, 1.0), (0, 0, 0, 0)),
        "Q-27",
        [
            "buffer 1: scale 0 is zero; it must be finite and not zero",
            "buffer 1: scale 1 is infinite; it must be finite and not zero",
            "buffer 1: scale 2 is not a number; it must be finite and not zero",
        ],
    ),
    "nf4 scale": (make.nf4(1.0, -1.0), "Q-27", ["buffer 1: scale 1 is negative; it must be finite and not negative"]),
    "zero point": (
        make.per_channel((1.0, 1.0), (-129, 127)),
        "Q-28",
        ["buffer 2: zero point 0 is -129, outside the storage type's range -128 to 127"],
    ),
    "mxfp scale": (
        make.mxfp(0, 1, 255),
        "Q-29",
        ["buffer 1: MXFP scale 0 is the reserved byte 0x00", "buffer 1: MXFP scale 2 is the reserved byte 0xff"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "code", "messages"), BAD.values(), ids=BAD)
def test_each_rule_is_found_with_buffer_position_and_value(
    data: bytes, code: str, messages: list[str]
) -> None:
    """layouts.md §13, quantization.md §9: in memory and, by the same words, in the file."""
    found = loaded(data).validate()
    assert [problem.message for problem in found] == messages
    assert {type(problem) for problem in found} == {hurray.Problem}
    assert {(problem.code, problem.name, problem.offset, problem.more) for problem in found} == {
        (code, None, None, 0)
    }
    in_file = hurray.verify(data)
    assert [(problem.code, problem.message) for problem in in_file] == [(code, text) for text in messages]
    assert {problem.name for problem in in_file} == {"w"}


def test_every_problem_is_listed_not_the_first() -> None:
    """Issue 4: `t.validate()` lists every problem."""
    found = loaded(make.csr((3, 5), (7, 0, 0), (0, 3, 2, 9))).validate()
    assert [problem.message.split(":")[0] for problem in found] == [
        "buffer 1, position 0",
        "buffer 1, position 1",
        "buffer 1, position 2",
        "buffer 2, position 2",
        "buffer 2, position 3",
    ]


def test_many_places_of_a_kind_are_counted_not_listed() -> None:
    """A broken index makes few objects, however long it is; nothing of it goes uncounted."""
    count = 1000
    tensor = loaded(make.csr((1, 5), [9] * count, (0, count)))
    found = tensor.validate()
    outside = [problem for problem in found if "outside" in problem.message]
    twice = [problem for problem in found if "duplicate" in problem.message]
    assert (len(outside), len(twice), len(found)) == (4, 4, 8)
    assert [problem.more for problem in outside] == [0, 0, 0, count - 4]
    assert [problem.more for problem in twice] == [0, 0, 0, count - 5]
    assert outside[-1].message.endswith(f"; and {count - 4} more like it")
    assert f"{count - 4} more" in str(outside[-1])
    again = pickle.loads(pickle.dumps(outside[-1]))
    assert (again.code, again.message, again.more) == ("L-32", outside[-1].message, count - 4)


def test_reserved_codes_of_float8_e8m0_are_found() -> None:
    """element-types.md §4: 0x00 and 0xFF are no elements."""
    tensor = hurray.Tensor(bytes([127, 0, 1, 255]), hurray.dtype.float8_e8m0, (4,))
    assert [(problem.code, problem.message.split(",")[0]) for problem in tensor.validate()] == [
        ("Q-29", "buffer 0: byte 1 is 0x00"),
        ("Q-29", "buffer 0: byte 3 is 0xff"),
    ]
    data = craft.single(craft.descriptor(craft.E8M0, shape=(2,), sizes=(2,)), b"\x01\xff")
    assert [problem.code for problem in hurray.verify(data)] == ["Q-29"]


@pytest.mark.parametrize("dtype", [hurray.float32, hurray.bool, hurray.dtype.int4])
def test_a_plain_dense_tensor_has_nothing_to_check(dtype: hurray.Dtype) -> None:
    """element-types.md §2: every bit pattern is legal."""
    assert hurray.Tensor(b"\xff" * 64, dtype, (3,)).validate() == []


@pytest.mark.parametrize(("device", "sync", "reason"), [(1, 0, "cuda memory"), (1, 1, "sync mode event")])
def test_memory_that_cannot_be_read_is_refused(device: int, sync: int, reason: str) -> None:
    handles = b"".join(craft.handle(size, device=device, sync=sync) for size in (8, 16, 24))
    payload = pack("<Q8x", 2)
    built = craft.descriptor(craft.FLOAT32, 7, (2, 5), (8, 16, 24), payload=payload, handles=handles)
    tensor = loaded(craft.single(built, bytes(8), bytes(16), bytes(24)))
    with pytest.raises(hurray.UnsupportedError, match=rf"validate\(\) cannot .*{reason}"):
        tensor.validate()


def test_every_call_looks_anew(tmp_path: Path) -> None:
    """Nothing is remembered that a write to the memory could make untrue."""
    tensor, buffers = make.shared(GOOD["csr"], tmp_path)
    assert tensor.validate() == []
    buffers[1][:8] = make.u64(9)
    assert [problem.code for problem in tensor.validate()] == ["L-32", "L-32"]
    buffers[1][:8] = make.u64(0)
    assert tensor.validate() == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=12), st.booleans())
def test_coordinates_are_judged_as_by_comparing_every_pair(
    entries: list[tuple[int, int]], is_sorted: bool
) -> None:
    """layouts.md §7: inside the shape, no tuple twice, strictly increasing where is_sorted says so."""
    found = loaded(make.coo((4, 4), *entries, is_sorted=is_sorted)).validate()
    outside = sum(4 in entry for entry in entries)
    twice = sum(4 not in entry and entry in entries[:at] for at, entry in enumerate(entries))
    falling = sum(is_sorted and a > b for a, b in pairwise(entries))
    assert sum(1 + problem.more for problem in found) == outside + twice + falling


def test_other_threads_run_meanwhile() -> None:
    """The GIL is not held: a thread that sleeps short gets its turns."""
    count = 400_000
    tensor = loaded(make.coo((count, 1), *((count - 1 - at, 0) for at in range(count))))
    turns, done = [0], threading.Event()

    def tick() -> None:
        while not done.wait(0.0005):
            turns[0] += 1

    thread = threading.Thread(target=tick)
    before = sys.getswitchinterval()
    sys.setswitchinterval(60)  # who holds the GIL keeps it
    try:
        thread.start()
        begun = turns[0]
        assert tensor.validate() == []
        assert turns[0] > begun + 3
    finally:
        sys.setswitchinterval(before)
        done.set()
        thread.join()
