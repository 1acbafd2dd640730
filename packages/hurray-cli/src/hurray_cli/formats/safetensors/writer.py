"""Write a safetensors file, byte for byte as the safetensors library does."""

from __future__ import annotations

from hurray import FileError
from hurray.formats import Problem

from hurray_cli.formats.safetensors import MAX_HEADER_BYTES
from hurray_cli.formats.safetensors.dtypes import BY_NAME
from hurray_cli.formats.safetensors.header import METADATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO

    from hurray.formats import Item, Kv
    from typing_extensions import Buffer

PIECE = 1 << 17  # bytes of packed bool that are unpacked together, to eight times as many


def check(items: Sequence[Item], kv: Kv) -> Iterator[Problem]:
    """What the format cannot hold of these."""
    for item in items:
        if reason := _refusal(item):
            yield Problem(reason, name=item.name)
    for key, value in kv.items():
        if not isinstance(value, str):
            yield Problem(f"its value is a {type(value).__name__}; safetensors holds text only", key=key)
    size = len(_header(items, {key: value for key, value in kv.items() if isinstance(value, str)}))
    if size > MAX_HEADER_BYTES:
        yield Problem(f"the header would have {size} bytes; safetensors allows {MAX_HEADER_BYTES}")


def write(path: str, items: Iterable[Item], kv: Kv) -> None:
    """Write header and data.

    :raises OSError: writing failed.
    """
    from hurray import write_all

    ordered = sorted(items, key=_order)
    header = _header(ordered, kv)
    with open(path, "wb", buffering=0) as file:
        write_all(file, len(header).to_bytes(8, "little") + header)
        expected = 8 + len(header)
        for item in ordered:
            _write_item(file, item)
            expected += _size(item)
            if file.tell() != expected:
                raise FileError(
                    f"{path}: tensor {item.name!r} took {file.tell() - expected:+} bytes of its size"
                )


def _refusal(item: Item) -> str | None:
    if item.dtype.name not in BY_NAME:
        return f"safetensors has no type for {item.dtype}; .hrry has"
    if item.name == METADATA:
        return f"safetensors keeps the name {METADATA} for itself; rename the tensor"
    if item.dtype.bit_width * _count(item) % 8 and item.dtype.name != "bool":
        return f"an odd number of {item.dtype.name} elements; safetensors ends a tensor on a whole byte"
    return None


def _order(item: Item) -> tuple[int, str]:
    return -BY_NAME[item.dtype.name][0], item.name


def _header(items: Iterable[Item], kv: Kv) -> bytes:
    """The header of the items in this order, filled up with blanks to a multiple of 8."""
    from json import JSONEncoder

    quoted = JSONEncoder(ensure_ascii=False).encode
    fields = []
    if kv:
        pairs = ",".join(f"{quoted(key)}:{quoted(value)}" for key, value in kv.items())
        fields.append(f'"{METADATA}":{{{pairs}}}')
    start = 0
    for item in items:
        stop = start + _size(item)
        code = BY_NAME.get(item.dtype.name, (0, ""))[1]
        shape = ",".join(map(str, item.shape))
        fields.append(
            f'{quoted(item.name)}:{{"dtype":"{code}","shape":[{shape}],"data_offsets":[{start},{stop}]}}'
        )
        start = stop
    text = ("{" + ",".join(fields) + "}").encode("utf-8", "surrogatepass")
    return text + b" " * (-len(text) % 8)


def _count(item: Item) -> int:
    count = 1
    for size in item.shape:
        count *= size
    return count


def _size(item: Item) -> int:
    """The bytes of a tensor in the file: those of Hurray but for bool, a byte each."""
    return _count(item) if item.dtype.name == "bool" else item.nbytes


def _write_item(file: IO[bytes], item: Item) -> None:
    from hurray import write_all

    if item.dtype.name == "bool":
        _write_bools(_Unpacking(file, item))
    elif (pieces := item.pieces()) is not None:
        for piece in pieces:
            write_all(file, piece)
    elif (raw := item.raw()) is not None:
        write_all(file, raw)
    else:
        item.load().tofile(file)


class _Unpacking:
    """A file to write packed bits to: each becomes a byte of 0 or 1."""

    def __init__(self, file: IO[bytes], item: Item) -> None:
        self._file = file
        self._left = _count(item)
        # The eight elements of each byte, the least significant bit first (element-types.md §3).
        self._bits = [bytes(byte >> k & 1 for k in range(8)) for byte in range(256)]
        self.item = item

    def write(self, packed: bytes | memoryview) -> int:
        """Take all of ``packed``."""
        from hurray import write_all

        for start in range(0, len(packed), PIECE):
            bits = b"".join(map(self._bits.__getitem__, packed[start : start + PIECE]))[: self._left]
            self._left -= len(bits)
            write_all(self._file, bits)
        return len(packed)


def _write_bools(out: _Unpacking) -> None:
    buffers: Iterable[Buffer] | None = out.item.pieces()
    if buffers is None and (raw := out.item.raw()) is not None:
        buffers = (raw,)
    if buffers is None:
        out.item.load().tofile(out)
        return
    for buffer in buffers:
        out.write(memoryview(buffer).cast("B"))
