"""The ``npz`` format of ``hurray.convert``: a zip archive of .npy files."""

from __future__ import annotations

from hurray.formats import Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hurray.formats import Item, Kv, Problem

    from hurray_numpy._npz_read import NpzReader

__all__ = ["NpzFormat"]

LOCAL, EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_LOCAL_BYTES = 30
# What SciPy's save_npz writes beside the parts of a sparse matrix.
_SCIPY = "format.npy"


class NpzFormat(Format):
    """NumPy's archive of arrays (:class:`hurray.formats.Format`). A tensor is named like its member."""

    name = "npz"
    suffixes = (".npz",)

    def sniff(self, path: str, head: bytes) -> bool:
        """Whether it is a zip archive whose first file is a .npy, and no sparse matrix of SciPy's."""
        if head.startswith(EMPTY):
            return True
        size = int.from_bytes(head[26:28], "little")
        first = head[_LOCAL_BYTES : _LOCAL_BYTES + size]
        return head.startswith(LOCAL) and first.endswith(b".npy") and not _is_scipy(path)

    def read(self, path: str) -> NpzReader:
        """Open the archive at ``path``.

        :raises FormatError: it is no zip archive, a member is no .npy file, or a claim is false.
        :raises UnsupportedError: a member is encrypted, compressed by another method than deflate, or holds
            elements that are none of Hurray's.
        """
        from hurray_numpy._npz_read import NpzReader

        return NpzReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterator[Problem]:
        """What a .npz file cannot hold of these: metadata, foreign elements, names that NumPy mistakes."""
        from hurray_numpy._npz_write import check_names
        from hurray_numpy._write import check_elements, check_metadata

        yield from check_names([item.name for item in items])
        yield from check_elements(items)
        yield from check_metadata(kv, ".npz")

    def notes(self, items: Sequence[Item], kv: Kv) -> Iterator[str]:
        """Which layouts become C order."""
        from hurray_numpy._write import layout_notes

        return layout_notes(items)

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Write ``items`` to a new archive at ``path``, not compressed, the same bytes every time."""
        from hurray_numpy._npz_write import write_archive

        write_archive(path, items)


def _is_scipy(path: str) -> bool:
    from hurray import FileMap

    from hurray_numpy._zip import BadZip, members

    try:
        return any(member.name == _SCIPY for member in members(memoryview(FileMap(path))))
    except BadZip:
        return False  # read() says what is wrong with it
