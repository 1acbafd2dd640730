"""The npy format: against np.save and np.load both ways, and headers that lie."""

from __future__ import annotations

import struct
import warnings
import zipfile
from pathlib import Path
from typing import Any

import hurray
import hurray_numpy
import numpy as np
import pytest
from hurray.formats import FormatError, PlanError

DTYPES = (
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
SHAPES = [(), (0,), (7,), (3, 5), (2, 0, 4), (2, 3, 4)]

Array = np.ndarray[Any, Any]


def numbered(shape: tuple[int, ...], dtype: Any) -> Array:
    count = int(np.prod(shape))
    return (np.arange(count) % (2 if np.dtype(dtype) == np.bool_ else 100)).reshape(shape).astype(dtype)


def raw_npy(
    header: str, data: bytes = b"", version: tuple[int, int] = (1, 0), length: int | None = None
) -> bytes:
    """A .npy file with any header text."""
    text = header.encode("latin1")
    size = struct.pack("<H" if version == (1, 0) else "<I", len(text) if length is None else length)
    return b"\x93NUMPY" + bytes(version) + size + text + data


def refused(path: Path, kind: type[Exception], match: str) -> None:
    with pytest.raises(kind, match=match) as caught:
        hurray_numpy.npy.read(str(path))
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_np_save_to_hrry_and_back_is_the_same_file(
    tmp_path: Path, dtype: str, shape: tuple[int, ...]
) -> None:
    source, middle, back = tmp_path / "w.npy", tmp_path / "w.hrry", tmp_path / "back.npy"
    array = numbered(shape, dtype)
    np.save(source, array)
    report = hurray.convert(source, middle)
    assert report.tensors == 1
    loaded = np.asarray(hurray.load(middle)["w"])
    assert (loaded.dtype, loaded.shape, loaded.tobytes()) == (array.dtype, array.shape, array.tobytes())
    hurray.convert(middle, back)
    assert back.read_bytes() == source.read_bytes()


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64"])
def test_fortran_order_is_kept(tmp_path: Path, dtype: str) -> None:
    array = np.asfortranarray(numbered((3, 4, 5), dtype))
    np.save(tmp_path / "w.npy", array)
    with hurray_numpy.npy.read(str(tmp_path / "w.npy")) as reader:
        (item,) = reader
        assert item.layout == item.load().layout.name == ("row_major" if dtype == "bool" else "col_major")
        assert np.array_equal(np.asarray(item.load()), array)
    hurray.convert(tmp_path / "w.npy", tmp_path / "w.hrry")
    hurray.convert(tmp_path / "w.hrry", tmp_path / "back.npy")
    back = np.load(tmp_path / "back.npy")
    assert np.array_equal(back, array)
    assert back.flags.f_contiguous is (dtype != "bool")


@pytest.mark.parametrize("dtype", [">f4", ">c16", ">i2", ">u8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_big_endian_files_are_converted(tmp_path: Path, dtype: str, order: str) -> None:
    array = numbered((300, 401), dtype)
    np.save(tmp_path / "w.npy", np.asfortranarray(array) if order == "F" else array)
    hurray.convert(tmp_path / "w.npy", tmp_path / "w.hrry")
    loaded = np.asarray(hurray.load(tmp_path / "w.hrry")["w"])
    assert np.array_equal(loaded, array)
    assert loaded.dtype.isnative


def test_a_file_is_mapped_and_not_read(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", numbered((1000,), "float32"))
    with hurray_numpy.npy.read(str(tmp_path / "w.npy")) as reader:
        (item,) = reader
        assert (item.name, item.offset, item.pieces()) == ("w", 128, None)
        raw = item.raw()
        assert raw is not None
        assert isinstance(memoryview(raw).obj, hurray.FileMap)
        tensor = item.load()
    array = np.asarray(tensor)
    assert (
        array.__array_interface__["data"][0]
        == np.frombuffer(memoryview(raw), np.uint8).__array_interface__["data"][0]
    )
    assert tensor.readonly


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 33_554_433])
def test_bools_pass_in_pieces(tmp_path: Path, count: int) -> None:
    array = (np.arange(count) % 3 == 0)[:count]
    np.save(tmp_path / "w.npy", array)
    with hurray_numpy.npy.read(str(tmp_path / "w.npy")) as reader:
        (item,) = reader
        pieces = item.pieces()
        assert pieces is not None
        joined = b"".join(pieces)
        assert joined == np.packbits(array, bitorder="little").tobytes()
        assert len(joined) == item.nbytes
    hurray.convert(tmp_path / "w.npy", tmp_path / "w.hrry")
    hurray.convert(tmp_path / "w.hrry", tmp_path / "back.npy")
    assert (tmp_path / "back.npy").read_bytes() == (tmp_path / "w.npy").read_bytes()


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_bool_that_is_neither_0_nor_1_is_refused(tmp_path: Path, order: str) -> None:
    """One bit cannot hold it: it would come back as another byte."""
    array = np.asarray(np.zeros((300, 70)), np.uint8, order=order)  # type: ignore[call-overload]
    array[200, 60] = 2
    at = array.ravel(order="K").argmax()
    path = tmp_path / "w.npy"
    np.save(path, array.view(np.bool_))
    wanted = rf"w\.npy: tensor 'w': element {at} is 0x02; a bool is 0 or 1"
    with pytest.raises(FormatError, match=wanted) as caught:
        hurray.convert(path, tmp_path / "w.hrry")
    assert caught.value.problems[0].offset == 128 + at
    with hurray_numpy.npy.read(str(path)) as reader, pytest.raises(FormatError, match=wanted):
        next(iter(reader)).load()
    assert not (tmp_path / "w.hrry").exists()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_such_a_bool_in_an_archive_too(tmp_path: Path, method: int) -> None:
    np.save(tmp_path / "b.npy", np.array([0, 1, 255], np.uint8).view(np.bool_))
    with zipfile.ZipFile(tmp_path / "a.npz", "w", method) as archive:
        archive.write(tmp_path / "b.npy", "b.npy")
    with pytest.raises(FormatError, match=r"a\.npz: tensor 'b': element 2 is 0xff; a bool is 0 or 1"):
        hurray.convert(tmp_path / "a.npz", tmp_path / "w.hrry")


def test_strided_tensors_become_c_order_with_a_note(tmp_path: Path) -> None:
    array = numbered((6, 8), "float32")
    hurray.save(tmp_path / "w.hrry", {"w": hurray.from_numpy(array[:, ::2])})
    report = hurray.convert(tmp_path / "w.hrry", tmp_path / "w.npy")
    assert np.array_equal(np.load(tmp_path / "w.npy"), array[:, ::2])
    layout = hurray.load(tmp_path / "w.hrry")["w"].layout.name
    assert report.plan.notes == (("w: strided becomes C order",) if layout == "strided" else ())


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3", "int4", "float128"])
def test_what_numpy_has_no_dtype_for_is_refused(tmp_path: Path, dtype: str) -> None:
    """PEERS: NumPy writes bfloat16 as opaque V2; never do that."""
    tensor = hurray.Tensor(bytearray(b"\x01" * 64), hurray.Dtype.from_name(dtype), (2, 2))
    hurray.save(tmp_path / "w.hrry", {"layer.w": tensor})
    for suffix in ("npy", "npz"):
        target = tmp_path / f"w.{suffix}"
        with pytest.raises(PlanError, match=rf"'layer\.w': NumPy has no {dtype} of its own"):
            hurray.convert(tmp_path / "w.hrry", target)
        assert not target.exists()


def test_metadata_is_refused_or_dropped(tmp_path: Path) -> None:
    hurray.save(tmp_path / "w.hrry", {"w": hurray.from_numpy(numbered((2,), "int8"))}, kv={"note": "x"})
    for suffix in ("npy", "npz"):
        target = tmp_path / f"w.{suffix}"
        with pytest.raises(PlanError, match=rf"note.*a \.{suffix} file has no place for metadata"):
            hurray.convert(tmp_path / "w.hrry", target)
        report = hurray.convert(tmp_path / "w.hrry", target, drop_metadata=True)
        assert report.plan.left_out == ("metadata key 'note'",)


@pytest.mark.parametrize("count", [0, 2])
def test_a_npy_file_holds_exactly_one_array(tmp_path: Path, count: int) -> None:
    tensors = {f"t{i}": hurray.from_numpy(numbered((2,), "int8")) for i in range(count)}
    hurray.save(tmp_path / "w.hrry", tensors)
    with pytest.raises(PlanError, match=rf"a \.npy file holds one array, not {count}: write \.npz"):
        hurray.convert(tmp_path / "w.hrry", tmp_path / "w.npy")


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_every_version_of_the_header(tmp_path: Path, version: tuple[int, int]) -> None:
    path = tmp_path / "w.npy"
    with open(path, "wb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(file, numbered((3, 4), "float32"), version=version)
    with hurray_numpy.npy.read(str(path)) as reader:
        (item,) = reader
        assert np.array_equal(np.asarray(item.load()), numbered((3, 4), "float32"))


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "it is empty"),
        (b"\x93NUMPY", "its header cannot be read"),
        (b"\x93NUMPY\x09\x00" + bytes(64), r"version 9\.0 of the \.npy format is not known"),
        (b"not a numpy file at all", "its header cannot be read"),
        (raw_npy(GOOD, bytes(7)), "takes 8 bytes, and there are 7"),
        (raw_npy(GOOD), "takes 8 bytes, and there are 0"),
        (raw_npy(GOOD, bytes(9)), "1 bytes follow the array"),
        (raw_npy(GOOD, length=len(GOOD) + 5), "its header cannot be read"),
        (raw_npy(GOOD, length=2**32 - 1, version=(2, 0)), "its header cannot be read"),
        (raw_npy("{'descr': '<f4'}", bytes(8)), "its header cannot be read"),
        (raw_npy("garbage(", bytes(8)), "its header cannot be read"),
        (raw_npy("(" * 9000, bytes(8)), "its header cannot be read"),
        (raw_npy(GOOD.replace("<f4", "!!"), bytes(8)), "its header cannot be read"),
        (raw_npy(GOOD.replace("(2,)", "(-2,)"), bytes(8)), r"it claims the shape \(-2,\)"),
        (raw_npy(GOOD.replace("(2,)", "(True, 2)"), bytes(8)), r"it claims the shape \(True, 2\)"),
        (raw_npy(GOOD.replace("(2,)", "(2.0,)"), bytes(8)), "its header cannot be read"),
        (
            raw_npy(GOOD.replace("(2,)", f"({2**40},)"), bytes(8)),
            "takes 4398046511104 bytes, and there are 8",
        ),
        (raw_npy(GOOD.replace("(2,)", f"({2**62},)"), bytes(8)), "more than can be addressed"),
        (raw_npy(GOOD.replace("(2,)", f"(0, {2**63})")), "more than can be addressed"),
        (
            raw_npy(GOOD.replace("(2,)", str((1,) * 70)), bytes(4)),
            "it claims 70 dimensions, and NumPy has at most",
        ),
    ],
)
def test_headers_that_lie_are_refused(tmp_path: Path, data: bytes, match: str) -> None:
    """PEERS, claims: what the input only claims allocates nothing until the bytes are seen to exist."""
    path = tmp_path / "w.npy"
    path.write_bytes(data)
    refused(path, FormatError, match)


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "9" * 3000 + ",), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "9" * 9000 + ",), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': f(2), }",
        "{'descr': [" + "('f', '<f4')," * 500 + "], 'fortran_order': False, 'shape': (2,), }",
        "{'descr': ["
        + ",".join(f"('f{k}', '<f4')" for k in range(500))
        + "], 'fortran_order': False, 'shape': (2,)}",
    ],
)
def test_a_bad_header_is_a_short_line(tmp_path: Path, text: str) -> None:
    """Neither the whole header nor the words of Python's parser: its objects, its settings."""
    path = tmp_path / "w.npy"
    path.write_bytes(raw_npy(text, bytes(8)))
    with pytest.raises((FormatError, PlanError)) as caught:
        hurray_numpy.npy.read(str(path))
    said = str(caught.value).replace(str(path), "")
    assert len(said) < 400
    assert "ast" not in said
    assert "0x7" not in said
    assert "Error" not in said
    assert "set_int_max_str_digits" not in said


def test_a_truncated_file_is_refused_at_every_length(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", numbered((5,), "float32"))
    whole = (tmp_path / "w.npy").read_bytes()
    for length in range(len(whole)):
        path = tmp_path / "cut.npy"
        path.write_bytes(whole[:length])
        refused(path, FormatError, r"is empty|header cannot be read|takes 20 bytes, and there are")


class Bomb:
    def __reduce__(self) -> Any:
        return (open, ("/tmp/hurray-was-pickled", "w"))


@pytest.mark.parametrize(
    ("array", "match"),
    [
        (np.array([Bomb()], object), "pickled Python objects, which are never loaded"),
        (np.zeros(2, [("x", "f4"), ("y", object)]), "pickled Python objects, which are never loaded"),
        (np.zeros(2, [("x", "f4")]), "structured"),
        (np.array(["text"]), "text has no element type"),
        (np.zeros(2, "M8[s]"), "dates have no element type"),
        (np.zeros(2, "V2"), r"its elements are \|V2: .*ml_dtypes\.bfloat16"),
        (np.zeros(2, np.longdouble), "long double"),
    ],
)
def test_elements_that_are_no_numbers_are_refused(tmp_path: Path, array: Array, match: str) -> None:
    """Issue 3, bad input: object arrays are refused, and never unpickled."""
    path = tmp_path / "w.npy"
    np.save(path, array, allow_pickle=True)
    refused(path, hurray.UnsupportedError, match)
    assert not Path("/tmp/hurray-was-pickled").exists()


def test_two_arrays_in_one_file_are_refused(tmp_path: Path) -> None:
    """np.load would read the first and drop the second in silence."""
    path = tmp_path / "w.npy"
    with open(path, "wb") as file:
        np.save(file, numbered((2,), "float32"))
        np.save(file, numbered((2,), "float32"))
    refused(path, FormatError, "136 bytes follow the array: .*save each array to a file of its own")


def test_the_content_decides_and_not_the_suffix(tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", numbered((3,), "float32"))
    (tmp_path / "w.npy").rename(tmp_path / "w.data")
    assert hurray.formats.detect(tmp_path / "w.data").name == "npy"
    hurray.convert(tmp_path / "w.data", tmp_path / "w.hrry")
    assert list(hurray.load(tmp_path / "w.hrry")) == ["w"]
