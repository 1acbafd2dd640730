"""The five schemes and hurray.decode_quantization (requirements: Descriptor Encoding; quantization.md)."""

from __future__ import annotations

import struct
from collections.abc import Callable
from struct import pack
from typing import Any

import hurray
import pytest
from core_values import check_value
from hypothesis import given
from hypothesis import strategies as st

NONE = 2**32 - 1
U32 = st.integers(0, 2**32 - 2)
SCALE_TYPES = {"float16": 1, "bfloat16": 2, "float32": 3}

per_channel = hurray.PerChannelAffine
per_block = hurray.PerBlockAffine


def block_sizes(low: int, high: int) -> st.SearchStrategy[int]:
    """Powers of two."""
    return st.integers(low.bit_length() - 1, high.bit_length() - 1).map(lambda exponent: 1 << exponent)


def finite_scales() -> st.SearchStrategy[float]:
    return st.floats(width=32, allow_nan=False, allow_infinity=False).filter(bool)


SCALE_TYPE = st.sampled_from([hurray.float16, hurray.bfloat16, hurray.float32])
SCHEMES: st.SearchStrategy[Any] = st.one_of(
    st.builds(hurray.PerTensorAffine, finite_scales(), st.integers(-(2**31), 2**31 - 1)),
    st.builds(per_channel.symmetric, U32, U32),
    st.builds(per_channel.asymmetric, U32, U32, U32),
    st.builds(per_block.symmetric, U32, block_sizes(2, 2**31), U32, SCALE_TYPE),
    st.builds(per_block.asymmetric, U32, block_sizes(2, 2**31), U32, U32, SCALE_TYPE),
    st.builds(hurray.NF4, U32, block_sizes(8, 2**31), U32),
    st.builds(hurray.MXFP, U32, block_sizes(16, 2048), U32),
)


@given(SCHEMES)
def test_every_scheme_encodes_decodes_prints_and_travels(scheme: Any) -> None:
    """Each class MUST expose encode(); decode_quantization MUST return whichever class the tag names."""
    data = scheme.encode()
    back = hurray.decode_quantization(data)
    assert type(back) is type(scheme)
    check_value(scheme, back, [], hashable=not isinstance(scheme, hurray.PerTensorAffine))
    assert back.encode() == data


# Value -> bytes, by the tables of quantization.md §4 to §7.
ENCODED: list[tuple[Any, bytes]] = [
    (hurray.PerTensorAffine(0.5, -3), pack("<BBHfi4x", 1, 1, 0, 0.5, -3)),
    (hurray.PerTensorAffine(-(2.0**-149), 2**31 - 1), pack("<BBHfi4x", 1, 1, 0, -(2.0**-149), 2**31 - 1)),
    (per_channel.symmetric(2, 1), pack("<BBHIIIB3x", 2, 1, 1, 2, 1, NONE, 3)),
    (per_channel.asymmetric(0, 1, 2), pack("<BBHIIIB3x", 2, 1, 0, 0, 1, 2, 3)),
    (per_block.symmetric(1, 128, 1, hurray.float16), pack("<BBHIIIIB3x", 3, 1, 1, 1, 128, 1, NONE, 1)),
    (per_block.asymmetric(1, 2, 4, 5, hurray.bfloat16), pack("<BBHIIIIB3x", 3, 1, 0, 1, 2, 4, 5, 2)),
    (hurray.NF4(1, 64, 7), pack("<BBHIII", 4, 1, 0, 1, 64, 7)),
    (hurray.MXFP(0, 32, 1), pack("<BBHIII", 5, 1, 0, 0, 32, 1)),
]


@pytest.mark.parametrize(("scheme", "data"), ENCODED, ids=[repr(scheme) for scheme, _ in ENCODED])
def test_the_bytes_are_those_of_the_format(scheme: Any, data: bytes) -> None:
    assert scheme.encode() == data
    assert hurray.decode_quantization(data) == scheme


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
@pytest.mark.parametrize(("scheme", "data"), ENCODED, ids=[repr(scheme) for scheme, _ in ENCODED])
def test_what_follows_a_scheme_is_padding(scheme: Any, data: bytes, kind: Callable[[bytes], Any]) -> None:
    """quantization.md §1: surplus bytes are skipped by the prefix."""
    assert hurray.decode_quantization(kind(data + b"later fields")) == scheme
    assert hurray.decode_quantization(kind(data + bytes(100))).encode() == data


@pytest.mark.parametrize(("scheme", "data"), ENCODED, ids=[repr(scheme) for scheme, _ in ENCODED])
def test_what_is_cut_is_refused(scheme: Any, data: bytes) -> None:
    """Q-1 at every length, and never another error."""
    for length in range(len(data)):
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            hurray.decode_quantization(data[:length])
        assert caught.value.code == "Q-1"


def test_per_tensor_fields() -> None:
    scheme = hurray.PerTensorAffine(0.25, 0)
    assert (scheme.scale, scheme.zero_point, scheme.is_symmetric) == (0.25, 0, True)
    assert not hurray.PerTensorAffine(0.25, 1).is_symmetric
    check_value(
        scheme,
        hurray.PerTensorAffine(scale=0.25, zero_point=0),
        [hurray.PerTensorAffine(0.25, 1), hurray.PerTensorAffine(-0.25, 0), hurray.NF4(0, 8, 1)],
        hashable=False,
    )


def test_a_scale_is_the_nearest_float32_and_says_so() -> None:
    """quantization.md §4: the field is an f32; the getter tells what is stored, the repr gives it back."""
    scheme = hurray.PerTensorAffine(0.1, 3)
    assert scheme.scale == struct.unpack("<f", pack("<f", 0.1))[0] != 0.1
    assert scheme == hurray.PerTensorAffine(scheme.scale, 3)
    assert repr(scheme) == "PerTensorAffine(scale=0.1, zero_point=3)"


@given(finite_scales(), st.integers(-(2**31), 2**31 - 1))
def test_float32_scales_are_kept_to_the_bit(scale: float, zero_point: int) -> None:
    scheme = hurray.PerTensorAffine(scale, zero_point)
    assert (scheme.scale, scheme.zero_point) == (scale, zero_point)


@pytest.mark.parametrize(
    "scale", [0, 0.0, -0.0, float("nan"), float("inf"), -float("inf"), 1e300, 1e-300, -1e-46]
)
def test_a_scale_that_float32_has_not_is_refused(scale: float) -> None:
    """Q-10: the scale is finite and not zero, also after it has become a float32."""
    with pytest.raises(hurray.InvalidDescriptorError, match=r"scale is .*finite and not zero") as caught:
        hurray.PerTensorAffine(scale, 0)
    assert caught.value.code == "Q-10"


@pytest.mark.parametrize(
    ("scale", "zero_point", "error", "text"),
    [
        ("1", 0, TypeError, "scale is a real number, got str"),
        (None, 0, TypeError, "scale is a real number, got NoneType"),
        (10**400, 0, OverflowError, "scale"),
        (1.0, 0.5, TypeError, "zero_point is an int"),
        (1.0, None, TypeError, "zero_point is an int"),
        (1.0, 2**31, OverflowError, "zero_point is 2147483648"),
        (1.0, -(2**31) - 1, OverflowError, "zero_point is -2147483649"),
    ],
)
def test_per_tensor_arguments(scale: Any, zero_point: Any, error: type[Exception], text: str) -> None:
    """Errors say which argument, which value, and what would be right."""
    with pytest.raises(error, match=text):
        hurray.PerTensorAffine(scale, zero_point)


def test_per_channel_fields() -> None:
    symmetric, asymmetric = per_channel.symmetric(2, 1), per_channel.asymmetric(2, 1, 3)
    assert (symmetric.axis, symmetric.scale_buffer_index, symmetric.zero_point_buffer_index) == (2, 1, None)
    assert (asymmetric.axis, asymmetric.scale_buffer_index, asymmetric.zero_point_buffer_index) == (2, 1, 3)
    assert (symmetric.is_symmetric, asymmetric.is_symmetric) == (True, False)
    assert symmetric.scale_type is asymmetric.scale_type is hurray.float32
    same = per_channel.symmetric(axis=2, scale_buffer_index=1)
    others = [asymmetric, per_channel.symmetric(1, 1), per_channel.symmetric(2, 2)]
    check_value(symmetric, same, others, hashable=True)
    same = per_channel.asymmetric(axis=2, scale_buffer_index=1, zero_point_buffer_index=3)
    check_value(asymmetric, same, [symmetric, per_channel.asymmetric(2, 1, 1)], hashable=True)


def test_per_block_fields() -> None:
    symmetric = per_block.symmetric(1, 32, 1, hurray.float16)
    asymmetric = per_block.asymmetric(1, 32, 1, 2, hurray.float32)
    assert (symmetric.axis, symmetric.block_size, symmetric.scale_buffer_index) == (1, 32, 1)
    assert (symmetric.zero_point_buffer_index, asymmetric.zero_point_buffer_index) == (None, 2)
    assert (symmetric.is_symmetric, asymmetric.is_symmetric) == (True, False)
    # A Dtype, the singleton.
    assert (symmetric.scale_type, asymmetric.scale_type) == (hurray.float16, hurray.float32)
    same = per_block.symmetric(axis=1, block_size=32, scale_buffer_index=1, scale_type="float16")
    others = [
        asymmetric,
        per_block.symmetric(0, 32, 1, hurray.float16),
        per_block.symmetric(1, 64, 1, hurray.float16),
        per_block.symmetric(1, 32, 2, hurray.float16),
        per_block.symmetric(1, 32, 1, hurray.bfloat16),
    ]
    check_value(symmetric, same, others, hashable=True)
    keywords = {"axis": 1, "block_size": 32, "scale_buffer_index": 1, "zero_point_buffer_index": 2}
    check_value(
        asymmetric, per_block.asymmetric(**keywords, scale_type=hurray.float32), [symmetric], hashable=True
    )


@pytest.mark.parametrize("kind", [hurray.NF4, hurray.MXFP])
def test_nf4_and_mxfp_fields(kind: Any) -> None:
    one = kind(1, 32, 3)
    assert (one.axis, one.block_size, one.scale_buffer_index) == (1, 32, 3)
    assert one.scale_type is (hurray.float32 if kind is hurray.NF4 else hurray.dtype.float8_e8m0)
    same = kind(axis=1, block_size=32, scale_buffer_index=3)
    check_value(one, same, [kind(0, 32, 3), kind(1, 64, 3), kind(1, 32, 2)], hashable=True)


def test_schemes_of_other_classes_differ() -> None:
    nf4: Any = hurray.NF4(1, 32, 3)
    assert nf4 != hurray.MXFP(1, 32, 3)
    affine: Any = per_channel.symmetric(1, 1)
    assert affine != per_block.symmetric(1, 2, 1, "float32")


@pytest.mark.parametrize("kind", [per_channel, per_block])
def test_the_affine_classes_are_made_by_name_alone(kind: Any) -> None:
    """04-tables.md §1: .symmetric and .asymmetric are the constructors."""
    for arguments in ((), (0, 1), (0, 1, 2)):
        with pytest.raises(TypeError):
            kind(*arguments)


# Every way to make a scheme with blocks, as a function of the block size alone; the bounds of quantization.md §3.
BLOCKS: list[tuple[str, Callable[[Any], Any], int, int]] = [
    ("symmetric", lambda size: per_block.symmetric(0, size, 1, "float32"), 2, 2**31),
    ("asymmetric", lambda size: per_block.asymmetric(0, size, 1, 2, "float32"), 2, 2**31),
    ("NF4", lambda size: hurray.NF4(0, size, 1), 8, 2**31),
    ("MXFP", lambda size: hurray.MXFP(0, size, 1), 16, 2048),
]


@pytest.mark.parametrize(("name", "make", "low", "high"), BLOCKS, ids=[row[0] for row in BLOCKS])
def test_block_sizes(name: str, make: Callable[[Any], Any], low: int, high: int) -> None:
    """Q-22: a power of two within the scheme's bounds."""
    for exponent in range(32):
        size = 1 << exponent
        if low <= size <= high:
            assert make(size).block_size == size
            assert hurray.decode_quantization(make(size).encode()) == make(size)
    refused = {0, 1, 3, low // 2, low + 1, 100, 2**32 - 1} | ({high * 2} if high < 2**31 else set())
    for size in refused:
        with pytest.raises(
            hurray.InvalidDescriptorError, match=f"block_size is {size}; .*power of two, {low}"
        ) as caught:
            make(size)
        assert caught.value.code == "Q-22"
    wrong: Any
    for wrong in (-1, 2**32):
        with pytest.raises(OverflowError, match=f"block_size is {wrong}"):
            make(wrong)
    for wrong in (32.0, "32", None):
        with pytest.raises(TypeError, match="block_size is an int"):
            make(wrong)


# Every argument that is a position, by name.
POSITIONS: list[tuple[str, Callable[[Any], Any]]] = [
    ("axis", lambda at: per_channel.symmetric(at, 1)),
    ("axis", lambda at: per_channel.asymmetric(at, 1, 2)),
    ("axis", lambda at: per_block.symmetric(at, 2, 1, "float32")),
    ("axis", lambda at: per_block.asymmetric(at, 2, 1, 2, "float32")),
    ("axis", lambda at: hurray.NF4(at, 8, 1)),
    ("axis", lambda at: hurray.MXFP(at, 16, 1)),
    ("scale_buffer_index", lambda at: per_channel.symmetric(0, at)),
    ("scale_buffer_index", lambda at: per_channel.asymmetric(0, at, 2)),
    ("scale_buffer_index", lambda at: per_block.symmetric(0, 2, at, "float32")),
    ("scale_buffer_index", lambda at: per_block.asymmetric(0, 2, at, 2, "float32")),
    ("scale_buffer_index", lambda at: hurray.NF4(0, 8, at)),
    ("scale_buffer_index", lambda at: hurray.MXFP(0, 16, at)),
    ("zero_point_buffer_index", lambda at: per_channel.asymmetric(0, 1, at)),
    ("zero_point_buffer_index", lambda at: per_block.asymmetric(0, 2, 1, at, "float32")),
]


@pytest.mark.parametrize(
    ("name", "make"), POSITIONS, ids=[f"{at}-{row[0]}" for at, row in enumerate(POSITIONS)]
)
def test_positions(name: str, make: Callable[[Any], Any]) -> None:
    """A u32, and no parameter buffer is 0xFFFFFFFF, which says "none" (quantization.md §5, §10.9)."""
    assert getattr(make(2**32 - 2), name) == 2**32 - 2
    wrong: Any = [-1, 2**32, 2**64, 10**40] if name == "axis" else [-1, 2**32 - 1, 2**32, 10**40]
    for at in wrong:
        with pytest.raises(OverflowError, match=f"{name} is {at}"):
            make(at)
    other: Any
    for other in (1.0, "1", None):
        with pytest.raises(TypeError, match=f"{name} is an int"):
            make(other)


@pytest.mark.parametrize(
    "dtype", [hurray.Dtype.from_tag(tag) for tag in (4, 0x10, 0x20, 0x42, 0x48, 0xF0)], ids=str
)
def test_scale_types(dtype: hurray.Dtype) -> None:
    """Q-15: float16, bfloat16 and float32 exist."""
    makers: list[Callable[[], Any]] = [
        lambda: per_block.symmetric(0, 2, 1, dtype),
        lambda: per_block.asymmetric(0, 2, 1, 2, dtype),
    ]
    for make in makers:
        with pytest.raises(hurray.InvalidDescriptorError, match=f"scale_type is {dtype.name}") as caught:
            make()
        assert caught.value.code == "Q-15"


@pytest.mark.parametrize("wrong", [None, 1, 1.0, object(), b"float32"])
def test_a_scale_type_is_a_type(wrong: Any) -> None:
    with pytest.raises(TypeError, match=r"scale_type is a hurray\.Dtype"):
        per_block.symmetric(0, 2, 1, wrong)


def broken(at: int, value: int, data: bytes, form: str = "B") -> bytes:
    """``data`` with one field another."""
    out = bytearray(data)
    struct.pack_into("<" + form, out, at, value)
    return bytes(out)


TENSOR, CHANNEL, BLOCK, NF4, MXFP = (ENCODED[at][1] for at in (0, 2, 4, 6, 7))
# Rule -> bytes that break it, alone (quantization.md §9).
BROKEN: list[tuple[str, bytes]] = [
    ("Q-1", b""),
    ("Q-2", broken(0, 0, TENSOR)),
    ("Q-2", broken(0, 0xFF, TENSOR)),
    *(("Q-3", broken(0, tag, TENSOR)) for tag in (6, 0x3F, 0x40, 0x5F, 0x60, 0x80, 0xEF, 0xF0, 0xFE)),
    *(("Q-4", broken(1, 2, data)) for data in (TENSOR, CHANNEL, BLOCK, NF4, MXFP)),
    *(("Q-5", broken(1, 0, data)) for data in (TENSOR, CHANNEL, BLOCK, NF4, MXFP)),
    *(("Q-6", broken(2, 1, data, "H")) for data in (TENSOR, NF4, MXFP)),
    *(("Q-6", broken(2, 3, data, "H")) for data in (CHANNEL, BLOCK)),
    *(("Q-6", broken(2, 0x8000, data, "H")) for data in (TENSOR, NF4, MXFP)),
    *(("Q-10", broken(4, bits, TENSOR, "I")) for bits in (0, 1 << 31, 0x7F800000, 0xFF800000, 0x7FC00000)),
    *(("Q-12", broken(at, 1, TENSOR)) for at in range(12, 16)),
    *(("Q-12", broken(at, 1, CHANNEL)) for at in range(17, 20)),
    *(("Q-13", broken(at, 1, BLOCK)) for at in range(21, 24)),
    *(("Q-14", broken(16, tag, CHANNEL)) for tag in (0, 1, 2, 4, 0xFF)),
    *(("Q-15", broken(20, tag, BLOCK)) for tag in (0, 4, 0x10, 0xFF)),
    ("Q-16", broken(12, 2, CHANNEL, "I")),
    ("Q-16", broken(16, 2, BLOCK, "I")),
    # An asymmetric scheme without zero points, and schemes without scales: the index that no buffer has.
    ("Q-17", broken(2, 0, CHANNEL, "H")),
    ("Q-17", broken(2, 0, BLOCK, "H")),
    *(
        ("Q-17", broken(at, NONE, data, "I"))
        for at, data in ((8, CHANNEL), (12, BLOCK), (12, NF4), (12, MXFP))
    ),
    *(("Q-22", broken(8, size, BLOCK, "I")) for size in (0, 1, 3)),
    *(("Q-22", broken(8, size, NF4, "I")) for size in (0, 4, 24)),
    *(("Q-22", broken(8, size, MXFP, "I")) for size in (0, 8, 48, 4096)),
]


@pytest.mark.parametrize(
    ("code", "data"), BROKEN, ids=[f"{code}-{at}" for at, (code, _) in enumerate(BROKEN)]
)
def test_broken_sections_are_refused_with_their_code(code: str, data: bytes) -> None:
    """quantization.md §9, for everything that needs neither shape nor buffers."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.decode_quantization(data)
    assert caught.value.code == code
    assert str(caught.value)


@pytest.mark.parametrize("data", ["text", 5, None, [1, 1]])
def test_decoding_what_is_no_buffer_is_a_type_error(data: Any) -> None:
    with pytest.raises(TypeError):
        hurray.decode_quantization(data)
