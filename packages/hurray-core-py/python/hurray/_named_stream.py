"""Names and metadata in a stream, which has a place for neither (docs/streams.md, Names and metadata).

The first item says them: a 1-D uint8 tensor that holds a .hrry file without tensors. Its metadata is that of the whole,
and under NAMES the names of the items that follow, in their order.
"""

from __future__ import annotations

import os
import tempfile

from hurray._core import FileWriter, Tensor, load_kv
from hurray._exceptions import FileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NAMES = "hurray.stream.names"
MAGIC = b"HRRYFILE"
MOST_BYTES = 1 << 30  # of metadata in a first item


def head(names: Sequence[str], kv: Mapping[str, Any]) -> Tensor:
    """The first item of a stream of these names.

    :raises ValueError: the metadata has the reserved key already, or a file cannot hold it.
    """
    if NAMES in kv:
        raise ValueError(f"metadata key {NAMES!r} is reserved for the names of a stream's tensors")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "head.hrry")
        FileWriter(path, kv={**kv, NAMES: list(names)}).close()
        with open(path, "rb") as file:
            return Tensor.from_buffer(file.read())


def read(item: object) -> tuple[list[str], dict[str, Any]] | None:
    """(names, metadata) of an item that is such a head; None for any other item.

    :raises FileError: it is one and is damaged.
    """
    if (
        not isinstance(item, Tensor)
        or item.ndim != 1
        or item.dtype.name != "uint8"
        or item.nbytes > MOST_BYTES
    ):
        return None
    try:
        data = memoryview(item)
    except BufferError:  # bytes of a device
        return None
    if bytes(data[: len(MAGIC)]) != MAGIC:
        return None
    try:
        kv = load_kv(data)
    except FileError:
        if NAMES.encode() in bytes(data):
            raise
        return None  # somebody's bytes, which begin as a file does
    names: Any = kv.pop(NAMES, None)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    return names, kv
