"""Reading .npz: members that are not compressed are mapped, the others inflated as they pass."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from hurray import FileMap, UnsupportedError
from hurray.formats import FormatError, Item, Problem, Reader

from hurray_numpy._inflate import head, inflate, verify_stored
from hurray_numpy._items import ArrayItem, Mapped, Source
from hurray_numpy._npy import HEAD_BYTES, BadArray, Header, read_header
from hurray_numpy._zip import BadZip, Member, comment_of, members

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["NpzReader"]

_SUFFIX = ".npy"
_ENCRYPTED = 0x0001 | 0x0040 | 0x2000
_STORED, _DEFLATED = 0, 8


class NpzReader(Reader):
    """An open archive (:class:`hurray.formats.Reader`); all headers are read, no data are."""

    def __init__(self, path: str) -> None:
        self.kv = {}
        self.notes = ()
        self._path = path
        self._items: list[Item] = []
        self._fd = os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; tensors that were loaded from it stay valid."""
        self._items = []
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _open(self) -> None:
        if not os.fstat(self._fd).st_size:
            raise FormatError(self._path, [Problem("it is empty")])
        view = memoryview(FileMap(self._fd))
        try:
            found = members(view)
        except BadZip as error:
            raise FormatError(self._path, [Problem(str(error), offset=error.offset)]) from error
        if comment_of(view):
            self.notes = ("the archive's comment is not carried over",)
        self._add_all(view, found)

    def _add_all(self, view: memoryview, found: list[Member]) -> None:
        """Every member as an item; one error for all that is wrong, else one for all that is unsupported."""
        broken = list(_duplicates(found))
        unsupported = []
        for member in found:
            try:
                self._items.append(self._item(view, member))
            except (BadZip, BadArray) as error:
                broken.append(Problem(str(error), name=member.name, offset=member.data))
            except UnsupportedError as error:
                unsupported.append(f"{member.name!r}: {error}")
        if broken:
            raise FormatError(self._path, broken)
        if unsupported:
            raise UnsupportedError(f"{self._path}: " + "\n  ".join(unsupported))

    def _item(self, view: memoryview, member: Member) -> Item:
        if not member.name.endswith(_SUFFIX):
            raise UnsupportedError("it is no .npy file, and a .npz archive of arrays holds nothing else")
        if member.flags & _ENCRYPTED:
            raise UnsupportedError("it is encrypted: decrypt the archive first")
        if member.method not in (_STORED, _DEFLATED):
            raise UnsupportedError(
                f"it is compressed by method {member.method}, and NumPy knows deflate only: "
                "write it again with np.savez"
            )
        header = read_header(head(view, member, HEAD_BYTES), member.size)
        name = member.name[: -len(_SUFFIX)]
        return ArrayItem(name, header, self._source(view, member, header))

    def _source(self, view: memoryview, member: Member, header: Header) -> Source:
        if member.method == _DEFLATED:
            return _Deflated(view, member, header.offset, self._path)
        start = member.data + header.offset
        return _Checked(view[start : start + header.size], start, self, member)

    def verify(self, member: Member) -> None:
        """Compare the checksum of a member that is not compressed; see :func:`verify_stored`."""
        if self._fd < 0:
            raise ValueError(f"{self._path} is closed: load the tensors while it is open")
        with _as_format_error(self._path):
            verify_stored(self._fd, member)


class _Checked(Mapped):
    """A member that is not compressed: its checksum is compared before its bytes are first handed out."""

    def __init__(self, view: memoryview, offset: int, reader: NpzReader, member: Member) -> None:
        super().__init__(view, offset)
        self._reader = reader
        self._member: Member | None = member

    def whole(self) -> memoryview:
        if self._member is not None:
            self._reader.verify(self._member)
            self._member = None
        return super().whole()

    def chunks(self) -> Iterator[memoryview | bytes | bytearray]:
        self.whole()
        return super().chunks()


class _Deflated:
    """A compressed member without the ``skip`` bytes of its header."""

    in_place = False
    offset: int | None = None

    def __init__(self, view: memoryview, member: Member, skip: int, path: str) -> None:
        self._view = view
        self._member = member
        self._skip = skip
        self._path = path

    def whole(self) -> memoryview:
        """The data in memory that grows as the bytes come: a claim allocates nothing."""
        data = bytearray()
        for chunk in self.chunks():
            data += chunk
        return memoryview(data)

    def chunks(self) -> Iterator[memoryview | bytes | bytearray]:
        with _as_format_error(self._path):
            yield from inflate(self._view, self._member, self._skip)


class _as_format_error:
    """Turns a BadZip that is found while data pass into a FormatError that names the file."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, BadZip):
            raise FormatError(self._path, [Problem(str(error), offset=error.offset)]) from error


def _duplicates(found: list[Member]) -> Iterator[Problem]:
    seen: set[str] = set()
    for member in found:
        if member.name in seen:
            yield Problem("the name occurs twice", name=member.name, offset=member.header)
        seen.add(member.name)
