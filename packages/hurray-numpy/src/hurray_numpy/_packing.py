"""Sub-byte elements between one a byte, as ml_dtypes has them, and packed (format: element-types.md §3).

Least-significant bits first. All arrays are one-dimensional uint8; unused bits of the last byte are 0.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

__all__ = ["pack", "unpack"]

Codes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"


def pack(codes: Codes, bits: int, out: Codes) -> None:
    """Pack ``codes`` (N,), whose bits above ``bits`` are ignored, into ``out``; ``bits`` is 2, 4 or 6."""
    group = 4 if bits == 6 else 8 // bits
    padded = np.zeros((-(-codes.size // group), group), np.uint8)
    np.bitwise_and(codes, (1 << bits) - 1, out=padded.reshape(-1)[: codes.size])
    if bits == 6:
        _pack_six(padded, out.reshape(-1, 3))
        return
    out[:] = padded[:, 0]
    for place in range(1, group):
        out |= padded[:, place] << np.uint8(bits * place)


def unpack(packed: Codes, bits: int, count: int) -> Codes:
    """The ``count`` codes in ``packed``, one a byte, upper bits 0; ``bits`` is 2, 4 or 6."""
    if bits == 6:
        return _unpack_six(packed.reshape(-1, 3))[:count]
    places = np.arange(0, 8, bits, dtype=np.uint8)
    codes = packed[:, None] >> places
    codes &= (1 << bits) - 1
    return codes.reshape(-1)[:count]


def _pack_six(codes: Codes, out: Codes) -> None:
    """Groups of four codes (G, 4) into three bytes (G, 3)."""
    e0, e1, e2, e3 = codes.T
    out[:, 0] = e0 | e1 << 6
    out[:, 1] = e1 >> 2 | e2 << 4
    out[:, 2] = e2 >> 4 | e3 << 2


def _unpack_six(packed: Codes) -> Codes:
    """Three bytes (G, 3) into groups of four codes, flat."""
    b0, b1, b2 = packed.T
    codes = np.empty((len(packed), 4), np.uint8)
    codes[:, 0] = b0 & 63
    codes[:, 1] = b0 >> 6 | (b1 & 15) << 2
    codes[:, 2] = b1 >> 4 | (b2 & 3) << 4
    codes[:, 3] = b2 >> 2
    return codes.reshape(-1)
