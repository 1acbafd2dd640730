"""The ``pt`` format of ``hurray.convert``: what ``torch.save`` writes, read without running anything in it."""

from __future__ import annotations

from hurray.formats import Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from hurray.formats import Item, Kv, Problem

    from hurray_torch._pt_read import PtReader

__all__ = ["PtFormat"]

_ZIP = b"PK\x03\x04"
_LOCAL_BYTES = 30
# The first pickle of a file from before PyTorch 1.6: its magic number.
_LEGACY = b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19."


class PtFormat(Format):
    """PyTorch's checkpoints (:class:`hurray.formats.Format`). Nested containers become names joined by dots."""

    name = "pt"
    suffixes = (".pt", ".pth", ".bin")

    def sniff(self, path: str, head: bytes) -> bool:
        """Whether it is an archive that begins with ``data.pkl``, or begins as the older files do."""
        size = int.from_bytes(head[26:28], "little")
        first = head[_LOCAL_BYTES : _LOCAL_BYTES + size]
        return head.startswith(_LEGACY) or (head.startswith(_ZIP) and first.endswith(b"/data.pkl"))

    def read(self, path: str) -> PtReader:
        """Open the file at ``path``; what is in it is looked at, and none of its code is run.

        :raises FormatError: it is no file of torch.save, or broken.
        :raises PlanError: it needs functions or classes that are not known to be safe, all of which are listed, or
            holds what the format cannot express.
        """
        from hurray_torch._pt_read import PtReader

        return PtReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterator[Problem]:
        """What such a file cannot hold of these: elements that PyTorch has no type for, and metadata."""
        from hurray_torch._pt_write import check

        return check(items, kv)

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Write a dict of tensors to a new file at ``path``, tied names over one storage."""
        from hurray_torch._pt_write import write

        write(path, items, kv)
