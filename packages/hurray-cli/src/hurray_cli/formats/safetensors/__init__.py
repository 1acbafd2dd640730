"""The safetensors format, without its library: one file, or a sharded checkpoint by its ``*.index.json``."""

from __future__ import annotations

from hurray.formats import Format, Item, Problem, Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hurray.formats import Kv

MAX_HEADER_BYTES = 100_000_000  # the limit of the reference implementation


class Safetensors(Format):
    """``.safetensors``, one file."""

    name = "safetensors"
    suffixes = (".safetensors",)

    def sniff(self, path: str, head: bytes) -> bool:
        """A header length within the limit, and the brace that opens the header."""
        return head[8:9] == b"{" and 2 <= int.from_bytes(head[:8], "little") <= MAX_HEADER_BYTES

    def read(self, path: str) -> Reader:
        """Open the file and check its header.

        :raises FormatError: the header breaks a rule; every problem is listed.
        :raises PlanError: it holds element types that Hurray does not have.
        """
        from hurray_cli.formats.safetensors.reader import SafetensorsReader

        return SafetensorsReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterable[Problem]:
        """What the format cannot hold: types it has no code for, metadata that is no text."""
        from hurray_cli.formats.safetensors.writer import check

        return check(items, kv)

    def notes(self, items: Sequence[Item], kv: Kv) -> Iterable[str]:
        """Tensors that lie in another order than row-major are written in it."""
        for item in items:
            if item.layout != "row_major":
                yield f"tensor {item.name!r}: {item.layout} becomes row-major, the only order of safetensors"

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Write header and data in the order of the safetensors library."""
        from hurray_cli.formats.safetensors.writer import write

        write(path, items, kv)


class SafetensorsIndex(Format):
    """``*.index.json``: which shard of a checkpoint holds which tensor. Read as one file; not written."""

    name = "safetensors-index"
    suffixes = (".index.json",)

    def sniff(self, path: str, head: bytes) -> bool:
        """A JSON object that has a weight map."""
        return head.lstrip()[:1] == b"{" and b'"weight_map"' in head

    def read(self, path: str) -> Reader:
        """Open the index and all its shards.

        :raises FormatError: the index or a shard breaks a rule, or they disagree; every problem is listed.
        """
        from hurray_cli.formats.safetensors.sharded import ShardedReader

        return ShardedReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterable[Problem]:
        """Refuse: sharded checkpoints are only read."""
        yield Problem("sharded checkpoints are not written; give the target a name that ends in .safetensors")

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Never reached: :meth:`check` refuses."""
        raise NotImplementedError


FORMAT = Safetensors()
INDEX = SafetensorsIndex()
