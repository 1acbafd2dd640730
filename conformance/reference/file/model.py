"""A file that has been read, or is to be written: its parts and the places where they lie."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..composite import Item
from ..tensor import Tensor
from ..wire import up
from .crc import crc32c
from .header import HAS_CRC, Header
from .index import IndexEntry, encode_index
from .kv import Value, encode_kv
from .trailer import Trailer


@dataclass(frozen=True)
class Entry:
    """A tensor with its name and its places; the list of entries is in the order of the index."""

    name: str
    tensor: Tensor
    descriptor_offset: int
    data_offset: int

    def places(self, alignment: int) -> list[int]:
        """§3: where each buffer lies."""
        return buffer_places(self.data_offset, [len(one) for one in self.tensor.buffers], alignment)

    def indexed(self, alignment: int) -> IndexEntry:
        """The entry in the index."""
        length = data_length([len(one) for one in self.tensor.buffers], alignment)
        size = len(self.tensor.descriptor.encode())
        return IndexEntry(self.name.encode(), self.descriptor_offset, size, self.data_offset, length)


@dataclass
class File:
    """All that is in a file. ``items`` are its tensors in the order of the region, composites gathered."""

    header: Header
    entries: list[Entry]
    kv: list[tuple[str, Value]] = field(default_factory=list)
    kv_offset: int = 0
    index_offset: int = 0
    items: list[Item] = field(default_factory=list)

    def encode(self) -> bytes:
        """The bytes, every part at its place."""
        index = encode_index([entry.indexed(self.header.alignment) for entry in self.entries])
        out = bytearray(self.index_offset + len(index))
        _put(out, 0, self.header.encode())
        for entry in self.entries:
            _put(out, entry.descriptor_offset, entry.tensor.descriptor.encode())
            for place, raw in zip(entry.places(self.header.alignment), entry.tensor.buffers, strict=False):
                _put(out, place, raw)
        kv = encode_kv(self.kv) if self.kv_offset else b""
        _put(out, self.kv_offset, kv)
        _put(out, self.index_offset, index)
        crc = crc32c(index) if self.header.flags & HAS_CRC else 0
        return bytes(out) + Trailer(self.index_offset, len(index), self.kv_offset, len(kv), crc).encode()


def _put(out: bytearray, at: int, raw: bytes) -> None:
    if raw:
        out[at : at + len(raw)] = raw


def buffer_places(start: int, sizes: list[int], alignment: int) -> list[int]:
    """§3: where each buffer starts, the first at ``start``."""
    places = []
    for size in sizes:
        places.append(start)
        start = up(start + size, alignment)
    return places


def data_length(sizes: list[int], alignment: int) -> int:
    """§3: from the first buffer's start to the last one's end."""
    return buffer_places(0, sizes, alignment)[-1] + sizes[-1] if sizes else 0
