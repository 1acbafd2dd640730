"""``copy`` on ingest, the same table at every door (04-tables.md §2; requirements: copy on ingest)."""

from __future__ import annotations

import array
import builtins
import ctypes
import mmap
import struct
from collections.abc import Callable
from typing import Any

import hurray
import pytest
from core_memory import address, aligned
from core_numpy import np

Array = Any
Door = Callable[..., hurray.Tensor]


class Exporter:
    """An array behind the buffer protocol alone, so that no bridge claims it."""

    def __new__(cls, array: Array) -> Any:
        return memoryview(array)


class Producer:
    """An array behind DLPack alone."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


# Every door of the core that takes ``copy``.
DOORS: dict[str, Door] = {
    "from_buffer": hurray.Tensor.from_buffer,
    "from_buffer of a view": lambda array, **options: hurray.Tensor.from_buffer(memoryview(array), **options),
    "asarray of a view": lambda array, **options: hurray.asarray(memoryview(array), **options),
    "from_dlpack": hurray.from_dlpack,
    "asarray of DLPack": lambda array, **options: hurray.asarray(Producer(array), **options),
}
door = pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)


def floats(shift: int = 0, count: int = 24) -> Array:
    """float32 numbers whose first lies ``shift`` bytes past a page boundary."""
    found = np.frombuffer(aligned(4 * count, shift), np.float32)
    found[:] = np.arange(count)
    return found


USABLE: dict[str, Array] = {
    "row": floats().reshape(4, 6),
    "column": floats().reshape(4, 6).T,
    "64": floats(64),
    "sliced": floats().reshape(4, 6)[:, :4],
    "stepped": floats()[::3],
    "broadcast": np.broadcast_to(floats(), (3, 24)),
    # The bytes that strides reach begin at the last element.
    "backwards": floats()[::-1],
}
UNUSABLE: dict[str, Array] = {
    "4": floats(4),
    "32": floats(32),
    "4032 + 32": floats(4064),
    "column": floats(8).reshape(4, 6).T,
    "sliced away from its start": floats().reshape(4, 6)[:, 1:],
    "broadcast": np.broadcast_to(floats(16), (3, 24)),
    "backwards": floats(4)[::-1],
}


@door
@pytest.mark.parametrize("name", USABLE)
@pytest.mark.parametrize("copy", [None, False])
def test_usable_memory_is_shared(door: Door, name: str, copy: bool | None) -> None:
    """copy=None and copy=False: shared, where the source is usable as it is."""
    source = USABLE[name]
    tensor = door(source, copy=copy)
    assert address(tensor) == source.__array_interface__["data"][0]
    assert tensor.tolist() == source.tolist()
    assert tensor.readonly is not source.flags.writeable


@door
@pytest.mark.parametrize("name", [*USABLE, *UNUSABLE])
def test_copy_true_copies(door: Door, name: str) -> None:
    """copy=True: copied, whatever the source is."""
    source = {**UNUSABLE, **USABLE}[name].copy()
    source = np.lib.stride_tricks.as_strided(source)
    tensor = door(source, copy=True)
    assert not np.shares_memory(np.asarray(tensor), source)
    _settled(tensor, source, kept=False)


@door
@pytest.mark.parametrize("name", UNUSABLE)
def test_unusable_memory_is_copied_into_an_aligned_allocation(door: Door, name: str) -> None:
    """copy=None: copied into an aligned allocation."""
    source = UNUSABLE[name]
    tensor = door(source)
    assert not np.shares_memory(np.asarray(tensor), source)
    _settled(tensor, source, kept=True)


def _settled(tensor: hurray.Tensor, source: Array, *, kept: bool) -> None:
    """A copy of our own: aligned, equal, and it stays when the source changes.

    ``kept``: a read-only source stays read-only; a copy that was asked for is writable.
    """
    assert address(tensor.buffer(0)) % 64 == 0
    assert tensor.buffer_handles[0].alignment >= 64
    assert tensor.readonly is (kept and not source.flags.writeable)
    expected = source.tolist()
    assert tensor.tolist() == expected
    if source.flags.writeable:
        source += 1
        assert tensor.tolist() == expected
        source -= 1


@door
@pytest.mark.parametrize("name", UNUSABLE)
def test_copy_false_of_unusable_memory_names_the_alignment(door: Door, name: str) -> None:
    """copy=False: CopyRequiredError naming the alignment or the reason."""
    source = UNUSABLE[name]
    lowest = source.__array_interface__["data"][0]
    lowest += sum(min(0, s * (n - 1)) for s, n in zip(source.strides, source.shape, strict=True))
    with pytest.raises(hurray.CopyRequiredError, match=rf"aligned to {lowest & -lowest} .*64"):
        door(source, copy=False)
    assert issubclass(hurray.CopyRequiredError, ValueError)


@door
@pytest.mark.parametrize("shift", [1 << bit for bit in range(2, 13)])
def test_64_is_the_boundary(door: Door, shift: int) -> None:
    """Aligned to 64: shared; to less: copied."""
    source = floats(shift)
    assert np.shares_memory(np.asarray(door(source)), source) is (shift >= 64)


@pytest.mark.parametrize("name", ["from_buffer", "from_buffer of a view", "asarray of a view"])
def test_strides_that_are_no_whole_elements_are_not_expressible(name: str) -> None:
    """Layout not expressible: copied, or CopyRequiredError naming the reason."""
    pairs = np.frombuffer(aligned(12 * 8), np.dtype([("a", "<f4"), ("b", "<f8")]))
    pairs["b"] = np.arange(8)
    source = pairs["b"]
    assert source.strides == (12,)
    with pytest.raises(hurray.CopyRequiredError, match=r"12.*8-byte"):
        DOORS[name](source, copy=False)
    tensor = DOORS[name](source)
    assert tensor.tolist() == list(range(8))
    assert tensor.layout == hurray.RowMajorLayout()


@door
@pytest.mark.parametrize("copy", [None, False, True])
def test_read_only_sources(door: Door, copy: bool | None) -> None:
    """PEERS: a read-only source never becomes writable; a copy is the receiver's own."""
    source = floats()
    source.flags.writeable = False
    tensor = door(source, copy=copy)
    assert tensor.readonly is (copy is not True)


@door
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)], ids=str)
@pytest.mark.parametrize("copy", [None, False, True])
def test_no_elements_need_no_copy(door: Door, shape: tuple[int, ...], copy: bool | None) -> None:
    tensor = door(np.zeros(shape, np.float32), copy=copy)
    assert (tensor.shape, tensor.tobytes()) == (shape, b"")
    assert tensor.buffer_handles[0].alignment == 1


@door
def test_scalars(door: Door) -> None:
    scalar = np.array(2.5, np.float32)
    tensor = door(scalar)
    assert (tensor.shape, tensor.tolist()) == ((), 2.5)


@door
def test_bool_is_packed_which_is_a_copy(door: Door) -> None:
    """Bool is bit-packed in the format, so it crosses by packing (a copy)."""
    source = np.array([[1, 0, 1, 1, 0], [0, 0, 0, 1, 1]], bool)
    for layout in (source, source.T, source[:, ::2], source[::-1]):
        tensor = door(layout)
        assert (tensor.dtype, tensor.tolist()) == (hurray.bool, layout.tolist())
        assert tensor.tobytes() == np.packbits(layout, bitorder="little").tobytes()
        with pytest.raises(hurray.CopyRequiredError, match="bit"):
            door(layout, copy=False)


@pytest.mark.parametrize("copy", ["yes", 1, 0, object()])
@door
def test_copy_is_a_bool_or_none(door: Door, copy: Any) -> None:
    with pytest.raises(TypeError):
        door(floats(), copy=copy)


def test_copy_is_keyword_only() -> None:
    """Every ingest entry point MUST accept a keyword-only copy."""
    positionals: tuple[Any, ...] = (
        lambda: hurray.Tensor.from_buffer(floats(), None, True),  # type: ignore[call-arg]
        lambda: hurray.from_dlpack(floats(), None, True),  # type: ignore[call-arg]
        lambda: hurray.asarray(b"x", None, None, True),  # type: ignore[call-arg]
    )
    for positional in positionals:
        with pytest.raises(TypeError):
            positional()


# --- formats of the buffer protocol ------------------------------------------------------------------------

NATIVE = {
    "b": "int8",
    "B": "uint8",
    "c": "uint8",
    "h": "int16",
    "H": "uint16",
    "i": "int32",
    "I": "uint32",
    "q": "int64",
    "Q": "uint64",
    "l": f"int{8 * struct.calcsize('l')}",
    "L": f"uint{8 * struct.calcsize('L')}",
    "n": f"int{8 * struct.calcsize('n')}",
    "N": f"uint{8 * struct.calcsize('N')}",
    "f": "float32",
    "d": "float64",
}


@pytest.mark.parametrize("code", NATIVE)
def test_struct_formats_name_their_types(code: str) -> None:
    view = memoryview(aligned(64)).cast("B").cast(code)  # type: ignore[call-overload]
    tensor = hurray.Tensor.from_buffer(view, copy=False)
    assert (tensor.dtype.name, tensor.shape) == (NATIVE[code], (64 // struct.calcsize(code),))


@pytest.mark.parametrize("dtype", ["e", "f", "d", "F", "D", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q"])
@pytest.mark.parametrize("order", ["=", "<"])
def test_numpys_formats_name_their_types(dtype: str, order: str) -> None:
    array = np.ones(5, np.dtype(dtype).newbyteorder(order))
    tensor = hurray.Tensor.from_buffer(array)
    assert (tensor.dtype.name, tensor.tolist()) == (array.dtype.name, array.tolist())


@pytest.mark.parametrize("dtype", [">i2", ">f4", ">f8", ">u8", ">c16"])
def test_big_endian_numbers_are_refused_not_reinterpreted(dtype: str) -> None:
    """PEERS, values: big-endian arrays are converted or refused, never reinterpreted."""
    with pytest.raises(hurray.UnsupportedError, match="big-endian"):
        hurray.Tensor.from_buffer(np.ones(5, dtype))


@pytest.mark.parametrize("dtype", ["g", "G", "S3", "U2", "V5", "O", [("a", "i4"), ("b", "f4")]], ids=str)
def test_what_the_format_has_no_type_for_is_refused(dtype: Any) -> None:
    with pytest.raises((hurray.UnsupportedError, builtins.BufferError)):
        hurray.Tensor.from_buffer(np.zeros(4, dtype))


@pytest.mark.parametrize(
    "source",
    [
        array.array("d", [1, 2, 3]),
        (ctypes.c_int16 * 3)(1, 2, 3),
        ((ctypes.c_double * 3) * 2)(),
        memoryview(bytes(12)).cast("i"),
        memoryview(bytearray(24)).cast("f", (2, 3)),
        mmap.mmap(-1, 4096),
    ],
    ids=lambda source: type(source).__name__,
)
def test_any_exporter_is_taken_with_its_shape(source: Any) -> None:
    tensor = hurray.Tensor.from_buffer(source)
    view = memoryview(source)
    assert (tensor.shape, tensor.tobytes()) == (view.shape, view.tobytes())


@pytest.mark.parametrize("name", ["bfloat16", "float16", "int16", "uint16"])
def test_a_dtype_reads_the_same_bytes_as_another_type_of_the_width(name: str) -> None:
    source = np.frombuffer(aligned(64), np.uint16)
    tensor = hurray.Tensor.from_buffer(source[::2], getattr(hurray.dtype, name), copy=False)
    assert (tensor.dtype.name, tensor.shape) == (name, (16,))
    assert address(tensor.buffer(0)) == address(source)


def test_a_dtype_of_another_width_is_refused() -> None:
    """Nothing is reinterpreted in silence."""
    for dtype in (hurray.float32, hurray.int8, hurray.bool, hurray.dtype.int4, hurray.dtype.float6_e2m3):
        with pytest.raises(hurray.UnsupportedError, match=r"2 bytes.*Tensor\(buffer, dtype, shape\)"):
            hurray.Tensor.from_buffer(np.zeros(4, np.uint16), dtype)
    with pytest.raises(TypeError, match=r"hurray\.Dtype"):
        hurray.Tensor.from_buffer(np.zeros(4, np.uint16), 16)  # type: ignore[arg-type]
    assert hurray.Tensor.from_buffer(np.zeros(4, np.uint16), "float16").dtype is hurray.float16


@pytest.mark.parametrize("source", [5, "text", None, [1, 2], object()])
def test_what_exports_nothing_is_a_type_error(source: Any) -> None:
    with pytest.raises(TypeError):
        hurray.Tensor.from_buffer(source)


# --- our own tensors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", hurray.dtype.__all__)
@pytest.mark.parametrize(
    "layout", [hurray.RowMajorLayout(), hurray.ColMajorLayout(), hurray.StridedLayout((3, 1))]
)
def test_a_tensor_of_any_type_is_shared_or_copied_whole(name: str, layout: hurray.Layout) -> None:
    dtype = getattr(hurray.dtype, name)
    one = hurray.Tensor(aligned(128), dtype, (2, 3), layout=layout)
    shared, copied = hurray.Tensor.from_buffer(one, copy=False), hurray.Tensor.from_buffer(one, copy=True)
    assert shared.descriptor == one.descriptor
    assert (copied.dtype, copied.shape, copied.layout) == (dtype, (2, 3), layout)
    memoryview(one.buffer(0))[0] = 1
    assert memoryview(shared.buffer(0))[0] == 1
    assert memoryview(copied.buffer(0))[0] == 0


def test_wide_gaps_are_not_copied_along() -> None:
    """A copy of a sparse slice holds its elements, not what lies between them."""
    wide = np.frombuffer(aligned(1 << 20, 4), np.float32)[::4096]
    tensor = hurray.Tensor.from_buffer(wide)
    assert tensor.buffer_handles[0].byte_size == tensor.nbytes == 4 * len(wide)


def test_a_broadcast_is_not_blown_up_by_copying() -> None:
    wide = np.broadcast_to(floats(4), (1 << 20, 24))
    tensor = hurray.Tensor.from_buffer(wide)
    assert tensor.buffer_handles[0].byte_size == 96
    assert (tensor.shape, tensor.layout) == ((1 << 20, 24), hurray.StridedLayout((0, 1)))
