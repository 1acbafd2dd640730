"""The npz format: against np.savez and np.load both ways, names, and archives that lie."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import hurray
import hurray_numpy
import numpy as np
import pytest
from hurray.formats import FormatError, PlanError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

DTYPES = ("float16", "float32", "float64", "complex64", "bool", "int8", "uint16", "int64", ">f4")

Array = np.ndarray[Any, Any]

named_arrays = st.dictionaries(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8).filter(
        lambda name: not name.endswith(".npy") and name != "file"
    ),
    hnp.arrays(st.sampled_from(DTYPES), hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5)),
    max_size=5,
)


def npy(array: Array) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def archive(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", method) as out:
        for name, data in members.items():
            out.writestr(name, data)
    return path


def refused(path: Path, kind: type[Exception], match: str) -> None:
    """Reading, or loading what was read, fails with ``kind``."""
    with pytest.raises(kind, match=match) as caught:
        loaded(path)
    assert str(path) in str(caught.value)


def loaded(path: Path) -> dict[str, Array]:
    with hurray_numpy.npz.read(str(path)) as reader:
        return {item.name: np.asarray(item.load()) for item in reader}


def same(one: Array, other: Array) -> bool:
    native = other.astype(other.dtype.newbyteorder("="))
    return (one.dtype, one.shape, one.tobytes()) == (native.dtype, native.shape, native.tobytes())


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays=named_arrays)
def test_np_savez_to_hrry_and_back(tmp_path: Path, save: Any, arrays: dict[str, Array]) -> None:
    source, middle, back = tmp_path / "a.npz", tmp_path / "a.hrry", tmp_path / "b.npz"
    save(source, **arrays)
    hurray.convert(source, middle, overwrite=True)
    tensors = hurray.load(middle)
    assert list(tensors) == list(arrays)
    assert all(same(np.asarray(tensors[name]), array) for name, array in arrays.items())
    hurray.convert(middle, back, overwrite=True)
    with np.load(back) as again:
        assert list(again.files) == list(arrays)
        assert all(same(again[name], array) for name, array in arrays.items())


def test_writing_is_deterministic_and_mappable(tmp_path: Path) -> None:
    """Equal items make equal files; data lie at multiples of 64, so that reading them shares."""
    arrays = {"w": np.arange(10, dtype="f4"), "ü": np.ones((3, 3), "i2"), "layer/b": np.zeros(5, bool)}
    hurray.save(tmp_path / "a.hrry", {name: hurray.from_numpy(array) for name, array in arrays.items()})
    hurray.convert(tmp_path / "a.hrry", tmp_path / "a.npz")
    hurray.convert(tmp_path / "a.hrry", tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with hurray_numpy.npz.read(str(tmp_path / "a.npz")) as reader:
        items = {item.name: item for item in reader}
        assert [item.offset for item in items.values() if item.offset is not None and item.offset % 64] == []
        assert hurray.from_numpy(np.asarray(items["w"].load()), copy=False).tolist() == list(range(10))
    assert zipfile.ZipFile(tmp_path / "a.npz").testzip() is None
    for info in zipfile.ZipFile(tmp_path / "a.npz").infolist():
        assert (info.date_time, info.compress_type) == ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED)


def test_members_that_are_not_compressed_are_mapped(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=np.arange(1000, dtype="f4"))
    with hurray_numpy.npz.read(str(tmp_path / "a.npz")) as reader:
        (item,) = reader
        raw = item.raw()
        assert raw is not None
        assert isinstance(memoryview(raw).obj, hurray.FileMap)
        assert item.offset is not None
        with open(tmp_path / "a.npz", "rb") as file:
            file.seek(item.offset)
            assert file.read(item.nbytes) == bytes(raw)


@pytest.mark.parametrize("most", [2, 1 << 16])
@pytest.mark.parametrize("dtype", ["float32", ">f8", "bool"])
def test_members_that_are_compressed_pass_in_pieces(tmp_path: Path, dtype: str, most: int) -> None:
    array = np.random.default_rng(0).integers(0, most, 1_000_001, np.uint16).astype(dtype)
    np.savez_compressed(tmp_path / "a.npz", w=array)
    with hurray_numpy.npz.read(str(tmp_path / "a.npz")) as reader:
        (item,) = reader
        assert item.raw() is None
        assert item.offset is None
        pieces = item.pieces()
        assert pieces is not None
        joined = b"".join(pieces)
        tensor = item.load()
    assert joined == tensor.tobytes()
    assert same(np.asarray(tensor), array)


def test_fortran_order_is_kept(tmp_path: Path) -> None:
    array = np.asfortranarray(np.arange(12, dtype="f4").reshape(3, 4))
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", w=array)
        with hurray_numpy.npz.read(str(tmp_path / "a.npz")) as reader:
            (item,) = reader
            assert item.layout == item.load().layout.name == "col_major"
            assert np.array_equal(np.asarray(item.load()), array)
        hurray.convert(tmp_path / "a.npz", tmp_path / "a.hrry", overwrite=True)
        hurray.convert(tmp_path / "a.hrry", tmp_path / "b.npz", overwrite=True)
        assert np.load(tmp_path / "b.npz")["w"].flags.f_contiguous


@pytest.mark.parametrize("name", ["/etc/passwd", "../../up", "a/b/c", "C:\\x", "..", "w.npy", " ", "naïve"])
def test_names_are_only_names(tmp_path: Path, name: str) -> None:
    path = archive(tmp_path / "a.npz", {f"{name}.npy": npy(np.arange(3))})
    hurray.convert(path, tmp_path / "a.hrry")
    assert list(hurray.load(tmp_path / "a.hrry")) == [name]
    hurray.convert(tmp_path / "a.hrry", tmp_path / "b.npz")
    assert np.load(tmp_path / "b.npz")[name].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("names", "match"),
    [
        (["w", "w.npy"], "'w': its file would be 'w.npy', which is the name of another tensor"),
        (["nul\0here"], "holds a NUL"),
        (["x" * 65533], "is 65533 bytes long; zip holds up to 65531"),
    ],
)
def test_names_that_an_archive_cannot_hold_are_refused(tmp_path: Path, names: list[str], match: str) -> None:
    tensors = {name: hurray.from_numpy(np.arange(3) + i) for i, name in enumerate(names)}
    hurray.save(tmp_path / "a.hrry", tensors)
    with pytest.raises(PlanError, match=match):
        hurray.convert(tmp_path / "a.hrry", tmp_path / "a.npz")
    assert not (tmp_path / "a.npz").exists()


def test_the_longest_name_fits(tmp_path: Path) -> None:
    name = "x" * 65531
    hurray.save(tmp_path / "a.hrry", {name: hurray.from_numpy(np.arange(3))})
    hurray.convert(tmp_path / "a.hrry", tmp_path / "a.npz")
    assert np.load(tmp_path / "a.npz").files == [name]
    hurray.convert(tmp_path / "a.npz", tmp_path / "b.hrry")
    assert list(hurray.load(tmp_path / "b.hrry")) == [name]


def test_other_members_are_refused_by_name(tmp_path: Path) -> None:
    """Lossless or refused: a member that is no array would be dropped."""
    path = archive(tmp_path / "a.npz", {"w.npy": npy(np.arange(3)), "readme.txt": b"hello", "d/": b""})
    refused(path, hurray.UnsupportedError, r"'readme\.txt': it is no \.npy file(.|\n)*'d/'")


def test_object_arrays_are_never_unpickled(tmp_path: Path) -> None:
    """Issue 3, bad input: .npz with object arrays is refused, never unpickled."""
    np.savez(tmp_path / "a.npz", good=np.arange(3), bad=np.array([None, {}], object))
    refused(tmp_path / "a.npz", hurray.UnsupportedError, r"'bad\.npy': it holds pickled Python objects")


def test_a_sparse_matrix_is_not_taken_for_arrays(tmp_path: Path) -> None:
    members: Any = {name: np.arange(3) for name in ("indices", "indptr", "data")}
    np.savez(tmp_path / "a.npz", **members, format=np.array(b"csr"))
    head = (tmp_path / "a.npz").read_bytes()[:4096]
    assert not hurray_numpy.npz.sniff(str(tmp_path / "a.npz"), head)
    refused(tmp_path / "a.npz", hurray.UnsupportedError, r"'format\.npy'.*text has no element type")


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path / "a.npz", {"w.npy": npy(np.arange(3))}, method)
    refused(path, hurray.UnsupportedError, f"compressed by method {method}, and NumPy knows deflate only")


def patched(path: Path, member: str, **fields: int) -> Path:
    """Change fields of a member in the directory and in its own header."""
    data = bytearray(path.read_bytes())
    where = {"flags": (8, 6, "<H"), "crc": (16, 14, "<L"), "stored": (20, 18, "<L"), "size": (24, 22, "<L")}
    central = data.rfind(b"PK\x01\x02", 0, data.rfind(member.encode()))
    local = struct.unpack_from("<L", data, central + 42)[0]
    for field, value in fields.items():
        in_central, in_local, form = where[field]
        struct.pack_into(form, data, central + in_central, value)
        struct.pack_into(form, data, local + in_local, value)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("flags", [0x0001, 0x0041, 0x2000])
def test_encrypted_members_are_refused(tmp_path: Path, flags: int) -> None:
    path = patched(archive(tmp_path / "a.npz", {"w.npy": npy(np.arange(3))}), "w.npy", flags=flags)
    refused(path, hurray.UnsupportedError, r"'w\.npy': it is encrypted")


def test_a_flipped_bit_in_the_data_is_found(tmp_path: Path) -> None:
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "a.npz", w=np.random.default_rng(0).integers(0, 255, 9999, np.uint8))
        data = bytearray((tmp_path / "a.npz").read_bytes())
        data[len(data) // 2] ^= 4
        (tmp_path / "a.npz").write_bytes(data)
        refused(tmp_path / "a.npz", FormatError, r"'w\.npy' (is damaged|does not inflate|inflates)")
        with pytest.raises(FormatError):
            hurray.convert(tmp_path / "a.npz", tmp_path / "a.hrry")
        assert not (tmp_path / "a.hrry").exists()


@pytest.mark.parametrize("delta", [-1, 1, 1000])
def test_a_claimed_size_that_is_not_what_inflates_is_refused(tmp_path: Path, delta: int) -> None:
    """Zip bombs: the size that the archive claims is compared with what really inflates."""
    content = npy(np.zeros(100_000, "u1"))
    lying = npy(np.zeros(100_000 + delta, "u1"))[:128] + content[128:]  # the .npy header lies alike
    path = archive(tmp_path / "a.npz", {"w.npy": lying}, zipfile.ZIP_DEFLATED)
    refused(patched(path, "w.npy", size=len(lying) + delta), FormatError, r"inflates (to|beyond)")


def test_more_than_deflate_can_do_is_refused_at_once(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"w.npy": npy(np.zeros(10, "u1"))}, zipfile.ZIP_DEFLATED)
    refused(
        patched(path, "w.npy", size=2**31),
        FormatError,
        r"bytes inflate to 2147483648, which no compression can",
    )


def overlapping(path: Path) -> Path:
    """Two directory entries for one stretch of the file: the kernel of a bomb without recursion."""
    archive(path, {"a.npy": npy(np.zeros(10, "u1")), "b.npy": npy(np.zeros(10, "u1"))})
    data = bytearray(path.read_bytes())
    first = data.find(b"PK\x01\x02")
    second = data.find(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    local = data.find(b"PK\x03\x04")
    data[second + 46] = data[local + 30]
    path.write_bytes(data)
    return path


def test_overlapping_members_are_refused(tmp_path: Path) -> None:
    refused(overlapping(tmp_path / "a.npz"), FormatError, "overlaps")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_duplicate_names_are_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as out:
        out.writestr("w.npy", npy(np.arange(3)))
        out.writestr("w.npy", npy(np.arange(4)))
    refused(tmp_path / "a.npz", FormatError, r"'w\.npy': the name occurs twice")


def test_everything_that_is_wrong_is_listed(tmp_path: Path) -> None:
    members = {"a.npy": b"", "b.npy": npy(np.arange(3))[:-1], "c.npy": npy(np.arange(3))}
    with pytest.raises(FormatError) as caught:
        hurray_numpy.npz.read(str(archive(tmp_path / "a.npz", members)))
    assert [problem.name for problem in caught.value.problems] == ["a.npy", "b.npy"]


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_truncated_archive_is_refused_at_every_length(tmp_path: Path, save: Any) -> None:
    save(tmp_path / "a.npz", w=np.arange(5), b=np.zeros(3, bool))
    whole = (tmp_path / "a.npz").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        refused(tmp_path / "cut.npz", FormatError, "end record|is empty")


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_flipped_bit_anywhere_is_an_error_or_harmless(tmp_path: Path, save: Any) -> None:
    """Never a crash, another exception, or other values."""
    arrays = {"w": np.arange(5), "b": np.ones(3, bool)}
    save(tmp_path / "a.npz", **arrays)
    whole = (tmp_path / "a.npz").read_bytes()
    path = tmp_path / "bad.npz"
    refusals = 0
    for at in range(len(whole)):
        data = bytearray(whole)
        data[at] ^= 1 << at % 8
        path.write_bytes(data)
        try:
            found = loaded(path)
        except (FormatError, hurray.UnsupportedError):
            refusals += 1
            continue
        assert [array.tolist() for array in found.values()] == [array.tolist() for array in arrays.values()]
    assert refusals > len(whole) // 3


def big_archive(path: Path, size: int) -> None:
    """Two members, ``big`` with ``size`` bytes that the file system does not store, and ``small`` behind it."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({size},), }}".ljust(117) + "\n"
    head = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()
    small = npy(np.arange(3, dtype="i2"))
    members = [(b"big.npy", head, len(head) + size, 0), (b"small.npy", small, len(small), zlib.crc32(small))]
    most = 0xFFFFFFFF
    directory = b""
    with open(path, "wb") as file:
        for name, data, length, crc in members:
            start = file.tell()
            wide = struct.pack("<2H2Q", 1, 16, length, length)
            file.write(
                struct.pack("<4s5H3L2H", b"PK\3\4", 45, 0, 0, 0, 33, crc, most, most, len(name), len(wide))
            )
            file.write(name + wide + data)
            file.seek(length - len(data), 1)
            wide = struct.pack("<2H3Q", 1, 24, length, length, start)
            fields = (45, 45, 0, 0, 0, 33, crc, most, most, len(name), len(wide), 0, 0, 0, 0, most)
            directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", *fields) + name + wide
        start = file.tell()
        file.write(directory)
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, len(directory), start))
        file.write(struct.pack("<4sLQL", b"PK\6\7", 0, start + len(directory), 1))
        file.write(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 2, 2, most, most, 0))


def test_archives_beyond_32_bits(tmp_path: Path) -> None:
    path, size = tmp_path / "a.npz", 5 << 30
    big_archive(path, size)
    assert np.load(path)["small"].tolist() == [0, 1, 2]  # the archive is what NumPy takes for one
    with hurray_numpy.npz.read(str(path)) as reader:
        big, small = reader
        assert (big.name, big.shape, big.nbytes) == ("big", (size,), size)
        assert small.load().tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("at", "value", "match"),
    [
        (-22 - 20 + 8, 2**62, "the 64-bit end record is claimed at"),
        (-22 - 20 + 8, 0, "there is no 64-bit end record at 0"),
        (-22 - 20 - 56 + 48, 7, "the directory claims"),
        (-22 - 20 - 56 + 24, 9, "one part of several"),
        (-22 + 8, 3 | 3 << 16 | 0xFFFFFFFF << 32, "the end records contradict each other: 3 and 2"),
    ],
)
def test_64_bit_records_that_lie(tmp_path: Path, at: int, value: int, match: str) -> None:
    path = tmp_path / "a.npz"
    big_archive(path, 100)
    data = bytearray(path.read_bytes())
    struct.pack_into("<Q", data, len(data) + at, value)
    path.write_bytes(data)
    refused(path, FormatError, match)


def test_the_checksum_of_a_big_stored_member_is_compared(tmp_path: Path) -> None:
    array = np.arange(1 << 20, dtype="u4")
    np.savez(tmp_path / "a.npz", w=array)
    path = patched(tmp_path / "a.npz", "w.npy", crc=zlib.crc32(b"other"))
    refused(path, FormatError, "is damaged: its checksum is")


def test_what_was_loaded_outlives_the_reader(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", w=np.arange(5))
    with hurray_numpy.npz.read(str(tmp_path / "a.npz")) as reader:
        (item,) = reader
        tensor = item.load()
    del item, reader
    (tmp_path / "a.npz").unlink()
    assert tensor.tolist() == [0, 1, 2, 3, 4]


def test_a_comment_is_noted(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.npz", {"w.npy": npy(np.arange(3))})
    with zipfile.ZipFile(path, "a") as out:
        out.comment = b"hello PK\x05\x06 there"
    with hurray_numpy.npz.read(str(path)) as reader:
        assert reader.notes == ("the archive's comment is not carried over",)
        assert [item.name for item in reader] == ["w"]


def test_an_empty_archive_has_no_tensors(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz")
    report = hurray.convert(tmp_path / "a.npz", tmp_path / "a.hrry")
    assert (report.tensors, hurray.load(tmp_path / "a.hrry")) == (0, {})
