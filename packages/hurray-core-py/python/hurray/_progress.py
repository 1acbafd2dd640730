"""How far a conversion is: by the tensors that are begun, and by how the file grows while a large one is written."""

from __future__ import annotations

from hurray._core import _ticking
from hurray._format import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from hurray import Tensor

    # Called with the bytes done, the bytes in all and the name of the tensor that is next, or being written.
    Progress: TypeAlias = Callable[[int, int, str], None]

PATIENCE = 0.05  # seconds between two looks at a file that grows


class Meter:
    """Tells ``progress`` before each tensor, and about twenty times a second while one is written.

    Always from the thread that writes, so that what ``progress`` raises ends the conversion. Between two tensors a
    look costs nothing; while one is written it is a question for the size of the file.
    """

    __slots__ = (
        "_begun",
        "_done",
        "_item",
        "_looked",
        "_progress",
        "_size",
        "_start",
        "_told",
        "_total",
        "_unpacks",
    )

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._begun: set[str] = set()
        self._done = 0  # bytes of the tensors before the one that is written
        self._told = 0
        self._item: Item | None = None
        self._size: Callable[[], int] | None = None
        self._start = 0
        self._looked = 0.0
        self._unpacks = False

    def follow(self, size: Callable[[], int], *, unpacks: bool = False) -> None:
        """Look at the size of this file from now on; ``unpacks``: it has a byte for each bool."""
        self._size = size
        self._unpacks = unpacks

    def items(self, items: Iterable[Item]) -> list[Item]:
        """The items, saying when they are used: a writer may take them in an order of its own."""
        return [_Tracked(item, self) for item in items]

    def during(self, work: Callable[[], None]) -> None:
        """Do the work, and look now and then meanwhile."""
        _ticking(self.look, work)

    def begin(self, item: Item) -> None:
        """``item`` comes next."""
        if item.name in self._begun:
            return
        self._begun.add(item.name)
        if self._item is not None:
            self._done += self._item.nbytes
        self._item = item
        self._start = self._size() if self._size is not None else 0
        self._tell(self._done, item.name)

    def look(self) -> None:
        """See how much of the present tensor is in the file."""
        if self._item is None or self._size is None:
            return
        grown = max(self._size() - self._start, 0)
        if self._unpacks and self._item.dtype.name == "bool":
            grown //= 8
        done = self._done + min(grown, self._item.nbytes)
        if done > self._told:
            self._tell(done, self._item.name)

    def look_now_and_then(self) -> None:
        """The same, for who comes by often."""
        from time import monotonic

        now = monotonic()
        if now - self._looked >= PATIENCE:
            self._looked = now
            self.look()

    def copied(self, part: int, whole: int) -> None:
        """So much of the file is copied as it is, no tensor by itself."""
        self._tell(self._total * part // whole if whole else 0, "")

    def _tell(self, done: int, name: str) -> None:
        self._told = done
        self._progress(done, self._total, name)


class _Tracked(Item):
    """An item that says when it is used."""

    __slots__ = ("_item", "_meter", "dtype", "extras", "layout", "name", "nbytes", "shape", "special")

    def __init__(self, item: Item, meter: Meter) -> None:
        self.name, self.dtype, self.shape, self.nbytes = item.name, item.dtype, item.shape, item.nbytes
        self.layout, self.special, self.extras = item.layout, item.special, item.extras
        self._item = item
        self._meter = meter

    def load(self) -> Tensor:
        self._meter.begin(self._item)
        return self._item.load()

    def raw(self) -> Any:
        self._meter.begin(self._item)
        return self._item.raw()

    def pieces(self) -> Iterator[Any] | None:
        self._meter.begin(self._item)
        pieces = self._item.pieces()
        return None if pieces is None else self._passed(pieces)

    def _passed(self, pieces: Iterator[Any]) -> Iterator[Any]:
        """Each piece is small: a writer that looks while it writes one has no reason to."""
        for piece in pieces:
            yield piece
            self._meter.look_now_and_then()
