"""Component views, nnz, buffer(i) (requirements: Layouts and Sparse Tensor Support; Buffer Lifetime and Ownership)."""

from __future__ import annotations

import gc
import inspect
import weakref
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import ALL_ONES, BOOL, EXTENSION, FLOAT32, INT4, QUANTIZATION, handle
from core_memory import address
from core_numpy import np
from core_tensors import (
    AFFINE,
    COO,
    CSC,
    CSR,
    EVERY,
    assembled,
    coo,
    csc,
    csf,
    csr,
    floats,
    paged,
    per_channel,
    placed,
    words,
)

VIEWS = ("values", "indices", "col_indices", "row_ptr", "row_indices", "col_ptr")
HAS = {
    "coo": ("values", "indices", "nnz"),
    "csr": ("values", "col_indices", "row_ptr", "nnz"),
    "csc": ("values", "row_indices", "col_ptr", "nnz"),
    "csf": ("nnz",),
}


@pytest.mark.parametrize(
    ("tensor", "name", "buffer", "shape", "content"),
    [
        (coo, "values", 0, (2,), [5, 7]),
        (coo, "indices", 1, (2, 2), [[0, 0], [1, 1]]),
        (csr, "values", 0, (2,), [5, 7]),
        (csr, "col_indices", 1, (2,), [0, 2]),
        (csr, "row_ptr", 2, (3,), [0, 1, 2]),
        (csc, "values", 0, (2,), [5, 7]),
        (csc, "row_indices", 1, (2,), [0, 1]),
        (csc, "col_ptr", 2, (4,), [0, 1, 1, 2]),
    ],
)
def test_a_component_is_a_view_of_its_buffer(
    tensor: Any, name: str, buffer: int, shape: tuple[int, ...], content: list[Any]
) -> None:
    """.values, .indices …: a hurray.Tensor view over the buffer; index buffers are uint64 (layouts.md §7, §8)."""
    one = tensor()
    view = getattr(one, name)
    assert isinstance(view, hurray.Tensor)
    assert view.dtype is (hurray.float32 if name == "values" else hurray.uint64)
    assert (view.shape, view.layout, view.tolist()) == (shape, hurray.RowMajorLayout(), content)
    assert address(view) == address(one.buffer(buffer))
    assert (view.quantization, view.statistics, view.shard, view.device) == (None, None, None, one.device)


@pytest.mark.parametrize("kind", EVERY)
def test_what_does_not_apply_is_an_attribute_error(kind: str) -> None:
    """Accessors that do not apply MUST raise AttributeError, so that hasattr reports; not UnsupportedError."""
    tensor = EVERY[kind]()
    layout = tensor.layout.name
    for name in (*VIEWS, "nnz"):
        assert hasattr(tensor, name) is (name in HAS.get(layout, ()))
        if name not in HAS.get(layout, ()):
            with pytest.raises(AttributeError, match=rf"{name}.*\b{layout}\b") as caught:
                getattr(tensor, name)
            assert not isinstance(caught.value, hurray.UnsupportedError)


@pytest.mark.parametrize("kind", EVERY)
def test_members_can_be_listed(kind: str) -> None:
    """inspect.getmembers and dir work on every tensor."""
    tensor = EVERY[kind]()
    members = dict(inspect.getmembers(tensor))
    assert {"shape", "dtype", "layout", "buffer"} <= members.keys()
    assert {*VIEWS, "nnz"} & members.keys() == set(HAS.get(tensor.layout.name, ()))
    assert {*VIEWS, "nnz"} <= set(dir(tensor))


@pytest.mark.parametrize("kind", ["coo", "csr", "csc", "csf"])
def test_nnz_is_what_the_layout_states(kind: str) -> None:
    """.nnz: the stored count, for every layout that tracks one."""
    assert EVERY[kind]().nnz == 2


@pytest.mark.parametrize("kind", EVERY)
def test_every_buffer_is_reached_as_bytes(kind: str) -> None:
    """buffer(index): 1-D uint8 of exactly the declared byte size; no such buffer MUST raise IndexError."""
    tensor = EVERY[kind]()
    assert len(tensor.buffer_handles) == tensor.buffer_count
    for at, one in enumerate(tensor.buffer_handles):
        view = tensor.buffer(at)
        assert (view.dtype, view.shape) == (hurray.uint8, (one.byte_size,))
        assert (view.nbytes, view.itemsize, one.device) == (one.byte_size, 1, tensor.device)
        assert one.device is tensor.device
    for at in (-1, tensor.buffer_count, 2**70):
        with pytest.raises(IndexError, match="buffer"):
            tensor.buffer(at)


@pytest.mark.parametrize(("tensor", "count"), [(csf, 7), (paged, 3), (csr, 3), (coo, 2)])
def test_the_buffers_are_counted(tensor: Any, count: int) -> None:
    """CSF has 2 * rank + 1 buffers and block-paged has three."""
    assert tensor().buffer_count == count


@pytest.mark.parametrize("name", [*VIEWS, "buffer"])
def test_a_view_keeps_the_memory_and_its_source(name: str) -> None:
    """Buffer Lifetime: the same rules apply to the component views a sparse-layout tensor hands out."""
    make = {"indices": coo, "row_indices": csc, "col_ptr": csc}.get(name, csr)
    parts = [np.frombuffer(placed(data), np.uint8) for data in contents_of(make())]
    source = hurray.Tensor.from_descriptor(make().descriptor, parts, copy=False)
    watches = [weakref.ref(part) for part in parts]
    view = source.buffer(1) if name == "buffer" else getattr(source, name)
    kept = next(at for at, part in enumerate(parts) if address(part) == address(view))
    before = view.tobytes()
    del source, parts
    gc.collect()
    assert [watch() is not None for watch in watches] == [at == kept for at in range(len(watches))]
    assert view.tobytes() == before
    del view
    gc.collect()
    assert watches[kept]() is None


def contents_of(tensor: hurray.Tensor) -> list[bytes]:
    return [tensor.buffer(at).tobytes() for at in range(tensor.buffer_count)]


def test_each_view_is_read_only_as_its_own_buffer_is() -> None:
    """PEERS, memory: a read-only source never becomes writable; what is writable stays so."""
    buffers = [placed(floats(5, 7)), placed(words(0, 2)).toreadonly(), placed(words(0, 1, 2))]
    tensor = hurray.Tensor.from_descriptor(csr().descriptor, buffers, copy=False)
    views = (tensor.values, tensor.col_indices, tensor.row_ptr)
    assert [view.readonly for view in views] == [False, True, False]
    memoryview(tensor.values)[0] = 9.0  # type: ignore[call-overload]
    assert memoryview(buffers[0]).cast("f")[0] == 9.0
    with pytest.raises(TypeError):
        memoryview(tensor.col_indices)[0] = 1


def test_slack_behind_the_elements_is_no_part_of_a_view() -> None:
    """Over-sized buffers MUST be permitted: a view shows nnz elements, buffer(i) every byte."""
    buffers = (floats(5, 7, -1, -1), words(0, 2, 9, 9, 9), words(0, 1, 2, 9))
    tensor = assembled(FLOAT32, CSR, (2, 3), buffers, words(2, 0))
    assert (tensor.values.tolist(), tensor.col_indices.tolist()) == ([5, 7], [0, 2])
    assert tensor.row_ptr.tolist() == [0, 1, 2]
    views = (tensor.values, tensor.col_indices, tensor.row_ptr)
    assert [view.buffer_handles[0].byte_size for view in views] == [8, 16, 24]
    assert [tensor.buffer(at).nbytes for at in range(3)] == [16, 40, 32]
    assert tensor.nbytes == 88


@pytest.mark.parametrize(
    ("tag", "values", "expected"),
    [
        (BOOL, b"\x05", [True, False, True]),
        (INT4, b"\xf1\x07", [1, -1, 7]),
        (0x44, bytes([0x81, 0x40, 0x20]), [0.125, 0.25, 0.5]),
        (0x01, pack("<3e", 1, 2, -3), [1, 2, -3]),
    ],
    ids=["bool", "int4", "float6", "float16"],
)
def test_values_are_packed_as_their_type_is(tag: int, values: bytes, expected: list[Any]) -> None:
    """Sub-byte values keep their packing: nnz elements, not bytes."""
    tensor = assembled(tag, CSR, (1, 5), (values, words(0, 2, 4), words(0, 3)), words(3, 0))
    assert (tensor.values.shape, tensor.values.tolist()) == ((3,), expected)
    assert tensor.values.dtype is tensor.dtype


def test_values_of_a_private_type_say_so() -> None:
    """The extension type goes with the values and not with the indices."""
    extension = pack("<IBB14x", 24, 1, 0)
    buffers = (bytes(6), words(1, 3), words(0, 2))
    tensor = assembled(0xF4, CSC, (5, 1), buffers, words(2, 0), sections=extension, flags=EXTENSION)
    assert (tensor.values.dtype.tag, tensor.values.nbytes) == (0xF4, 6)
    assert tensor.row_indices.dtype is hurray.uint64
    assert tensor.values.descriptor.encode().endswith(extension)


def test_quantised_values_stay_codes() -> None:
    """Quantised codes are never handed out as plain numbers: one scale goes along, others refuse the view."""
    buffers = (bytes([1, 2]), words(0, 2), words(0, 1, 2))
    tensor = assembled(0x10, CSR, (2, 3), buffers, words(2, 0), sections=AFFINE, flags=QUANTIZATION)
    assert tensor.values.descriptor.encode().endswith(AFFINE)
    for refused in (tensor.values.tolist, tensor.values.tobytes):
        with pytest.raises(hurray.UnsupportedError, match="quantised"):
            refused()
    with pytest.raises(BufferError, match="quantised"):
        memoryview(tensor.values)
    scaled = assembled(
        0x10,
        CSR,
        (2, 3),
        (*buffers, floats(1, 2)),
        words(2, 0),
        sections=per_channel(0, 3),
        flags=QUANTIZATION,
    )
    with pytest.raises(hurray.ViewError, match=r"quantised.*t\.buffer\(0\)"):
        _ = scaled.values
    assert issubclass(hurray.ViewError, AttributeError)
    assert issubclass(hurray.ViewError, hurray.UnsupportedError)
    assert (hasattr(scaled, "values"), hasattr(scaled, "row_ptr")) == (False, True)
    assert dict(inspect.getmembers(scaled))["nnz"] == 2


def test_no_entries_are_no_bytes() -> None:
    """No entries: nnz may be 0: every view is there and empty."""
    tensor = assembled(FLOAT32, COO, (3, 4, 5), (b"", b""), words(0, 0))
    assert (tensor.nnz, tensor.values.shape, tensor.indices.shape) == (0, (0,), (0, 3))
    assert (tensor.values.tolist(), tensor.indices.tolist()) == ([], [])


def test_a_dynamic_dimension_stays_dynamic_in_a_view() -> None:
    """What a dynamic dimension decides is dynamic in the view, and refused where memory is needed."""
    buffers = (floats(5, 7), words(0, 2), words(0, 1, 2))
    tensor = assembled(FLOAT32, CSR, (ALL_ONES, 3), buffers, words(2, 0))
    assert (tensor.values.shape, tensor.col_indices.shape) == ((2,), (2,))
    assert (tensor.row_ptr.shape, tensor.row_ptr.size) == ((None,), None)
    with pytest.raises(hurray.UnsupportedError, match="dynamic"):
        tensor.row_ptr.tolist()
    assert assembled(FLOAT32, CSR, (2, ALL_ONES), buffers, words(2, 0)).row_ptr.shape == (3,)


def test_entries_that_no_buffer_holds_have_no_view() -> None:
    """An empty shape asks for no value bytes; a view of three must not read past them."""
    tensor = assembled(FLOAT32, COO, (0, 4), (b"", words(*range(6))), words(3, 0))
    assert tensor.nnz == 3
    with pytest.raises(hurray.ViewError, match=r"values: .*0 bytes"):
        _ = tensor.values


@pytest.mark.parametrize(("mode", "name"), [(1, "event"), (2, "consumer_stream")])
def test_views_of_what_is_not_synced_are_refused_by_the_mode(mode: int, name: str) -> None:
    """sync_mode: the component views MUST refuse with UnsupportedError naming the mode."""
    sizes = (8, 16, 24)
    handles = b"".join(handle(size, device=1, sync=mode if at == 1 else 0) for at, size in enumerate(sizes))
    tensor = csr(handles=handles)
    assert [one.sync_mode for one in tensor.buffer_handles] == ["producer_synced", name, "producer_synced"]
    for view in ("values", "col_indices", "row_ptr"):
        with pytest.raises(hurray.UnsupportedError, match=rf"{view}.*\b{name}\b"):
            getattr(tensor, view)
    for at in range(3):
        with pytest.raises(hurray.UnsupportedError, match=name):
            tensor.buffer(at)
    assert (tensor.nnz, tensor.layout.name) == (2, "csr")
    assert dict(inspect.getmembers(tensor))["nnz"] == 2
