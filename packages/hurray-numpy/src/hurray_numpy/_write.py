"""Items as the bytes of .npy files, and what no .npy file can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import IO

import hurray
import numpy as np
from hurray.formats import Item, Problem

from hurray_numpy._dtypes import NATIVE_OF
from hurray_numpy._npy import MAX_RANK, write_header

__all__ = ["check_elements", "check_metadata", "layout_notes", "write_array"]

_LAYOUTS = (
    "row_major",
    "col_major",
    "strided",
    "tiled",
    "morton",
    "hilbert",
)  # Tensor.tofile puts them in order


def check_elements(items: Sequence[Item]) -> Iterator[Problem]:
    """What no .npy file can hold of ``items``."""
    for item in items:
        if item.dtype not in NATIVE_OF:
            yield Problem(
                f"NumPy has no {item.dtype.name} of its own (np.save would write opaque bytes): "
                "keep it in .hrry, or cast it with the framework that uses it",
                name=item.name,
            )
        if item.layout not in _LAYOUTS:
            yield Problem(f"a .npy file has no place for the layout {item.layout}", name=item.name)
        if len(item.shape) > MAX_RANK:
            yield Problem(f"{len(item.shape)} dimensions, and NumPy has at most {MAX_RANK}", name=item.name)


def check_metadata(kv: Iterable[str], suffix: str) -> Iterator[Problem]:
    """Every key of the metadata: NumPy's files have no place for any."""
    for key in kv:
        yield Problem(f"a {suffix} file has no place for metadata", key=key)


def layout_notes(items: Sequence[Item]) -> Iterator[str]:
    """What is written in another order than it had."""
    for item in items:
        if item.layout != "row_major" and not _fortran(item):
            yield f"{item.name}: {item.layout} becomes C order"


def write_array(file: IO[bytes], item: Item) -> None:
    """Write ``item`` as a whole .npy file, in Fortran order where it has that, without a copy of it.

    bool goes out as a byte for each element, everything else as it is.
    """
    fortran = _fortran(item)
    write_header(file, NATIVE_OF[item.dtype], item.shape, fortran)
    if item.dtype is hurray.dtype.bool:
        _write_elements(_Unpacking(file, prod(item.shape)), item)
    elif fortran:
        tensor = item.load()
        start = tensor.descriptor.byte_offset
        hurray.write_all(file, memoryview(tensor.buffer(0))[start : start + item.nbytes])
    else:
        _write_elements(file, item)


def _fortran(item: Item) -> bool:
    """Whether Fortran order says more of ``item`` than C order would; bool is packed in C order."""
    several = sum(extent > 1 for extent in item.shape) > 1
    return item.layout == "col_major" and several and item.dtype is not hurray.dtype.bool


class _Unpacking:
    """Writes a byte for each of ``count`` bits that it is given."""

    def __init__(self, file: IO[bytes], count: int) -> None:
        self._file = file
        self._left = count

    def write(self, packed: bytes | bytearray | memoryview) -> int:
        bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")[: self._left]
        self._file.write(bits.data)
        self._left -= bits.size
        return len(packed)


def _write_elements(file: IO[bytes] | _Unpacking, item: Item) -> None:
    """Row-major elements, packed as the format packs them, a few MiB at a time."""
    if (pieces := item.pieces()) is not None:
        for piece in pieces:
            file.write(memoryview(piece))
    elif (raw := item.raw()) is not None:
        hurray.write_all(file, raw)
    else:
        item.load().tofile(file)
