"""The arrays of NumPy's files as the items that :func:`hurray.convert` moves."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Protocol, TypeAlias

import hurray
import numpy as np
from hurray import Dtype, FileMap, Tensor
from hurray.formats import FormatError, Item, Problem

from hurray_numpy._ingest import from_object
from hurray_numpy._npy import Header

__all__ = ["ArrayItem", "Mapped", "Source"]

CHUNK = 1 << 22

_Chunk: TypeAlias = "memoryview | bytes | bytearray"


class Source(Protocol):
    """Where the bytes of an array come from, as they are in the file."""

    in_place: bool  # whether whole() costs nothing
    offset: int | None

    def whole(self) -> memoryview:
        """All bytes."""
        ...

    def chunks(self) -> Iterator[_Chunk]:
        """All bytes, a few MiB at a time."""
        ...


class Mapped:
    """The bytes ``start`` to ``stop`` of a mapped file; chunks() gives their pages back behind it."""

    in_place = True

    def __init__(self, file: FileMap, start: int, stop: int) -> None:
        self._file = file
        self._start = start
        self._stop = stop
        self.offset: int | None = start

    def whole(self) -> memoryview:
        return memoryview(self._file)[self._start : self._stop]

    def chunks(self) -> Iterator[_Chunk]:
        whole = self.whole()
        for start in range(self._start, self._stop, CHUNK):
            stop = min(start + CHUNK, self._stop)
            yield whole[start - self._start : stop - self._start]
            self._file.discard(start, stop)


class ArrayItem(Item):
    """An array with its header read and its data not."""

    __slots__ = ("_header", "_path", "_source", "dtype", "layout", "name", "nbytes", "offset", "shape")

    def __init__(self, name: str, header: Header, source: Source, path: str) -> None:
        self.name = name
        self.dtype: Dtype = header.ours
        self.shape = header.shape
        self.nbytes = hurray.buffer_size_bytes(header.ours, prod(header.shape))
        # Of an array that is both, C order is what a tensor would say.
        self.layout = "col_major" if header.fortran and sum(n > 1 for n in header.shape) > 1 else "row_major"
        if self.layout == "col_major" and (self._packed or 0 in header.shape):
            self.layout = "row_major"
        self._header = header
        self._source = source
        self._path = path
        self.offset = source.offset if self._as_it_is else None

    @property
    def _packed(self) -> bool:
        return self.dtype is hurray.dtype.bool

    @property
    def _as_it_is(self) -> bool:
        """Whether the file has the elements as the format has them: C order, little-endian, not bool."""
        return self._in_order and self._header.dtype.isnative and not self._packed

    @property
    def _in_order(self) -> bool:
        return not self._header.fortran or sum(n > 1 for n in self.shape) <= 1

    def raw(self) -> memoryview | None:
        return self._source.whole() if self._as_it_is and self._source.in_place else None

    def pieces(self) -> Iterator[_Chunk] | None:
        """What is decoded on the way: compressed members, big-endian numbers and bool, in C order."""
        if not self._in_order or (self._as_it_is and self._source.in_place):
            return None
        if self._as_it_is:
            return self._source.chunks()
        return self._packed_bits() if self._packed else self._native()

    def load(self) -> Tensor:
        """The tensor: shared with the file where it is aligned and little-endian, else a copy."""
        data = self._source.whole()
        if self._header.dtype.isnative and not self._packed:
            col_major = self.layout == "col_major"
            layout = hurray.ColMajorLayout() if col_major else hurray.RowMajorLayout()
            return Tensor(data, self.dtype, self.shape, layout=layout)
        if self._packed:
            self._check_bools(data, 0)
        order: Any = "F" if self._header.fortran else "C"
        return from_object(np.ndarray(self.shape, self._header.dtype, buffer=data, order=order))

    def _native(self) -> Iterator[_Chunk]:
        foreign = self._header.dtype
        native = foreign.newbyteorder("=")
        for batch in _batches(self._source.chunks(), foreign.itemsize):
            yield np.frombuffer(batch, foreign).astype(native).view(np.uint8).data

    def _packed_bits(self) -> Iterator[_Chunk]:
        at = 0
        for batch in _batches(self._source.chunks(), 8):
            self._check_bools(batch, at)
            at += len(batch)
            yield np.packbits(np.frombuffer(batch, np.uint8), bitorder="little").data

    def _check_bools(self, data: _Chunk, at: int) -> None:
        """Refuse bytes that are neither 0 nor 1: one bit cannot hold them, and NumPy never writes them.

        ``data`` are the elements from number ``at`` on, in the order of the file.
        """
        codes = np.frombuffer(data, np.uint8)
        if not codes.size or codes.max() <= 1:
            return
        first = int(np.argmax(codes > 1))
        place = self._source.offset
        raise FormatError(
            self._path,
            [
                Problem(
                    f"element {at + first} is {int(codes[first]):#04x}; a bool is 0 or 1",
                    name=self.name,
                    offset=None if place is None else place + at + first,
                )
            ],
        )


def _batches(chunks: Iterator[_Chunk], multiple: int) -> Iterator[_Chunk]:
    """The same bytes in chunks whose sizes are multiples of ``multiple``, but for the last."""
    left = b""
    for chunk in chunks:
        joined = left + bytes(chunk) if left else chunk
        whole = len(joined) - len(joined) % multiple
        left = bytes(joined[whole:])
        if whole:
            yield joined[:whole]
    if left:
        yield left
