"""file.md §9: a place for every part, in one forward pass."""

from __future__ import annotations

from collections.abc import Sequence

from ..tensor import Tensor
from ..wire import up
from .header import SORTED, Header
from .kv import Value, encode_kv
from .model import Entry, File, data_length


def lay_out(
    tensors: Sequence[tuple[str, Tensor]],
    kv: Sequence[tuple[str, Value]] | None = None,
    *,
    header: Header | None = None,
    align_heads: bool = False,
) -> File:
    """A file of ``tensors`` in this order. ``align_heads``: pad after a composite head as existing writers do."""
    header = header or Header()
    at, entries = up(header.first, 8), []
    for name, tensor in tensors:
        start = up(at, 8)
        end = start + len(tensor.descriptor.encode())
        sizes = [len(one) for one in tensor.buffers]
        data = up(end, header.alignment) if sizes or align_heads else end
        entries.append(Entry(name, tensor, start, data))
        at = data + data_length(sizes, header.alignment)
    if header.flags & SORTED:
        entries.sort(key=lambda entry: entry.name.encode())
    kv_offset = 0
    if kv is not None:
        kv_offset = up(at, 8)
        at = kv_offset + len(encode_kv(list(kv)))
    return File(header, entries, list(kv or []), kv_offset, up(at, 8))
