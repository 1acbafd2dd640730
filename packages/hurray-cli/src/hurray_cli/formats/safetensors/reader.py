"""A safetensors file, mapped."""

from __future__ import annotations

from hurray.formats import FormatError, Item, Problem, RawItem, Reader

from hurray_cli.formats.safetensors.dtypes import dtype_of
from hurray_cli.formats.safetensors.header import Header, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import FileIO
    from types import TracebackType
    from typing import Any

    from hurray import Dtype, FileMap, Tensor
    from typing_extensions import Self

PIECE = 1 << 23  # bytes looked at together where elements have to be checked


class OpenFile:
    """The mapping of one file and its checked header; the reader of shards holds several."""

    def __init__(self, path: str) -> None:
        import os

        from hurray import FileMap

        self.path = path
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - the items read from it
        try:
            # A mapping cannot be empty; the header's own checks say it better.
            size = os.fstat(self._file.fileno()).st_size
            self._map: FileMap | bytes = FileMap(self._file) if size else b""
            self.header: Header = parse(path, self._map)
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Close the file; what is mapped stays so until its last user is gone."""
        self._file.close()

    def items(self) -> Iterator[Item]:
        """The tensors in the order of their data."""
        data = memoryview(self._map)[self.header.data_start :]
        for entry in self.header.entries:
            place = self.header.data_start + entry.start
            buffer = data[entry.start : entry.stop]
            shape, dtype = entry.shape, dtype_of(entry.code)
            if entry.code in _CHECKED:
                kind = _CHECKED[entry.code]
                yield kind(entry.name, dtype, shape, buffer, offset=place, path=self.path, file=self._file)
            else:
                yield RawItem(entry.name, dtype, shape, buffer, offset=place, path=self.path)


class SafetensorsReader(Reader):
    """One open safetensors file."""

    def __init__(self, path: str) -> None:
        self._file = OpenFile(path)
        self.kv = dict(self._file.header.metadata)
        self._items = list(self._file.items())

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items.clear()  # the last slice that goes unmaps the file
        self._file.close()


class CheckedItem(RawItem):
    """Elements of one byte of which some codes are refused. They are read, not mapped, since all are looked at."""

    __slots__ = ("_file",)
    allowed: bytes
    rule: str

    def __init__(
        self,
        name: str,
        dtype: Dtype,
        shape: tuple[int, ...],
        buffer: memoryview,
        *,
        offset: int,
        path: str,
        file: FileIO,
    ) -> None:
        super().__init__(name, dtype, shape, buffer, offset=offset, path=path)
        self._file = file

    def raw(self) -> None:
        """Nothing: the bytes have to be looked at."""

    def load(self) -> Tensor:
        """The tensor, in memory."""
        from hurray import Tensor

        return Tensor(b"".join(self.pieces()), self.dtype, self.shape)

    def pieces(self) -> Iterator[bytes]:
        """The elements, each checked.

        :raises FormatError: naming the tensor, the element and the byte.
        """
        for start in range(0, self._buffer.nbytes, PIECE):
            yield self._read(start)

    def _read(self, start: int) -> bytes:
        import os

        assert self.offset is not None  # noqa: S101 - a file's element has a place
        piece = b""
        wanted = min(PIECE, self._buffer.nbytes - start)
        while len(piece) < wanted:
            more = os.pread(self._file.fileno(), wanted - len(piece), self.offset + start + len(piece))
            if not more:
                raise self._error("the file became shorter while it was read", start + len(piece))
            piece += more
        if others := piece.translate(None, self.allowed):
            at = start + piece.index(others[0])
            raise self._error(f"element {at} is {others[0]:#04x}; {self.rule}", at)
        return piece

    def _error(self, message: str, at: int) -> FormatError:
        return FormatError(
            self.path or "", [Problem(message, name=self.name, offset=(self.offset or 0) + at)]
        )


class BoolItem(CheckedItem):
    """BOOL: a byte of 0 or 1 for each element, packed to one bit on the way."""

    __slots__ = ()
    allowed = b"\x00\x01"
    rule = "BOOL is 0 or 1"

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.nbytes = (self._buffer.nbytes + 7) // 8

    def pieces(self) -> Iterator[bytes]:
        """The packed bits. ``PIECE`` is a multiple of 8, so that each piece ends on a whole byte."""
        from hurray import Tensor

        for piece in super().pieces():
            yield Tensor.from_buffer(memoryview(piece).cast("?")).tobytes()


class ScaleItem(CheckedItem):
    """F8_E8M0: the codes 0x00 and 0xFF are reserved in Hurray (element-types.md §4), and so refused."""

    __slots__ = ()
    allowed = bytes(range(1, 255))
    rule = "Hurray reserves this code of float8_e8m0"


_CHECKED: dict[str, type[CheckedItem]] = {"BOOL": BoolItem, "F8_E8M0": ScaleItem}
