"""The ``npy`` format of ``hurray.convert``: one array, mapped and not read."""

from __future__ import annotations

from hurray.formats import Format, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from hurray import FileMap
    from hurray.formats import Item, Kv, Problem
    from typing_extensions import Self

__all__ = ["NpyFormat"]

MAGIC = b"\x93NUMPY"


class NpyFormat(Format):
    """NumPy's single-array file (:class:`hurray.formats.Format`). The tensor is named after the file."""

    name = "npy"
    suffixes = (".npy",)

    def sniff(self, path: str, head: bytes) -> bool:
        """Whether ``head`` begins as a .npy file does."""
        return head.startswith(MAGIC)

    def read(self, path: str) -> NpyReader:
        """Open the file at ``path``.

        :raises FormatError: its header cannot be read, or claims other data than there are.
        :raises UnsupportedError: its elements are none of Hurray's (objects, text, structures, dates).
        """
        return NpyReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterator[Problem]:
        """What a .npy file cannot hold of these: more than one tensor, metadata, foreign elements."""
        from hurray.formats import Problem

        from hurray_numpy._write import check_elements, check_metadata

        if len(items) != 1:
            yield Problem(f"a .npy file holds one array, not {len(items)}: write .npz instead")
        yield from check_elements(items)
        yield from check_metadata(kv, ".npy")

    def notes(self, items: Sequence[Item], kv: Kv) -> Iterator[str]:
        """Which layouts become C order."""
        from hurray_numpy._write import layout_notes

        return layout_notes(items)

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Write the one item of ``items`` to a new file at ``path``; see :meth:`check` for what fits."""
        from hurray_numpy._write import write_array

        (item,) = items
        with open(path, "wb") as file:
            write_array(file, item)


class NpyReader(Reader):
    """An open .npy file with its one item (:class:`hurray.formats.Reader`)."""

    def __init__(self, path: str) -> None:
        import os

        from hurray import UnsupportedError
        from hurray.formats import FormatError, PlanError, Problem

        from hurray_numpy._items import ArrayItem, Mapped
        from hurray_numpy._npy import HEAD_BYTES, BadArray, read_header

        self.kv = {}
        file = map_file(path)
        try:
            header = read_header(bytes(memoryview(file)[:HEAD_BYTES]), len(file))
        except BadArray as error:
            raise FormatError(path, [Problem(str(error))]) from error
        except UnsupportedError as error:
            raise PlanError(path, [Problem(str(error))]) from error
        name = os.path.splitext(os.path.basename(path))[0]
        source = Mapped(file, header.offset, len(file))
        self._items: list[Item] = [ArrayItem(name, header, source, path)]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items = []


def map_file(path: str) -> FileMap:
    """The file at ``path``, mapped.

    :raises FormatError: it is empty, and so neither of NumPy's formats.
    """
    from hurray import FileMap
    from hurray.formats import FormatError, Problem

    file = FileMap(path)
    if not len(file):
        raise FormatError(path, [Problem("it is empty")])
    return file
