"""Ruling 13: writers refuse contents that the format forbids before they write; ``check=False`` skips it.

04-tables.md §3: "`save`, `FileWriter` and `StreamWriter` refuse contents that the format forbids, naming the SciPy call
that mends them (`check=False` skips it) … A buffer is checked once, the result is remembered with it".
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from pathlib import Path

import core_contents as make
import core_files as craft
import hurray
import hurray.formats
import pytest
from core_contents import loaded

TWICE = make.csr((1, 5), (3, 3), (0, 2))
UNSORTED = make.csr((1, 5), (3, 1), (0, 2))
GOOD = make.csr((4, 5), (0, 3, 2, 1, 4), (0, 2, 3, 5, 5))

# The contents, the rule, and the call that mends them.
FORBIDDEN = {
    "coo twice": (make.coo((3, 4), (1, 1), (0, 0), (1, 1)), "L-31", ".sum_duplicates()"),
    "coo claims to be sorted": (make.coo((3, 4), (1, 1), (1, 0), is_sorted=True), "L-31", "is_sorted=False"),
    "coo outside": (make.coo((3, 4), (3, 0)), "L-31", "outside the shape"),
    "csr twice": (TWICE, "L-32", ".sum_duplicates()"),
    "csr unsorted": (UNSORTED, "L-32", ".sort_indices()"),
    "csc unsorted": (make.compressed(8, (5, 1), (3, 1), (0, 2)), "L-32", ".sort_indices()"),
    # sum_duplicates() sorts too, so it is the one call for both.
    "csr unsorted and twice": (make.csr((2, 5), (3, 1, 2, 2), (0, 2, 4)), "L-32", ".sum_duplicates()"),
    "csr pointers": (make.csr((2, 5), (0, 3), (0, 1, 1)), "L-32", "the last pointer must be nnz, 2"),
    "csf": (make.csf((*make.TREES[:4], (0, 1, 2, 3, 4, 4), make.TREES[5])), "L-33", "must be nnz, 5"),
    "block_paged": (make.paged((0, 5, 0), (0, 2, 3)), "L-38", "no page of the pool"),
    "scale": (make.nf4(-1.0), "Q-27", "negative"),
    "zero point": (make.per_channel((1.0,), (128,)), "Q-28", "128"),
    "mxfp scale": (make.mxfp(255), "Q-29", "0xff"),
    "code": (craft.single(craft.descriptor(craft.E8M0, shape=(2,), sizes=(2,)), b"\x01\xff"), "Q-29", "0xff"),
}


def refused(write: Callable[[], object], code: str, text: str) -> str:
    """The message of the refusal, which names tensor, rule and the way out."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        write()
    assert type(caught.value) is hurray.InvalidDescriptorError
    assert caught.value.code == code
    message = str(caught.value)
    assert 'tensor "adjacency"' in message
    assert text in message
    assert "check=False" in message
    return message


@pytest.mark.parametrize(("data", "code", "text"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_save_refuses_before_the_file_exists(data: bytes, code: str, text: str, tmp_path: Path) -> None:
    """Ruling 13, `save`."""
    path = tmp_path / "a.hrry"
    tensors = {"fine": loaded(GOOD), "adjacency": loaded(data)}
    refused(lambda: hurray.save(path, tensors), code, text)
    assert list(tmp_path.iterdir()) == []
    hurray.save(path, tensors, check=False)
    assert {problem.code for problem in hurray.verify(path)} == {code}
    # Over a file that is there: it stays.
    before = path.read_bytes()
    refused(lambda: hurray.save(path, tensors), code, text)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("data", "code", "text"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_a_writer_refuses_and_goes_on(data: bytes, code: str, text: str, tmp_path: Path) -> None:
    """Ruling 13, `FileWriter`: nothing of the tensor is written, and the writer stays usable."""
    path = tmp_path / "a.hrry"
    tensor = loaded(data)
    with hurray.FileWriter(path) as writer:
        refused(lambda: writer.write("adjacency", tensor), code, text)
        writer.write("adjacency", loaded(GOOD))
    hurray.save(tmp_path / "b.hrry", {"adjacency": loaded(GOOD)})
    assert path.read_bytes() == (tmp_path / "b.hrry").read_bytes()


def test_a_writer_is_told_for_all_or_for_one(tmp_path: Path) -> None:
    """Ruling 13: `check=False` skips it."""
    path = tmp_path / "a.hrry"
    with hurray.FileWriter(path, check=False) as writer:
        writer.write("first", loaded(TWICE))
        refused(lambda: writer.write("adjacency", loaded(TWICE), check=True), "L-32", "duplicate")
    with hurray.FileWriter(tmp_path / "b.hrry") as writer:
        writer.write("first", loaded(TWICE), check=False)
        refused(lambda: writer.write("adjacency", loaded(TWICE)), "L-32", "duplicate")
        refused(lambda: writer.write("adjacency", loaded(TWICE), check=None), "L-32", "duplicate")
    assert path.read_bytes() == (tmp_path / "b.hrry").read_bytes()


def test_bytes_are_checked_like_tensors(tmp_path: Path) -> None:
    """element-types.md §4: writers must not store the reserved codes."""
    with hurray.FileWriter(tmp_path / "a.hrry") as writer:
        refused(
            lambda: writer.write_buffer("adjacency", b"\0", hurray.dtype.float8_e8m0, (1,)), "Q-29", "0x00"
        )
    with hurray.FileWriter(tmp_path / "b.hrry", check=False) as writer:
        writer.write_buffer("adjacency", b"\0", hurray.dtype.float8_e8m0, (1,))


def test_the_message_names_place_and_counts_the_rest(tmp_path: Path) -> None:
    """Errors name the argument, the value, the reason and the way out."""
    tensor = loaded(make.csr((1, 5), [3] * 10, (0, 10)))
    message = refused(lambda: hurray.save(tmp_path / "a", {"adjacency": tensor}), "L-32", "SciPy")
    assert "buffer 1, position 1: 3, a duplicate" in message
    assert "(and 8 more problems)" in message
    two = loaded(make.csr((1, 5), [3] * 3, (0, 3)))
    assert "(and 1 more problem)" in refused(
        lambda: hurray.save(tmp_path / "a", {"adjacency": two}), "L-32", "3"
    )


def test_what_was_found_sound_is_remembered_with_the_tensor(tmp_path: Path) -> None:
    """Ruling 13: a buffer is checked once. Seen by breaking it behind its back; validate() looks again."""
    tensor, buffers = make.shared(GOOD, tmp_path, readonly=True)
    path = tmp_path / "a.hrry"
    hurray.save(path, {"adjacency": tensor})
    buffers[1][:8] = make.u64(9)
    hurray.save(path, {"adjacency": tensor})
    with hurray.FileWriter(path) as writer:
        writer.write("adjacency", tensor)
    assert [problem.code for problem in tensor.validate()] == ["L-32", "L-32"]
    refused(lambda: hurray.save(path, {"adjacency": tensor}), "L-32", "9")


def test_validate_is_remembered_too(tmp_path: Path) -> None:
    """Ruling 13: the result is remembered with the buffers, whoever asked for it."""
    tensor, buffers = make.shared(GOOD, tmp_path, readonly=True)
    assert tensor.validate() == []
    buffers[1][:8] = make.u64(9)
    hurray.save(tmp_path / "a.hrry", {"adjacency": tensor})


def test_memory_that_can_be_written_to_is_looked_at_every_time(tmp_path: Path) -> None:
    """Nothing that the format forbids gets into a file because it was in order before."""
    tensor, buffers = make.shared(GOOD, tmp_path)
    path = tmp_path / "a.hrry"
    assert tensor.validate() == []
    hurray.save(path, {"adjacency": tensor})
    buffers[1][:8] = make.u64(9)
    refused(lambda: hurray.save(path, {"adjacency": tensor}), "L-32", "9")
    assert hurray.verify(path) == []


def test_what_was_found_broken_may_be_mended(tmp_path: Path) -> None:
    """A refusal is not remembered: the memory may have been put in order meanwhile."""
    tensor, buffers = make.shared(TWICE, tmp_path)
    path = tmp_path / "a.hrry"
    refused(lambda: hurray.save(path, {"adjacency": tensor}), "L-32", "duplicate")
    buffers[1][8:16] = make.u64(4)
    hurray.save(path, {"adjacency": tensor})
    assert hurray.verify(path) == []


def test_memory_of_a_device_is_relayed_unseen(tmp_path: Path) -> None:
    """What cannot be read here cannot be checked here: it is passed on as it came."""
    handles = b"".join(craft.handle(size, device=1) for size in (8, 16, 16))
    parts = [make.f32(1, 2), make.u64(3, 3), make.u64(0, 2)]
    payload = make.u64(2, 0)
    built = craft.descriptor(craft.FLOAT32, 7, (1, 5), (8, 16, 16), payload=payload, handles=handles)
    path = tmp_path / "a.hrry"
    hurray.save(path, {"adjacency": loaded(craft.single(built, *parts))})
    assert [problem.code for problem in hurray.verify(path)] == ["L-32"]


def test_a_relayed_file_is_copied_as_it_is(tmp_path: Path) -> None:
    """hurray.convert copies .hrry to .hrry byte by byte: what is in it is verify's business."""
    source, target = tmp_path / "a.hrry", tmp_path / "b.hrry"
    source.write_bytes(GOOD)
    hurray.convert(source, target)
    assert target.read_bytes() == GOOD
    source.write_bytes(TWICE)
    with pytest.raises(hurray.formats.FormatError, match="a duplicate") as caught:
        hurray.convert(source, tmp_path / "c.hrry")
    assert [problem.code for problem in caught.value.problems] == ["L-32"]
    assert not (tmp_path / "c.hrry").exists()


def test_a_tensor_of_arrays_in_memory_is_checked_like_a_loaded_one(tmp_path: Path) -> None:
    """Ruling 13, for what is wrapped as it is: duplicates pass the constructor and no writer."""
    columns = array("Q", [3, 3])
    tensor = hurray.Tensor(
        array("f", [1, 2]),
        hurray.float32,
        (1, 5),
        layout=hurray.CsrLayout(2),
        aux_buffers=[columns, array("Q", [0, 2])],
    )
    refused(lambda: hurray.save(tmp_path / "a.hrry", {"adjacency": tensor}), "L-32", ".sum_duplicates()")
    hurray.save(tmp_path / "a.hrry", {"adjacency": tensor}, check=False)
