"""Tensors of every kind from crafted descriptors, without the classes that author them, and their comparison."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import pack
from typing import Any

import core_files
import hurray
from core_files import EXTENSION, FLOAT32, QUANTIZATION, STATISTICS, handle
from core_memory import aligned

COL_MAJOR, STRIDED, TILED, MORTON, COO, CSR, CSC, CSF, PAGED, HILBERT = 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x40
MODES = {"producer_synced": 0, "event": 1, "consumer_stream": 2}


def bare(descriptor: hurray.Descriptor) -> bytes:
    """The encoded descriptor without the alignments, which tell of addresses (04-tables.md §3, ruling 11)."""
    handles = descriptor.buffer_handles
    tail = 0 if descriptor.quantization is None else 4 + len(descriptor.quantization.encode())
    tail += 0 if descriptor.shard is None else 16 * descriptor.ndim
    tail += 0 if descriptor.statistics is None else 72
    tail += 0 if descriptor.extension_type is None else 20
    encoded = bytearray(descriptor.encode())
    table = len(encoded) - tail - 16 * len(handles)
    for at, one in enumerate(handles):
        place = slice(table + 16 * at, table + 16 * at + 16)
        sync = MODES[one.sync_mode]
        tags = one.device.tag, sync, one.device.memory_class_tag
        assert encoded[place] == handle(one.byte_size, one.alignment, *tags)
        encoded[place] = handle(one.byte_size, 0, *tags)
    return bytes(encoded)


def contents(tensor: hurray.Tensor) -> list[bytes]:
    """The bytes of every buffer."""
    return [tensor.buffer(at).tobytes() for at in range(tensor.buffer_count)]


def same(one: hurray.Tensor, other: hurray.Tensor) -> bool:
    """Equal descriptors but for alignment, equal devices with their ids, equal bytes."""
    return (
        bare(one.descriptor) == bare(other.descriptor)
        and one.device == other.device
        and contents(one) == contents(other)
    )


def placed(data: bytes) -> memoryview:
    """The bytes at an address that can be shared."""
    view = aligned(len(data))
    view[:] = data
    return view


def assembled(
    dtype: int, layout: int, shape: Sequence[int], buffers: Sequence[Any], payload: bytes = b"", **more: Any
) -> hurray.Tensor:
    """A tensor of a crafted descriptor, over the buffers as they are."""
    sizes = [memoryview(buffer).nbytes for buffer in buffers]
    blob = core_files.descriptor(dtype, layout, shape, sizes, payload=payload, **more)
    return hurray.Tensor.from_descriptor(hurray.Descriptor.decode(blob), buffers)


def words(*numbers: int) -> bytes:
    """uint64 little-endian."""
    return pack(f"<{len(numbers)}Q", *numbers)


def floats(*numbers: float) -> bytes:
    """float32 little-endian."""
    return pack(f"<{len(numbers)}f", *numbers)


AFFINE = pack("<I", 16) + pack("<BBHfi4x", 1, 1, 0, 0.5, 3)
PER_CHANNEL = pack("<I", 20) + pack("<BBHIIIB3x", 2, 1, 1, 0, 0, 0xFFFFFFFF, 3)
NNZ_STATISTICS = pack("<IIQ", 1, 0, 2) + bytes(56)


def per_channel(axis: int, scales: int) -> bytes:
    """A symmetric per-channel section with its scales in buffer ``scales``."""
    return pack("<I", 20) + pack("<BBHIIIB3x", 2, 1, 1, axis, scales, 0xFFFFFFFF, 3)


def coo(**more: Any) -> hurray.Tensor:
    """[[5, 0], [0, 7]] by coordinates."""
    return assembled(FLOAT32, COO, (2, 2), (floats(5, 7), words(0, 0, 1, 1)), words(2, 1), **more)


def csr(**more: Any) -> hurray.Tensor:
    """[[5, 0, 0], [0, 0, 7]] by rows."""
    buffers = (floats(5, 7), words(0, 2), words(0, 1, 2))
    return assembled(FLOAT32, CSR, (2, 3), buffers, words(2, 0), **more)


def csc(**more: Any) -> hurray.Tensor:
    """[[5, 0, 0], [0, 0, 7]] by columns."""
    buffers = (floats(5, 7), words(0, 1), words(0, 1, 1, 2))
    return assembled(FLOAT32, CSC, (2, 3), buffers, words(2, 0), **more)


def csf() -> hurray.Tensor:
    """Two entries of a [2, 3, 4] tensor."""
    levels = words(0, 1), words(1), words(0, 2), words(0, 2), words(0, 1, 2), words(3, 1)
    payload = words(2) + pack("<III", 0, 1, 2) + bytes(8)
    return assembled(FLOAT32, CSF, (2, 3, 4), (floats(5, 7), *levels), payload)


def paged() -> hurray.Tensor:
    """Three tokens in two pages of two."""
    payload = pack("<IQIIBIB6x", 2, 2, 0, 1, 0, 0xFFFFFFFF, 0)
    buffers = (floats(*range(8)), pack("<2I", 1, 0), pack("<2I", 0, 2))
    return assembled(FLOAT32, PAGED, (3, 1, 2), buffers, payload)


def private() -> hurray.Tensor:
    """A private layout of two buffers and a private 12-bit-free element type of two bytes."""
    extension = pack("<IBBBBBBHIBB2x", 16, 1, 1, 0, 1, 5, 10, 0, 15, 1, 1)
    payload = pack("<QI", 7, 3) + b"abc"
    return assembled(0xF3, 0xF0, (5,), (bytes(3), bytes(9)), payload, sections=extension, flags=EXTENSION)


def quantised() -> hurray.Tensor:
    """int8 codes with one scale for all."""
    return assembled(0x10, 1, (2, 3), (bytes(range(6)),), sections=AFFINE, flags=QUANTIZATION)


def by_channel() -> hurray.Tensor:
    """int8 codes with a scale for each row."""
    return assembled(
        0x10, 1, (2, 3), (bytes(range(6)), floats(1, 2)), sections=per_channel(0, 1), flags=QUANTIZATION
    )


def counted() -> hurray.Tensor:
    """The csr tensor with statistics."""
    return csr(sections=NNZ_STATISTICS, flags=STATISTICS)


EVERY: dict[str, Callable[[], hurray.Tensor]] = {
    "coo": coo,
    "csr": csr,
    "csc": csc,
    "csf": csf,
    "paged": paged,
    "private": private,
    "quantised": quantised,
    "by channel": by_channel,
    "counted": counted,
    "scalar": lambda: assembled(FLOAT32, 1, (), (floats(1),)),
    "empty": lambda: assembled(FLOAT32, 1, (0, 3), (b"",)),
    "bool": lambda: assembled(0x20, 1, (11,), (bytes([0x0D, 0x03]),)),
    "int4 column": lambda: assembled(0x48, COL_MAJOR, (3, 3), (bytes(range(5)),)),
    "6 bit": lambda: assembled(0x44, 1, (5,), (bytes(range(6)),)),
    "reversed": lambda: assembled(FLOAT32, STRIDED, (3,), (floats(1, 2, 3),), pack("<q", -1), byte_offset=8),
    "morton": lambda: assembled(FLOAT32, MORTON, (4, 4), (bytes(range(64)),), pack("<II", 2, 2)),
    "hilbert": lambda: assembled(FLOAT32, HILBERT, (4, 4), (bytes(range(64)),), pack("<II", 2, 2)),
    "tiled": lambda: assembled(FLOAT32, TILED, (4, 4), (bytes(range(64)),), pack("<QQBBH", 2, 2, 1, 1, 0)),
    "dynamic": lambda: assembled(FLOAT32, 1, (2**64 - 1, 3), (bytes(24),)),
    "oversized": lambda: assembled(FLOAT32, 1, (2,), (bytes(range(24)),)),
    "minor 1": lambda: assembled(FLOAT32, 1, (2,), (floats(1, 2),), version=(1, 0)),
}
