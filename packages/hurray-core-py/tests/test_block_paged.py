"""hurray.BlockPagedLayout (layouts.md §10); its index buffers are in test_paging.py."""

from __future__ import annotations

from struct import pack
from typing import Any

import core_files
import hurray
import pytest

PAGED: dict[str, Any] = {"page_size": 16, "num_pages": 64, "paged_axis": 0, "num_seqs": 2}


def test_the_fields_and_their_defaults() -> None:
    layout = hurray.BlockPagedLayout(16, 64, 0, 2)
    assert (layout.page_size, layout.num_pages, layout.paged_axis, layout.num_seqs) == (16, 64, 0, 2)
    assert (layout.kv_role, layout.layer_index, layout.block_table_index_type) == ("key", None, "uint32")
    assert layout.buffer_count == 3
    other = hurray.BlockPagedLayout(**PAGED, kv_role="fused", layer_index=3, block_table_index_type="uint64")
    assert (other.kv_role, other.layer_index, other.block_table_index_type) == ("fused", 3, "uint64")
    assert repr(other) == (
        "BlockPagedLayout(page_size=16, num_pages=64, paged_axis=0, num_seqs=2, kv_role='fused', "
        "layer_index=3, block_table_index_type='uint64')"
    )


def test_every_field_counts() -> None:
    """Layout objects MUST compare by value."""
    changes: list[dict[str, Any]] = [
        {"page_size": 17},
        {"num_pages": 65},
        {"num_seqs": 3},
        {"kv_role": "value"},
        {"layer_index": 0},
        {"block_table_index_type": "uint64"},
    ]
    layouts = {hurray.BlockPagedLayout(**{**PAGED, **change}) for change in [{}, *changes]}
    assert len(layouts) == len(changes) + 1


@pytest.mark.parametrize(("role", "name"), list(enumerate(("key", "value", "fused"))))
@pytest.mark.parametrize(("index", "width"), list(enumerate(("uint32", "uint64"))))
@pytest.mark.parametrize("layer", [None, 0, 2**32 - 2])
def test_the_wire(role: int, name: Any, index: int, width: Any, layer: int | None) -> None:
    """04-tables.md §2: the enumerations are lowercase strings; no layer is all ones on the wire."""
    number = 2**32 - 1 if layer is None else layer
    payload = pack("<IQIIBIB6x", 16, 64, 0, 2, role, number, index)
    blob = core_files.descriptor(1, 10, (0, 1, 1), [0, 0, 24], payload=payload)
    decoded = hurray.Descriptor.decode(blob)
    assert decoded.layout == hurray.BlockPagedLayout(16, 64, 0, 2, name, layer, width)
    assert decoded.encode() == blob


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        ({"page_size": 0}, "L-35", ("page_size is 0",)),
        ({"paged_axis": 1}, "L-35", ("paged_axis is 1", "axis 0")),
        ({"kv_role": "Key"}, None, ("kv_role", "'Key'", "'key', 'value', 'fused'")),
        ({"block_table_index_type": "int32"}, None, ("block_table_index_type", "'int32'", "'uint64'")),
        ({"layer_index": 2**32 - 1}, None, ("layer_index", "None")),
    ],
)
def test_what_no_cache_says(change: dict[str, Any], code: str | None, words: tuple[str, ...]) -> None:
    """L-35 and L-36."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.BlockPagedLayout(**{**PAGED, **change})
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("name", ["page_size", "num_pages", "paged_axis", "num_seqs", "layer_index"])
@pytest.mark.parametrize(("value", "error"), [("1", TypeError), (-1, OverflowError), (2**64, OverflowError)])
def test_what_is_no_number(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=name):
        hurray.BlockPagedLayout(**{**PAGED, name: value})


@pytest.mark.parametrize("name", ["kv_role", "block_table_index_type"])
def test_what_is_no_word(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name} is one of the strings"):
        hurray.BlockPagedLayout(**{**PAGED, name: 0})


@pytest.mark.parametrize("shape", [(), (4, 4), (4, 4, 4, 4)])
def test_it_has_three_dimensions(shape: tuple[int, ...]) -> None:
    """L-34."""
    layout = hurray.BlockPagedLayout(**PAGED)
    layout.validate_against_shape((None, 2, 8))
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    assert caught.value.code == "L-34"


def test_a_pool_beyond_memory() -> None:
    """L-39, without a wrap."""
    layout = hurray.BlockPagedLayout(2**32 - 1, 2**64 - 1, 0, 1)
    with pytest.raises(hurray.BufferError) as caught:
        hurray.Tensor(
            bytes(64), hurray.float32, (1, 2**62, 2**62), aux_buffers=[bytes(8), bytes(8)], layout=layout
        )
    assert caught.value.code == "L-39"


SCHEMES: list[tuple[Any, str | None]] = [
    (hurray.PerTensorAffine(0.5, 3), None),
    (hurray.PerChannelAffine.symmetric(0, 3), "L-40"),
    (hurray.PerChannelAffine.symmetric(1, 3), None),
    (hurray.PerChannelAffine.asymmetric(2, 3, 4), None),
    (hurray.PerChannelAffine.symmetric(3, 3), "Q-8"),
    (hurray.PerBlockAffine.symmetric(0, 32, 3, hurray.float16), None),
    (hurray.PerBlockAffine.symmetric(0, 64, 3, hurray.float16), "L-40"),
    (hurray.PerBlockAffine.symmetric(1, 32, 3, hurray.float16), "L-40"),
    (hurray.NF4(0, 64, 3), None),
    (hurray.NF4(7, 64, 3), "Q-8"),
    (hurray.MXFP(2, 32, 3), None),
]


@pytest.mark.parametrize(("scheme", "code"), SCHEMES, ids=str)
def test_the_scheme_and_the_paging_go_together(scheme: Any, code: str | None) -> None:
    """validate_quantization_compatibility MUST take the quantization descriptor object."""
    layout = hurray.BlockPagedLayout(32, 64, 0, 2)
    if code is None:
        layout.validate_quantization_compatibility(scheme)
        layout.validate_quantization_compatibility(quantization=scheme)
        return
    with pytest.raises(hurray.InvalidDescriptorError, match="quantization") as caught:
        layout.validate_quantization_compatibility(scheme)
    assert caught.value.code == code
    # The same rule by the constructor's door.
    with pytest.raises(hurray.InvalidDescriptorError) as refused:
        hurray.Tensor(
            bytes(64),
            hurray.int8 if not isinstance(scheme, hurray.NF4) else hurray.dtype.int4,
            (64, 64, 64),
            aux_buffers=[bytes(8)] * 4,
            layout=layout,
            quantization=scheme,
        )
    assert refused.value.code in (code, "Q-7")


@pytest.mark.parametrize("scheme", [3, "per_channel", None, hurray.RowMajorLayout()])
def test_a_scheme_is_a_scheme_object(scheme: Any) -> None:
    with pytest.raises(TypeError):
        hurray.BlockPagedLayout(**PAGED).validate_quantization_compatibility(scheme)
