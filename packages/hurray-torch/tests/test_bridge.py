"""What every bridge must do, done by this one (hurray.testing.BridgeSuite)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, ClassVar

import torch
from hurray.testing import BridgeSuite

SMALL = {"float8_e4m3": "float8_e4m3fn", "float8_e5m2": "float8_e5m2"}


class TestTorchBridge(BridgeSuite):
    """float8_e8m0 and float4 have rules of their own, and tests in test_small.py."""

    name = "torch"
    dtypes = (
        *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
        *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
        *(*SMALL, "bool", "float8_e8m0", "float4_e2m1"),
    )
    # The last dimension is even: PyTorch's float4 has two elements a byte. Scalars are in test_strides.py.
    shapes: ClassVar[tuple[tuple[int, ...], ...]] = ((2,), (1, 6), (3, 4), (2, 3, 4), (64, 64))
    empty_shapes: ClassVar[tuple[tuple[int, ...], ...]] = ((0,), (0, 4), (3, 0))
    copied = frozenset({"bool"})
    options: ClassVar[dict[str, Any]] = {}

    def make(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Any:
        count = 1
        for size in shape:
            count *= size
        if dtype == "bool":
            bits = [data[at // 8] >> at % 8 & 1 for at in range(count)]
            return torch.tensor(bits, dtype=torch.bool).reshape(shape)
        names = {**SMALL, "float8_e8m0": "float8_e8m0fnu", "float4_e2m1": "float4_e2m1fn_x2"}
        memory = torch.empty(len(data), dtype=torch.uint8)
        if data:
            memory[:] = torch.frombuffer(bytearray(data), dtype=torch.uint8)
        if dtype == "float4_e2m1":
            shape = (*shape[:-1], shape[-1] // 2)
        return memory.view(getattr(torch, names.get(dtype, dtype))).reshape(shape)

    def data_of(self, obj: Any) -> bytes:
        if obj.dtype is torch.bool:
            packed = bytearray(-(-obj.numel() // 8))
            for at, bit in enumerate(obj.flatten().tolist()):
                packed[at // 8] |= bit << at % 8
            return bytes(packed)
        plain = obj if obj.is_contiguous() else obj.contiguous()
        return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size())

    def addresses(self, obj: Any) -> tuple[int, ...]:
        return (obj.data_ptr(),)

    def views(self) -> Iterable[tuple[str, Any]]:
        base = torch.arange(120.0).reshape(2, 3, 4, 5)
        yield "channels last", base.to(memory_format=torch.channels_last)
        yield "transposed", base[0, 0].t()
        yield "sliced", base[:, 1:, ::2, 1:]
        yield "expanded", torch.arange(3.0).expand(4, 3)
