"""Reading .npz: members that are not compressed are mapped, the others inflated as they pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from hurray import FileMap, UnsupportedError
from hurray.formats import FormatError, Item, PlanError, Problem, Reader

from hurray_numpy._inflate import head, inflate, verify
from hurray_numpy._items import ArrayItem, Mapped
from hurray_numpy._npy import HEAD_BYTES, BadArray, read_header
from hurray_numpy._npy_format import map_file
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
        file = map_file(path)
        try:
            found = members(memoryview(file))
            comment = comment_of(memoryview(file))
        except BadZip as error:
            raise FormatError(path, [Problem(str(error), offset=error.offset)]) from error
        if comment:
            self.notes = ("the archive's comment is not carried over",)
        self._add_all(file, found)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items = []

    def _add_all(self, file: FileMap, found: list[Member]) -> None:
        """Every member as an item; one error for all that is wrong, else one for all that is unsupported."""
        broken = list(_duplicates(found))
        unsupported = []
        for member in found:
            try:
                self._items.append(self._item(file, member))
            except (BadZip, BadArray) as error:
                broken.append(Problem(str(error), name=member.name, offset=member.data))
            except UnsupportedError as error:
                unsupported.append(Problem(str(error), name=member.name))
        if broken:
            raise FormatError(self._path, broken + unsupported)
        if unsupported:
            raise PlanError(self._path, unsupported)

    def _item(self, file: FileMap, member: Member) -> Item:
        if not member.name.endswith(_SUFFIX):
            raise UnsupportedError("it is no .npy file, and a .npz archive of arrays holds nothing else")
        if member.flags & _ENCRYPTED:
            raise UnsupportedError("it is encrypted: decrypt the archive first")
        if member.method not in (_STORED, _DEFLATED):
            raise UnsupportedError(
                f"it is compressed by method {member.method}, and NumPy knows deflate only: "
                "write it again with np.savez"
            )
        header = read_header(head(_stored(file, member).whole(), member, HEAD_BYTES), member.size)
        source = _Deflated if member.method == _DEFLATED else _Checked
        name = member.name[: -len(_SUFFIX)]
        return ArrayItem(name, header, source(file, member, header.offset, self._path), self._path)


class _Checked(Mapped):
    """A member that is not compressed: its checksum is compared before its bytes are first handed out."""

    def __init__(self, file: FileMap, member: Member, skip: int, path: str) -> None:
        super().__init__(file, member.data + skip, member.data + member.stored)
        self._member: Member | None = member
        self._path = path

    def whole(self) -> memoryview:
        if self._member is not None:
            with _as_format_error(self._path):
                verify(_stored(self._file, self._member).chunks(), self._member)
            self._member = None
        return super().whole()


class _Deflated:
    """A compressed member without the ``skip`` bytes of its header."""

    in_place = False
    offset: int | None = None

    def __init__(self, file: FileMap, member: Member, skip: int, path: str) -> None:
        self._file = file
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
            yield from inflate(_stored(self._file, self._member).chunks(), self._member, self._skip)


def _stored(file: FileMap, member: Member) -> Mapped:
    """The bytes of a member as they are in the archive."""
    return Mapped(file, member.data, member.data + member.stored)


@contextmanager
def _as_format_error(path: str) -> Iterator[None]:
    """Turns a BadZip that is found while data pass into a FormatError that names the file."""
    try:
        yield
    except BadZip as error:
        raise FormatError(path, [Problem(str(error), offset=error.offset)]) from error


def _duplicates(found: list[Member]) -> Iterator[Problem]:
    seen: set[str] = set()
    for member in found:
        if member.name in seen:
            yield Problem("the name occurs twice", name=member.name, offset=member.header)
        seen.add(member.name)
