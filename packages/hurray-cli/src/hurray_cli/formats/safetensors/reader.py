"""A safetensors file, mapped."""

from __future__ import annotations

from hurray.formats import FormatError, Item, Problem, RawItem, Reader

from hurray_cli.formats.safetensors.dtypes import dtype_of
from hurray_cli.formats.safetensors.header import Header, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from hurray import FileMap, Tensor
    from typing_extensions import Self

PIECE = 1 << 23  # bytes looked at together where elements have to be checked


class OpenFile:
    """The mapping of one file and its checked header; the reader of shards holds several."""

    def __init__(self, path: str) -> None:
        from hurray import FileMap

        self.path = path
        # A mapping cannot be empty; the header's own checks say it better.
        self._map: FileMap | bytes = FileMap(path) if _size(path) else b""
        self.header: Header = parse(path, self._map)

    def items(self) -> Iterator[Item]:
        """The tensors in the order of their data."""
        data = memoryview(self._map)[self.header.data_start :]
        for entry in self.header.entries:
            kind = _KINDS.get(entry.code, RawItem)
            yield kind(
                entry.name,
                dtype_of(entry.code),
                entry.shape,
                data[entry.start : entry.stop],
                offset=self.header.data_start + entry.start,
                path=self.path,
            )


class SafetensorsReader(Reader):
    """One open safetensors file."""

    def __init__(self, path: str) -> None:
        file = OpenFile(path)
        self.kv = dict(file.header.metadata)
        self._items = list(file.items())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items.clear()  # the last slice that goes unmaps the file


class BoolItem(RawItem):
    """BOOL: a byte of 0 or 1 for each element, packed to one bit on the way."""

    __slots__ = ()

    def __init__(self, *args: object, **more: object) -> None:
        super().__init__(*args, **more)  # type: ignore[arg-type]
        self.nbytes = (self._buffer.nbytes + 7) // 8

    def raw(self) -> None:
        """Nothing: the bytes of the file are not packed."""

    def load(self) -> Tensor:
        """The packed tensor."""
        from hurray import Tensor

        return Tensor(b"".join(self.pieces()), self.dtype, self.shape)

    def pieces(self) -> Iterator[bytes]:
        """The packed bits, each byte of the file checked."""
        from hurray import Tensor

        for start in range(0, self._buffer.nbytes, PIECE):  # PIECE is a multiple of 8
            piece = self._buffer[start : start + PIECE]
            _only(self, start, piece, allowed=b"\x00\x01", rule="BOOL is 0 or 1")
            packed = Tensor.from_buffer(piece.cast("?"))
            yield bytes(memoryview(packed.buffer(0)))[: (piece.nbytes + 7) // 8]


class ScaleItem(RawItem):
    """F8_E8M0: the codes 0x00 and 0xFF are reserved in Hurray (element-types.md §4), and so refused."""

    __slots__ = ()

    def raw(self) -> None:
        """Nothing: the bytes have to be looked at."""

    def pieces(self) -> Iterator[memoryview]:
        """The bytes of the file, each checked."""
        for start in range(0, self._buffer.nbytes, PIECE):
            piece = self._buffer[start : start + PIECE]
            _only(self, start, piece, allowed=_SCALES, rule="Hurray reserves this code of float8_e8m0")
            yield piece


_SCALES = bytes(range(1, 255))
_KINDS: dict[str, type[RawItem]] = {"BOOL": BoolItem, "F8_E8M0": ScaleItem}


def _only(item: RawItem, start: int, piece: memoryview, *, allowed: bytes, rule: str) -> None:
    """Refuse the first byte that is not ``allowed``.

    :raises FormatError: naming the tensor, the element and the byte.
    """
    others = bytes(piece).translate(None, allowed)
    if others:
        at = bytes(piece).index(others[0])
        problem = Problem(
            f"element {start + at} is {others[0]:#04x}; {rule}",
            name=item.name,
            offset=None if item.offset is None else item.offset + start + at,
        )
        raise FormatError(item.path or "", [problem])


def _size(path: str) -> int:
    import os

    return os.stat(path).st_size
