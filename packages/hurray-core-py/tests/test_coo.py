"""hurray.CooLayout (layouts.md §7)."""

from __future__ import annotations

from struct import pack
from typing import Any

import core_files
import hurray
import pytest


def test_nnz_and_is_sorted() -> None:
    layout = hurray.CooLayout(7)
    assert (layout.nnz, layout.is_sorted) == (7, False)
    layout = hurray.CooLayout(nnz=7, is_sorted=True)
    assert (layout.nnz, layout.is_sorted) == (7, True)
    assert layout == hurray.CooLayout(7, True) != hurray.CooLayout(7)
    assert repr(layout) == "CooLayout(nnz=7, is_sorted=True)"


def test_nnz_is_required() -> None:
    """Nnz MUST be a required argument on the sparse layout constructors."""
    with pytest.raises(TypeError, match="nnz"):
        hurray.CooLayout()  # type: ignore[call-arg]


def test_the_wire_has_the_examples_bytes() -> None:
    """layouts.md §15: coo nnz 3 unsorted."""
    payload = bytes.fromhex("03 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00")
    blob = core_files.descriptor(3, 6, (4, 4), [12, 48], payload=payload)
    assert hurray.Descriptor.decode(blob).layout == hurray.CooLayout(nnz=3)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((None,), TypeError, "nnz .* got None"),
        (("3",), TypeError, "nnz .* got str"),
        ((3.0,), TypeError, "nnz .* got float"),
        ((-1,), OverflowError, "nnz is -1"),
        ((2**64,), OverflowError, "nnz is 18446744073709551616"),
        ((1, 1), TypeError, "is_sorted .* got int"),
        ((1, "yes"), TypeError, "is_sorted .* got str"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.CooLayout(*arguments)


def test_a_number_that_python_does_not_print(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(OverflowError, match="nnz is too long to print"):
        hurray.CooLayout(10**5000)
    assert capfd.readouterr().err == ""


def test_what_a_number_raises_is_not_renamed() -> None:
    class Interrupted:
        def __index__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hurray.CooLayout(Interrupted())


def test_a_scalar_is_not_sparse() -> None:
    """L-6."""
    hurray.CooLayout(0).validate_against_shape([3])
    hurray.CooLayout(0).validate_against_shape([None] * 64)
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.CooLayout(0).validate_against_shape([])
    assert caught.value.code == "L-6"


def test_the_declaration_is_neither_corrected_nor_accepted() -> None:
    """CooLayout(nnz=4) supplied with a two-element values buffer MUST raise."""
    with pytest.raises(
        hurray.BufferError, match=r"buffer 0 \(values\) is 8 bytes.*coo.*at least 16"
    ) as caught:
        hurray.Tensor(
            pack("2f", 5.0, 7.0),
            hurray.float32,
            [2, 2],
            aux_buffers=[pack("8Q", *range(8))],
            layout=hurray.CooLayout(nnz=4),
        )
    assert caught.value.code == "L-29"


def test_more_elements_than_any_memory_has() -> None:
    """Nnz beyond memory: refused by the sizes, without a wrap."""
    layout = hurray.CooLayout(2**64 - 1)
    layout.validate_against_shape([2, 2])
    with pytest.raises(hurray.BufferError) as caught:
        hurray.Tensor(bytes(8), hurray.float32, [2, 2], aux_buffers=[bytes(8)], layout=layout)
    assert caught.value.code == "L-29"
