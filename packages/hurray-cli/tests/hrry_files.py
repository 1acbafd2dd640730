""".hrry files byte by byte (format: file.md, descriptor.md), for what the core writes no file with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from struct import pack

ALIGNMENT = 4096
FLOAT32, INT4 = 0x03, 0x48
SPARSE = range(6, 11)
QUANTIZATION, SHARD, EXTENSION, STATISTICS, MEMBER = 1, 2, 4, 8, 16


def descriptor(
    dtype: int,
    layout: int,
    shape: Sequence[int],
    buffers: Sequence[int],
    *,
    payload: bytes = b"",
    sections: bytes = b"",
    flags: int = 0,
    byte_offset: int = 0,
    device: int = 0,
) -> bytes:
    """A descriptor; ``buffers`` are their sizes, ``sections`` the optional sections as they are."""
    body = pack("<BBI", dtype, layout, len(shape)) + b"".join(pack("<Q", size) for size in shape)
    body += pack("<Q", byte_offset) + payload + pack("<B", len(buffers))
    body += b"".join(pack("<QIBBBB", size, 64 if size else 1, device, 0, 0, 0) for size in buffers)
    body += sections
    return b"HRRY\x01\x00" + pack("<II", 14 + len(body), flags) + body


def statistics() -> bytes:
    """A statistics section that knows the range."""
    return pack("<IIQddddddBBBBI", 4, 0, 0, 0.0, -1.0, 2.5, 2.5, 0.0, 0.0, 0, 0, 0, 0, 0)


def per_block(axis: int, block: int) -> bytes:
    """A quantization section: per-block affine, symmetric, float16 scales in buffer 1."""
    return pack("<I", 24) + pack("<BBHIIIIB3x", 3, 1, 1, axis, block, 1, 0xFFFFFFFF, 1)


# One descriptor of each kind that the first release has no class for, with buffers of zeros that fit.
SPECIAL = {
    "quantised": descriptor(INT4, 1, (128, 128), (8192, 256), sections=per_block(1, 128), flags=QUANTIZATION),
    "csr": descriptor(FLOAT32, 7, (3, 3), (0, 0, 32), payload=pack("<QQ", 0, 0)),
    "morton": descriptor(FLOAT32, 5, (4, 4), (64,), payload=pack("<II", 2, 2)),
    "tiled": descriptor(FLOAT32, 4, (4, 4), (64,), payload=pack("<QQBBH", 2, 2, 1, 1, 0)),
    "hilbert": descriptor(FLOAT32, 0x40, (4, 4), (64,), payload=pack("<II", 2, 2)),
    "group": descriptor(FLOAT32, 11, (1,), (), payload=pack("<BBHI", 3, 0, 0, 0)),
}
SHARDED = descriptor(FLOAT32, 1, (8, 4), (128,), sections=pack("<QQQQ", 8, 8, 0, 4), flags=SHARD)
MEASURED = descriptor(FLOAT32, 1, (8, 4), (128,), sections=statistics(), flags=STATISTICS)
ON_CUDA = descriptor(FLOAT32, 1, (8, 4), (128,), device=1)


def container(tensors: Iterable[tuple[str, bytes, Sequence[int] | bytes]], kv: bytes = b"") -> bytes:
    """A file of (name, descriptor, buffers).

    Buffers are given by their sizes, and filled with ones (sparse layouts: zeros), or as the bytes of one.
    """
    out = bytearray(
        b"HRRYFILE\x01\x00" + pack("<HIIQQ", 0, 4 | bool(kv), ALIGNMENT, 64, 2**64 - 1) + bytes(28)
    )
    entries = []
    for name, blob, sizes in tensors:
        _pad(out, 8)
        start = len(out)
        out += blob
        if sizes:
            _pad(out, ALIGNMENT)
        data = len(out)
        if isinstance(sizes, bytes):
            out += sizes
        else:
            for k, size in enumerate(sizes):
                if k:
                    _pad(out, ALIGNMENT)
                out += (b"\0" if blob[15] in SPARSE else b"\1") * size
        entries.append((name.encode(), start, len(blob), data, len(out) - data))
    _pad(out, 8)
    kv_place = (len(out), len(kv)) if kv else (0, 0)
    out += kv
    _pad(out, 8)
    index = pack("<Q", len(entries))
    for encoded, *numbers in entries:
        index += pack("<H", len(encoded)) + encoded + pack("<QIQQI", *numbers, 0)
    trailer = pack("<QQQIII", len(out), len(index), *kv_place, crc32c(index), 0) + b"HRRY"
    return bytes(out + index + trailer)


def single(blob: bytes, name: str = "w") -> bytes:
    """A file of one tensor; the sizes are read out of its buffer table, whatever the layout payload is."""
    sizes = next((list(s) for b, s in _SIZES if b == blob), None)
    assert sizes is not None, "add the descriptor to _SIZES"
    return container([(name, blob, sizes)])


def crc32c(data: bytes) -> int:
    """Castagnoli, reflected."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return crc ^ 0xFFFFFFFF


def _pad(out: bytearray, alignment: int) -> None:
    out += bytes(-len(out) % alignment)


_SIZES = [
    (SPECIAL["quantised"], (8192, 256)),
    (SPECIAL["csr"], (0, 0, 32)),
    *((SPECIAL[name], (64,)) for name in ("morton", "tiled", "hilbert")),
    (SPECIAL["group"], ()),
    *((blob, (128,)) for blob in (SHARDED, MEASURED, ON_CUDA)),
]
