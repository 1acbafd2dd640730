"""hurray.open and hurray.load: reading a file of tensors (file.md §8; issue 3; rulings 3 and 4)."""

from __future__ import annotations

import pickle
import weakref
from collections.abc import Mapping
from pathlib import Path
from struct import pack
from typing import Any

import core_files as craft
import hurray
import pytest
from core_files import FLOAT32, INT8, Crafted, Put, descriptor, single
from core_memory import address, aligned
from core_numpy import np

IO = pytest.mark.parametrize("io", ["mmap", "read"])


def arrays() -> dict[str, Any]:
    return {
        "w": np.arange(12, dtype=np.float32).reshape(3, 4),
        "bias": np.arange(3, dtype=np.int8),
        "layer.0.weight": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "ünïcode/日本": np.zeros((0, 4), np.float16),
        "scalar": np.array(2.5),
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of several tensors with metadata."""
    target = tmp_path / "a.hrry"
    tensors = {name: hurray.Tensor.from_buffer(array) for name, array in arrays().items()}
    hurray.save(target, tensors, kv={"step": 3, "note": "x"})
    return target


# --- load --------------------------------------------------------------------------------------------------


@IO
def test_load_gives_a_dict_of_everything_in_the_files_order(path: Path, io: Any) -> None:
    loaded = hurray.load(path, io=io)
    assert type(loaded) is dict
    assert list(loaded) == list(arrays())
    for name, array in arrays().items():
        assert (loaded[name].shape, loaded[name].tobytes()) == (array.shape, array.tobytes())
        assert loaded[name].dtype.name == array.dtype.name
        assert loaded[name].device == hurray.device.cpu


@IO
@pytest.mark.parametrize(
    "names", [["w"], ("bias", "w"), {"w": 1}, iter(["scalar"]), [], ["w", "w"], np.array(["w"])]
)
def test_load_gives_the_names_it_is_asked_for(path: Path, io: Any, names: Any) -> None:
    names = list(names)
    loaded = hurray.load(path, names=names, io=io)
    assert list(loaded) == list(dict.fromkeys(names))


def test_a_missing_name_is_a_file_error_and_a_key_error(path: Path) -> None:
    for kind in (hurray.FileError, KeyError):
        with pytest.raises(kind, match="nothing"):
            hurray.load(path, names=["w", "nothing"])
    with hurray.open(path) as file, pytest.raises(KeyError, match="nothing"):
        file["nothing"]


@pytest.mark.parametrize("names", ["w", b"w", 5, [5], [None], [b"w"]], ids=str)
def test_names_are_a_sequence_of_str(path: Path, names: Any) -> None:
    with pytest.raises(TypeError):
        hurray.load(path, names=names)


@pytest.mark.parametrize("io", ["", "mmap ", "direct", "READ"])
def test_io_is_mmap_or_read(path: Path, io: Any) -> None:
    for door in (hurray.load, hurray.open):
        with pytest.raises(ValueError, match="'mmap' or 'read'"):
            door(path, io=io)
    with pytest.raises(TypeError):
        hurray.load(path, io=None)  # type: ignore[arg-type]


def test_arguments_are_keyword_only(path: Path) -> None:
    for call in (lambda: hurray.load(path, ["w"]), lambda: hurray.open(path, "mmap")):  # type: ignore[call-arg]
        with pytest.raises(TypeError):
            call()


# --- open --------------------------------------------------------------------------------------------------


@IO
def test_an_open_file_is_a_mapping(path: Path, io: Any) -> None:
    """Issue 3: a lazy read-only Mapping and context manager."""
    with hurray.open(path, io=io) as file:
        number: Any = 5
        assert isinstance(file, Mapping)
        assert len(file) == 5
        assert list(file) == list(file.keys()) == list(arrays())
        assert [t.tobytes() for t in file.values()] == [a.tobytes() for a in arrays().values()]
        assert [name for name, _ in file.items()] == list(arrays())
        assert "w" in file
        assert "x" not in file
        assert number not in file
        assert file.keys() & {"w", "x"} == {"w"}
        assert file["bias"].tolist() == [0, 1, 2]
        assert file.get("bias") is not None
        assert file.get("x") is None
        assert file.get("x", 7) == 7
        assert {**file}.keys() == arrays().keys()
        assert not hasattr(file, "__setitem__")
        for name in ("w", "x"):
            with pytest.raises(TypeError):
                file[name] = file["w"]  # type: ignore[index]


def test_a_key_that_is_no_str(path: Path) -> None:
    with hurray.open(path) as file:
        for key in (5, None, b"w", ("w",)):
            with pytest.raises((KeyError, TypeError)):
                file[key]  # type: ignore[index]


def test_what_an_open_file_says_of_itself(path: Path) -> None:
    with hurray.open(path) as file:
        assert file.kv == {"step": 3, "note": "x"}
        assert list(file.kv) == ["step", "note"]
        assert file.version == (1, 0)
        assert file.size == path.stat().st_size
        assert file.flags & 4
        assert file.alignment == 4096
        assert not file.closed
        assert "5" in repr(file)
        file.kv["new"] = 1
        assert "new" not in file.kv


def test_entries_say_where_everything_lies(path: Path) -> None:
    data = path.read_bytes()
    parsed = {entry[0]: entry for entry in craft.Parsed.of(data).entries}
    with hurray.open(path) as file:
        for name, array in arrays().items():
            entry = file.entry(name)
            found = (
                entry.name,
                entry.descriptor_offset,
                entry.descriptor_length,
                entry.data_offset,
                entry.data_length,
                0,
            )
            assert found == parsed[name]
            at, length = entry.descriptor_offset, entry.descriptor_length
            assert file.descriptor_bytes(name) == data[at : at + length] == file.descriptor(name).encode()
            assert len(entry.buffer_offsets) == 1
            start = entry.buffer_offsets[0]
            plain = array.tobytes("A")
            assert data[start : start + len(plain)] == plain
            assert file.descriptor(name) == hurray.Descriptor.decode(file.descriptor_bytes(name))
            assert not file.is_composite(name)
        for method in (file.entry, file.descriptor, file.descriptor_bytes, file.is_composite):
            with pytest.raises(KeyError):
                method("x")


def test_a_closed_file_says_so_and_its_tensors_stay(path: Path) -> None:
    file = hurray.open(path)
    tensor, keys = file["w"], file.keys()
    with file:
        pass
    assert file.closed
    file.close()
    assert tensor.tolist() == arrays()["w"].tolist()
    uses: list[Any] = [
        lambda: file["w"],
        lambda: list(file),
        lambda: len(file),
        lambda: file.kv,
        lambda: file.get("w"),
        lambda: "w" in file,
        lambda: file.descriptor("w"),
        lambda: file.entry("w"),
        lambda: file.size,
        lambda: list(keys),
        file.keys,
        file.__enter__,
    ]
    for use in uses:
        with pytest.raises(ValueError, match="closed"):
            use()
    assert "closed" in repr(file)


def test_leaving_the_block_by_an_error_closes_and_hides_nothing(path: Path) -> None:
    file = hurray.open(path)
    with pytest.raises(ZeroDivisionError), file:
        _ = 1 / 0
    assert file.closed


def test_an_open_file_is_neither_made_nor_pickled(path: Path) -> None:
    with pytest.raises(TypeError):
        hurray.File()
    file = hurray.open(path)
    with pytest.raises(TypeError):
        pickle.dumps(file)
    watch = weakref.ref(file)
    del file
    assert watch() is None
    assert hurray.File.__module__ == hurray.Entry.__module__ == "hurray"


# --- mapped memory (ruling 3) ------------------------------------------------------------------------------


def test_loaded_tensors_are_copy_on_write_views(path: Path) -> None:
    """Ruling 3: writing to them changes neither the file nor another loaded tensor."""
    before = path.read_bytes()
    one, two = hurray.load(path)["w"], hurray.load(path)["w"]
    with hurray.open(path) as file:
        three = file["w"]
    assert not one.readonly
    written: Any = np.asarray(one)
    written[...] = -1
    assert one.tolist() == [[-1.0] * 4] * 3
    assert two.tolist() == three.tolist() == arrays()["w"].tolist()
    assert path.read_bytes() == before
    assert hurray.load(path)["w"].tolist() == arrays()["w"].tolist()


def test_two_tensors_of_one_name_are_two(path: Path) -> None:
    """Ruling 3: writing to one changes neither the file nor another loaded tensor, out of one open file either."""
    with hurray.open(path) as file:
        one, two = file["w"], file["w"]
        memoryview(one.buffer(0))[:] = b"\xff" * 48
        three = file["w"]
    assert two.tolist() == three.tolist() == arrays()["w"].tolist()


def test_a_write_to_one_tensor_does_not_reach_its_neighbour(path: Path) -> None:
    loaded = hurray.load(path)
    memoryview(loaded["w"].buffer(0))[:] = b"\xff" * 48
    assert loaded["bias"].tolist() == [0, 1, 2]
    assert loaded["scalar"].tolist() == 2.5


@IO
def test_memory_is_aligned(path: Path, io: Any) -> None:
    for tensor in hurray.load(path, io=io).values():
        if tensor.size:
            assert address(tensor.buffer(0)) % (4096 if io == "mmap" else 64) == 0


def test_writable_false_maps_read_only(path: Path) -> None:
    with hurray.open(path, writable=False) as file:
        tensor = file["w"]
        assert tensor.readonly
        with pytest.raises(TypeError):
            memoryview(tensor.buffer(0))[0] = 1
    assert tensor.tolist() == arrays()["w"].tolist()


def test_io_read_gives_memory_of_its_own(path: Path) -> None:
    with hurray.open(path, io="read") as file:
        one, two = file["w"], file["w"]
    assert address(one) != address(two)
    assert not one.readonly
    memoryview(one.buffer(0))[0] = 9
    path.write_bytes(b"")
    assert two.tolist() == arrays()["w"].tolist()


def test_opening_touches_no_tensor(tmp_path: Path) -> None:
    """Opening is O(index): a bad descriptor or unreadable data is met when its tensor is asked for."""
    good = Put(b"good", descriptor(INT8, shape=(2,), sizes=(2,)), (b"\1\2",))
    bad = Put(b"bad", descriptor(0x7F), (bytes(8),))
    data = Crafted((bad, good)).build()
    with hurray.open(data) as file:
        assert list(file) == ["bad", "good"]
        assert file["good"].tolist() == [1, 2]
        assert file.descriptor_bytes("bad") == bad.descriptor
        assert file.entry("bad").buffer_offsets == ()
        for use in (file.__getitem__, file.descriptor, file.get):
            with pytest.raises(hurray.InvalidDescriptorError, match="bad"):
                use("bad")
    assert hurray.load(data, names=["good"])["good"].tolist() == [1, 2]
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.load(data)
    assert caught.value.code == "D-8"


# --- what other writers may write --------------------------------------------------------------------------


def test_a_file_of_nothing() -> None:
    """file.md §1: the smallest file has 112 bytes."""
    data = Crafted().build()
    assert len(data) == 112
    assert hurray.load(data) == {}
    assert hurray.load_kv(data) == {}
    with hurray.open(data) as file:
        assert len(file) == 0
        assert list(file.items()) == []


@pytest.mark.parametrize("alignment", [4096, 8192, 65536, 1 << 21])
def test_any_alignment_of_the_format(alignment: int) -> None:
    blob = descriptor(INT8, shape=(3,), sizes=(3,))
    data = Crafted(
        (Put(b"a", blob, (b"\1\2\3",)), Put(b"b", blob, (b"\4\5\6",))), alignment=alignment
    ).build()
    assert [t.tolist() for t in hurray.load(data).values()] == [[1, 2, 3], [4, 5, 6]]
    with hurray.open(data) as file:
        assert file.alignment == alignment
        assert file.entry("b").data_offset % alignment == 0


def test_what_the_format_leaves_free() -> None:
    """A stale hint, a cleared metadata flag, no checksum, a newer minor version, padding at the front."""
    blob = descriptor(INT8, shape=(3,), sizes=(3,))
    put = Put(b"w", blob, (b"\1\2\3",))
    kv = craft.kv_section(craft.kv_entry(b"k", 5, b"\1"))
    variants = [
        Crafted((put,), hint=7),
        Crafted((put,), hint=0),
        Crafted((put,), flags=0),
        Crafted((put,), flags=craft.SORTED | craft.HAS_CRC),
        Crafted((put,), version=(1, 9)),
        Crafted((put,), version=(1, 9), index_extra=b"newer"),
        Crafted((put,), version=(1, 9), reserved=b"\1\0", tail=b"\1" * 28, trailer_reserved=5),
    ]
    for crafted in variants:
        assert hurray.load(crafted.build())["w"].tolist() == [1, 2, 3]
    # file.md §11.1: a reader must accept KV with the flag clear.
    assert hurray.load_kv(Crafted((put,), kv=kv, flags=craft.HAS_CRC).build()) == {"k": True}


def test_an_index_in_another_order_than_the_data() -> None:
    """The index may be sorted by name while the tensors lie in write order."""
    names = [b"c", b"a", b"b"]
    puts = [Put(name, descriptor(INT8, shape=(1,), sizes=(1,)), (name,)) for name in names]
    data = Crafted(tuple(puts)).build()
    entries = {entry[0]: entry for entry in craft.Parsed.of(data).entries}
    index = pack("<Q", 3)
    for name in sorted(entries):
        index += pack("<H", 1) + name.encode() + pack("<QIQQI", *entries[name][1:])
    trailer = pack("<QQQIII", len(data) - 40 - len(index), len(index), 0, 0, craft.crc32c(index), 0) + b"HRRY"
    head = bytearray(data[: -40 - len(index)])
    head[12] |= craft.SORTED
    changed = bytes(head) + index + trailer
    loaded = hurray.load(changed)
    assert list(loaded) == ["a", "b", "c"]
    assert {name: tensor.tobytes() for name, tensor in loaded.items()} == {"a": b"a", "b": b"b", "c": b"c"}
    assert hurray.verify(changed) == []


def test_descriptors_of_the_handle_alignment_say_nothing_of_the_file() -> None:
    """file.md §3: the alignment in a buffer handle is a property of memory, not of the file."""
    blob = descriptor(INT8, shape=(3,), sizes=(3,), handles=craft.handle(3, alignment=1 << 20))
    assert hurray.load(single(blob, b"\1\2\3"))["w"].tolist() == [1, 2, 3]


def test_bytes_beyond_what_the_layout_needs_are_kept(tmp_path: Path) -> None:
    """Over-sized buffers MUST be permitted."""
    blob = descriptor(INT8, shape=(2,), sizes=(5,), byte_offset=1)
    tensor = hurray.load(single(blob, b"\1\2\3\4\5"))["w"]
    assert (tensor.tolist(), tensor.nbytes) == ([2, 3], 2)
    assert tensor.buffer(0).tolist() == [1, 2, 3, 4, 5]
    hurray.save(tmp_path / "a.hrry", {"w": tensor})
    again = hurray.load(tmp_path / "a.hrry")["w"]
    assert again.buffer(0).tolist() == [1, 2, 3, 4, 5]
    assert again.tolist() == [2, 3]


def csr() -> Put:
    blob = descriptor(FLOAT32, 7, (3, 3), (8, 16, 32), payload=pack("<QQ", 2, 0))
    return Put(b"csr", blob, (pack("<ff", 1, 2), pack("<QQ", 0, 1), pack("<4Q", 0, 1, 2, 2)))


def quantised() -> Put:
    section = pack("<I", 24) + pack("<BBHIIIIB3x", 3, 1, 1, 1, 4, 1, 0xFFFFFFFF, 3)
    blob = descriptor(INT8, 1, (2, 4), (8, 8), sections=section, flags=craft.QUANTIZATION)
    return Put(b"quantised", blob, (bytes(range(8)), pack("<ff", 0.5, 2)))


@pytest.mark.parametrize("put", [csr(), quantised()], ids=lambda put: put.name.decode())
@IO
def test_every_buffer_of_a_tensor_is_loaded_and_saved(put: Put, io: Any, tmp_path: Path) -> None:
    """save() MUST write every buffer of a tensor, and load() MUST accept multi-buffer tensors."""
    name = put.name.decode()
    (tmp_path / "a.hrry").write_bytes(Crafted((put,)).build())
    tensor = hurray.load(tmp_path / "a.hrry", io=io)[name]
    assert tensor.buffer_count == len(put.buffers)
    assert [tensor.buffer(at).tobytes() for at in range(tensor.buffer_count)] == list(put.buffers)
    with pytest.raises(IndexError):
        tensor.buffer(tensor.buffer_count)
    hurray.save(tmp_path / "b.hrry", {name: tensor})
    with hurray.open(tmp_path / "b.hrry", io=io) as file:
        assert file.descriptor_bytes(name) == put.descriptor
        again = file[name]
    assert [again.buffer(at).tobytes() for at in range(again.buffer_count)] == list(put.buffers)
    assert hurray.verify(tmp_path / "b.hrry") == []


def test_a_buffer_count_that_disagrees_with_the_descriptor_is_refused() -> None:
    """load() MUST reject any tensor whose buffer count disagrees with its descriptor."""
    for count in (1, 2, 4):
        blob = descriptor(FLOAT32, 7, (3, 3), (32,) * count, payload=pack("<QQ", 2, 0))
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            hurray.load(single(blob, *[bytes(32)] * count))
        assert caught.value.code == "D-31"


def test_a_composite_loads_under_its_head_and_its_members_by_name() -> None:
    """Load MUST return a composite under its head's name, and a member requested explicitly by name."""
    head = Put(b"g", descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 3, 0, 0, 2)))
    member = descriptor(INT8, shape=(1,), sizes=(1,))
    data = Crafted((head, Put(b"g.0", member, (b"\7",)), Put(b"g.1", member, (b"\10",)))).build()
    with hurray.open(data) as file:
        assert [file.is_composite(name) for name in file] == [True, False, False]
        assert file["g.1"].tolist() == [8]
        found: Any = file["g"]
        assert [member.tolist() for member in found.members] == [[7], [8]]
    assert hurray.load(data, names=["g.0"])["g.0"].tolist() == [7]
    assert list(hurray.load(data)) == ["g"]


def test_many_tensors() -> None:
    """Every one by its own name, and in the file's order."""
    blob = descriptor(INT8, shape=(0,), sizes=(0,))
    data = Crafted(tuple(Put(f"t{at}".encode(), blob, (b"",)) for at in range(2000))).build()
    loaded = hurray.load(data)
    assert list(loaded) == [f"t{at}" for at in range(2000)]


def test_content_in_memory_is_shared_where_it_is_aligned() -> None:
    content = Crafted((Put(b"w", descriptor(INT8, shape=(4,), sizes=(4,)), (b"abcd",)),)).build()
    store = aligned(len(content))
    store[:] = content
    tensor = hurray.load(store)["w"]
    assert address(tensor) == address(store) + 4096
    assert hurray.load(store.toreadonly())["w"].readonly
    shifted = aligned(len(content), 8)
    shifted[:] = content
    assert hurray.load(shifted)["w"].tobytes() == b"abcd"
    assert address(hurray.load(shifted)["w"]) % 64 == 0


def test_a_name_taken_twice_is_written_apart(tmp_path: Path) -> None:
    """Ruling 3: writing to a loaded tensor changes neither the file nor another loaded tensor."""
    hurray.save(tmp_path / "a.hrry", {"w": b"abc", "x": b"def"})
    with hurray.open(tmp_path / "a.hrry") as file:
        first, second = file["w"], file["w"]
        memoryview(first)[0] = 0
        memoryview(second)[1] = 1
        assert (first.tobytes(), second.tobytes()) == (b"\0bc", b"a\1c")
        assert file["w"].tobytes() == b"abc"
        assert file["x"].tobytes() == b"def"


def test_the_parameter_is_called_path(tmp_path: Path) -> None:
    """04-tables §1: load(path, *, names=None) and load_kv(path)."""
    path = tmp_path / "a.hrry"
    hurray.save(path, {"w": b"abc"}, kv={"k": 1})
    assert hurray.load(path=path)["w"].tobytes() == b"abc"
    assert hurray.load_kv(path=path) == {"k": 1}
    assert hurray.verify(path=path) == []
    with hurray.open(path=path) as file:
        assert list(file) == ["w"]
