"""``hurray inspect --values``: what NumPy would print, without NumPy and without reading what is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import hurray as library
import numpy as np
import pytest
from cli_helpers import entry, hurray, safetensors_bytes
from hrry_files import SPECIAL, container, descriptor, single
from hurray_cli.inspection.numbers import text_of
from hypothesis import given
from hypothesis import strategies as st


def shown(folder: Path, tensor: library.Tensor) -> str:
    library.save(folder / "a.hrry", {"w": tensor})
    done = hurray("inspect", folder / "a.hrry", "--values", "w")
    assert done.status == 0, done
    return done.out.partition("\n")[2].rstrip("\n")


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (2, 0), (1, 2, 3)])
def test_every_value_of_a_small_tensor(tmp_path: Path, dtype: str, shape: tuple[int, ...]) -> None:
    array = (np.arange(int(np.prod(shape)), dtype="f4") - 2.5).astype(dtype).reshape(shape)
    name = array.dtype.name
    text = shown(tmp_path, library.Tensor(array.tobytes(), library.Dtype.from_name(name), shape))
    if 0 in shape:
        assert text == f"[], of shape [{', '.join(map(str, shape))}]"
    else:
        assert np.array_equal(np.array(eval(text), dtype), array)


@pytest.mark.parametrize(
    ("name", "data", "count", "expected"),
    [
        ("bool", b"\x05\x01", 9, [True, False, True, False, False, False, False, False, True]),
        ("int4", b"\xf1\x08", 3, [1, -1, -8]),
        ("uint2", b"\x27", 3, [3, 1, 2]),
        ("uint4", b"\xc5\x03", 3, [5, 12, 3]),
        ("float4_e2m1", b"\x21\x0f", 3, [0.5, 1.0, -6.0]),
        ("float6_e2m3", b"\x81\x40\x20", 4, [0.125, 0.25, 0.5, 1.0]),
        ("float8_e4m3", b"\x7e\x38", 2, [448.0, 1.0]),
        ("bfloat16", b"\x80\x3f\xcd\x3d", 2, [1.0, 0.1]),
    ],
)
def test_packed_and_narrow_types(
    tmp_path: Path, name: str, data: bytes, count: int, expected: list[Any]
) -> None:
    text = shown(tmp_path, library.Tensor(data, library.Dtype.from_name(name), (count,)))
    assert eval(text) == expected


def test_other_layouts_show_logical_order(tmp_path: Path) -> None:
    array = np.arange(12, dtype="f4").reshape(3, 4)
    column = library.Tensor(array.tobytes("F"), library.float32, (3, 4), layout=library.ColMajorLayout())
    assert eval(shown(tmp_path, column)) == array.tolist()
    strided = library.Tensor(array.tobytes(), library.float32, (4, 3), layout=library.StridedLayout((1, 4)))
    assert eval(shown(tmp_path, strided)) == array.T.tolist()


@pytest.mark.parametrize("name", ["uint8", "uint4", "float6_e3m2"])
def test_an_offset_and_strides_that_run_backwards(tmp_path: Path, name: str) -> None:
    dtype = library.Dtype.from_name(name)
    data = b"\xaa" * 4 + bytes(
        library.Tensor(bytes(library.buffer_size_bytes(dtype, 8)), dtype, (8,)).tobytes()
    )
    codes = sum(code << k * dtype.bit_width for k, code in enumerate(range(8)))
    data = data[:4] + codes.to_bytes(len(data) - 4, "little")
    # Shape [4], stride -2: the elements 6, 4, 2 and 0; six of them lie before the first.
    start = {"uint8": 6, "uint4": 3, "float6_e3m2": 0}[name] + 4
    stride, first = (-2, 6) if name != "float6_e3m2" else (2, 0)
    payload = stride.to_bytes(8, "little", signed=True)
    blob = descriptor(dtype.tag, 3, (4,), (len(data),), payload=payload, byte_offset=start)
    (tmp_path / "a.hrry").write_bytes(container([("w", blob, data)]))
    assert library.verify(tmp_path / "a.hrry") == []
    out = hurray("inspect", tmp_path / "a.hrry", "--values", "w").out.splitlines()[1]
    whole = library.Tensor(data[4:], dtype, (8,)).tolist()
    assert eval(out) == [whole[first + stride * k] for k in range(4)]


def test_a_big_tensor_is_elided(tmp_path: Path) -> None:
    array = np.arange(40 * 50, dtype="i4").reshape(40, 50)
    text = shown(tmp_path, library.Tensor(array.tobytes(), library.int32, (40, 50)))
    lines = text.splitlines()
    assert len(lines) == 7
    assert lines[0] == "[[0, 1, 2, …, 47, 48, 49],"
    assert lines[3] == " …,"
    assert lines[-1] == " [1950, 1951, 1952, …, 1997, 1998, 1999]]"


def test_long_lines_are_broken(tmp_path: Path) -> None:
    text = shown(tmp_path, library.Tensor(bytes(4 * 900), library.int32, (900,)))
    assert max(map(len, text.splitlines())) <= 101
    assert len(eval(text)) == 900


def test_many_dimensions_show_fewer_corners(tmp_path: Path) -> None:
    shape = (3,) * 9
    text = shown(tmp_path, library.Tensor(bytes(3**9), library.uint8, shape))
    assert text.count("…") > 0
    assert text.count("0") <= 4096


def test_foreign_files_have_values_too(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    header = {"w": entry("U8", (2, 2), (0, 4)), "m": entry("BOOL", (3,), (4, 7))}
    path.write_bytes(safetensors_bytes(header, b"\x01\x02\x03\x04\x01\x00\x01"))
    assert hurray("inspect", path, "--values", "w").out.splitlines() == [
        "w  uint8  [2, 2]  row_major",
        "[[1, 2],",
        " [3, 4]]",
    ]
    assert hurray("inspect", path, "--values", "m").out.splitlines()[1] == "[True, False, True]"


@pytest.mark.parametrize(
    "layout", [library.MortonLayout((2, 2)), library.HilbertLayout(2, 2), library.TiledLayout((2, 2))]
)
def test_tiles_and_curves_show_logical_order(tmp_path: Path, layout: library.Layout) -> None:
    tensor = library.Tensor(np.arange(16, dtype="f4").tobytes(), library.float32, (4, 4), layout=layout)
    assert eval(shown(tmp_path, tensor)) == tensor.tolist() != np.arange(16).reshape(4, 4).tolist()


def test_of_a_sparse_tensor_what_is_stored(tmp_path: Path) -> None:
    pointers = [np.array([0, 2], "u8").tobytes(), np.array([0, 1, 1, 2], "u8").tobytes()]
    data = np.array([1.5, 2.5], "f4").tobytes()
    tensor = library.Tensor(data, library.float32, (3, 3), aux_buffers=pointers, layout=library.CsrLayout(2))
    assert eval(shown(tmp_path, tensor)) == {(0, 0): 1.5, (2, 2): 2.5}


@pytest.mark.parametrize("kind", ["quantised", "group"])
def test_codes_are_no_values(tmp_path: Path, kind: str) -> None:
    (tmp_path / "a.hrry").write_bytes(single(SPECIAL[kind]))
    done = hurray("inspect", tmp_path / "a.hrry", "--values", "w")
    assert (done.status, done.out) == (1, "")
    assert "--descriptor shows what is known about it" in done.err


@given(st.floats(width=32))
def test_float32_text_is_the_shortest_that_names_it(value: float) -> None:
    text = text_of(value, "float32")
    back = np.float32(text)
    assert back == np.float32(value) or np.isnan(back)
    if np.isfinite(value):
        assert len(text) <= len(repr(value))
        digits = text.replace(".", "").replace("-", "").partition("e")[0].strip("0")
        assert len(digits) <= len(
            np.format_float_scientific(np.float32(value)).partition("e")[0].replace(".", "")
        )


@given(st.floats(width=16))
def test_float16_text_names_it(value: float) -> None:
    back = np.float16(text_of(value, "float16"))
    assert back == np.float16(value) or np.isnan(back)
