"""Composites in files: members named after their places, and found again by offset (file.md §7)."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from struct import pack
from typing import Any

import hurray
import pytest
from core_composites import F32, arranged, box, composites, group, overlay, partition
from core_files import FLOAT32, INT8, Crafted, Put, descriptor
from hypothesis import given

# What a name stands for is a Tensor or a Composite, which only the file knows.
load: Any = hurray.load
opened: Any = hurray.open

HEAD = descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 3, 0, 0, 2))
MEMBER = descriptor(INT8, shape=(1,), sizes=(1,))


def head(count: int, rule: int = 3) -> bytes:
    """A group that claims ``count`` members."""
    return descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", rule, 0, 0, count))


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_save_takes_composites_and_load_returns_them(tmp_path: Path, io: Any) -> None:
    """Save MUST accept a Composite as a named entry; load MUST return one, and MUST NOT also return its members."""
    tensors = {
        "a": box(1, (3,)),
        "g": group(partition(), overlay(), box(3, (2,))),
        "p": partition(),
        "z": box(9, (2,)),
    }
    hurray.save(tmp_path / "a.hrry", tensors, kv={"k": 1})
    loaded = load(tmp_path / "a.hrry", io=io)
    assert list(loaded) == ["a", "g", "p", "z"]
    assert (loaded["g"], loaded["p"]) == (tensors["g"], tensors["p"])
    assert (loaded["a"].tolist(), loaded["z"].tolist()) == ([1] * 3, [9] * 2)
    assert hurray.load_kv(tmp_path / "a.hrry") == {"k": 1}
    assert hurray.verify(tmp_path / "a.hrry") == []


def test_members_are_named_after_their_places(tmp_path: Path) -> None:
    """A composite's members MUST be named "{head}.{index}", recursively."""
    hurray.save(tmp_path / "a.hrry", {"g": group(partition(), box(1, (2,)), group())})
    with opened(tmp_path / "a.hrry") as file:
        assert list(file) == ["g", "g.0", "g.0.0", "g.0.1", "g.1", "g.2"]
        assert file.members("g") == ("g.0", "g.1", "g.2")
        assert file.members("g.0") == ("g.0.0", "g.0.1")
        assert file.members("g.2") == ()
        assert file["g.0"] == file["g"].members[0] == partition()
        assert file.get("g.2") == group()
        with pytest.raises(ValueError, match=r"'?\"?g.1\"?'? is a tensor, which has no members"):
            file.members("g.1")
        with pytest.raises(KeyError):
            file.members("h")


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_a_member_asked_for_by_name_is_returned_beside_its_head(tmp_path: Path, io: Any) -> None:
    """A member requested explicitly by name MUST still be returned."""
    hurray.save(tmp_path / "a.hrry", {"g": group(partition(), box(7, (2,)))})
    loaded = load(tmp_path / "a.hrry", names=["g.0.1", "g", "g.1", "g.0"], io=io)
    assert list(loaded) == ["g.0.1", "g", "g.1", "g.0"]
    assert loaded["g"] == group(partition(), box(7, (2,)))
    assert (loaded["g.0.1"].tolist(), loaded["g.1"].tolist()) == ([[2] * 4] * 2, [7, 7])
    assert loaded["g.0"] == partition()
    # Loaded twice, they are two: writing to one leaves the other alone.
    memoryview(loaded["g.1"]).cast("B")[:] = bytes(8)
    assert loaded["g"].members[1].tolist() == [7, 7]


@given(composites())
def test_what_was_saved_is_loaded(one: hurray.Composite) -> None:
    """The round-trip obligation, stated as equality."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder, "a.hrry")
        hurray.save(path, {"c": one, "t": box(1, (2,))})
        loaded = load(path)
        assert list(loaded) == ["c", "t"]
        assert loaded["c"] == one
        assert arranged(loaded["c"]) == arranged(one)
        hurray.save(Path(folder, "b.hrry"), loaded)
        assert Path(folder, "b.hrry").read_bytes() == path.read_bytes()


def test_membership_follows_offsets_whatever_the_index_says() -> None:
    """SORTED_INDEX permutes only index entries, so sort by descriptor_offset to recover membership."""
    puts = [
        Put(b"h", HEAD),
        Put(b"b", MEMBER, (b"\1",)),
        Put(b"a", MEMBER, (b"\2",)),
        Put(b"c", MEMBER, (b"\3",)),
    ]
    plain = Crafted(tuple(puts)).build()
    expected = [[1], [2]]
    assert [member.tolist() for member in load(plain)["h"].members] == expected
    sorted_index = crafted_order(plain, sorted(range(4), key=lambda at: puts[at].name), flags=2 | 4)
    loaded = load(sorted_index)
    assert list(loaded) == ["c", "h"]
    assert [member.tolist() for member in loaded["h"].members] == expected
    for order in permutations(range(4)):
        loaded = load(crafted_order(plain, order, flags=4))
        assert sorted(loaded) == ["c", "h"]
        assert [member.tolist() for member in loaded["h"].members] == expected
        with opened(crafted_order(plain, order, flags=4)) as file:
            assert file.members("h") == ("b", "a")


def crafted_order(data: bytes, order: Any, flags: int) -> bytes:
    """The same file with its index entries in another order."""
    from core_files import crc32c

    trailer = bytearray(data[-40:])
    at, length = int.from_bytes(trailer[0:8], "little"), int.from_bytes(trailer[8:16], "little")
    index, entries, place = data[at : at + length], [], 8
    while place < length:
        size = 2 + int.from_bytes(index[place : place + 2], "little") + 32
        entries.append(index[place : place + size])
        place += size
    assert place == length, "the index is as format/file.md says"
    fresh = index[:8] + b"".join(entries[at] for at in order)
    trailer[28:32] = crc32c(fresh).to_bytes(4, "little")
    whole = bytearray(data)
    whole[at : at + length] = fresh
    whole[-40:] = trailer
    whole[12:16] = flags.to_bytes(4, "little")
    return bytes(whole)


@pytest.mark.parametrize("names", [None, ["h"]])
@pytest.mark.parametrize("count", [3, 1000, 2**32 - 2])
def test_a_torn_composite_is_refused(count: int, names: Any) -> None:
    """Too few following tensors: strict readers reject (F-42). The claim allocates nothing."""
    data = Crafted((Put(b"h", head(count)), Put(b"a", MEMBER, (b"\1",)), Put(b"b", MEMBER, (b"\2",)))).build()
    with pytest.raises(
        hurray.FileError, match=rf"claims {count} members, but only 2 tensors follow"
    ) as caught:
        load(data, names=names)
    assert caught.value.code == "F-42"
    assert load(data, names=["b"])["b"].tolist() == [2]
    with opened(data) as file, pytest.raises(hurray.FileError):
        file.members("h")


def test_a_composite_torn_inside_another_is_refused() -> None:
    data = Crafted((Put(b"h", head(2)), Put(b"i", head(1)), Put(b"a", MEMBER, (b"\1",)))).build()
    with pytest.raises(hurray.FileError) as caught:
        load(data)
    assert caught.value.code == "F-42"
    assert [member.tolist() for member in load(data, names=["i"])["i"].members] == [[1]]


def test_members_that_break_a_rule_are_refused_where_they_are() -> None:
    """A partition whose member has no box: L-47, naming the member."""
    data = Crafted((Put(b"h", head(1, rule=1)), Put(b"a", descriptor(sizes=(8,)), (bytes(8),)))).build()
    for names in (None, ["h"]):
        with pytest.raises(hurray.InvalidDescriptorError, match='tensor "a"') as caught:
            load(data, names=names)
        assert caught.value.code == "L-47"


@pytest.mark.parametrize("deep", [8, 9, 100])
def test_files_hold_eight_levels(tmp_path: Path, deep: int) -> None:
    """Ruling 12, F-43: both a reader and a writer keep to the format's 8 levels."""
    one = group(box(1, (2,)))
    for _ in range(deep - 1):
        one = group(one)
    puts = [Put(b"h%d" % at, head(1)) for at in range(deep)] + [Put(b"t", MEMBER, (b"\1",))]
    data = Crafted(tuple(puts)).build()
    if deep <= 8:
        hurray.save(tmp_path / "a.hrry", {"c": one})
        assert load(tmp_path / "a.hrry")["c"] == one
        assert repr(load(data)["h0"]).count("Composite") <= 8
        return
    with pytest.raises(hurray.FileError) as caught:
        hurray.save(tmp_path / "a.hrry", {"c": one})
    assert caught.value.code == "F-43"
    assert not list(tmp_path.iterdir())
    # Shared members make many of few: the depth is looked at before they are unfolded.
    for _ in range(40 if deep == 9 else 0):
        one = group(one, one)
    with pytest.raises(hurray.FileError, match="deeper than 8"):
        hurray.save(tmp_path / "a.hrry", {"c": one})
    for names in (None, ["h0"]):
        with pytest.raises(hurray.FileError) as caught:
            load(data, names=names)
        assert caught.value.code == "F-43"


class TestWriter:
    """FileWriter takes a composite whole or not at all."""

    def test_it_stands_between_others(self, tmp_path: Path) -> None:
        with hurray.FileWriter(tmp_path / "a.hrry") as writer:
            writer.write("a", box(1, (2,)))
            writer.write("g", group(partition(), overlay()))
            writer.write("z", box(2, (2,)))
        loaded = load(tmp_path / "a.hrry")
        assert list(loaded) == ["a", "g", "z"]
        assert loaded["g"] == group(partition(), overlay())

    def test_a_refused_one_leaves_the_writer_usable(self, tmp_path: Path) -> None:
        broken = hurray.Tensor(
            bytes(8), F32, (2, 2), aux_buffers=[(9).to_bytes(8, "little") * 4], layout=hurray.CooLayout(2)
        )
        with hurray.FileWriter(tmp_path / "a.hrry") as writer:
            writer.write("g.1", box(1, (2,)))
            before = writer.tell()
            with pytest.raises(hurray.FileError, match=r'"g\.1" is used twice'):
                writer.write("g", group(box(1, (2,)), box(1, (2,))))
            with pytest.raises(hurray.InvalidDescriptorError, match=r'tensor "h.1"'):
                writer.write("h", group(box(1, (2,)), broken))
            with pytest.raises(hurray.InvalidDescriptorError, match="dynamic"):
                writer.write("i", group(box(1, (2,)), hurray.Tensor(bytes(8), F32, (None,))))
            assert writer.tell() == before
            writer.write("h", group(box(1, (2,)), broken), check=False)
        assert list(load(tmp_path / "a.hrry")) == ["g.1", "h"]

    def test_a_name_of_a_member_that_is_taken(self, tmp_path: Path) -> None:
        for tensors in (
            {"g": group(box(1, (2,))), "g.0": box(1, (2,))},
            {"g.0": box(1, (2,)), "g": group(box(1, (2,)))},
        ):
            with pytest.raises(hurray.FileError, match=r'"g\.0" is used twice'):
                hurray.save(tmp_path / "a.hrry", tensors)
        assert not list(tmp_path.iterdir())


def test_the_same_tensor_as_member_and_by_itself_is_stored_twice(tmp_path: Path) -> None:
    """Two index entries may not share a descriptor (F-29)."""
    one = box(1, (2,))
    hurray.save(tmp_path / "a.hrry", {"t": one, "g": group(one, one)})
    loaded = load(tmp_path / "a.hrry")
    assert [loaded["t"].tolist(), *(member.tolist() for member in loaded["g"].members)] == [[1, 1]] * 3


def test_tensors_before_and_after_many_heads(tmp_path: Path) -> None:
    """Tensors that were made before the first head was met are handed out once."""
    tensors: dict[str, Any] = {f"t{at}": box(at % 7, (2,)) for at in range(600)}
    tensors["g"] = group(*[box(at % 7, (2,)) for at in range(1000)])
    tensors |= {f"u{at}": box(at % 7, (2,)) for at in range(300)}
    hurray.save(tmp_path / "a.hrry", tensors)
    maps = Path("/proc/self/maps")
    before = len(maps.read_text().splitlines()) if maps.exists() else 0
    loaded = load(tmp_path / "a.hrry")
    assert list(loaded) == list(tensors)
    assert [loaded[name].tolist() for name in list(tensors)[:600]] == [[at % 7] * 2 for at in range(600)]
    assert loaded["g"] == tensors["g"]
    if before:
        assert len(maps.read_text().splitlines()) - before < 100


def test_mutated_composites_never_do_anything_else(tmp_path: Path) -> None:
    """Every byte of heads and members flipped: an exception of ours, or a file that loads."""
    hurray.save(tmp_path / "a.hrry", {"g": group(partition(), overlay())})
    data = bytearray((tmp_path / "a.hrry").read_bytes())
    with opened(bytes(data)) as file:
        spans = [(file.entry(name).descriptor_offset, file.entry(name).descriptor_length) for name in file]
    refused = 0
    for start, length in spans:
        for at in range(start, start + length):
            for bit in (0x01, 0x80):
                data[at] ^= bit
                try:
                    repr(load(bytes(data)))
                except (
                    hurray.InvalidDescriptorError,
                    hurray.FileError,
                    hurray.BufferError,
                    hurray.UnsupportedError,
                ):
                    refused += 1
                data[at] ^= bit
    assert refused > 500
