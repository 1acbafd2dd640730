"""The NumPy bridge through the suite that every bridge must pass."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, ClassVar

import ml_dtypes
import numpy as np
from hurray.testing import BridgeSuite

Array = np.ndarray[Any, Any]

# The types of NumPy, of ml_dtypes with a whole byte and more, and of ml_dtypes with a byte for less.
NATIVE = (
    *("float16", "float32", "float64", "complex64", "complex128", "bool"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
WHOLE = {
    "bfloat16": "bfloat16",
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float8_e8m0": "float8_e8m0fnu",
}
PACKED = {
    "float4_e2m1": ("float4_e2m1fn", 4),
    "float6_e2m3": ("float6_e2m3fn", 6),
    "float6_e3m2": ("float6_e3m2fn", 6),
    "int4": ("int4", 4),
    "uint4": ("uint4", 4),
    "int2": ("int2", 2),
    "uint2": ("uint2", 2),
}
SIGNED = {"int4", "int2"}


def placed(data: bytes, shift: int = 0) -> Array:
    """The bytes in writable memory that begins ``shift`` bytes past a multiple of 64."""
    store = np.zeros(len(data) + 128, np.uint8)
    start = (shift - store.__array_interface__["data"][0]) % 64
    store[start : start + len(data)] = np.frombuffer(data, np.uint8)
    return store[start : start + len(data)]


def bits_of(data: bytes, width: int, count: int) -> Array:
    """The elements of ``width`` bits, one a byte, least significant bits first: bit by bit, as the format says."""
    bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: count * width]
    weights = 1 << np.arange(width, dtype=np.uint8)
    codes: Array = (bits.reshape(count, width) * weights).sum(1, dtype=np.uint8)
    return codes


class TestNumpyBridge(BridgeSuite):
    name = "numpy"
    dtypes = (*NATIVE, *WHOLE, *PACKED)
    copied = frozenset({"bool", *PACKED})
    options: ClassVar[dict[str, Any]] = {"ml_dtypes": True}

    def make(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Array:
        return self.at(dtype, shape, data, 0)

    def at(self, dtype: str, shape: tuple[int, ...], data: bytes, shift: int) -> Array:
        count = prod(shape)
        if dtype == "bool":
            return placed(bits_of(data, 1, count).tobytes(), shift).view(np.bool_).reshape(shape)
        if dtype in PACKED:
            name, width = PACKED[dtype]
            codes = bits_of(data, width, count)
            if dtype in SIGNED:  # ml_dtypes extends the sign
                codes = np.where(codes >> (width - 1), codes | (256 - (1 << width)), codes).astype(np.uint8)
            small: Array = placed(codes.tobytes(), shift).view(getattr(ml_dtypes, name)).reshape(shape)
            return small
        kind = getattr(ml_dtypes, WHOLE[dtype]) if dtype in WHOLE else np.dtype(dtype)
        array: Array = placed(data, shift).view(kind).reshape(shape)
        return array

    def data_of(self, obj: Array) -> bytes:
        codes = np.frombuffer(obj.tobytes(), np.uint8)
        name = obj.dtype.name
        width = 1 if name == "bool" else dict(PACKED.values()).get(name, 8)
        if width == 8:
            return obj.astype(obj.dtype.newbyteorder("=")).tobytes()
        bits = (codes[:, None] >> np.arange(width, dtype=np.uint8)) & 1
        group = 24 if width == 6 else 8
        padded = np.zeros(-(-bits.size // group) * group, np.uint8)
        padded[: bits.size] = bits.reshape(-1)
        return np.packbits(padded, bitorder="little").tobytes()

    def addresses(self, obj: Array) -> tuple[int, ...]:
        return (obj.__array_interface__["data"][0],)

    def read_only(self, obj: Array) -> Array:
        obj.setflags(write=False)
        return obj

    def writable(self, obj: Array) -> bool:
        return bool(obj.flags.writeable)

    def misaligned(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Array:
        return self.at(dtype, shape, data, 32)

    def views(self) -> Iterator[tuple[str, Array]]:
        array = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        yield "transposed", array.T
        yield "Fortran", np.asfortranarray(array)
        yield "stepped", array[::2, 1:, ::-1]
        yield "broadcast", np.broadcast_to(array[:, :1], (3, 4, 5))
        yield "packed and stepped", (array > 30)[:, ::3]
        yield "big-endian", array.astype(">f4")
