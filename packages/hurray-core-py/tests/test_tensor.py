"""hurray.Tensor: construction, ownership, views (requirements: Tensor Surface, Authoring, Buffer Lifetime)."""

from __future__ import annotations

import array
import ctypes
import inspect
import mmap
import operator
import types
import weakref
from typing import Any

import hurray
import pytest
from core_memory import address, aligned
from core_numpy import np

TYPES = [getattr(hurray.dtype, name) for name in hurray.dtype.__all__]


def floats(*values: float) -> hurray.Tensor:
    return hurray.Tensor(bytearray(array.array("f", values)), hurray.float32, (len(values),))


# --- the three tiers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (3, 3), (2, 0)], ids=str)
def test_the_buffer_must_hold_every_element(dtype: hurray.Dtype, shape: tuple[int, ...]) -> None:
    """Buffer-size tier: hurray.BufferError. Over-sized buffers MUST be permitted."""
    need = hurray.buffer_size_bytes(dtype, int(np.prod(shape, dtype=int)))
    for extra in (0, 1, 64):
        tensor = hurray.Tensor(bytes(need + extra), dtype, shape)
        assert (tensor.shape, tensor.dtype, tensor.nbytes) == (shape, dtype, need)
        assert tensor.buffer_handles[0].byte_size == need + extra
    if need:
        with pytest.raises(hurray.BufferError, match=rf"\b{need - 1} bytes.*at least {need}$") as caught:
            hurray.Tensor(bytes(need - 1), dtype, shape)
        assert caught.value.code == "L-12"
        with pytest.raises(hurray.BufferError):
            hurray.Tensor(b"", dtype, shape)


@pytest.mark.parametrize(
    ("shape", "strides"), [((2, 3), (3,)), ((2, 3), (6, 3, 1)), ((2,), ()), ((), (1,))], ids=str
)
def test_the_shape_tier_comes_first(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Shape tier (rank and extents): InvalidDescriptorError, whatever the buffer holds."""
    for data in (b"", bytes(1000)):
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Tensor(data, hurray.float32, shape, layout=hurray.StridedLayout(strides))


@pytest.mark.parametrize(
    ("shape", "strides", "fits"),
    [
        ((3, 4), (4, 1), 48),
        ((3, 4), (1, 3), 48),
        ((3, 4), (0, 1), 16),
        ((3, 4), (0, 0), 4),
        ((3, 4), (8, 2), 92),
        ((1, 4), (2**62, 1), 16),
        ((0, 4), (2**62, 2**62), 0),
    ],
    ids=str,
)
def test_strides_are_checked_for_the_bytes_they_reach(
    shape: tuple[int, ...], strides: tuple[int, ...], fits: int
) -> None:
    """PEERS, memory: strides are checked for the bytes they reach."""
    layout = hurray.StridedLayout(strides)
    assert hurray.Tensor(bytes(fits), hurray.float32, shape, layout=layout).layout == layout
    if fits:
        with pytest.raises(hurray.BufferError) as caught:
            hurray.Tensor(bytes(fits - 1), hurray.float32, shape, layout=layout)
        assert caught.value.code == "L-13"


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((3,), (-1,)),
        ((2, 2), (1, -1)),
        ((2,), (2**63 - 1,)),
        ((2,), (-(2**63),)),
        ((2**64 - 2,), (2**63 - 1,)),
        ((2**64 - 2, 2**64 - 2), (-(2**63), 2**63 - 1)),
        ((2**32, 2**32), (2**31, 2**31)),
        ((3,), (2**62,)),
        ((5,), (2**62,)),
    ],
    ids=str,
)
def test_strides_that_leave_the_buffer_are_refused(shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    """Negative ones too, in arithmetic that cannot overflow: the format rejects L-13."""
    for dtype in (
        hurray.bool,
        hurray.uint8,
        hurray.float32,
        hurray.dtype.complex128,
        hurray.dtype.float6_e2m3,
    ):
        with pytest.raises(hurray.BufferError) as caught:
            hurray.Tensor(bytes(4096), dtype, shape, layout=hurray.StridedLayout(strides))
        assert caught.value.code == "L-13"


def test_a_private_type_needs_its_section() -> None:
    """descriptor.md D-9: exactly the private types have an extension type section."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.Tensor(bytes(16), hurray.Dtype.from_tag(0xF0), (4,))
    assert caught.value.code == "D-9"


# --- what has a buffer -------------------------------------------------------------------------------------

SOURCES = [
    bytes(range(12)),
    bytearray(range(12)),
    memoryview(bytes(range(12))),
    memoryview(bytearray(range(24)))[:12],
    array.array("i", [1, 2, 3]),
    (ctypes.c_uint32 * 3)(1, 2, 3),
    np.arange(3, dtype=np.float32).reshape(1, 3),
    np.arange(6, dtype=np.uint16).reshape(2, 3),
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
def test_anything_that_has_a_contiguous_buffer_is_read_as_bytes(source: Any) -> None:
    """Issue 3: the constructor takes anything that has a buffer."""
    tensor = hurray.Tensor(source, hurray.uint32, (3,))
    assert tensor.tobytes() == memoryview(source).tobytes()
    assert tensor.readonly is memoryview(source).readonly or address(tensor) != address(source)


def test_a_tensor_and_a_map_are_sources_too() -> None:
    one = floats(1, 2, 3)
    assert hurray.Tensor(one, hurray.uint8, (12,)).tobytes() == one.tobytes()
    with mmap.mmap(-1, 4096) as mapped:
        mapped[:4] = b"abcd"
        tensor = hurray.Tensor(mapped, hurray.uint8, (4,))
        assert tensor.tobytes() == b"abcd"
        del tensor


@pytest.mark.parametrize("source", ["text", 5, None, [1, 2, 3], object(), 2.5])
def test_what_has_no_buffer_is_a_type_error_that_says_what_to_give(source: Any) -> None:
    with pytest.raises(TypeError, match="buffer"):
        hurray.Tensor(source, hurray.uint8, (3,))


@pytest.mark.parametrize(
    "source",
    [np.zeros((4, 4), np.float32)[:, :2], np.zeros((4, 4), np.float32).T[1:], memoryview(bytes(8))[::2]],
)
def test_a_buffer_that_is_not_contiguous_is_refused_with_the_way_out(source: Any) -> None:
    """What cannot be done exactly is refused with the reason and the way out."""
    with pytest.raises(hurray.BufferError, match="from_buffer"):
        hurray.Tensor(source, hurray.uint8, (2,))


@pytest.mark.parametrize("dtype", ["float32", "f4", np.float32, np.dtype("f4")])
def test_a_dtype_may_be_a_name_or_another_librarys_type(dtype: Any) -> None:
    assert hurray.Tensor(bytes(12), dtype, (3,)).dtype is hurray.float32


@pytest.mark.parametrize("dtype", [None, 3, b"f4", object(), [hurray.float32]])
def test_a_dtype_is_a_dtype(dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"dtype is a hurray\.Dtype"):
        hurray.Tensor(bytes(12), dtype, (3,))


# --- ownership ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shift", [0, 64, 128, 192, 512, 2048])
def test_aligned_memory_is_shared(shift: int) -> None:
    """Zero-copy: the tensor is the source's memory, and its address is measured."""
    source = aligned(256, shift)
    tensor = hurray.Tensor(source, hurray.uint8, (256,))
    assert address(tensor) == address(source)
    source[3] = 77
    assert tensor.tolist()[3] == 77
    memoryview(tensor)[4] = 78
    assert source[4] == 78


@pytest.mark.parametrize("shift", [1, 2, 4, 8, 16, 32, 63, 65, 96])
def test_other_memory_is_copied_into_an_aligned_allocation(shift: int) -> None:
    source = aligned(256, shift)
    source[3] = 5
    tensor = hurray.Tensor(source, hurray.uint8, (256,))
    assert address(tensor) % 64 == 0
    source[3] = 77
    assert tensor.tolist()[3] == 5
    assert not tensor.readonly


def test_a_read_only_source_never_becomes_writable() -> None:
    """PEERS, memory: a read-only source never becomes writable."""
    tensor = hurray.Tensor(aligned(64).toreadonly(), hurray.uint8, (64,))
    assert tensor.readonly
    assert tensor.buffer(0).readonly
    assert memoryview(tensor).readonly
    with pytest.raises(TypeError):
        memoryview(tensor)[0] = 1
    assert not hurray.Tensor(aligned(64), hurray.uint8, (64,)).readonly


def test_the_source_lives_as_long_as_the_tensor_and_what_comes_of_it() -> None:
    """Zero-copy interop requires that the source's buffer remains valid for the lifetime of any holder."""

    class Source(bytearray):
        pass

    source = Source(8192)
    start = -address(source) % 4096
    watch = weakref.ref(source)
    tensor = hurray.Tensor(memoryview(source)[start : start + 4096], hurray.uint8, (4096,))
    view, part = memoryview(tensor), tensor.buffer(0)
    assert address(part) == address(source) + start
    del source
    assert watch() is not None
    del tensor
    view.release()
    assert watch() is not None
    assert part.tobytes() == bytes(4096)
    del part
    assert watch() is None


def test_an_exporter_that_is_in_use_cannot_be_resized_and_can_be_again() -> None:
    source = bytearray(8192)
    start = -address(source) % 4096
    tensor = hurray.Tensor(memoryview(source)[start : start + 64], hurray.uint8, (64,))
    with pytest.raises(BufferError, match="export"):
        source.extend(b"x" * 100000)
    del tensor
    source.extend(b"x")


def test_a_copied_source_is_let_go_at_once() -> None:
    source = bytearray(b"x" * 100)
    tensor = hurray.Tensor(memoryview(source)[1:], hurray.uint8, (99,))
    source.extend(b"y")
    assert tensor.tobytes() == b"x" * 99


# --- what the class is, and is not -------------------------------------------------------------------------


def test_the_surface_describes_and_hands_over_and_computes_nothing() -> None:
    """Tensor MUST NOT implement __array_namespace__, and the module is not an Array API namespace."""
    tensor: Any = floats(1, 2)
    assert not hasattr(tensor, "__array_namespace__")
    assert not hasattr(hurray, "__array_namespace_info__")
    assert not hasattr(hurray, "__array_api_version__")
    for operation in (operator.add, operator.mul, operator.matmul, operator.lt):
        with pytest.raises(TypeError):
            operation(tensor, tensor)
    for use in (operator.neg, operator.index, len, iter, lambda t: t[0]):
        with pytest.raises(TypeError):
            use(tensor)


@pytest.mark.parametrize(
    "name",
    ["values", "indices", "col_indices", "row_ptr", "row_indices", "col_ptr", "nnz", "__array_interface__"],
)
def test_what_does_not_apply_is_an_attribute_error(name: str) -> None:
    """Accessors that do not apply to a tensor's layout MUST raise AttributeError, so that hasattr reports."""
    assert not hasattr(floats(1, 2), name)


def test_getters_are_read_only() -> None:
    tensor = floats(1, 2)
    for name in (
        "shape",
        "dtype",
        "device",
        "layout",
        "descriptor",
        "readonly",
        "nbytes",
        "buffer_handles",
        "new",
    ):
        with pytest.raises(AttributeError):
            setattr(tensor, name, None)
    with pytest.raises(TypeError):
        types.new_class("Mine", (hurray.Tensor,))
    assert hurray.Tensor.__module__ == "hurray"


def test_getmembers_and_dir_work_on_every_object() -> None:
    """Ruling 10 and PEERS: hasattr and inspect.getmembers work on every object."""
    tensor = floats(1, 2)
    for obj in (
        tensor,
        tensor.descriptor,
        tensor.layout,
        tensor.device,
        tensor.dtype,
        tensor.buffer_handles[0],
    ):
        members = dict(inspect.getmembers(obj))
        assert "__class__" in members
        assert dir(obj)
    assert "T" not in dict(inspect.getmembers(tensor))


def test_a_tensor_can_be_watched_and_leaves_at_once() -> None:
    tensor = floats(1)
    watch = weakref.ref(tensor)
    assert watch() is tensor
    del tensor
    assert watch() is None


def test_repr_of_a_large_tensor_is_short() -> None:
    tensor = hurray.Tensor(bytes(1 << 20), hurray.uint8, (1 << 20,))
    assert len(repr(tensor)) < 200
    assert len(str(tensor)) < 100


@pytest.mark.parametrize("name", ["tensorflow", "", "Torch"])
def test_handing_over_to_an_unknown_framework_is_a_lookup_error(name: str) -> None:
    with pytest.raises(LookupError, match="no bridge"):
        floats(1).to(name)


# --- views -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "transposed"),
    [
        (hurray.RowMajorLayout(), hurray.ColMajorLayout()),
        (hurray.ColMajorLayout(), hurray.RowMajorLayout()),
        (hurray.StridedLayout((3, 1)), hurray.StridedLayout((1, 3))),
    ],
    ids=repr,
)
def test_t_is_a_view_of_the_other_order(layout: hurray.Layout, transposed: hurray.Layout) -> None:
    """T: for rank 2, a transposed view without a copy."""
    source = aligned(24)
    source[:] = np.arange(6, dtype=np.float32).tobytes()
    tensor = hurray.Tensor(source, hurray.float32, (2, 3), layout=layout)
    view = tensor.T
    assert (view.shape, view.layout, view.dtype) == ((3, 2), transposed, hurray.float32)
    assert view.tolist() == np.array(tensor.tolist()).T.tolist()
    assert address(view) == address(tensor)
    assert view.T.descriptor == tensor.descriptor
    memoryview(view.buffer(0))[:4] = np.float32(9).tobytes()
    assert tensor.tolist()[0][0] == 9.0


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_t_works_for_every_type(dtype: hurray.Dtype) -> None:
    tensor = hurray.Tensor(bytes(hurray.buffer_size_bytes(dtype, 6)), dtype, (2, 3))
    assert (tensor.T.shape, tensor.T.dtype) == ((3, 2), dtype)


def test_t_keeps_read_only_and_dynamic() -> None:
    assert hurray.Tensor(aligned(24).toreadonly(), hurray.float32, (2, 3)).T.readonly
    assert hurray.Tensor(bytes(24), hurray.float32, (None, 3)).T.shape == (3, None)


@pytest.mark.parametrize("shape", [(), (6,), (1, 2, 3), (None,)], ids=str)
def test_t_of_another_rank_is_both_errors(shape: tuple[int, ...]) -> None:
    """Ruling 10: an exception that is both a ValueError and an AttributeError."""
    tensor = hurray.Tensor(bytes(24), hurray.float32, shape)
    assert not hasattr(tensor, "T")
    for kind in (ValueError, AttributeError):
        with pytest.raises(kind, match="rank"):
            _ = tensor.T


def test_buffer_is_the_bytes_of_exactly_the_declared_size() -> None:
    """buffer(index) MUST be a 1-D uint8 view of exactly the declared byte size of the buffer."""
    source = aligned(100)
    tensor = hurray.Tensor(source, hurray.float32, (2, 3))
    view = tensor.buffer(0)
    assert (view.dtype, view.shape, view.layout) == (hurray.uint8, (100,), hurray.RowMajorLayout())
    assert address(view) == address(source)
    assert hurray.Tensor(b"", hurray.float32, (0,)).buffer(0).shape == (0,)


@pytest.mark.parametrize("index", [1, 2, -1, 255, 2**31, 2**63, 2**64, -(2**70)])
def test_an_index_with_no_buffer_is_an_index_error(index: int) -> None:
    """An index with no buffer MUST raise IndexError."""
    with pytest.raises(IndexError):
        floats(1).buffer(index)


def test_a_buffer_index_is_an_index() -> None:
    assert floats(1).buffer(np.int8(0)).nbytes == 4
    for index in ("0", 0.0, None):
        with pytest.raises(TypeError):
            floats(1).buffer(index)  # type: ignore[arg-type]


def test_rebuilding_from_the_parts_gives_an_equal_descriptor() -> None:
    """Rebuilding a tensor from another's layout and buffers MUST produce an equal descriptor (ruling 11)."""
    for layout in (hurray.RowMajorLayout(), hurray.ColMajorLayout(), hurray.StridedLayout((0, 1))):
        one = hurray.Tensor(aligned(24), hurray.float32, (2, 3), layout=layout)
        two = hurray.Tensor(one.buffer(0), one.dtype, one.shape, one.device, layout=one.layout)
        assert two.descriptor == one.descriptor
        assert address(two) == address(one)


def test_a_layout_is_never_inferred_or_mended() -> None:
    """A layout MUST NOT be inferred from the buffers, nor the buffers reinterpreted to fit the layout."""
    column = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    with pytest.raises(hurray.BufferError, match="contiguous"):
        hurray.Tensor(column, hurray.float32, (2, 3))
    declared = hurray.Tensor(bytes(24), hurray.float32, (2, 3), layout=hurray.StridedLayout((3, 1)))
    assert declared.layout == hurray.StridedLayout((3, 1))
