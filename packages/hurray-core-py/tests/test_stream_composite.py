"""Composites in streams: one item each, refused or delivered as a whole (requirements: Composites, I/O; ruling 1)."""

from __future__ import annotations

import os
import socket
import threading
from struct import pack
from typing import Any

import hurray
import pytest
from core_composites import F32, box, composites, group, overlay, partition
from core_files import FLOAT32, INT8, descriptor
from hypothesis import given

reader: Any = hurray.StreamReader


def written(*items: Any) -> bytes:
    writer = hurray.StreamWriter()
    for item in items:
        writer.write(item)
    writer.finish()
    return writer.getvalue()


@given(composites())
def test_a_composite_is_one_item(one: hurray.Composite) -> None:
    """StreamWriter.write MUST accept a Composite; StreamReader MUST yield one as one item, and no member beside it."""
    data = written(box(1, (2,)), one, box(2, (2,)))
    items = list(reader(data))
    assert len(items) == 3
    assert items[1] == one
    assert [items[0].tolist(), items[2].tolist()] == [[1, 1], [2, 2]]
    assert written(*items) == data


def test_write_composite_takes_composites_alone() -> None:
    writer = hurray.StreamWriter()
    writer.write_composite(overlay())
    with pytest.raises(
        TypeError, match=r"composite is a hurray.Composite, got Tensor; write\(\) takes a tensor"
    ):
        writer.write_composite(box(1, (2,)))  # type: ignore[arg-type]
    writer.finish()
    assert list(reader(writer.getvalue())) == [overlay()]


def test_roles_survive() -> None:
    """A member decoded from the wire MUST keep its role."""
    (read,) = reader(written(overlay()))
    assert read.member_roles == ("base", "correction")
    assert (
        hurray.Composite("overlay", shape=(4, 4), dtype=F32, members=read.members, combine_op="add")
        == overlay()
    )


def test_a_refused_composite_leaves_the_stream_as_it_was() -> None:
    """Everything is checked before a byte of it is written; the stream can be gone on with."""
    broken = hurray.Tensor(
        bytes(8), F32, (2, 2), aux_buffers=[(9).to_bytes(8, "little") * 4], layout=hurray.CooLayout(2)
    )
    dynamic = hurray.Tensor(bytes(8), F32, (None,))
    writer = hurray.StreamWriter()
    writer.write(box(1, (2,)))
    before = writer.getvalue()
    for member in (broken, dynamic):
        with pytest.raises(hurray.InvalidDescriptorError):
            writer.write(group(box(1, (2,)), member))
        assert writer.getvalue() == before
    deep = group()
    for _ in range(8):
        deep = group(deep)
    with pytest.raises(hurray.FileError) as caught:
        writer.write(deep)
    assert caught.value.code == "F-43"
    assert writer.getvalue() == before
    writer.write(group(box(1, (2,)), broken), check=False)
    writer.finish()
    assert len(list(reader(writer.getvalue()))) == 2


def test_a_stream_that_ends_inside_a_composite_is_torn_at_every_byte() -> None:
    """S-1 inside a tensor, S-13 between two; the items before it are delivered."""
    head, whole = written(box(1, (2,))), written(box(1, (2,)), group(partition(), box(3, (2,))))
    codes = set()
    for cut in range(len(head) + 1, len(whole)):
        stream = reader(whole[:cut])
        assert next(stream).tolist() == [1, 1]
        with pytest.raises(hurray.StreamError) as caught:
            next(stream)
        codes.add(caught.value.code)
        assert list(stream) == []
    assert codes == {"S-1", "S-13"}


def heads(depth: int) -> bytes:
    """Groups of one group each, around a tensor."""
    head = descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 3, 0, 0, 1))
    return head * depth + descriptor(INT8, shape=(1,), sizes=(1,)) + b"\1"


def test_depth_is_bounded_by_the_argument() -> None:
    """Ruling 12: max_composite_depth defaults to 64; nesting bombs are refused (S-15)."""
    (deep,) = reader(heads(64))
    assert repr(deep)
    for data, options in ((heads(65), {}), (heads(100_000), {}), (heads(9), {"max_composite_depth": 8})):
        stream = reader(data, **options)
        with pytest.raises(hurray.StreamError) as caught:
            next(stream)
        assert caught.value.code == "S-15"
        assert list(stream) == []
    assert len(list(reader(heads(9), max_composite_depth=9))) == 1


def test_a_count_that_is_only_claimed_allocates_nothing() -> None:
    data = descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 3, 0, 0, 2**32 - 2)) + heads(1)
    with pytest.raises(hurray.StreamError, match="4294967294 members claimed, 1 there") as caught:
        next(reader(data))
    assert caught.value.code == "S-13"


def test_a_composite_arrives_with_its_last_byte() -> None:
    """Delivered as soon as its last byte is there, and nothing beyond it is read."""
    one, data = group(partition(), box(3, (2,))), written(group(partition(), box(3, (2,))))
    near, far = socket.socketpair()
    with near, far:

        def send() -> None:
            for byte in range(len(data)):
                far.send(data[byte : byte + 1])

        sender = threading.Thread(target=send)
        sender.start()
        assert next(reader(near)) == one
        sender.join()
        far.sendall(b"rest")
        assert near.recv(4) == b"rest"


def test_a_failure_inside_a_composite_breaks_the_writer() -> None:
    """The peer goes away between a head and its members: what follows would be taken for members."""
    out, into = os.pipe()
    writer = hurray.StreamWriter(into)
    os.close(into)
    large = group(box(1, (1 << 20,)), box(1, (1 << 20,)))
    closer = threading.Timer(0.2, os.close, (out,))
    closer.start()
    with pytest.raises(hurray.FileError):
        writer.write(large)
    closer.join()
    with pytest.raises(hurray.StreamError, match="an earlier write failed"):
        writer.write(box(1, (2,)))
    with pytest.raises(hurray.StreamError):
        writer.finish()
    writer.close()
