"""hurray.asarray: what it takes without any bridge, and what it refuses."""

from __future__ import annotations

import array
import mmap
from typing import Any

import hurray
import pytest


class DlpackOnly:
    """A producer with nothing but the two dunders of DLPack."""

    def __init__(self, tensor: hurray.Tensor) -> None:
        self._tensor = tensor

    def __dlpack__(self, **options: Any) -> Any:
        return self._tensor.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._tensor.__dlpack_device__()


def tensor(*values: float) -> hurray.Tensor:
    return hurray.Tensor(bytearray(array.array("f", values)), hurray.float32, (len(values),))


def test_a_tensor_is_returned_as_it_is() -> None:
    one = tensor(1, 2)
    assert hurray.asarray(one) is one
    assert hurray.asarray(one, copy=False) is one
    assert hurray.asarray(one, dtype=hurray.float32, device=hurray.device.cpu) is one


@pytest.mark.parametrize("dtype", ["float32", "bool", "bfloat16", "int4", "float8_e4m3", "complex128"])
def test_copy_true_copies_a_tensor_of_any_dtype(dtype: str) -> None:
    """The copy-on-ingest MUST: every entry point accepts ``copy``, and True copies."""
    kind = hurray.Dtype.from_name(dtype)
    data = bytearray(i % 251 + 1 for i in range(hurray.buffer_size_bytes(kind, 16)))
    one = hurray.Tensor(data, kind, (4, 4))
    two = hurray.asarray(one, copy=True)
    assert two is not one
    assert (two.dtype, two.shape, two.tobytes()) == (one.dtype, one.shape, one.tobytes())
    memoryview(one.buffer(0))[0] ^= 0x11
    assert two.tobytes() != one.tobytes()
    assert not two.readonly


def test_dlpack_alone_is_enough() -> None:
    """STYLE 7: accept anything with the dunder."""
    one = tensor(1, 2, 3)
    two = hurray.asarray(DlpackOnly(one))
    assert (two.dtype, two.shape, two.tolist()) == (hurray.float32, (3,), [1.0, 2.0, 3.0])
    memoryview(one).cast("B")[:4] = array.array("f", [9.0]).tobytes()
    assert two.tolist() == [9.0, 2.0, 3.0]
    assert hurray.asarray(DlpackOnly(one), copy=True).tolist() == [9.0, 2.0, 3.0]


def test_a_mask_is_not_lost_by_way_of_dlpack() -> None:
    """PEERS: masks are honoured or refused."""

    class Masked(DlpackOnly):
        mask = None

    with pytest.raises(hurray.UnsupportedError, match=r"Masked may have a mask, which would be lost"):
        hurray.asarray(Masked(tensor(1)))


@pytest.mark.parametrize(
    ("obj", "dtype", "shape"),
    [
        (b"abc", "uint8", (3,)),
        (bytearray(b"abc"), "uint8", (3,)),
        (memoryview(b"abcd").cast("B", (2, 2)), "uint8", (2, 2)),
        (array.array("d", [1, 2]), "float64", (2,)),
        (mmap.mmap(-1, 16), "uint8", (16,)),
    ],
)
def test_buffers_are_taken_with_their_own_format_and_shape(
    obj: Any, dtype: str, shape: tuple[int, ...]
) -> None:
    one = hurray.asarray(obj)
    assert (one.dtype.name, one.shape, one.tobytes()) == (dtype, shape, memoryview(obj).tobytes())


def test_copy_false_of_unaligned_memory_is_refused() -> None:
    view = memoryview(bytearray(200))[1:]
    assert hurray.asarray(view).size == 199
    with pytest.raises(hurray.CopyRequiredError, match="align"):
        hurray.asarray(view, copy=False)


@pytest.mark.parametrize("obj", [None, "text", object(), {1: 2}])
def test_what_is_no_array_is_a_type_error_that_says_what_is_missing(obj: Any) -> None:
    with pytest.raises(TypeError, match="is no array: it offers neither __dlpack__ nor the buffer protocol"):
        hurray.asarray(obj)


def test_another_dtype_is_refused_and_nothing_is_cast() -> None:
    with pytest.raises(hurray.UnsupportedError, match=r"bytes holds uint8, not int8, and hurray never casts"):
        hurray.asarray(b"abc", dtype=hurray.int8)
    with pytest.raises(hurray.UnsupportedError, match=r"hurray.Tensor holds float32, not float64"):
        hurray.asarray(tensor(1), dtype=hurray.float64)


def test_another_device_is_refused_and_nothing_moves() -> None:
    assert hurray.asarray(b"abc", device=hurray.device.cpu).device == hurray.device.cpu
    with pytest.raises(
        hurray.UnsupportedError, match=r"bytes is on cpu, not on cuda, and hurray never moves"
    ):
        hurray.asarray(b"abc", device=hurray.device.cuda)
