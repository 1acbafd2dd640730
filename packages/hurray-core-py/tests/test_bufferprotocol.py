"""The buffer protocol: ``memoryview(t)`` and all that reads buffers (PEP 3118; 04-tables.md §3, ruling 8)."""

from __future__ import annotations

import builtins
import hashlib
import io
import struct
import weakref
import zlib
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, INT4, INT8, QUANTIZATION, descriptor, single
from core_memory import (
    ANY_CONTIGUOUS,
    C_CONTIGUOUS,
    F_CONTIGUOUS,
    FORMAT,
    INDIRECT,
    ND,
    SIMPLE,
    STRIDES,
    WRITABLE,
    address,
    aligned,
    exported,
)
from core_numpy import np

Array = Any

# Element type -> format of the struct module, or NumPy's for complex.
FORMATS = {
    "float16": "e",
    "float32": "f",
    "float64": "d",
    "int8": "b",
    "uint8": "B",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "l" if struct.calcsize("l") == 8 else "q",
    "uint64": "L" if struct.calcsize("l") == 8 else "Q",
    "complex64": "Zf",
    "complex128": "Zd",
}
NO_FORMAT = [name for name in hurray.dtype.__all__ if name not in FORMATS]
REQUESTS = [
    base | writable | form
    for base in (SIMPLE, ND, STRIDES, C_CONTIGUOUS, F_CONTIGUOUS, ANY_CONTIGUOUS, INDIRECT)
    for writable in (0, WRITABLE)
    for form in (0, FORMAT)
]


def grid(shape: tuple[int, ...], dtype: Any = np.float32) -> Array:
    """An aligned array of 0, 1, 2 … that shares with the tensor made of it."""
    count = int(np.prod(shape, dtype=int))
    array = np.frombuffer(aligned(max(count, 1) * np.dtype(dtype).itemsize), dtype)[:count].reshape(shape)
    array[...] = np.arange(count).reshape(shape)
    return array


def frozen(array: Array) -> Array:
    array = array.view()
    array.flags.writeable = False
    return array


ARRAYS = {
    "row": grid((3, 4)),
    "column": grid((3, 4)).T,
    "rows": grid((6, 4))[::2],
    "columns": grid((3, 8))[:, ::2],
    "backwards": grid((3, 4))[::-1, ::-1],
    "broadcast": np.broadcast_to(grid((4,)), (3, 4)),
    "one": grid((1, 4))[:, :1],
    "scalar": grid(()),
    "vector": grid((5,), np.int64),
    "cube": grid((2, 3, 4), np.complex128).transpose(1, 0, 2),
    "frozen": frozen(grid((3, 4))),
    "frozen column": frozen(grid((3, 4)).T),
    "bytes": grid((7,), np.uint8),
}


@pytest.mark.parametrize("flags", REQUESTS, ids=hex)
@pytest.mark.parametrize("name", ARRAYS)
def test_every_request_is_answered_as_numpy_answers_it(name: str, flags: int) -> None:
    """Refusals and fields alike, for every combination of flags."""
    array = ARRAYS[name]
    tensor = hurray.Tensor.from_buffer(array, copy=False)
    try:
        with exported(array, flags) as view:
            expected = view.buf, view.len, view.itemsize, view.readonly
            described = _described(view, flags)
    except (BufferError, ValueError):
        with pytest.raises(builtins.BufferError), exported(tensor, flags):
            pass
        return
    with exported(tensor, flags) as view:
        assert (view.buf, view.len, view.itemsize, view.readonly) == expected
        assert _described(view, flags) == described
        assert not view.suboffsets


def _described(view: Any, flags: int) -> tuple[Any, ...]:
    """What the consumer asked to be told; format "L" and "l" are the platform's 64 bits."""
    found: list[Any] = [view.format.decode() if view.format else None]
    if flags & ND:
        found.append(view.shape[: view.ndim] if view.ndim else None)
    if flags & STRIDES == STRIDES:
        found.append(view.strides[: view.ndim] if view.ndim else None)
    return tuple(found)


@pytest.mark.parametrize(("name", "code"), list(FORMATS.items()))
def test_the_format_of_each_type(name: str, code: str) -> None:
    dtype = getattr(hurray.dtype, name)
    view = memoryview(hurray.Tensor(bytearray(6 * dtype.bit_width // 8), dtype, (2, 3)))
    assert (view.format, view.itemsize) == (code, dtype.bit_width // 8)
    assert (view.shape, view.nbytes, view.ndim) == ((2, 3), 6 * view.itemsize, 2)
    assert (view.c_contiguous, view.f_contiguous, view.readonly) == (True, False, False)


@pytest.mark.parametrize("name", NO_FORMAT)
def test_types_without_a_format_are_refused_by_the_builtin_class(name: str) -> None:
    """Ruling 8: a packed tensor must refuse the buffer protocol with BufferError."""
    dtype = getattr(hurray.dtype, name)
    tensor = hurray.Tensor(bytearray(hurray.buffer_size_bytes(dtype, 6)), dtype, (2, 3))
    for flags in (SIMPLE, STRIDES | FORMAT, INDIRECT | WRITABLE | FORMAT):
        with pytest.raises(builtins.BufferError, match=name), exported(tensor, flags):
            pass
    assert memoryview(tensor.buffer(0)).nbytes == tensor.nbytes


REFUSED = {
    "quantised": single(
        descriptor(
            INT8,
            sizes=(2,),
            sections=pack("<I", 16) + pack("<BBHfi4x", 1, 1, 0, 0.5, 0),
            flags=QUANTIZATION,
        ),
        bytes(2),
    ),
    "csr": single(
        descriptor(layout=7, shape=(1, 1), sizes=(0, 0, 16), payload=pack("<QQ", 0, 0)), b"", b"", bytes(16)
    ),
    "morton": single(descriptor(layout=5, shape=(4, 4), sizes=(64,), payload=pack("<II", 2, 2)), bytes(64)),
    "tiled": single(
        descriptor(layout=4, shape=(4, 4), sizes=(64,), payload=pack("<QQBBH", 2, 2, 1, 1, 0)), bytes(64)
    ),
    "int4 strided": single(descriptor(INT4, 3, (2,), (2,), payload=pack("<q", 2)), bytes(2)),
    "cuda": single(
        descriptor(FLOAT32, handles=b"\x08" + bytes(7) + pack("<IBBBB", 64, 1, 0, 0, 0)), bytes(8)
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_plain_elements_is_refused_by_the_builtin_class(name: str) -> None:
    """Ruling 8: a quantised or non-dense tensor too; it names the layout."""
    tensor = hurray.load(REFUSED[name])["w"]
    with pytest.raises(builtins.BufferError) as caught:
        memoryview(tensor)
    assert not isinstance(caught.value, ValueError)
    if tensor.layout.name in ("csr", "morton", "tiled"):
        assert tensor.layout.name in str(caught.value)
    with pytest.raises(builtins.BufferError) as refused:
        tensor.__dlpack__()
    if tensor.layout.name in ("csr", "morton", "tiled"):
        assert tensor.layout.name in str(refused.value)


def test_an_empty_tensor_has_an_empty_view() -> None:
    for shape in ((0,), (0, 4), (4, 0), (2**40, 0, 3)):
        view = memoryview(hurray.Tensor(b"", hurray.float32, shape))
        assert (view.shape, view.nbytes, view.tobytes()) == (shape, 0, b"")


def test_rank_64_has_a_view() -> None:
    view = memoryview(hurray.Tensor(bytes(4), hurray.float32, (1,) * 64))
    assert view.ndim == 64


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "broadcast"])
def test_values_are_numpys(name: str) -> None:
    array = ARRAYS[name]
    tensor = hurray.Tensor.from_buffer(array, copy=False)
    view = memoryview(tensor)
    assert view.tobytes() == array.tobytes()
    assert bytes(tensor) == tensor.tobytes() == array.tobytes()
    assert memoryview(tensor).readonly is not array.flags.writeable


@pytest.mark.parametrize("name", ARRAYS)
def test_asarray_shares(name: str) -> None:
    """Issue 3: np.asarray(t) without a copy."""
    array = ARRAYS[name]
    tensor = hurray.Tensor.from_buffer(array, copy=False)
    seen: Array = np.asarray(tensor)
    assert seen.dtype == array.dtype
    assert (seen.shape, seen.__array_interface__["data"]) == (array.shape, array.__array_interface__["data"])
    assert [s for s, n in zip(seen.strides, seen.shape, strict=True) if n > 1] == [
        s for s, n in zip(array.strides, array.shape, strict=True) if n > 1
    ]
    np.testing.assert_array_equal(seen, array)


def test_writes_go_both_ways() -> None:
    source = aligned(12)
    tensor = hurray.Tensor(source, hurray.int32, (3,))
    memoryview(tensor)[1] = -7
    assert struct.unpack("3i", source) == (0, -7, 0)
    seen: Array = np.asarray(tensor)
    seen[2] = 9
    assert tensor.tolist() == [0, -7, 9]


def test_a_read_only_tensor_cannot_be_written_by_any_consumer() -> None:
    """A read-only source never becomes writable."""
    tensor = hurray.Tensor(aligned(12).toreadonly(), hurray.int32, (3,))
    with pytest.raises(builtins.BufferError), exported(tensor, WRITABLE):
        pass
    with pytest.raises(TypeError):
        memoryview(tensor)[0] = 1
    seen: Array = np.asarray(tensor)
    assert not seen.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        seen.flags.writeable = True
    with pytest.raises(TypeError):
        io.BytesIO(bytes(12)).readinto(tensor)
    assert tensor.tolist() == [0, 0, 0]


def test_other_consumers_read_it() -> None:
    source = aligned(4096)
    source[:] = bytes(range(256)) * 16
    tensor = hurray.Tensor(source, hurray.uint8, (64, 64))
    plain = bytes(source)
    assert hashlib.sha256(tensor).digest() == hashlib.sha256(plain).digest()
    assert zlib.crc32(tensor) == zlib.crc32(plain)
    assert b"".join([tensor]) == plain
    stream = io.BytesIO()
    assert stream.write(tensor) == 4096
    assert stream.getvalue() == plain
    assert struct.unpack_from("<H", tensor, 2) == (0x0302,)
    assert io.BytesIO(b"\xff" * 8).readinto(hurray.Tensor(source, hurray.uint8, (8,))) == 8
    assert bytes(source[:9]) == b"\xff" * 8 + b"\x08"
    assert np.frombuffer(tensor, np.uint8).sum() == sum(source)


def test_a_view_keeps_the_tensor_and_lets_it_go() -> None:
    """Zero-copy interop requires that the buffer remains valid for the lifetime of any holder."""
    for consumer in (memoryview, np.asarray, lambda t: memoryview(t)[1:], lambda t: np.asarray(t)[1:][::2]):
        source = bytearray(8192)
        start = -address(source) % 64
        tensor = hurray.Tensor(memoryview(source)[start : start + 4096], hurray.uint8, (4096,))
        watch = weakref.ref(tensor)
        view = consumer(tensor)
        del tensor
        assert watch() is not None
        with pytest.raises(BufferError):
            source.append(0)
        assert bytes(memoryview(view)[:3]) == bytes(3)
        del view
        assert watch() is None
        source.append(0)


def test_many_views_at_once_and_in_any_order_of_release() -> None:
    tensor = hurray.Tensor(aligned(64), hurray.uint8, (8, 8))
    watch = weakref.ref(tensor)
    views = [memoryview(tensor) for _ in range(100)]
    del tensor
    for at in (50, 0, 97, 3):
        views.pop(at).release()
    assert watch() is not None
    assert {view.nbytes for view in views} == {64}
    del views
    assert watch() is None
