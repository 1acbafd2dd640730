"""sparse_coo: values and coordinates into a COO tensor (layouts.md §7; requirements: copy on ingest)."""

from __future__ import annotations

import array
import gc
import itertools
import weakref
from pathlib import Path
from typing import Any

import hurray
import ml_dtypes
import pytest
from core_memory import address, aligned
from core_numpy import np
from hypothesis import given
from hypothesis import strategies as st

VALUES, INDICES = np.array([5.0, 7.0], np.float32), np.array([[0, 0], [1, 2]], np.uint64)


def lying(values: Any, shift: int = 0) -> Any:
    """A copy of an array that begins ``shift`` bytes past an aligned place."""
    store = aligned(values.nbytes, shift)
    copy = np.frombuffer(store, values.dtype).reshape(values.shape)
    copy[...] = values
    return copy


def parts(tensor: hurray.Tensor) -> tuple[Any, Any]:
    """(values, indices) as arrays, from the bytes."""
    rank = len(tensor.shape)
    values = np.frombuffer(bytes(tensor.buffer(0)), np.float32)
    return values, np.frombuffer(bytes(tensor.buffer(1)), np.uint64).reshape(-1, rank)


def layout(tensor: hurray.Tensor) -> tuple[int, bool]:
    """(nnz, is_sorted) as they stand in the descriptor: 17 bytes after it, before the buffer table."""
    data = tensor.descriptor.encode()
    at = 20 + 8 * len(tensor.shape) + 8
    assert data[15] == 0x06
    return int.from_bytes(data[at : at + 8], "little"), bool(data[at + 8])


# --- what is made -------------------------------------------------------------------------------------------


def test_the_example() -> None:
    tensor = hurray.sparse_coo(VALUES, INDICES, [2, 3])
    assert (tensor.shape, tensor.dtype, tensor.layout.name) == ((2, 3), hurray.float32, "coo")
    assert (tensor.nnz, tensor.buffer_count) == (2, 2)
    assert tensor.values.tolist() == [5.0, 7.0]
    assert tensor.indices.tolist() == [[0, 0], [1, 2]]
    assert tensor.device is hurray.zeros(1).device
    assert layout(tensor) == (2, True)
    assert tensor.layout == hurray.CooLayout(nnz=2, is_sorted=True)
    assert tensor.validate() == []
    again = hurray.Tensor(
        tensor.buffer(0), tensor.dtype, tensor.shape, aux_buffers=[tensor.buffer(1)], layout=tensor.layout
    )
    assert again.descriptor == tensor.descriptor


@given(
    data=st.data(),
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    kind=st.sampled_from([np.uint64, np.int64, np.int32, np.uint32, np.int16, np.uint16, np.int8, np.uint8]),
)
def test_nnz_is_inferred_and_is_sorted_is_true(data: st.DataObject, shape: list[int], kind: Any) -> None:
    """Inference belongs to the array-shaped constructors; is_sorted = 1 is strictly increasing order (§7)."""
    tuples = data.draw(st.lists(st.tuples(*(st.integers(0, dim - 1) for dim in shape)), max_size=6))
    if data.draw(st.booleans()):
        tuples = sorted(set(tuples))
    indices = np.array(tuples, kind).reshape(len(tuples), len(shape))
    tensor = hurray.sparse_coo(np.arange(len(tuples), dtype=np.float32), indices, shape)
    increasing = all(one < two for one, two in itertools.pairwise(tuples))
    assert layout(tensor) == (len(tuples), increasing)
    found, coordinates = parts(tensor)
    assert found.tolist() == list(range(len(tuples)))
    assert [tuple(entry) for entry in coordinates.tolist()] == tuples
    assert [handle.byte_size for handle in tensor.buffer_handles] == [
        4 * len(tuples),
        8 * len(tuples) * len(shape),
    ]
    assert hurray.Descriptor.decode(tensor.descriptor.encode()) == tensor.descriptor


def test_order_and_duplicates_pass_through_as_they_are() -> None:
    """Ruling 13: what SciPy users have is wrapped as it is; only the flag says what it is not."""
    for entries in ([[1, 2], [0, 0]], [[0, 1], [0, 0]], [[0, 0], [0, 0]], [[0, 1], [1, 0], [0, 2]]):
        tensor = hurray.sparse_coo(np.ones(len(entries), np.float32), np.array(entries), (2, 3))
        assert layout(tensor) == (len(entries), False)
        assert parts(tensor)[1].tolist() == entries
        distinct = len({tuple(entry) for entry in entries})
        assert [problem.code for problem in tensor.validate()] == ["L-31"] * (distinct < len(entries))


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.float16, np.complex128, ml_dtypes.bfloat16, ml_dtypes.int4]
)
def test_values_of_any_type(dtype: Any) -> None:
    values = np.array([1, 0, 1, 1, 0]).astype(dtype)
    tensor = hurray.sparse_coo(values, np.arange(5).reshape(5, 1), (9,))
    expected = hurray.from_numpy(values)
    assert tensor.dtype is expected.dtype
    assert bytes(tensor.buffer(0)) == bytes(expected.buffer(0))


def test_values_of_every_source() -> None:
    """Any source of asarray: a Tensor, an exporter of the buffer protocol, a DLPack producer."""
    for values in (
        hurray.from_numpy(VALUES),
        array.array("f", [5.0, 7.0]),
        memoryview(array.array("f", [5.0, 7.0])),
        hurray.full((2,), 5.0, dtype=hurray.float32),
    ):
        indices = hurray.from_numpy(INDICES)
        tensor = hurray.sparse_coo(values, indices, (2, 3))
        assert parts(tensor)[0].tolist()[0] == 5.0
        assert parts(tensor)[1].tolist() == INDICES.tolist()


def test_no_entries_and_large_extents() -> None:
    empty = hurray.sparse_coo(np.zeros(0, np.float32), np.zeros((0, 3), np.uint64), (2, 0, 2**63))
    assert (empty.shape, layout(empty)) == ((2, 0, 2**63), (0, True))
    assert [handle.alignment for handle in empty.buffer_handles] == [1, 1]
    far = np.array([[2**63 + 5]], np.uint64)
    assert parts(hurray.sparse_coo(VALUES[:1], far, (2**64 - 2,)))[1].tolist() == [[2**63 + 5]]


# --- copy, for each array by itself ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.uint64, np.int64])
def test_aligned_arrays_are_shared(kind: Any) -> None:
    """copy=None and False share; int64 indices are reinterpreted in place (ruling 2)."""
    values, indices = lying(VALUES), lying(INDICES.astype(kind))
    for copy in (None, False):
        tensor = hurray.sparse_coo(values, indices, (2, 3), copy=copy)
        assert address(tensor.buffer(0)) == address(values)
        assert address(tensor.buffer(1)) == address(indices)
        assert tensor.buffer_handles[0].alignment == 4096
    values[0] = 9
    assert parts(tensor)[0].tolist() == [9.0, 7.0]


@pytest.mark.parametrize("shift", [8, 16, 32])
def test_the_decision_is_made_for_each_array(shift: int) -> None:
    """For a multi-buffer source the decision MUST be made per buffer."""
    good, bad = lying(VALUES), lying(INDICES, shift)
    tensor = hurray.sparse_coo(good, bad, (2, 3))
    assert address(tensor.buffer(0)) == address(good)
    assert address(tensor.buffer(1)) != address(bad)
    assert address(tensor.buffer(1)) % 64 == 0
    with pytest.raises(hurray.CopyRequiredError, match=rf"sparse_coo: indices.*aligned to {shift} "):
        hurray.sparse_coo(good, bad, (2, 3), copy=False)
    with pytest.raises(hurray.CopyRequiredError, match=rf"sparse_coo: values.*aligned to {shift} "):
        hurray.sparse_coo(lying(VALUES, shift), lying(INDICES), (2, 3), copy=False)


@pytest.mark.parametrize("given_as", ["array", "tensor"])
@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.int32])
def test_copy_true_copies_both(kind: Any, given_as: str) -> None:
    values, indices = lying(VALUES), lying(INDICES.astype(kind))
    wrap: Any = hurray.from_numpy if given_as == "tensor" else np.asarray
    tensor = hurray.sparse_coo(wrap(values), wrap(indices), (2, 3), copy=True)
    assert address(tensor.buffer(0)) != address(values)
    values[0], indices[1] = 0, 0
    assert parts(tensor)[0].tolist() == [5.0, 7.0]
    assert parts(tensor)[1].tolist() == INDICES.tolist()


@pytest.mark.parametrize("kind", [np.int32, np.uint32, np.int16, np.uint8])
def test_narrow_indices_are_widened(kind: Any) -> None:
    """Ruling 2: a copy of the indices alone; copy=False raises CopyRequiredError."""
    values, indices = lying(VALUES), lying(INDICES.astype(kind))
    tensor = hurray.sparse_coo(values, indices, (2, 3))
    assert address(tensor.buffer(0)) == address(values)
    assert parts(tensor)[1].tolist() == INDICES.tolist()
    with pytest.raises(
        hurray.CopyRequiredError, match=f"indices are {np.dtype(kind).name} and the format has uint64"
    ):
        hurray.sparse_coo(values, indices, (2, 3), copy=False)


def test_what_has_gaps_or_another_order_is_packed() -> None:
    values = lying(np.arange(8, dtype=np.float32))[::4]
    indices = lying(np.array([[0, 1], [0, 2]], np.uint64)).T
    tensor = hurray.sparse_coo(values, indices, (2, 3))
    assert parts(tensor)[0].tolist() == [0.0, 4.0]
    assert parts(tensor)[1].tolist() == INDICES.tolist()
    for one, two, what in ((values, lying(INDICES), "values"), (lying(VALUES), indices, "indices")):
        with pytest.raises(
            hurray.CopyRequiredError, match=rf"sparse_coo: .*{what} do not lie in row-major order"
        ):
            hurray.sparse_coo(one, two, (2, 3), copy=False)
    spread = np.broadcast_to(np.float32(3), (2,))
    assert parts(hurray.sparse_coo(spread, INDICES, (2, 3)))[0].tolist() == [3.0, 3.0]


def test_buffers_hold_the_entries_and_nothing_else() -> None:
    """L-29: sizes that differ from nnz are refused in files, so slack is cut off."""
    long = hurray.Tensor(aligned(4096), hurray.float32, (2,))
    tensor = hurray.sparse_coo(long, INDICES, (2, 3), copy=None)
    assert [handle.byte_size for handle in tensor.buffer_handles] == [8, 32]
    assert address(tensor.buffer(0)) == address(long)


def test_memory_that_may_not_be_written_to_stays_so() -> None:
    values, indices = lying(VALUES), lying(INDICES.astype(np.int32), 16)
    values.flags.writeable = indices.flags.writeable = False
    tensor = hurray.sparse_coo(values, indices, (2, 3))
    assert (tensor.buffer(0).readonly, tensor.buffer(1).readonly) == (True, True)
    tensor = hurray.sparse_coo(values, indices, (2, 3), copy=True)
    assert (tensor.buffer(0).readonly, tensor.buffer(1).readonly) == (False, False)


class Watched(bytearray):
    """An exporter that can be watched."""


def test_both_arrays_are_kept_alive() -> None:
    """PEERS, memory: what is borrowed is held itself."""
    stores = [Watched(4096 + 64), Watched(4096 + 64)]
    views = [memoryview(store)[-address(store) % 64 :] for store in stores]
    values = views[0][:8].cast("f")
    indices = np.frombuffer(views[1][:32], np.uint64).reshape(2, 2)
    indices[...] = INDICES
    watches = [weakref.ref(store) for store in stores]
    tensor = hurray.sparse_coo(values, indices, (2, 3), copy=False)
    part = tensor.buffer(1)
    del stores, views, values, indices
    gc.collect()
    assert None not in [watch() for watch in watches]
    del tensor
    gc.collect()
    assert (watches[0]() is None, watches[1]() is None) == (True, False)
    assert bytes(part) == INDICES.tobytes()
    del part
    gc.collect()
    assert watches[1]() is None


# --- refusals ---------------------------------------------------------------------------------------------------


def test_a_dynamic_dimension_is_refused() -> None:
    """MUST refuse a dynamic dimension with InvalidDescriptorError, naming the call and the offending index."""
    shapes: list[tuple[Any, int]] = [((2, None), 1), ((None, 3), 0)]
    for shape, index in shapes:
        with pytest.raises(hurray.InvalidDescriptorError, match=rf"^sparse_coo .*shape\[{index}\] is None"):
            hurray.sparse_coo(VALUES, INDICES, shape)


@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.int32])
@pytest.mark.parametrize(("entry", "dim", "value"), [(0, 0, 2), (1, 1, 3), (0, 1, -1), (1, 0, 2**31 - 1)])
def test_a_coordinate_outside_the_shape_is_refused(kind: Any, entry: int, dim: int, value: int) -> None:
    """layouts.md §7: every coordinate < s[d]; L-31."""
    indices = INDICES.astype(np.int64)
    indices[entry, dim] = value
    shown = value % 2**64 if kind is np.uint64 else value
    with pytest.raises(
        hurray.InvalidDescriptorError, match=rf"indices\[{entry}, {dim}\] is {shown}, .*\[2, 3\]"
    ) as caught:
        hurray.sparse_coo(VALUES, indices.astype(kind), (2, 3))
    assert caught.value.code == "L-31"


def test_a_negative_int64_is_no_large_uint64() -> None:
    """Only indices that are not negative may be reinterpreted."""
    with pytest.raises(hurray.InvalidDescriptorError, match="is -3"):
        hurray.sparse_coo(VALUES[:1], np.array([[-3]]), (2**64 - 2,))
    assert hurray.sparse_coo(VALUES[:1], np.array([[2**64 - 3]], np.uint64), (2**64 - 2,)).shape == (
        2**64 - 2,
    )


@pytest.mark.parametrize(
    ("values", "indices", "shape", "text"),
    [
        (VALUES, INDICES, (2, 3, 4), r"\(nnz, rank\), which is \(2, 3\)"),
        (np.ones(3, np.float32), INDICES, (2, 3), r"which is \(3, 2\) for 3 values"),
        (VALUES, INDICES[0], (2, 3), "two dimensions"),
        (VALUES.reshape(2, 1), INDICES, (2, 3), "one dimension"),
        (np.ones(3, np.float32), np.zeros((2, 3), np.uint64), (2, 3), r"transpose them: indices\.T"),
        (np.float32(1), INDICES, (2, 3), "one dimension"),
        (VALUES, np.zeros((2, 0), np.uint64), (), "rank|row_major"),
    ],
)
def test_what_does_not_go_together(values: Any, indices: Any, shape: Any, text: str) -> None:
    with pytest.raises(hurray.InvalidDescriptorError, match=text):
        hurray.sparse_coo(values, indices, shape)


@pytest.mark.parametrize(
    "indices", [INDICES.astype(np.float64), INDICES.astype(np.bool_), INDICES.astype(ml_dtypes.int4)]
)
def test_indices_are_integers(indices: Any) -> None:
    with pytest.raises(hurray.UnsupportedError, match="indices are integers of 8 to 64 bits"):
        hurray.sparse_coo(VALUES, indices, (2, 3))


def test_what_is_no_plain_array_of_numbers() -> None:
    quantised = hurray.Tensor(
        bytes(2), hurray.int8, (2,), quantization=hurray.PerTensorAffine(scale=1.0, zero_point=0)
    )
    private = hurray.Tensor(
        bytes(2), hurray.Dtype.from_tag(0xF0), (2,), extension_type=hurray.ExtensionType(8)
    )
    elsewhere = hurray.Tensor(bytes(8), hurray.float32, (2,), hurray.device.cuda)
    for values in (quantised, private, elsewhere):
        with pytest.raises(hurray.UnsupportedError, match="sparse_coo: values"):
            hurray.sparse_coo(values, INDICES, (2, 3))
    sparse = hurray.sparse_coo(VALUES, np.array([[0], [1]]), (2,))
    with pytest.raises(hurray.UnsupportedError, match="sparse_coo"):
        hurray.sparse_coo(sparse, np.array([[0], [1]]), (2,))
    dynamic = hurray.Tensor(bytes(8), hurray.float32, (None,))
    with pytest.raises(hurray.InvalidDescriptorError, match=r"values\.shape\[0\] is None"):
        hurray.sparse_coo(dynamic, INDICES, (2, 3))
    for other in ([1.0, None], None, "text"):
        with pytest.raises(TypeError, match="sparse_coo: values"):
            hurray.sparse_coo(other, INDICES, (2, 3))
        with pytest.raises(TypeError, match="sparse_coo: indices"):
            hurray.sparse_coo(VALUES, other, (2, 3))


def test_copy_is_a_keyword() -> None:
    with pytest.raises(TypeError):
        hurray.sparse_coo(VALUES, INDICES, (2, 3), None)  # type: ignore[call-arg]


def test_a_file_gives_it_back(tmp_path: Path) -> None:
    tensor = hurray.sparse_coo(VALUES, INDICES, (2, 3))
    hurray.save(tmp_path / "a.hrry", {"w": tensor})
    assert hurray.verify(tmp_path / "a.hrry") == []
    back = hurray.load(tmp_path / "a.hrry")["w"]
    assert layout(back) == (2, True)
    assert parts(back)[1].tolist() == INDICES.tolist()
