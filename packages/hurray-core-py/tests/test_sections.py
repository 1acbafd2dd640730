"""The optional sections of descriptors (requirements: Descriptor Encoding; descriptor.md §6)."""

from __future__ import annotations

import copy
import pickle
import struct
from typing import Any

import hurray
import pytest
from core_files import EXTENSION, INT4, INT8, QUANTIZATION, SHARD, STATISTICS, descriptor
from core_values import NAMES
from hypothesis import given, settings
from hypothesis import strategies as st

SCHEMES: list[tuple[str, Any, tuple[int, ...]]] = [
    ("int16", hurray.PerTensorAffine(0.5, -3), ()),
    ("int8", hurray.PerChannelAffine.symmetric(1, 1), (64,)),
    ("int8", hurray.PerChannelAffine.asymmetric(0, 1, 2), (64, 64)),
    ("int4", hurray.PerBlockAffine.symmetric(1, 4, 1, hurray.float16), (128,)),
    ("uint4", hurray.PerBlockAffine.asymmetric(1, 16, 1, 2, hurray.float32), (64, 64)),
    ("uint4", hurray.NF4(1, 8, 1), (128,)),
    ("float8_e4m3", hurray.MXFP(0, 16, 1), (16,)),
]
SHARDS = [None, hurray.Shard((16, 32), (0, 16))]
COUNTED = [
    None,
    hurray.Statistics(nnz=5),
    hurray.Statistics(value_min=float("nan"), value_max=float("inf"), value_abs_max=-0.0),
]


def make(name: str, **sections: Any) -> hurray.Tensor:
    dtype = hurray.Dtype.from_name(name)
    return hurray.Tensor(bytearray(hurray.buffer_size_bytes(dtype, 256)), dtype, (16, 16), **sections)


def sections_of(one: Any) -> list[Any]:
    return [one.quantization, one.shard, one.statistics, one.extension_type]


@pytest.mark.parametrize("statistics", COUNTED, ids=str)
@pytest.mark.parametrize("shard", SHARDS, ids=str)
@pytest.mark.parametrize(("name", "scheme", "sizes"), [*SCHEMES, ("int8", None, ())], ids=str)
def test_a_descriptor_agrees_with_its_tensor_on_every_section(
    name: str, scheme: Any, sizes: tuple[int, ...], shard: Any, statistics: Any
) -> None:
    """MUST expose quantization, shard and statistics, and MUST agree with the tensor; decode(encode()) is equal."""
    aux = [bytearray(size) for size in sizes] or None
    tensor = make(name, aux_buffers=aux, quantization=scheme, shard=shard, statistics=statistics)
    one = tensor.descriptor
    assert sections_of(one) == sections_of(tensor) == [scheme, shard, statistics, None]
    # The quantization getter MUST return an object of the same class the constructor accepts.
    assert [type(section) for section in sections_of(one)] == list(
        map(type, (scheme, shard, statistics, None))
    )
    again = hurray.Descriptor.decode(one.encode())
    assert again == one
    assert hash(again) == hash(one)
    assert sections_of(again) == sections_of(one)
    # The same memory, so that the measured alignment is the same, too.
    memory = [tensor.buffer(index) for index in range(tensor.buffer_count)]
    rebuilt = hurray.Tensor(
        memory[0],
        one.dtype,
        one.shape,
        aux_buffers=memory[1:],
        quantization=one.quantization,
        shard=one.shard,
        statistics=one.statistics,
    )
    assert rebuilt.descriptor == one
    for back in (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one)):
        assert back == one
        assert sections_of(back) == sections_of(one)


def test_plain_descriptors_have_none() -> None:
    assert sections_of(hurray.Descriptor.decode(descriptor())) == [None] * 4


def test_what_is_no_section_is_refused() -> None:
    """Errors say which argument and what would be right."""
    wrong: Any
    for argument, right in (
        ("quantization", "hurray.PerTensorAffine"),
        ("shard", "hurray.Shard"),
        ("statistics", "hurray.Statistics"),
        ("extension_type", "hurray.ExtensionType"),
    ):
        for wrong in (5, "nf4", b"", {}, hurray.float32, hurray.RowMajorLayout()):
            with pytest.raises(TypeError, match=f"{argument} is .*{right}.*got {type(wrong).__name__}"):
                make("int8", **{argument: wrong})
    with pytest.raises(TypeError, match="shard is"):
        make("int8", shard=hurray.Statistics())


def section(mask: int = 0x3F, mean: float = 0.0, deviation: float = 0.0) -> bytes:
    return struct.pack("<IIQ6d4B4x", mask, 0, 1, 0, 0, 0, 0, mean, deviation, 0, 0, 0, 0)


def test_a_nan_in_a_section_is_equal_to_itself() -> None:
    """descriptor.md §6.3 stores any float64, and decode(encode()) MUST recover an equal descriptor."""
    one, other = (
        hurray.Descriptor.decode(descriptor(sections=section(mean=mean), flags=STATISTICS))
        for mean in (float("nan"), struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0])
    )
    again = hurray.Descriptor.decode(one.encode())
    assert again == one
    assert hash(again) == hash(one)
    # Another NaN is another encoding.
    assert one != other
    assert len({one, again, other}) == 2


def test_equal_descriptors_have_equal_hashes_whatever_the_zero() -> None:
    """Equality and hash are those of the bytes: 0.0 and -0.0 are equal as numbers alone."""
    positive, negative = (
        hurray.Descriptor.decode(descriptor(sections=section(mean=mean), flags=STATISTICS))
        for mean in (0.0, -0.0)
    )
    assert positive.statistics == negative.statistics
    assert positive != negative


def test_padding_of_a_section_is_written_back() -> None:
    """descriptor.md §6.1: the prefix may be larger than the scheme; a relay writes back what it read."""
    scheme = hurray.PerTensorAffine(0.5, 1)
    padded = struct.pack("<I", 21) + scheme.encode() + b"later"
    data = descriptor(INT8, sizes=(2,), sections=padded, flags=QUANTIZATION)
    one = hurray.Descriptor.decode(data)
    assert one.quantization == scheme
    assert one.encode() == data
    exact = struct.pack("<I", 16) + scheme.encode()
    assert one != hurray.Descriptor.decode(descriptor(INT8, sizes=(2,), sections=exact, flags=QUANTIZATION))


SEEDS = [
    descriptor(),
    descriptor(shape=(8, 4), sizes=(128,), sections=struct.pack("<QQQQ", 8, 8, 0, 4), flags=SHARD),
    descriptor(sections=section(), flags=STATISTICS),
    descriptor(0xF0, sections=struct.pack("<IBB14x", 32, 1, 0), flags=EXTENSION),
    descriptor(
        INT4,
        shape=(4, 4),
        sizes=(8, 16),
        sections=struct.pack("<I", 24) + hurray.PerBlockAffine.symmetric(1, 4, 1, "float16").encode(),
        flags=QUANTIZATION,
    ),
    descriptor(layout=6, sizes=(8, 16), payload=struct.pack("<QQ", 2, 0)),
]
EDIT = st.tuples(
    st.integers(0, 200), st.sampled_from(["set", "add", "cut"]), st.binary(min_size=1, max_size=8)
)


@settings(max_examples=600)
@given(st.sampled_from(SEEDS), st.lists(EDIT, max_size=4), st.booleans(), st.binary(max_size=40))
def test_mutated_descriptors_are_refused_or_kept(
    seed: bytes, edits: list[tuple[int, str, bytes]], mend: bool, tail: bytes
) -> None:
    """InvalidDescriptorError or BufferError with a code, or a descriptor that re-encodes to what was read."""
    data = bytearray(seed)
    for at, how, value in edits:
        place = at % (len(data) + 1)
        end = place if how == "add" else place + len(value)
        data[place:end] = b"" if how == "cut" else value
    if mend and len(data) >= 10:
        struct.pack_into("<I", data, 6, len(data))
    try:
        one = hurray.Descriptor.decode(data + tail)
    except (hurray.InvalidDescriptorError, hurray.BufferError) as error:
        assert error.code  # noqa: PT017 - either outcome is right
        return
    length = struct.unpack_from("<I", data + tail, 6)[0]
    assert one.encode() == (data + tail)[:length]
    assert hurray.Descriptor.decode(one.encode()) == one
    for part in sections_of(one):
        assert part is None or repr(part)


@given(
    st.binary(max_size=40)
    | st.tuples(st.integers(1, 5), st.binary(min_size=14, max_size=30)).map(
        lambda pair: bytes([pair[0], 1, 0, 0]) + pair[1]
    )
)
def test_random_sections_are_refused_or_kept(data: bytes) -> None:
    """InvalidDescriptorError, or a scheme that re-encodes to what was read."""
    try:
        scheme = hurray.decode_quantization(data)
    except hurray.InvalidDescriptorError as error:
        assert error.code  # noqa: PT017 - either outcome is right
        return
    encoded = scheme.encode()
    assert encoded == data[: len(encoded)]
    assert eval(repr(scheme), NAMES) == scheme
