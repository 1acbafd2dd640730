"""Shapes and dynamic dimensions (requirements: Dynamic dimensions; descriptor.md §3)."""

from __future__ import annotations

import builtins
import itertools
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

DYNAMIC = [(None,), (None, 3), (2, None), (None, None), (0, None), (2, 3, None)]


def dynamic(shape: tuple[int | None, ...], **options: Any) -> hurray.Tensor:
    return hurray.Tensor(bytearray(64), hurray.float32, shape, **options)


@pytest.mark.parametrize("shape", DYNAMIC)
def test_a_dynamic_dimension_is_none_both_ways(shape: tuple[int | None, ...]) -> None:
    """A dynamic dimension MUST be spelled None, so that a shape read can be passed back for an equal descriptor."""
    tensor = dynamic(shape)
    assert tensor.shape == tensor.descriptor.shape == shape
    assert hurray.Descriptor.decode(tensor.descriptor.encode()).shape == shape
    again = hurray.Tensor(tensor.buffer(0), tensor.dtype, tensor.shape, layout=tensor.layout)
    assert again.descriptor == tensor.descriptor


@pytest.mark.parametrize("shape", DYNAMIC)
def test_size_is_none_while_a_dimension_is_dynamic(shape: tuple[int | None, ...]) -> None:
    """04-tables.md §2: size is int, or None while a dimension is dynamic."""
    tensor = dynamic(shape)
    assert tensor.size is None
    assert tensor.descriptor.size is None
    assert tensor.ndim == len(shape)
    assert tensor.nbytes == 64


def test_there_is_no_sentinel_constant() -> None:
    """Implementations MUST NOT also expose a sentinel constant for a dynamic dimension."""
    for module in (hurray, hurray._core, hurray.Tensor):
        assert [name for name in dir(module) if "DYNAMIC" in name.upper()] == []
        assert [
            n for n in dir(module) if isinstance(v := getattr(module, n, None), int) and v == 2**64 - 1
        ] == []


@pytest.mark.parametrize("shape", DYNAMIC)
def test_repr_says_none_and_renders_no_data(shape: tuple[int | None, ...]) -> None:
    """A tensor with a dynamic dimension MUST NOT render its buffer as data in repr or str."""
    tensor = dynamic(shape)
    for text in (repr(tensor), str(tensor), repr(tensor.descriptor)):
        assert "None" in text
        assert "-1" not in text
        assert "[]" not in text
        assert str(2**64 - 1) not in text


@pytest.mark.parametrize("shape", DYNAMIC)
def test_no_door_hands_out_unresolved_elements(shape: tuple[int | None, ...], tmp_path: Path) -> None:
    """descriptor.md §3: no count, stride or size may be computed from it before it is resolved."""
    tensor = dynamic(shape)
    for protocol in (memoryview, lambda t: t.__dlpack__()):
        with pytest.raises(builtins.BufferError):
            protocol(tensor)
    for read in (tensor.tolist, tensor.tobytes, lambda: tensor.tofile(None)):
        with pytest.raises(hurray.UnsupportedError, match="dynamic"):
            read()
    assert memoryview(tensor.buffer(0)).nbytes == 64


@pytest.mark.parametrize("shape", DYNAMIC)
def test_a_file_takes_no_dynamic_dimension(shape: tuple[int | None, ...], tmp_path: Path) -> None:
    """A function that validates a buffer against the shape MUST refuse, naming the offending index."""
    path = tmp_path / "a.hrry"
    message = rf"dimension {shape.index(None)} of tensor .*layer\.w.* is dynamic"
    with pytest.raises(hurray.InvalidDescriptorError, match=message):
        hurray.save(path, {"layer.w": dynamic(shape)})
    with hurray.FileWriter(path) as writer:
        with pytest.raises(hurray.InvalidDescriptorError, match=message):
            writer.write("layer.w", dynamic(shape))
        with pytest.raises((hurray.InvalidDescriptorError, hurray.BufferError)):
            writer.write_buffer("layer.w", bytes(64), hurray.float32, shape)  # type: ignore[arg-type]
    assert list(hurray.load(path)) == []


def test_a_dynamic_dimension_takes_any_buffer() -> None:
    assert hurray.Tensor(b"", hurray.float32, (None,)).shape == (None,)
    assert hurray.Tensor(bytes(3), hurray.float32, (None, 2)).shape == (None, 2)
    assert hurray.Tensor(bytes(3), hurray.float32, (0, None)).shape == (0, None)


class Index:
    def __index__(self) -> int:
        return 3


class Broken:
    def __index__(self) -> int:
        raise RuntimeError("mine")


@pytest.mark.parametrize(
    "shape",
    [(2, 3), [2, 3], np.array([2, 3]), range(2, 4), iter((2, 3)), (np.uint8(2), Index()), {2: 0, 3: 0}],
)
def test_any_iterable_of_indices_is_a_shape(shape: Any) -> None:
    assert hurray.Tensor(bytes(24), hurray.float32, shape).shape == (2, 3)


@pytest.mark.parametrize("shape", [3, None, 2.5, object()])
def test_what_is_no_iterable_is_a_type_error(shape: Any) -> None:
    with pytest.raises(TypeError, match="shape"):
        hurray.Tensor(bytes(24), hurray.float32, shape)


@pytest.mark.parametrize("item", [2.0, "2", b"2", 2j, [2], object(), Broken()])
def test_what_is_no_index_is_a_type_error_that_names_the_place(item: Any) -> None:
    with pytest.raises((TypeError, RuntimeError), match=r"shape\[1\]|mine"):
        hurray.Tensor(bytes(24), hurray.float32, (2, item))


@pytest.mark.parametrize("dim", [-1, 2**64 - 1, 2**64, -(2**63), 10**30])
def test_a_dimension_outside_the_wire_is_refused_with_its_index(dim: int) -> None:
    """The wire's all-ones means dynamic: only None says so."""
    with pytest.raises(hurray.InvalidDescriptorError, match=r"shape\[1\]"):
        hurray.Tensor(bytes(24), hurray.float32, (2, dim))


@pytest.mark.parametrize("dim", [10**5000, -(10**5000)], ids=["above", "below"])
def test_a_dimension_that_python_does_not_print(dim: int, capfd: pytest.CaptureFixture[str]) -> None:
    """The same error as for any other dimension outside the wire, and nothing beside it on stderr."""
    layout = hurray.RowMajorLayout()
    for take in (lambda shape: hurray.Tensor(b"", hurray.int8, shape), layout.validate_against_shape):
        with pytest.raises(
            hurray.InvalidDescriptorError, match=r"shape\[1\] is too long to print; a dimension is"
        ):
            take((2, dim))
    with pytest.raises(hurray.InvalidDescriptorError, match="n_rows is too long to print"):
        hurray.eye(dim)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("take", "error", "words"),
    [
        (lambda number: hurray.buffer_size_bytes(hurray.int8, number), OverflowError, "count is"),
        (lambda number: hurray.PerTensorAffine(1.0, number), OverflowError, "zero_point is"),
        (lambda number: hurray.Shard((number,), (0,)), OverflowError, r"parent_shape\[0\] is"),
        (lambda number: hurray.Statistics(nnz=number), OverflowError, "nnz is"),
        (hurray.ExtensionType, OverflowError, "bit_width is"),
        (lambda number: hurray.linspace(0, 1, number), OverflowError, "num is"),
        (lambda number: hurray.zeros(1, dtype=number), TypeError, "got type int:"),
        (lambda number: hurray.save("a.hrry", {}, kv={number: 1}), hurray.FileError, "key of type int is"),
        (lambda number: hurray.save("a.hrry", {number: None}), hurray.FileError, "name of type int is"),
    ],
    ids=["count", "zero_point", "shard", "statistics", "extension", "linspace", "dtype", "key", "name"],
)
def test_other_arguments_that_python_does_not_print(
    take: Callable[[Any], object],
    error: type[Exception],
    words: str,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=f"{words} too long to print"):
        take(10**5000)
    assert capfd.readouterr().err == ""


def test_rank_64_is_the_most() -> None:
    """descriptor.md §2: rank 0..64."""
    assert hurray.Tensor(bytes(4), hurray.float32, (1,) * 64).ndim == 64
    with pytest.raises(hurray.InvalidDescriptorError, match="64"):
        hurray.Tensor(bytes(4), hurray.float32, (1,) * 65)


def test_an_endless_iterable_ends() -> None:
    def ones() -> Iterator[int]:
        return itertools.repeat(1)

    with pytest.raises(hurray.InvalidDescriptorError, match="64"):
        hurray.Tensor(bytes(4), hurray.float32, ones())


def test_a_scalar_is_one_element() -> None:
    tensor = hurray.Tensor(bytes(4), hurray.float32, ())
    assert (tensor.shape, tensor.ndim, tensor.size, tensor.nbytes) == ((), 0, 1, 4)
    assert tensor.tolist() == 0.0


@pytest.mark.parametrize("shape", [(0,), (0, 4), (4, 0), (2**40, 0, 2**40), (2**64 - 2, 0, 2**64 - 2)])
def test_a_zero_dimension_means_no_elements_whatever_the_others_are(shape: tuple[int, ...]) -> None:
    """descriptor.md §3: 0 if any static dim is 0, however large the others' product."""
    tensor = hurray.Tensor(b"", hurray.float32, shape)
    assert (tensor.shape, tensor.size, tensor.nbytes, tensor.tobytes()) == (shape, 0, 0, b"")


@pytest.mark.parametrize("shape", [(2**31, 2**31), (2**40, 2**40), (2**62,) * 64, (2**64 - 2,)])
@pytest.mark.parametrize("dtype", ["bool", "float6_e2m3", "int8", "float32", "complex128"])
def test_products_beyond_64_bits_are_too_large_for_the_buffer(shape: tuple[int, ...], dtype: str) -> None:
    """PEERS, memory: all tiers in overflow-safe arithmetic."""
    with pytest.raises(hurray.BufferError) as caught:
        hurray.Tensor(bytes(64), hurray.Dtype.from_name(dtype), shape)
    assert caught.value.code == "L-12"


@given(st.lists(st.integers(0, 5), max_size=6))
def test_size_is_the_product(shape: list[int]) -> None:
    tensor = hurray.Tensor(bytes(math.prod(shape)), hurray.uint8, shape)
    assert tensor.size == tensor.descriptor.size == math.prod(shape)
    assert tensor.shape == tuple(shape)


def test_size_is_exact_beyond_64_bits() -> None:
    huge = hurray.Tensor(bytes(4), hurray.float32, (2**40, 2**40), layout=hurray.StridedLayout((0, 0)))
    assert huge.size == 2**80
    assert "1099511627776" in repr(huge)
    with pytest.raises(builtins.BufferError):
        memoryview(huge)
    with pytest.raises(builtins.BufferError):
        huge.__dlpack__()
    with pytest.raises((MemoryError, hurray.UnsupportedError)):
        huge.tobytes()
