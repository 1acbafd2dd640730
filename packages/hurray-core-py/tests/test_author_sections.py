"""The sections, the device and the extents that a constructor is told (requirements: Authoring, Dynamic dimensions)."""

from __future__ import annotations

import sys
from struct import pack
from typing import Any

import core_files
import hurray
import pytest
from core_authored import F32, I8, LAYOUTS, csr_of, made
from core_files import FLOAT32, STATISTICS
from core_tensors import floats, words

# --- sections ----------------------------------------------------------------------------------------------


def test_every_section_is_stated_and_read_back() -> None:
    """quantization, statistics, shard: the getter MUST return an object of the class that the constructor accepts."""
    scheme = hurray.PerChannelAffine.symmetric(0, 1)
    statistics = hurray.Statistics(nnz=5, sparsity_ratio=0.25, has_nan=False, has_inf=True)
    shard = hurray.Shard((8, 3), (4, 0))
    tensor = hurray.Tensor(
        bytes(6),
        I8,
        (2, 3),
        aux_buffers=[floats(1, 2)],
        quantization=scheme,
        statistics=statistics,
        shard=shard,
    )
    assert (tensor.quantization, tensor.statistics, tensor.shard) == (scheme, statistics, shard)
    again = tensor.descriptor
    assert (again.quantization, again.statistics, again.shard) == (scheme, statistics, shard)
    assert hurray.Descriptor.decode(again.encode()) == again


@pytest.mark.parametrize("name", ["quantization", "statistics", "shard", "extension_type"])
@pytest.mark.parametrize(
    "given", ["text", 5, b"", object(), hurray.RowMajorLayout()], ids=lambda g: type(g).__name__
)
def test_a_section_is_of_its_class(name: str, given: Any) -> None:
    """The argument's name stands in the TypeError."""
    with pytest.raises(TypeError, match=name):
        hurray.Tensor(bytes(4), I8, (4,), **{name: given})


def test_a_private_type_and_its_section_go_together() -> None:
    """descriptor.md D-9: exactly the private types have an extension type section; it sizes the buffer."""
    private = hurray.Dtype.from_tag(0xF5)
    section = hurray.ExtensionType(24)
    tensor = hurray.Tensor(bytes(12), private, (4,), extension_type=section)
    assert (tensor.extension_type, tensor.dtype, tensor.itemsize, tensor.nbytes) == (section, private, 3, 12)
    with pytest.raises(hurray.BufferError, match="at least 12") as small:
        hurray.Tensor(bytes(11), private, (4,), extension_type=section)
    assert small.value.code == "L-12"
    packed = hurray.Tensor(bytes(3), private, (5,), extension_type=hurray.ExtensionType(4))
    assert (packed.itemsize, packed.nbytes) == (None, 3)
    with pytest.raises(
        hurray.InvalidDescriptorError, match=r"0xF5 is private.*hurray\.ExtensionType"
    ) as missing:
        hurray.Tensor(bytes(12), private, (4,))
    with pytest.raises(hurray.InvalidDescriptorError, match=r"private dtype.*not with float32") as stray:
        hurray.Tensor(bytes(16), F32, (4,), extension_type=section)
    assert missing.value.code == stray.value.code == "D-9"


SHARDS = [
    (LAYOUTS["row_major"], hurray.Shard((2, 3), (1, 0)), "D-44"),
    (LAYOUTS["row_major"], hurray.Shard((8,), (0,)), "D-1"),
    (LAYOUTS["csf"], hurray.Shard((8, 8, 8), (0, 0, 0)), "L-28"),
    (LAYOUTS["block_paged"], hurray.Shard((8, 8, 8), (0, 0, 0)), "L-28"),
    ((hurray.RowMajorLayout(), (None, 3), (24,)), hurray.Shard((8, 3), (0, 0)), "D-45"),
]


@pytest.mark.parametrize(("declared", "shard", "code"), SHARDS, ids=[row[2] for row in SHARDS])
def test_a_shard_fits(declared: Any, shard: hurray.Shard, code: str) -> None:
    """descriptor.md §6.2: in bounds, one value per dimension, static, not on csf or block_paged."""
    layout, shape, least = declared
    first, *others = [bytes(size) for size in least]
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Tensor(first, F32, shape, aux_buffers=others, layout=layout, shard=shard)
    assert caught.value.code == code


QUANTIZATIONS = [
    (hurray.PerTensorAffine(1.0, 0), F32, (4,), [], "Q-7"),
    (hurray.PerTensorAffine(1.0, 200), I8, (4,), [], "Q-11"),
    (hurray.PerTensorAffine(1.0, 0), I8, (4,), [bytes(4)], "D-31"),
    (hurray.PerChannelAffine.symmetric(2, 1), I8, (2, 2), [bytes(8)], "Q-8"),
    (hurray.PerChannelAffine.symmetric(0, 1), I8, (None, 2), [bytes(8)], "Q-9"),
    (hurray.PerChannelAffine.symmetric(0, 2), I8, (2, 2), [bytes(8)], "Q-17"),
    (hurray.PerChannelAffine.symmetric(0, 1), I8, (2, 2), [], "D-31"),
    (hurray.PerChannelAffine.symmetric(0, 1), I8, (2, 2), [bytes(7)], "Q-25"),
    (hurray.PerChannelAffine.asymmetric(0, 1, 2), I8, (2, 2), [bytes(8), bytes(7)], "Q-25"),
    (hurray.PerBlockAffine.symmetric(0, 4, 1, F32), I8, (2, 2), [bytes(8)], "Q-23"),
    (hurray.PerBlockAffine.symmetric(1, 2, 1, hurray.float16), I8, (2, 4), [bytes(7)], "Q-25"),
    (hurray.NF4(0, 8, 1), I8, (8,), [bytes(4)], "Q-7"),
    (hurray.NF4(0, 8, 1), hurray.dtype.uint4, (8,), [bytes(3)], "Q-25"),
    (hurray.MXFP(0, 16, 1), I8, (24,), [bytes(2)], "Q-24"),
    (hurray.MXFP(0, 16, 1), I8, (32,), [bytes(1)], "Q-25"),
]


@pytest.mark.parametrize(("scheme", "dtype", "shape", "others", "code"), QUANTIZATIONS)
def test_a_scheme_goes_with_type_shape_and_buffers(
    scheme: Any, dtype: hurray.Dtype, shape: Any, others: list[bytes], code: str
) -> None:
    """quantization.md §9; a small parameter buffer is of the size tier, all else a bad descriptor."""
    error = hurray.BufferError if code == "Q-25" else hurray.InvalidDescriptorError
    with pytest.raises(error) as caught:
        hurray.Tensor(bytes(64), dtype, shape, aux_buffers=others, quantization=scheme)
    assert getattr(caught.value, "code", None) == code


def test_parameters_come_behind_the_layouts_buffers() -> None:
    """quantization.md §2, Q-18 and Q-19: not the data, not an index buffer."""
    values, columns, rows = bytes([1, 2]), words(0, 2), words(0, 1, 2)

    def make(index: int) -> hurray.Tensor:
        return hurray.Tensor(
            values,
            I8,
            (2, 3),
            aux_buffers=[columns, rows, floats(1, 2)],
            layout=hurray.CsrLayout(nnz=2),
            quantization=hurray.PerChannelAffine.symmetric(0, index),
        )

    assert make(3).buffer_count == 4
    for index in (1, 2):
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            make(index)
        assert caught.value.code == "Q-19"


def test_statistics_count_what_the_layout_counts() -> None:
    """layouts.md L-30: the statistics' nnz must equal the layout's."""
    assert made("csr", statistics=hurray.Statistics(nnz=2)).statistics == hurray.Statistics(nnz=2)
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        made("csr", statistics=hurray.Statistics(nnz=3))
    assert caught.value.code == "L-30"


def statistics_section(ratio: float = 0.5, deviation: float = 1.0, n: int = 2, m: int = 4) -> bytes:
    return pack("<II Q 6d BBBB 4x", 0b11110, 0, 0, ratio, 0, 0, 0, 0, deviation, n, m, 0, 0)


@pytest.mark.parametrize(
    "claims",
    [{"ratio": 1.5}, {"ratio": -0.1}, {"ratio": float("nan")}, {"deviation": -1.0}, {"n": 5}],
    ids=str,
)
def test_what_is_authored_is_in_range(claims: dict[str, Any]) -> None:
    """descriptor.md §8: a careful codec enforces field ranges when it writes, whoever read them before."""
    read = core_files.descriptor(FLOAT32, sections=statistics_section(**claims), flags=STATISTICS)
    section = hurray.Descriptor.decode(read).statistics
    with pytest.raises(hurray.InvalidDescriptorError, match="statistics"):
        hurray.Tensor(bytes(8), F32, (2,), statistics=section)
    sound = core_files.descriptor(FLOAT32, sections=statistics_section(), flags=STATISTICS)
    section = hurray.Descriptor.decode(sound).statistics
    assert hurray.Tensor(bytes(8), F32, (2,), statistics=section).statistics == section


# --- devices -----------------------------------------------------------------------------------------------


def test_a_device_is_declared_for_every_buffer() -> None:
    """Device ID is runtime metadata of the constructor; buffer_handles[i].device is t.device."""
    device = hurray.Device("cuda", 3, "unified")
    tensor = made("csr", device=device)
    assert tensor.device is device
    assert all(handle.device is device for handle in tensor.buffer_handles)
    assert tensor.__dlpack_device__() == (13, 3)
    for name in ("values", "row_ptr"):
        with pytest.raises(hurray.UnsupportedError, match="cuda"):
            getattr(tensor, name)
    with pytest.raises(hurray.UnsupportedError, match="cuda"):
        tensor.buffer(0)
    assert tensor.nnz == 2


def test_a_place_that_does_not_exist_is_refused() -> None:
    """buffers.md §4, D-36: the pairs of device and memory class."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Tensor(bytes(4), I8, (4,), hurray.Device("webgpu", memory_class="unified"))
    assert caught.value.code == "D-36"


# --- dynamic dimensions ------------------------------------------------------------------------------------


def test_a_dynamic_dimension_is_none() -> None:
    """A shape read from a tensor can be passed back to build an equal descriptor; there is no sentinel."""
    tensor = hurray.Tensor(bytes(24), F32, (None, 3))
    assert (tensor.shape, tensor.size, tensor.ndim) == ((None, 3), None, 2)
    again = hurray.Tensor(tensor.buffer(0), tensor.dtype, tensor.shape)
    assert again.descriptor == tensor.descriptor
    assert not [name for name in dir(hurray) if "dynamic" in name.lower()]
    for sentinel in (-1, 2**64 - 1):
        with pytest.raises(hurray.InvalidDescriptorError, match=r"shape\[0\]"):
            hurray.Tensor(bytes(24), F32, (sentinel, 3))


DYNAMIC = [
    ("tolist", lambda t: t.tolist()),
    ("tobytes", lambda t: t.tobytes()),
    ("the buffer protocol", memoryview),
    ("__dlpack__", lambda t: t.__dlpack__()),
    ("a tensor given as a buffer", lambda t: hurray.Tensor(t, F32, (3,))),
]


@pytest.mark.parametrize(("call", "use"), DYNAMIC, ids=[row[0] for row in DYNAMIC])
def test_what_needs_memory_names_the_call_and_the_dimension(call: str, use: Any) -> None:
    """Dynamic dimensions are refused by call and index where memory is needed."""
    tensor = hurray.Tensor(bytes(24), F32, (2, None))
    with pytest.raises((hurray.UnsupportedError, BufferError), match=rf"{call} .*dimension 1\b"):
        use(tensor)


def test_a_file_holds_no_dynamic_dimension(tmp_path: Any) -> None:
    """A save names the tensor and the dimension, and writes nothing."""
    path = tmp_path / "x.hrry"
    with pytest.raises(hurray.InvalidDescriptorError, match=r'dimension 1 of tensor "w"'):
        hurray.save(path, {"w": hurray.Tensor(bytes(24), F32, (2, None))})
    assert not path.exists()


# --- the surface -------------------------------------------------------------------------------------------


def test_what_has_a_keyword_has_no_position() -> None:
    """04-tables.md §1: the keyword-only markers are the released package's."""
    with pytest.raises(TypeError):
        hurray.Tensor(bytes(4), I8, (4,), None, [])  # type: ignore[call-arg]
    for name in ("sync_mode", "alignment", "nnz"):
        with pytest.raises(TypeError, match=name):
            hurray.Tensor(bytes(4), I8, (4,), **{name: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bits", "itemsize"), [("bool", None), ("int4", None), ("float6_e2m3", None), ("int8", 1)]
)
def test_itemsize_is_whole_bytes(bits: str, itemsize: int | None) -> None:
    """itemsize: bytes of one element, None where elements share bytes."""
    assert hurray.Tensor(bytes(8), getattr(hurray.dtype, bits), (8,)).itemsize == itemsize
    assert hurray.Tensor(bytes(16), hurray.dtype.complex128, ()).itemsize == 16


def test_refusing_holds_no_buffer() -> None:
    """A constructor that raises lets go of every exporter."""
    buffers = [bytearray(8), bytearray(16), bytearray(8)]
    before = [sys.getrefcount(buffer) for buffer in buffers]
    for _ in range(50):
        with pytest.raises(hurray.BufferError):
            csr_of(*buffers)
    for at in range(3):
        buffers[at].extend(b"still mine")
    assert [sys.getrefcount(buffer) for buffer in buffers] == before
