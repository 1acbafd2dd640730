"""Tensor(buffer, dtype, shape, …) (requirements: Authoring, Constructor checks; ADR-032 § 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import hurray
import pytest
from core_authored import F32, I8, LAYOUTS, csr_of, csr_parts, made
from core_memory import address, aligned
from core_numpy import np
from core_tensors import contents, placed
from hypothesis import given, settings
from hypothesis import strategies as st

# --- the three tiers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LAYOUTS)
def test_what_is_stated_is_what_the_tensor_says(kind: str) -> None:
    """The layout object is a declaration; the buffers are evidence."""
    layout, shape, least = LAYOUTS[kind]
    tensor = made(kind)
    assert (tensor.layout, tensor.shape, tensor.dtype) == (layout, shape, F32)
    assert tuple(handle.byte_size for handle in tensor.buffer_handles) == least
    assert (tensor.quantization, tensor.statistics, tensor.shard, tensor.extension_type) == (None,) * 4
    assert (tensor.byte_offset, tensor.device) == (0, hurray.device.cpu)
    assert {handle.sync_mode for handle in tensor.buffer_handles} == {"producer_synced"}


@pytest.mark.parametrize(
    ("kind", "at"), [(kind, at) for kind, (_, _, least) in LAYOUTS.items() for at in range(len(least))]
)
def test_each_buffer_is_large_enough(kind: str, at: int) -> None:
    """Buffer-size tier: hurray.BufferError that names the buffer; over-sized buffers MUST be permitted."""
    layout, _, least = LAYOUTS[kind]
    for extra in (1, 64):
        sizes = tuple(size + extra * (number == at) for number, size in enumerate(least))
        assert made(kind, sizes).buffer_handles[at].byte_size == least[at] + extra
    if least[at]:
        sizes = tuple(size - (number == at) for number, size in enumerate(least))
        with pytest.raises(
            hurray.BufferError, match=rf"buffer {at} \(\w+\) is {least[at] - 1} bytes"
        ) as caught:
            made(kind, sizes)
        assert caught.value.code in ("L-12", "L-13", "L-19", "L-29", "L-39")
        if caught.value.code != "L-13":
            assert str(caught.value).endswith(f"implies at least {least[at]}")
            assert layout.name in str(caught.value)


def test_a_size_that_is_too_small_is_said_in_the_formats_words() -> None:
    """The role of every buffer has the format's name (layouts.md §7 to §10)."""
    roles = {
        "row_major": ["data"],
        "coo": ["values", "indices"],
        "csr": ["values", "col_indices", "row_ptr"],
        "csc": ["values", "row_indices", "col_ptr"],
        "csf": ["values", "pos_0", "crd_0", "pos_1", "crd_1", "pos_2", "crd_2"],
        "block_paged": ["page_pool", "block_table", "seq_ptr"],
    }
    for kind, names in roles.items():
        for at, name in enumerate(names):
            sizes = tuple(size - (number == at) for number, size in enumerate(LAYOUTS[kind][2]))
            with pytest.raises(hurray.BufferError, match=rf"buffer {at} \({name}\) "):
                made(kind, sizes)


@pytest.mark.parametrize("kind", LAYOUTS)
def test_the_number_of_buffers_is_the_layouts(kind: str) -> None:
    """Buffer-count tier: InvalidDescriptorError, too few and too many."""
    least = LAYOUTS[kind][2]
    for sizes in (least[:-1], (*least, 64)):
        if sizes:
            with pytest.raises(hurray.InvalidDescriptorError, match=rf"{len(sizes)} buffers? ") as caught:
                made(kind, sizes)
            assert caught.value.code == "D-31"
            assert ("aux_buffers" in str(caught.value)) is (len(sizes) < len(least))


BAD_SHAPES = [
    ("col_major", (), "L-6"),
    ("strided", (2, 3, 4), "D-1"),
    ("tiled", (3,), "D-1"),
    ("morton", (5, 3), "L-18"),
    ("hilbert", (4, 4, 4), "L-21"),
    ("hilbert", (4, 3), "L-21"),
    ("coo", (), "L-6"),
    ("csr", (3, 9, 1), "L-25"),
    ("csc", (9,), "L-25"),
    ("csf", (2, 3), "D-1"),
    ("csf", (2, 3, 4, 5), "D-1"),
    ("block_paged", (6, 2), "L-34"),
]


@pytest.mark.parametrize(("kind", "shape", "code"), BAD_SHAPES)
def test_the_shape_tier_comes_first(kind: str, shape: tuple[int, ...], code: str) -> None:
    """Shape tier: InvalidDescriptorError, whatever the buffers are; the same by validate_against_shape."""
    layout = LAYOUTS[kind][0]
    for buffers in ((b"",), (bytes(4096),) * 3, (bytes(4096),) * 9):
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            hurray.Tensor(buffers[0], F32, shape, aux_buffers=buffers[1:], layout=layout)
        assert caught.value.code == code
    with pytest.raises(hurray.InvalidDescriptorError) as other:
        layout.validate_against_shape(shape)
    assert (other.value.code, str(other.value)) == (caught.value.code, str(caught.value))


def refusal(call: Any) -> str | None:
    """What a door says against it, if anything."""
    try:
        call()
    except hurray.InvalidDescriptorError as refused:
        return str(refused)
    return None


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(LAYOUTS)), st.lists(st.sampled_from([0, 1, 2, 3, 4, 8, 9, None]), max_size=4))
def test_two_doors_one_rule(kind: str, shape: list[int | None]) -> None:
    """validate_against_shape MUST agree with what hurray.Tensor enforces at construction."""
    layout = LAYOUTS[kind][0]
    others = [bytes(2048)] * ((layout.buffer_count or 1) - 1)
    refused = refusal(lambda: layout.validate_against_shape(shape))
    if refused is not None:
        with pytest.raises(hurray.InvalidDescriptorError) as caught:
            hurray.Tensor(bytes(1 << 15), F32, shape, aux_buffers=others, layout=layout)
        assert str(caught.value) == refused
    else:
        tensor = hurray.Tensor(bytes(1 << 15), F32, shape, aux_buffers=others, layout=layout)
        assert (tensor.shape, tensor.layout) == (tuple(shape), layout)


def test_nothing_is_inferred() -> None:
    """CooLayout(nnz=4) over two values MUST raise; nnz=2 over buffers of four stays 2."""
    with pytest.raises(hurray.BufferError) as caught:
        hurray.Tensor(bytes(8), F32, (2, 2), aux_buffers=[bytes(64)], layout=hurray.CooLayout(nnz=4))
    assert str(caught.value) == "buffer 0 (values) is 8 bytes, but this coo layout implies at least 16"
    tensor = hurray.Tensor(bytes(16), F32, (2, 2), aux_buffers=[bytes(64)], layout=hurray.CooLayout(nnz=2))
    assert (tensor.nnz, tensor.layout) == (2, hurray.CooLayout(nnz=2))
    assert [handle.byte_size for handle in tensor.buffer_handles] == [16, 64]


HUGE = 2**64 - 1


@pytest.mark.parametrize(
    ("layout", "shape"),
    [
        (hurray.CooLayout(nnz=HUGE), (2,)),
        (hurray.CooLayout(nnz=2**63), (2,) * 64),
        (hurray.CsrLayout(nnz=HUGE), (2, 2)),
        (hurray.CsrLayout(nnz=0), (2**64 - 2, 2)),
        (hurray.CscLayout(nnz=2**61), (2, 2**64 - 2)),
        (hurray.CsfLayout(nnz=HUGE, mode_order=(0, 1, 2)), (2, 2, 2)),
        (hurray.BlockPagedLayout(2**32 - 1, HUGE, 0, 2**32 - 1), (2**63, 2**63, 2**63)),
        (hurray.TiledLayout((2**63, 2**63)), (2**63, 2**63)),
        (hurray.TiledLayout((2, 2), outer_layout="strided", outer_strides=(-(2**63), 2**63 - 1)), (4, 4)),
        (hurray.MortonLayout((32, 32)), (2**32, 2**32)),
        (hurray.HilbertLayout(32, 2), (2**32, 2**32)),
        (hurray.StridedLayout((-(2**63), 2**63 - 1)), (2**64 - 2, 2**64 - 2)),
        (hurray.RowMajorLayout(), (2**64 - 2,) * 64),
    ],
    ids=str,
)
def test_no_product_wraps(layout: hurray.Layout, shape: tuple[int, ...]) -> None:
    """Bad input: nnz beyond memory, overflow in shape products, huge strides: a refusal by size."""
    others = [bytes(1024)] * ((layout.buffer_count or 1) - 1)
    for dtype in (hurray.bool, hurray.dtype.float6_e2m3, F32, hurray.dtype.complex128):
        with pytest.raises(hurray.BufferError):
            hurray.Tensor(bytes(1024), dtype, shape, aux_buffers=others, layout=layout)


# --- layouts -----------------------------------------------------------------------------------------------


def test_no_layout_is_row_major() -> None:
    """Omitting layout means row-major; None says the same."""
    for more in ({}, {"layout": None}):
        assert hurray.Tensor(bytes(16), F32, (4,), **more).layout == hurray.RowMajorLayout()


@pytest.mark.parametrize("given", ["csr", 7, hurray.CsrLayout, b"csr", {"nnz": 4}], ids=repr)
def test_a_layout_is_an_object(given: Any) -> None:
    """A non-Layout value MUST raise TypeError; a layout string MUST NOT be accepted."""
    with pytest.raises(TypeError) as caught:
        hurray.Tensor(bytes(16), F32, (4,), layout=given)
    assert str(caught.value) == (
        f"layout must be a hurray.Layout instance (e.g. hurray.CsrLayout(nnz=4)), got {type(given).__name__}"
    )


@pytest.mark.parametrize("rule", ["partition", "group"])
def test_a_composite_is_another_class(rule: Any) -> None:
    """Constructing a hurray.Tensor with a composite layout MUST raise UnsupportedError, naming hurray.Composite."""
    with pytest.raises(
        hurray.UnsupportedError, match=r"^a composite layout cannot be given.*hurray\.Composite"
    ):
        hurray.Tensor(bytes(16), F32, (4,), layout=hurray.CompositeLayout(rule, 2))


@pytest.mark.parametrize(
    "layout",
    [hurray.PrivateExtensionLayout(0xF3, 9, b"abc"), hurray.UnknownLayout(0x0C, b"\x01\x02")],
    ids=str,
)
@pytest.mark.parametrize("sizes", [(0,), (1,), (3, 0, 5), (1,) * 255], ids=len)
def test_what_nobody_knows_is_taken_as_given(layout: hurray.Layout, sizes: tuple[int, ...]) -> None:
    """Known gap: the count and size tiers cannot run for a private or unknown layout."""
    first, *others = [bytes(size) for size in sizes]
    tensor = hurray.Tensor(first, F32, (5, 5), aux_buffers=others, layout=layout)
    assert (tensor.layout, tensor.buffer_count) == (layout, len(sizes))
    assert hurray.Tensor(first, F32, (), aux_buffers=others, layout=layout).shape == ()
    with pytest.raises(hurray.UnsupportedError, match="extension"):
        tensor.tobytes()


# --- buffers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrap",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: np.frombuffer(data, np.uint8),
        lambda data: np.frombuffer(data, np.uint32).reshape(-1, 2),
        lambda data: hurray.Tensor(data, hurray.uint8, (len(data),)),
        lambda data: hurray.Tensor(data, hurray.uint8, (len(data),)).buffer(0),
        lambda data: hurray.Tensor(data, hurray.dtype.int4, (2 * len(data),)),
    ],
)
def test_a_buffer_is_whatever_has_bytes(wrap: Any) -> None:
    """aux_buffers takes what the first buffer takes: every exporter, and tensors of any element type."""
    parts = csr_parts()
    tensor = csr_of(*map(wrap, parts))
    assert contents(tensor) == list(parts)
    assert (tensor.values.tolist(), tensor.row_ptr.tolist()) == ([5, 7], [0, 1, 2])
    generated = hurray.Tensor(
        wrap(parts[0]), F32, (2, 3), aux_buffers=map(wrap, parts[1:]), layout=hurray.CsrLayout(2)
    )
    assert contents(generated) == list(parts)


def test_each_buffer_is_shared_or_copied_by_itself() -> None:
    """For a multi-buffer source the decision MUST be made per buffer; alignment is measured."""
    parts = csr_parts()
    buffers = [placed(parts[0]), aligned(len(parts[1]), 8), placed(parts[2])]
    buffers[1][:] = parts[1]
    tensor = csr_of(*buffers)
    shared = [address(tensor.buffer(at)) == address(buffer) for at, buffer in enumerate(buffers)]
    assert shared == [True, False, True]
    assert [handle.alignment for handle in tensor.buffer_handles] == [
        4096,
        min(address(tensor.buffer(1)) & -address(tensor.buffer(1)), hurray.PAGE_ALIGNMENT),
        4096,
    ]
    assert address(tensor.buffer(1)) % 64 == 0
    buffers[0][0] = 99
    assert tensor.buffer(0).tobytes()[0] == 99


def test_read_only_memory_stays_read_only_buffer_by_buffer() -> None:
    """PEERS: a read-only source never becomes writable, shared or copied."""
    parts = csr_parts()
    for place in (placed, lambda data: memoryview(bytearray(data))):
        tensor = csr_of(place(parts[0]), place(parts[1]).toreadonly(), place(parts[2]))
        assert [tensor.buffer(at).readonly for at in range(3)] == [False, True, False]
        assert not tensor.readonly


def test_empty_buffers_declare_alignment_1() -> None:
    """An empty buffer MUST declare 1."""
    tensor = hurray.Tensor(b"", F32, (2, 2), aux_buffers=[b""], layout=hurray.CooLayout(nnz=0))
    assert [(handle.alignment, handle.is_empty) for handle in tensor.buffer_handles] == [(1, True)] * 2


def test_a_tensor_is_taken_by_its_elements() -> None:
    """A tensor is a buffer of its packed elements, shared; what has none in order is refused."""
    source = hurray.Tensor(placed(bytes(range(24))), F32, (2, 3))
    taken = hurray.Tensor(source, hurray.uint8, (24,))
    assert address(taken) == address(source)
    part = hurray.Tensor(bytes(range(40)), hurray.dtype.int4, (5,))
    assert hurray.Tensor(part, hurray.uint8, (3,)).buffer_handles[0].byte_size == 3
    scaled = hurray.Tensor(bytes(6), I8, (6,), quantization=hurray.PerTensorAffine(0.5, 0))
    cuda = hurray.Tensor(bytes(6), I8, (6,), hurray.Device("cuda"))
    sparse = csr_of(*csr_parts())
    for refused, error, words_ in (
        (source.T, hurray.BufferError, "row-major"),
        (scaled, hurray.UnsupportedError, "quantised"),
        (cuda, hurray.UnsupportedError, "cuda"),
        (sparse, hurray.UnsupportedError, "csr"),
    ):
        with pytest.raises(error, match=words_):
            hurray.Tensor(refused, hurray.uint8, (4,))
        with pytest.raises(error, match=rf"aux_buffers\[0\]: .*{words_}"):
            hurray.Tensor(bytes(8), F32, (2, 2), aux_buffers=[refused], layout=hurray.CooLayout(0))


@pytest.mark.parametrize(
    ("others", "error", "text"),
    [
        (7, TypeError, "aux_buffers is a sequence"),
        (bytearray(16), TypeError, r"aux_buffers is a sequence.*\[buffer\]"),
        (np.zeros((2, 8), np.uint8), TypeError, r"aux_buffers is a sequence.*\[buffer\]"),
        ([bytes(16), "text"], TypeError, r"aux_buffers\[1\]"),
        ([bytes(16), None], TypeError, r"aux_buffers\[1\]"),
        ([memoryview(bytes(48))[::2]], hurray.BufferError, r"aux_buffers\[0\].*contiguous"),
        (itertools.repeat(b""), hurray.InvalidDescriptorError, "254"),
        ([b""] * 255, hurray.InvalidDescriptorError, "254"),
    ],
    ids=["int", "bytearray", "array", "str", "None", "strided", "endless", "many"],
)
def test_aux_buffers_are_buffers(others: Any, error: type[Exception], text: str) -> None:
    """An error says which argument and which item; an iterator without an end ends."""
    with pytest.raises(error, match=text):
        hurray.Tensor(bytes(8), F32, (2, 3), aux_buffers=others, layout=hurray.CsrLayout(nnz=2))


def test_an_error_of_the_iterator_is_its_own() -> None:
    class Broken(Exception):
        pass

    def broken() -> Iterator[bytes]:
        yield bytes(16)
        raise Broken

    with pytest.raises(Broken):
        hurray.Tensor(bytes(8), F32, (2, 3), aux_buffers=broken(), layout=hurray.CsrLayout(nnz=2))


@pytest.mark.parametrize(
    "items",
    [np.array(["x", None], object), np.array([(1, None)], [("a", "i4"), ("b", object)])],
    ids=["object", "field"],
)
def test_addresses_of_objects_are_no_data(items: Any) -> None:
    """PEERS, Values: an array of Python objects holds pointers, which no door may take for numbers."""
    for door in (
        lambda: hurray.Tensor(items, hurray.uint8, [1]),
        lambda: hurray.Tensor(bytes(4), hurray.uint8, [4], aux_buffers=[items]),
        lambda: hurray.Tensor.from_descriptor(hurray.Tensor(bytes(1), hurray.uint8, [1]).descriptor, [items]),
        lambda: hurray.Descriptor.decode(items),
    ):
        with pytest.raises(hurray.UnsupportedError, match="addresses of objects"):
            door()


def test_a_field_that_is_called_like_an_object_is_data() -> None:
    items = np.zeros(2, [("O", "<u2"), ("P", "<u2")])
    assert hurray.Tensor(items, hurray.uint16, [4]).tolist() == [0, 0, 0, 0]


def test_numbers_of_the_other_byte_order_are_refused_and_bytes_are_not() -> None:
    """PEERS, Values: big-endian is converted or refused, never reinterpreted."""
    big = np.array([1, 2], ">i4")
    with pytest.raises(hurray.UnsupportedError, match="big-endian"):
        hurray.Tensor(big, hurray.int32, [2])
    with pytest.raises(hurray.UnsupportedError, match="big-endian"):
        hurray.Tensor(bytes(8), hurray.int32, [2], aux_buffers=[big])
    assert hurray.Tensor(memoryview(big.view("u1")), hurray.int32, [1]).tolist() == [1 << 24]
