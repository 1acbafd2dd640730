"""hurray.CscLayout (layouts.md §8)."""

from __future__ import annotations

from struct import pack
from typing import Any

import core_files
import hurray
import pytest


def test_nnz_is_all_that_it_states() -> None:
    layout = hurray.CscLayout(nnz=4)
    assert layout.nnz == 4
    assert repr(layout) == "CscLayout(nnz=4)"
    assert layout == hurray.CscLayout(4) != hurray.CscLayout(5)
    other: hurray.Layout = hurray.CsrLayout(4)
    assert layout != other


def test_nnz_is_required() -> None:
    """Nnz MUST be a required argument on the sparse layout constructors."""
    with pytest.raises(TypeError, match="nnz"):
        hurray.CscLayout()  # type: ignore[call-arg]


def test_the_wire() -> None:
    """nnz, then eight reserved bytes."""
    blob = core_files.descriptor(3, 8, (3, 3), [8, 16, 32], payload=pack("<QQ", 2, 0))
    assert hurray.Descriptor.decode(blob).layout == hurray.CscLayout(nnz=2)


@pytest.mark.parametrize(
    ("nnz", "error", "words"),
    [
        (None, TypeError, "nnz .* got None"),
        (3.0, TypeError, "nnz .* got float"),
        (-1, OverflowError, "nnz is -1"),
        (2**64, OverflowError, "nnz is 18446744073709551616"),
    ],
)
def test_what_is_no_nnz(nnz: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.CscLayout(nnz)


@pytest.mark.parametrize("shape", [(), (3,), (3, 3, 3), (None,)])
def test_it_has_two_dimensions(shape: tuple[int | None, ...]) -> None:
    """L-25."""
    hurray.CscLayout(0).validate_against_shape([3, None])
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.CscLayout(0).validate_against_shape(shape)
    assert caught.value.code == "L-25"


def test_a_nnz_beyond_memory_and_rows_beyond_memory() -> None:
    """L-29, without a wrap."""
    huge = hurray.CscLayout(2**64 - 1)
    for layout, shape in ((huge, (2, 2)), (hurray.CscLayout(0), (2**64 - 2, 2**64 - 2))):
        with pytest.raises(hurray.BufferError) as caught:
            hurray.Tensor(bytes(8), hurray.float32, shape, aux_buffers=[bytes(8), bytes(24)], layout=layout)
        assert caught.value.code == "L-29"
