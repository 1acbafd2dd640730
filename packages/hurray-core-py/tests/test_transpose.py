"""Tensor.T (04-tables.md §2: for rank 2, a transposed view without a copy; §3, ruling 10)."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import prod
from typing import Any

import hurray
import pytest
from core_memory import address
from core_strategies import Plan, plans, tiled
from core_tensors import by_channel, contents, coo, csc, csr, floats, placed
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("layout", "turned"),
    [
        (hurray.RowMajorLayout(), hurray.ColMajorLayout()),
        (hurray.ColMajorLayout(), hurray.RowMajorLayout()),
        (hurray.StridedLayout((7, 2)), hurray.StridedLayout((2, 7))),
        (hurray.TiledLayout((2, 3)), hurray.TiledLayout((3, 2), "col_major", "col_major")),
        (
            hurray.TiledLayout((2, 4), "strided", "strided", (5, 1), (4, 1)),
            hurray.TiledLayout((4, 2), "strided", "strided", (1, 5), (1, 4)),
        ),
    ],
    ids=str,
)
def test_the_layout_says_the_same_elements(layout: hurray.Layout, turned: hurray.Layout) -> None:
    """Dense layouts turn at every level; the buffer is the same."""
    tensor = hurray.Tensor(placed(floats(*range(200))), hurray.float32, (3, 4), layout=layout)
    view = tensor.T
    assert (view.layout, view.shape) == (turned, (4, 3))
    assert address(view.buffer(0)) == address(tensor.buffer(0))
    rows = tensor.tolist()
    assert view.tolist() == [[row[at] for row in rows] for at in range(4)]
    assert view.T.descriptor == tensor.descriptor


@settings(max_examples=80, deadline=None)
@given(tiled())
def test_nested_tiles_turn_at_every_level(plan: Plan) -> None:
    """Offset: o = T * outer(t) + inner(e), each under swapped axes, down to eight levels."""
    if len(plan.shape) != 2:
        return
    plan.dtype = hurray.uint16
    plan.data = b"".join(at.to_bytes(2, "little") for at in range(plan.stored))
    tensor = plan.build()
    rows, columns = tensor.tolist(), tensor.T.tolist()
    height, width = map(int, plan.shape)  # type: ignore[arg-type]
    assert columns == [[rows[at][to] for at in range(height)] for to in range(width)]


def test_csr_is_the_csc_of_the_transpose() -> None:
    """layouts.md §8: csc of A equals csr of the transpose, buffer for buffer."""
    rows = csr()
    view = rows.T
    assert (view.layout, view.shape, view.nnz) == (hurray.CscLayout(nnz=2), (3, 2), 2)
    assert (view.row_indices.tolist(), view.col_ptr.tolist()) == ([0, 2], [0, 1, 2])
    assert [address(view.buffer(at)) for at in range(3)] == [address(rows.buffer(at)) for at in range(3)]
    assert csc().T.layout == hurray.CsrLayout(nnz=2)
    assert csc().T.T.descriptor.layout == hurray.CscLayout(nnz=2)


def test_the_axis_of_a_quantization_moves_along() -> None:
    """A scale stays with its row or column; blocks keep their order at rank 2 (quantization.md §3)."""
    view = by_channel().T
    assert view.quantization == hurray.PerChannelAffine.symmetric(1, 1)
    assert contents(view) == contents(by_channel())
    assert view.T.quantization == by_channel().quantization
    blocks = hurray.Tensor(
        bytes(32),
        hurray.int8,
        (2, 16),
        aux_buffers=[bytes(16)],
        quantization=hurray.PerBlockAffine.symmetric(1, 4, 1, hurray.float16),
    )
    assert blocks.T.quantization == hurray.PerBlockAffine.symmetric(0, 4, 1, hurray.float16)
    one = hurray.Tensor(bytes(6), hurray.int8, (2, 3), quantization=hurray.PerTensorAffine(0.5, 1))
    assert one.T.quantization == one.quantization
    for codes in (view, blocks.T, one.T):
        with pytest.raises(hurray.UnsupportedError, match="quantised"):
            codes.tolist()


def test_sections_turn_too() -> None:
    """A shard's axes swap; N:M sparsity along rows says nothing of columns."""
    tensor = hurray.Tensor(
        bytes(24),
        hurray.float32,
        (2, 3),
        shard=hurray.Shard((8, 9), (1, 2)),
        statistics=hurray.Statistics(nnz=6, nm_n=2, nm_m=4),
    )
    assert tensor.T.shard == hurray.Shard((9, 8), (2, 1))
    assert tensor.T.statistics == hurray.Statistics(nnz=6)


NO_VIEW: dict[str, Callable[[], hurray.Tensor]] = {
    "coo": coo,
    "morton": lambda: hurray.Tensor(bytes(64), hurray.float32, (4, 4), layout=hurray.MortonLayout((2, 2))),
    "hilbert": lambda: hurray.Tensor(bytes(64), hurray.float32, (4, 4), layout=hurray.HilbertLayout(2, 2)),
    "extension": lambda: hurray.Tensor(
        bytes(64), hurray.float32, (4, 4), layout=hurray.PrivateExtensionLayout(0xF0, 1)
    ),
}


@pytest.mark.parametrize("kind", NO_VIEW)
def test_what_would_move_elements_is_refused(kind: str) -> None:
    """A view moves nothing: the refusal names the layout, and hasattr and getmembers work."""
    tensor = NO_VIEW[kind]()
    with pytest.raises(hurray.ViewError, match=kind):
        _ = tensor.T
    # 04-tables §2: for rank 2 a transposed view, otherwise ValueError.
    assert issubclass(hurray.ViewError, ValueError)
    assert not hasattr(tensor, "T")
    assert "T" not in dict(inspect.getmembers(tensor))


@pytest.mark.parametrize("shape", [(), (4,), (2, 2, 2)], ids=str)
def test_another_rank_is_a_value_error(shape: Any) -> None:
    """Ruling 10: an exception that is both a ValueError and an AttributeError."""
    tensor = hurray.Tensor(bytes(4 * prod(shape)), hurray.float32, shape)
    with pytest.raises(hurray.RankError, match=f"rank {len(shape)}") as caught:
        _ = tensor.T
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, AttributeError)


@settings(max_examples=150, deadline=None)
@given(plans(), st.booleans())
def test_the_view_is_a_tensor_like_any(plan: Plan, twice: bool) -> None:
    """Whatever has a T: its descriptor is one that every door lets in, and turning again gives the first back."""
    tensor = plan.build()
    if not hasattr(tensor, "T"):
        return
    view = tensor.T.T if twice else tensor.T
    assert hurray.Tensor.from_descriptor(view.descriptor, contents(tensor)).shape == view.shape
    if twice and tensor.statistics == view.statistics:
        assert view.descriptor == tensor.descriptor
