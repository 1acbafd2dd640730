"""Sparse, paged and quantised tensors of given contents, out of crafted files (format: layouts.md §7-§10)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from struct import pack

import core_files as craft
import hurray

INF, NAN = float("inf"), float("nan")


def u64(*numbers: int) -> bytes:
    return b"".join(pack("<Q", number) for number in numbers)


def f32(*numbers: float) -> bytes:
    return pack(f"<{len(numbers)}f", *numbers)


def blob(
    buffers: Sequence[bytes], layout: int, shape: Sequence[int], payload: bytes, dtype: int = craft.FLOAT32
) -> bytes:
    """A file that holds the tensor under the name ``w``."""
    sizes = [len(buffer) for buffer in buffers]
    return craft.single(craft.descriptor(dtype, layout, shape, sizes, payload=payload), *buffers)


def coo(shape: Sequence[int], *entries: Sequence[int], is_sorted: bool = False) -> bytes:
    payload = pack("<QB7x", len(entries), is_sorted)
    indices = b"".join(u64(*entry) for entry in entries)
    return blob((f32(*range(len(entries))), indices), 6, shape, payload)


def compressed(layout: int, shape: Sequence[int], indices: Sequence[int], pointers: Sequence[int]) -> bytes:
    """CSR is layout 7, CSC layout 8."""
    nnz = len(indices)
    return blob((f32(*range(nnz)), u64(*indices), u64(*pointers)), layout, shape, pack("<Q8x", nnz))


def csr(shape: Sequence[int], indices: Sequence[int], pointers: Sequence[int]) -> bytes:
    return compressed(7, shape, indices, pointers)


# The example of layouts.md §9.
TREES = ((0, 4), (0, 1, 2, 3), (0, 1, 3, 4, 5), (1, 0, 1, 1, 0), (0, 1, 2, 3, 4, 5), (1, 0, 2, 1, 2))


def csf(trees: Sequence[Sequence[int]] = TREES, nnz: int = 5) -> bytes:
    payload = pack("<Q3I8x", nnz, 2, 0, 1)
    return blob((f32(*range(nnz)), *(u64(*tree) for tree in trees)), 9, (2, 3, 4), payload)


def paged(table: Sequence[int], pointers: Sequence[int], pages: int = 5) -> bytes:
    """Pages of 4 tokens for a shape of (9, 2, 3), u32 tables."""
    payload = pack("<IQIIBIB6x", 4, pages, 0, len(pointers) - 1, 0, 0xFFFFFFFF, 0)
    pool = bytes(pages * 4 * 6 * 4)
    tables = (pack(f"<{len(table)}I", *table), pack(f"<{len(pointers)}I", *pointers))
    return blob((pool, *tables), 10, (9, 2, 3), payload)


def quantised(dtype: int, shape: Sequence[int], data: int, scheme: bytes, *parameters: bytes) -> bytes:
    """A row-major tensor whose parameters lie in buffers 1 and 2."""
    sizes = [data, *map(len, parameters)]
    section = pack("<I", len(scheme)) + scheme
    built = craft.descriptor(dtype, 1, shape, sizes, sections=section, flags=craft.QUANTIZATION)
    return craft.single(built, bytes(data), *parameters)


def per_channel(scales: Sequence[float], zero_points: Sequence[int]) -> bytes:
    scheme = pack("<BBHIIIB3x", 2, 1, 0, 0, 1, 2, 3)
    zeros = pack(f"<{len(zero_points)}i", *zero_points)
    return quantised(craft.INT8, (len(scales), 8), 8 * len(scales), scheme, f32(*scales), zeros)


def nf4(*scales: float) -> bytes:
    return quantised(0x49, (len(scales), 8), 4 * len(scales), pack("<BBHIII", 4, 1, 0, 1, 8, 1), f32(*scales))


def mxfp(*scales: int) -> bytes:
    scheme = pack("<BBHIII", 5, 1, 0, 1, 16, 1)
    return quantised(craft.INT8, (len(scales), 16), 16 * len(scales), scheme, bytes(scales))


def loaded(data: bytes) -> hurray.Tensor:
    """The tensor of such a file, in memory of its own."""
    return hurray.load(data)["w"]


def shared(data: bytes, folder: Path, *, readonly: bool = False) -> tuple[hurray.Tensor, list[memoryview]]:
    """The tensor, and its buffers as bytes that can be written, whatever the tensor itself may do."""
    path = folder / "source.hrry"
    path.write_bytes(data)
    tensor = hurray.load(path)["w"]
    buffers = [memoryview(tensor.buffer(at)) for at in range(tensor.buffer_count)]
    if readonly:
        tensor = hurray.Tensor.from_descriptor(
            tensor.descriptor, [one.toreadonly() for one in buffers], copy=False
        )
    return tensor, buffers
