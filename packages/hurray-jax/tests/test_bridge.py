"""What every bridge must do, done by this one (hurray.testing.BridgeSuite)."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from hurray.testing import BridgeSuite
from jax.experimental.layout import Format, Layout

PLAIN = (
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"),
)
WHOLE = {
    "bfloat16": "bfloat16",
    "float8_e4m3": "float8_e4m3fn",
    "float8_e5m2": "float8_e5m2",
    "float8_e8m0": "float8_e8m0fnu",
}
PACKED = {
    "bool": ("bool", 1),
    "float4_e2m1": ("float4_e2m1fn", 4),
    "int4": ("int4", 4),
    "uint4": ("uint4", 4),
    "int2": ("int2", 2),
    "uint2": ("uint2", 2),
}


class TestJaxBridge(BridgeSuite):
    name = "jax"
    dtypes = (*PLAIN, *WHOLE, *PACKED)
    copied = frozenset(PACKED)
    options: ClassVar[dict[str, Any]] = {}

    def make(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Any:
        if dtype in PACKED:
            name, width = PACKED[dtype]
            bits = np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little")[: prod(shape) * width]
            codes = (bits.reshape(-1, width) * (1 << np.arange(width, dtype=np.uint8))).sum(1, dtype=np.uint8)
            if name in ("int4", "int2"):  # ml_dtypes extends the sign
                codes = np.where(codes >> (width - 1), codes | (256 - (1 << width)), codes).astype(np.uint8)
            kind = np.dtype(np.bool_) if name == "bool" else np.dtype(getattr(ml_dtypes, name))
            return jnp.array(codes.view(kind).reshape(shape), copy=True)
        kind = np.dtype(getattr(ml_dtypes, WHOLE[dtype]) if dtype in WHOLE else dtype)
        return jnp.array(np.frombuffer(data, np.uint8).view(kind).reshape(shape), copy=True)

    def data_of(self, obj: Any) -> bytes:
        array = np.asarray(obj)
        width = dict(PACKED.values()).get(str(obj.dtype), 8)
        if width == 8:
            return array.tobytes()
        codes = np.frombuffer(array.tobytes(), np.uint8)
        bits = (codes[:, None] >> np.arange(width, dtype=np.uint8)) & 1
        return np.packbits(bits.reshape(-1), bitorder="little").tobytes()

    def addresses(self, obj: Any) -> tuple[int, ...]:
        return (obj.unsafe_buffer_pointer(),)

    def read_only(self, obj: Any) -> Any:
        return obj

    def writable(self, obj: Any) -> bool:
        return False

    def views(self) -> Iterator[tuple[str, Any]]:
        array = jnp.arange(24.0).reshape(2, 3, 4)
        yield "transposed", array.T
        yield "sliced", array[:, ::2]
        for order in ((2, 1, 0), (1, 2, 0)):
            yield f"laid out {order}", jax.device_put(array, Format(Layout(order), array.sharding))
