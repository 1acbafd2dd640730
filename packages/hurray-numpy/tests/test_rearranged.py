"""Tiled, Morton and Hilbert tensors as arrays (requirements: NumPy Interoperability).

A copy is acceptable for layouts that NumPy cannot represent natively.
"""

from __future__ import annotations

from struct import pack
from typing import Any

import hurray
import ml_dtypes
import numpy as np
import pytest

TILED = (4, pack("<QQBBH", 2, 4, 1, 1, 0))
MORTON = (5, pack("<II", 2, 3))
HILBERT = (0x40, pack("<II", 2, 2))


def tensor(
    layout: tuple[int, bytes], dtype: hurray.Dtype, shape: tuple[int, int], data: bytes
) -> hurray.Tensor:
    """A tensor by its descriptor's bytes (format: descriptor.md)."""
    tag, payload = layout
    body = pack("<BBI2QQ", dtype.tag, tag, 2, *shape, 0) + payload
    body += pack("<BQIBBBB", 1, len(data), 64 if data else 1, 0, 0, 0, 0)
    encoded = b"HRRY\1\0" + pack("<II", 14 + len(body), 0) + body
    return hurray.Tensor.from_descriptor(hurray.Descriptor.decode(encoded), [data])


def numbers(count: int, dtype: Any) -> bytes:
    return np.arange(count).astype(dtype).tobytes()


# The index of each stored element, by layouts.md §4: shape [3, 6], tile [2, 4], grid [2, 2].
PLACES = np.array([[8 * (2 * (i // 2) + j // 4) + 4 * (i % 2) + j % 4 for j in range(6)] for i in range(3)])
NATIVE = ["float16", "float32", "float64", "complex64", "complex128", "int8", "uint16", "int64", "uint64"]


@pytest.mark.parametrize("name", NATIVE)
def test_tiles_become_an_array_of_their_own(name: str) -> None:
    one = tensor(TILED, getattr(hurray.dtype, name), (3, 6), numbers(32, name))
    array = np.asarray(one)
    assert array.dtype == np.dtype(name)
    assert (array == PLACES.astype(name)).all()
    assert array.flags.c_contiguous
    assert array.flags.writeable
    before = one.tobytes()
    array[:] = 0
    assert one.tobytes() == before


def test_curves() -> None:
    """layouts.md §5 and §6: the places that their formulas give."""
    morton = np.array([[sum((i >> b & 1) << 2 * b for b in range(2)) for i in range(4)]]).T
    morton = morton + np.array([sum((j >> b & 1) << 2 * b + 1 for b in range(3)) for j in range(8)])
    one = tensor(MORTON, hurray.int16, (4, 8), numbers(64, np.int16))
    assert (np.asarray(one) == morton).all()
    curve = [(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (0, 3), (1, 3), (1, 2)]
    curve += [(2, 2), (2, 3), (3, 3), (3, 2), (3, 1), (2, 1), (2, 0), (3, 0)]
    array = np.asarray(tensor(HILBERT, hurray.int16, (4, 4), numbers(16, np.int16)))
    assert [array[place] for place in curve] == list(range(16))


def test_copy_is_honoured() -> None:
    """copy=False shares or raises, at every door."""
    one = tensor(TILED, hurray.float32, (3, 6), numbers(32, np.float32))
    with pytest.raises(hurray.CopyRequiredError, match=r"tiles.*copy=False"):
        np.asarray(one, copy=False)
    with pytest.raises(hurray.CopyRequiredError):
        one.to("numpy", copy=False)
    assert np.array(one, copy=True).tolist() == PLACES.tolist()
    cast = np.asarray(one, np.int8)
    assert cast.dtype == np.int8
    assert cast.tolist() == PLACES.tolist()


def test_bool_is_unpacked() -> None:
    bits = np.arange(32) % 3 == 0
    one = tensor(TILED, hurray.bool, (3, 6), np.packbits(bits, bitorder="little").tobytes())
    assert np.asarray(one).dtype == np.bool_
    assert (np.asarray(one) == bits[PLACES]).all()


def test_small_types_by_ml_dtypes() -> None:
    one = tensor(TILED, hurray.bfloat16, (3, 6), numbers(32, ml_dtypes.bfloat16))
    assert np.asarray(one).dtype == ml_dtypes.bfloat16
    assert (np.asarray(one).astype(int) == PLACES).all()
    eight = tensor(TILED, hurray.dtype.float8_e4m3, (3, 6), bytes(range(32)))
    array = eight.to("numpy", ml_dtypes=True)
    assert (array.view(np.uint8) == PLACES).all()
    with pytest.raises(hurray.UnsupportedError, match="float8_e4m3"):
        np.asarray(eight)
    codes = np.arange(32, dtype=np.uint8) % 16
    four = tensor(TILED, hurray.dtype.uint4, (3, 6), (codes[::2] | codes[1::2] << 4).tobytes())
    assert (four.to("numpy", ml_dtypes=True).astype(int) == codes[PLACES]).all()


@pytest.mark.parametrize("name", ["float32", "bool", "bfloat16"])
def test_empty(name: str) -> None:
    one = tensor(TILED, getattr(hurray.dtype, name), (0, 6), b"")
    assert np.asarray(one).shape == (0, 6)
