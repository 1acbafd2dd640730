"""What people see of a tensor: repr and str show logical values of every dense layout, and say where they cannot."""

from __future__ import annotations

import doctest
import math
import pydoc
from collections.abc import Iterator
from fractions import Fraction
from struct import pack
from typing import Any

import hurray
import ml_dtypes
import pytest
from core_files import FLOAT32, INT8, QUANTIZATION, descriptor, handle, single
from core_layouts import ColMajor, Hilbert, Morton, RowMajor, Strided, Tiled, made
from core_memory import run
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

ROW = RowMajor()


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    """NumPy's options that differ from ours, for the comparisons."""
    with np.printoptions(linewidth=88, floatmode="unique"):
        yield


def of(array: Any) -> hurray.Tensor:
    return hurray.from_numpy(np.array(array), copy=True)


# --- the form ----------------------------------------------------------------------------------------------


def test_a_matrix_of_floats() -> None:
    tensor = hurray.Tensor(pack("4f", 1, 2, 3, 4), hurray.float32, (2, 2))
    assert repr(tensor) == (
        "hurray.Tensor([[1., 2.],\n               [3., 4.]], shape=(2, 2), dtype=float32)"
    )
    assert str(tensor) == "[[1., 2.],\n [3., 4.]]"


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float32(1.5), "1.5, shape=(), dtype=float32"),
        (np.array([], np.int8), "[], shape=(0,), dtype=int8"),
        (np.zeros((2, 0)), "[], shape=(2, 0), dtype=float64"),
        (np.array([True, False]), "[ True, False], shape=(2,), dtype=bool"),
        (np.array([1, -20, 300]), "[  1, -20, 300], shape=(3,), dtype=int64"),
        (np.array([1 + 2j, 1.5 - 2.25j]), "[1. +2.j  , 1.5-2.25j], shape=(2,), dtype=complex128"),
        (np.array([np.nan, np.inf, -np.inf, 1.25]), "[ nan,  inf, -inf, 1.25], shape=(4,), dtype=float64"),
        (np.array([np.nan]), "[nan], shape=(1,), dtype=float64"),
        (np.array([0.0, -0.0]), "[ 0., -0.], shape=(2,), dtype=float64"),
        (np.array([1e-5, 1.5, 2e10]), "[1.e-05 , 1.5e+00, 2.e+10 ], shape=(3,), dtype=float64"),
        (np.array([99999999.0]), "[99999999.], shape=(1,), dtype=float64"),
        (np.array([1e8]), "[1.e+08], shape=(1,), dtype=float64"),
        (np.array([2**64 - 1], np.uint64), f"[{2**64 - 1}], shape=(1,), dtype=uint64"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_line(array: Any, text: str) -> None:
    tensor = of(array)
    assert repr(tensor) == f"hurray.Tensor({text})"
    assert str(tensor) == text[: text.index(", shape=")]


def test_what_is_not_the_default_is_said() -> None:
    """Layout, device and quantization are shown where they are not what every tensor has."""
    column = hurray.Tensor(bytes(4), hurray.uint8, (2, 2), layout=hurray.ColMajorLayout())
    assert ", shape=(2, 2), dtype=uint8, layout=ColMajorLayout())" in repr(column)
    device = hurray.Device("cuda", 1)
    assert repr(hurray.Tensor(bytes(4), hurray.uint8, (4,), device)) == (
        f"hurray.Tensor(<values not shown: in cuda memory>, shape=(4,), dtype=uint8, device={device!r})"
    )
    pinned = hurray.Device("cpu", 0, "host_pinned")
    assert repr(pinned) in repr(hurray.Tensor(bytes(4), hurray.uint8, (4,), pinned))
    scheme = hurray.PerTensorAffine(0.5, 3)
    assert repr(scheme) in repr(hurray.Tensor(bytes(4), hurray.int8, (4,), quantization=scheme))
    assert "device" not in repr(of([1]))
    assert "layout" not in repr(of([1]))


def test_a_long_description_goes_to_a_line_of_its_own() -> None:
    tensor = hurray.Tensor(bytes(64), hurray.uint8, (2, 16), layout=hurray.StridedLayout((16, 1)))
    lines = repr(tensor).split("\n")
    assert len(lines) == 3
    assert lines[-1] == " " * 14 + "shape=(2, 16), dtype=uint8, layout=StridedLayout(strides=(16, 1)))"


# --- values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "layout",
    [
        ROW,
        ColMajor(),
        Strided((-4, 1)),
        Tiled((2, 4), ROW, ROW),
        Tiled((4, 4), ROW, Tiled((2, 2), ROW, ColMajor())),
    ],
    ids=["row", "col", "strided", "tiled", "nested"],
)
def test_every_dense_layout_shows_its_logical_values(layout: RowMajor) -> None:
    shape = (3, 4)
    before = layout.before(shape)
    data = bytearray(before + layout.count(shape))
    for number in range(12):
        data[before + layout.offset(divmod(number, 4), shape)] = number + 1
    expected = repr(np.arange(1, 13).reshape(shape)).removeprefix("array(").removesuffix(")")
    tensor = made(layout, hurray.uint8, shape, bytes(data), before)
    assert str(tensor) == expected.replace("\n      ", "\n")


def test_curves_show_their_logical_values() -> None:
    assert str(made(Morton((1, 1)), hurray.uint8, (2, 2), bytes(range(4)))) == "[[0, 2],\n [1, 3]]"
    assert str(made(Hilbert(1, 2), hurray.uint8, (2, 2), bytes(range(4)))) == "[[0, 1],\n [3, 2]]"


def test_byte_offset_counts() -> None:
    assert str(made(ROW, hurray.uint8, (2,), bytes(range(9)), 7)) == "[7, 8]"


@pytest.mark.parametrize(
    ("name", "data", "text"),
    [
        ("bool", "0d", "[ True, False,  True,  True]"),
        ("int2", "e4", "[ 0,  1, -2, -1]"),
        ("uint2", "e4", "[0, 1, 2, 3]"),
        ("int4", "c503", "[ 5, -4,  3,  0]"),
        ("uint4", "c503", "[ 5, 12,  3,  0]"),
        ("float4_e2m1", "1039", "[ 0. ,  0.5, -0.5,  1.5]"),
        ("float6_e2m3", "814020", "[0.125, 0.25 , 0.5  , 1.   ]"),
        ("float6_e3m2", "814020", "[0.0625, 0.125 , 0.25  , 0.5   ]"),
        ("float8_e4m3", "7e01ff38", "[448.         ,   0.001953125,           nan,   1.         ]"),
        ("float8_e5m2", "7b7c3cc0", "[57344.,    inf,     1.,    -2.]"),
        ("float8_e8m0", "7f00ff80", "[ 1., nan, nan,  2.]"),
        ("int8", "01ff7f80", "[   1,   -1,  127, -128]"),
    ],
)
def test_every_small_type(name: str, data: str, text: str) -> None:
    assert str(hurray.Tensor(bytes.fromhex(data), getattr(hurray.dtype, name), (4,))) == text


@pytest.mark.parametrize("name", hurray.dtype.__all__)
def test_every_named_type_has_a_repr(name: str) -> None:
    dtype: hurray.Dtype = getattr(hurray.dtype, name)
    tensor = hurray.Tensor(bytes(64), dtype, (3,))
    shown = {"bool": "[False, False, False]", "float8_e8m0": "[nan, nan, nan]"}
    zero = "0" if dtype.is_integer else "0.+0.j" if "complex" in name else "0."
    expected = shown.get(name, f"[{zero}, {zero}, {zero}]")
    assert repr(tensor) == f"hurray.Tensor({expected}, shape=(3,), dtype={name})"


# --- digits ------------------------------------------------------------------------------------------------


def digits(kind: str, code: int) -> str:
    """How one element of 16 bits is shown."""
    return str(hurray.Tensor(code.to_bytes(2, "little"), getattr(hurray.dtype, kind), ()))


@pytest.mark.parametrize(
    ("dtype", "value", "text"),
    [
        ("float32", 0.1, "0.1"),
        ("float16", 0.1, "0.1"),
        ("bfloat16", 0.1, "0.1"),
        ("float64", 0.1, "0.1"),
        ("float64", 0.1 + 0.2, "0.30000000000000004"),
        ("float32", 16777216, "16777216."),
        ("float16", 65504, "65504."),
        ("bfloat16", 33024, "33024."),
        ("float32", 3.4028234663852886e38, "3.4028235e+38"),
        ("bfloat16", 3.3895313892515355e38, "3.39e+38"),
        ("float32", 1e-45, "1.e-45"),
        ("float64", 5e-324, "5.e-324"),
        ("float16", 5.9604645e-08, "6.e-08"),
    ],
)
def test_floats_are_shown_in_the_shortest_form_of_their_own_width(
    dtype: str, value: float, text: str
) -> None:
    array = np.array(value, ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    assert str(hurray.Tensor(array.tobytes(), getattr(hurray.dtype, dtype), ())) == text


@pytest.mark.parametrize("kind", ["float16", "bfloat16"])
def test_every_half_reads_back_and_no_shorter_text_would(kind: str) -> None:
    """All 65,536 codes: the text names the number, and is no longer than NumPy's own shortest one."""
    scalar: Any = {"float16": np.float16, "bfloat16": ml_dtypes.bfloat16}[kind]
    codes = np.arange(1 << 16, dtype=np.uint16)
    tensor = hurray.Tensor(codes.tobytes(), getattr(hurray.dtype, kind), (1 << 16,))
    texts: Any = tensor._chosen([range(1 << 16)])
    back = np.array([float(text) for text in texts]).astype(scalar).view(np.uint16)
    values = codes.view(scalar)
    number = ~np.isnan(values.astype(np.float32))
    assert (back[number] == codes[number]).all()
    assert all(text == "nan" for text, is_number in zip(texts, number, strict=True) if not is_number)
    if kind == "float16":
        for code in range(0, 0x7C00, 7):
            value = np.float16(codes[code : code + 1].view(np.float16)[0])
            theirs = np.format_float_scientific(value, trim="-", exp_digits=1)
            ours = texts[code]
            if not float(value).is_integer():
                assert len(ours.partition("e")[0]) <= len(theirs.partition("e")[0]), (ours, theirs)


@given(st.binary(min_size=32, max_size=32))
@settings(max_examples=100)
def test_floats_read_back_from_what_is_shown(data: bytes) -> None:
    for kind in ("float32", "float64"):
        array = np.frombuffer(data, kind)
        text = str(hurray.Tensor(data, getattr(hurray.dtype, kind), array.shape))
        back = np.array([float(part) for part in text.strip("[]").split(",")]).astype(kind)
        assert np.array_equal(back, array, equal_nan=True)
        assert (np.signbit(back) == np.signbit(array))[~np.isnan(array)].all()


@given(
    st.lists(
        st.floats(-9e5, 9e5, width=32).map(lambda x: 0.0 if abs(x) < 1e-3 else x), min_size=1, max_size=8
    )
)
@settings(max_examples=100)
def test_columns_are_aligned_as_numpys_are(values: list[float]) -> None:
    """The decimal points stand below each other; NumPy's text is the same but for its choice of exponents."""
    with np.printoptions(suppress=True, precision=20, linewidth=200), hurray.print_options(linewidth=200):
        array = np.array([[value] for value in values], np.float32)
        # Of two shortest texts that are equally near, either may be taken.
        places = str.maketrans("123456789", "000000000")
        assert str(of(array)).translate(places) == np.array2string(array, separator=", ").translate(places)


def test_precision_rounds_and_the_shortest_form_stays_shorter() -> None:
    with hurray.print_options(precision=3):
        assert str(of([1 / 3, 2 / 3, 0.5, 9.9996])) == "[ 0.333,  0.667,  0.5  , 10.   ]"
        assert str(of([1.23456e-9, 1.0])) == "[1.235e-09, 1.e+00   ]"
        assert str(of([0.0004, -0.0004, 1.0])) == "[ 0., -0.,  1.]"
        assert str(of([0.0006, 1.0])) == "[0.001, 1.   ]"
    with hurray.print_options(precision=0):
        assert str(of([0.5, 1.5, 2.5, 96.0])) == "[ 0.,  2.,  2., 96.]"
    assert str(of([1 / 3])) == "[0.3333333333333333]"


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(0, 8))
@settings(max_examples=150)
def test_rounding_is_to_the_nearest(values: list[float], precision: int) -> None:
    values = [0.0 if 0 < abs(value) < 1e-4 else value for value in values]
    with hurray.print_options(precision=precision, linewidth=10_000):
        shown = [float(part) for part in str(of(values)).strip("[]").split(",")]
    for value, one in zip(values, shown, strict=True):
        assert abs(value - one) <= 0.5 * 10.0**-precision + 2 * math.ulp(value)


def binary128(value: Fraction, sign: int = 0) -> bytes:
    """The nearest binary128, ties to even (element-types.md §2: 1-15-112, bias 16383)."""
    if value == 0:
        return (sign << 127).to_bytes(16, "little")
    power = value.numerator.bit_length() - value.denominator.bit_length()
    power -= value < Fraction(2) ** power
    power = max(power, -16382)
    mantissa = round(value / Fraction(2) ** (power - 112))
    # What is too large for its power carries into the exponent, and a subnormal has none.
    code = (power + 16382 << 112) + mantissa
    return (sign << 127 | code).to_bytes(16, "little")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0."),
        (Fraction(1), "1."),
        (Fraction(1, 10), "0.1"),
        (Fraction(1, 3), "0.3333333333333333333333333333333333"),
        (Fraction(2) ** -16494, "6.e-4966"),
        (Fraction(10) ** 4000, "1.e+4000"),
        (Fraction(123456), "123456."),
        ((2 - Fraction(1, 2**112)) * Fraction(2) ** 16383, "1.189731495357231765085759326628007e+4932"),
    ],
)
def test_float128_is_shown_in_the_shortest_form_of_its_own_width(value: Fraction, text: str) -> None:
    assert str(hurray.Tensor(binary128(value), hurray.dtype.float128, ())) == text
    if value:
        assert str(hurray.Tensor(binary128(value, 1), hurray.dtype.float128, ())) == f"-{text}"


def test_special_float128() -> None:
    codes = (0x7FFF << 112, 0xFFFF << 112, (0x7FFF << 112) + 1, 1 << 127)
    data = b"".join(code.to_bytes(16, "little") for code in codes)
    assert str(hurray.Tensor(data, hurray.dtype.float128, (4,))) == "[ inf, -inf,  nan,  -0.]"


@given(st.integers(0, 2**127 - 1) | st.builds(lambda e: e << 112, st.integers(1, 0x7FFE)))
@settings(max_examples=150)
def test_float128_reads_back(code: int) -> None:
    """The text names this number and no other, and one digit less would not."""
    if code >> 112 == 0x7FFF:
        return
    data = code.to_bytes(16, "little")
    (item,) = hurray.Tensor(data, hurray.dtype.float128, ())._chosen([])
    assert item == data
    with hurray.print_options(linewidth=10_000):
        text = str(hurray.Tensor(data, hurray.dtype.float128, ()))
    mantissa, _, exponent = text.rstrip(".").partition("e")
    value = Fraction(mantissa.rstrip(".")) * Fraction(10) ** int(exponent or 0)
    assert binary128(value) == data
    assert len(mantissa.replace(".", "").strip("0")) <= 36


# --- large tensors -----------------------------------------------------------------------------------------


def test_the_middle_of_a_large_tensor_is_left_out() -> None:
    """Edges of 3 beyond 1000 elements, as NumPy does it; the same columns."""
    for array in (np.arange(3000).reshape(30, 100), np.arange(1001), np.arange(4200).reshape(2, 21, 100)):
        expected = repr(array).removeprefix("array(").rpartition("]")[0] + "]"
        assert str(of(array)) == expected.replace("\n      ", "\n")
    assert "..." not in str(of(np.arange(1000)))


def test_no_element_is_read_that_is_not_shown() -> None:
    """The repr of a 1 GiB tensor: no copy, no allocation worth naming, and only the corners are touched."""
    code = """
import mmap, resource, tracemalloc, hurray
memory = mmap.mmap(-1, 1 << 30)
tensor = hurray.Tensor(memory, hurray.float32, (1 << 14, 1 << 14))
str(hurray.asarray(bytearray(8)))
before = resource.getrusage(resource.RUSAGE_SELF)
tracemalloc.start()
text = repr(tensor)
peak = tracemalloc.get_traced_memory()[1]
after = resource.getrusage(resource.RUSAGE_SELF)
touched, grown = after.ru_minflt - before.ru_minflt, after.ru_maxrss - before.ru_maxrss
print(text.count("0."), peak < 100_000, touched < 300, grown < 4096)
"""
    assert run(code) == "36 True True True"


@pytest.mark.parametrize("shape", [(2,) * 64, (6,) * 20, (2**40, 2**40), (1,) * 64, (7,) * 9])
def test_a_claim_is_not_printed_out(shape: tuple[int, ...]) -> None:
    """PEERS, claims: a broadcast of 2^64 elements has a short repr all the same."""
    tensor = hurray.Tensor(b"\7" * 64, hurray.uint8, shape, layout=hurray.StridedLayout((0,) * len(shape)))
    text = str(tensor)
    assert text.replace("[", "").strip().startswith("7")
    assert len(text) < 300_000
    assert text.count("[") == text.count("]")
    assert text.count("7") <= 4096


@pytest.mark.parametrize("count", range(1, 9))
def test_brackets_nest_as_numpys_do(count: int) -> None:
    shape = (1, 2, 1, 3, 1, 1, 2, 1)[:count]
    array = np.arange(math.prod(shape), dtype=np.uint8).reshape(shape)
    ours = str(of(array))
    assert eval(ours) == array.tolist()
    if count <= 4:
        assert ours == np.array2string(array, separator=", ")


def test_long_rows_are_broken_at_the_width() -> None:
    for width in (20, 40, 88):
        with hurray.print_options(linewidth=width), np.printoptions(linewidth=width):
            for array in (np.arange(60), np.arange(120).reshape(2, 60)):
                assert str(of(array)) == np.array2string(array, separator=", ")
                assert max(map(len, repr(of(array)).split("\n"))) <= max(width, 60)


# --- what has no values to show ----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(None,), (None, 3), (3, None), (0, None)])
def test_a_dynamic_dimension_is_never_shown_as_data(shape: tuple[int | None, ...]) -> None:
    """A tensor with a dynamic dimension MUST NOT render its buffer as data in repr or str."""
    tensor = hurray.Tensor(bytes(range(64)), hurray.uint8, shape)
    assert repr(tensor) == (
        f"hurray.Tensor(<values not shown: a dimension is dynamic>, shape={shape}, dtype=uint8)"
    )
    assert str(tensor) == f"<values not shown: a dimension is dynamic, shape={shape}>"
    with pytest.raises(hurray.UnsupportedError, match="dynamic"):
        tensor._chosen([[0]] * len(shape))


def test_quantised_codes_are_not_shown_as_numbers() -> None:
    """Quantised codes are never handed out as plain numbers."""
    section = pack("<I", 16) + pack("<BBHfi4x", 1, 1, 0, 0.5, 0)
    blob = descriptor(INT8, shape=(2,), sizes=(2,), sections=section, flags=QUANTIZATION)
    tensor = hurray.load(single(blob, b"\x55\x66"))["w"]
    for text in (repr(tensor), str(tensor)):
        assert "quantised codes" in text
        assert "85" not in text


def test_a_private_type_is_not_guessed_at() -> None:
    section = pack("<I6BHIBBH", 8, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    blob = descriptor(0xF3, shape=(2,), sizes=(2,), sections=section, flags=4)
    text = repr(hurray.load(single(blob, b"\1\2"))["w"])
    assert "what the private element type 0xF3 means is agreed elsewhere" in text
    assert "dtype=extension(0xF3)" in text


def test_a_private_layout_is_not_guessed_at() -> None:
    blob = descriptor(INT8, 0xF1, (2,), (2,), payload=pack("<QI", 7, 0))
    assert "<values not shown: layout 0xF1 is agreed elsewhere>" in repr(
        hurray.load(single(blob, b"\1\2"))["w"]
    )


def test_what_is_not_synchronised_is_not_read() -> None:
    """A tensor that is not producer-synced refuses the paths that hand out its bytes: repr reads none."""
    blob = descriptor(INT8, shape=(2,), sizes=(2,), handles=handle(2, 64, device=1, sync=1))
    assert "in cuda memory" in repr(hurray.load(single(blob, b"\1\2"))["w"])


def test_pages_are_not_shown() -> None:
    payload = pack("<IQIIBIB6x", 2, 1, 0, 1, 0, 0xFFFFFFFF, 0)
    blob = descriptor(FLOAT32, 0x0A, (2, 1, 1), (8, 4, 8), payload=payload)
    tensor = hurray.load(single(blob, bytes(8), bytes(4), pack("<II", 0, 1)))["w"]
    assert "<values not shown: elements in pages>" in repr(tensor)
    with pytest.raises(hurray.UnsupportedError, match=r"pages.*buffer"):
        tensor.tolist()


def test_chosen_elements_lie_inside() -> None:
    tensor = of(np.arange(6).reshape(2, 3))
    assert tensor._chosen([[1, 0], [2]]) == [5, 2]
    for places in ([[2], [0]], [[0], [3]], [[0]], [[0], [0], [0]]):
        with pytest.raises(IndexError):
            tensor._chosen(places)
    assert tensor._chosen([[], [0]]) == []


# --- help --------------------------------------------------------------------------------------------------


def test_help_of_a_tensor_reads_well() -> None:
    """help(hurray.Tensor): an example that runs, and a line on everything."""
    text = pydoc.plain(pydoc.render_doc(hurray.Tensor))
    assert ">>> " in text
    for name in ("tolist", "tobytes", "buffer", "T", "shape", "layout", "to_torch", "nbytes"):
        assert f" |  {name}" in text
    found = doctest.DocTestFinder().find(hurray.Tensor, "hurray.Tensor", globs={"hurray": hurray})
    runner = doctest.DocTestRunner()
    results = [runner.run(one) for one in found if one.examples]
    assert sum(result.attempted for result in results) >= 4
    assert sum(result.failed for result in results) == 0


def test_help_of_the_package_names_the_doors() -> None:
    text = pydoc.plain(pydoc.render_doc(hurray))
    for name in ("save", "load", "open", "from_numpy", "asarray", "Tensor", "print_options"):
        assert f"hurray.{name}" in (hurray.__doc__ or "")
        assert name in text
    results = doctest.testmod(hurray, verbose=False)
    assert results.attempted >= 3
    assert results.failed == 0
