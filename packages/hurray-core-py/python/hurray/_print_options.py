"""How tensors are shown: options of the current context, as NumPy's are of the current thread or task."""

from __future__ import annotations

from contextvars import ContextVar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Literal

__all__ = ["PrintOptions", "current", "get_print_options", "print_options", "set_print_options"]

DISPLAYS = ("metadata", "content")
SHORTEST = "shortest"


class PrintOptions:
    """All options at once; never changed once it is made."""

    __slots__ = ("edgeitems", "linewidth", "precision", "sparse_display", "threshold")

    def __init__(
        self, sparse_display: str, threshold: int, edgeitems: int, linewidth: int, precision: int | str
    ) -> None:
        self.sparse_display = sparse_display
        self.threshold = threshold
        self.edgeitems = edgeitems
        self.linewidth = linewidth
        self.precision = precision


_DEFAULT = PrintOptions("metadata", 1000, 3, 88, SHORTEST)
_CURRENT: ContextVar[PrintOptions] = ContextVar("hurray.print_options", default=_DEFAULT)


def current() -> PrintOptions:
    """The options that hold here."""
    return _CURRENT.get()


def _whole(name: str, given: int | None, before: int, least: int) -> int:
    if given is None:
        return before
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError(f"{name} is an int of {least} or more, got {given!r}")
    number = given.__index__()
    if number < least:
        raise ValueError(f"{name} is {number}; it is {least} or more")
    return number


def _changed(
    sparse_display: str | None,
    threshold: int | None,
    edgeitems: int | None,
    linewidth: int | None,
    precision: int | str | None,
) -> PrintOptions:
    before = current()
    if sparse_display is not None and not isinstance(sparse_display, str):
        raise TypeError(f"sparse_display is a str, 'metadata' or 'content', got {sparse_display!r}")
    if sparse_display is not None and sparse_display not in DISPLAYS:
        raise ValueError(f"sparse_display is {sparse_display!r}; it is 'metadata' or 'content'")
    if isinstance(precision, str):
        if precision != SHORTEST:
            raise ValueError(f"precision is {precision!r}; it is {SHORTEST!r} or a number of digits")
        digits: int | str = precision
    elif precision is None:
        digits = before.precision
    else:
        digits = _whole("precision", precision, 0, 0)
    return PrintOptions(
        before.sparse_display if sparse_display is None else sparse_display,
        _whole("threshold", threshold, before.threshold, 0),
        _whole("edgeitems", edgeitems, before.edgeitems, 1),
        _whole("linewidth", linewidth, before.linewidth, 1),
        digits,
    )


def set_print_options(
    *,
    sparse_display: Literal["metadata", "content"] | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    precision: int | Literal["shortest"] | None = None,
) -> None:
    """Set how tensors are shown by ``repr``, ``str`` and notebooks, for the current thread or task
    (04-tables section 1).

    What is ``None`` stays as it is. A new thread starts with the defaults. Inside :func:`print_options`
    the change lasts to the end of the block.

    :param sparse_display: ``"metadata"`` (default) says how many elements a sparse tensor stores;
        ``"content"`` lists them with their coordinates.
    :param threshold: number of elements beyond which the middle of a tensor is left out (1000).
    :param edgeitems: elements shown at each end of a dimension then (3), fewer where many dimensions
        would make them thousands.
    :param linewidth: columns of a line (88).
    :param precision: digits behind the point of a float; ``"shortest"`` (default) shows as many as it takes
        to tell the number from its neighbours of the same element type.
    :raises ValueError: a value that an option does not have; ``TypeError`` for one of another type.
    """
    _CURRENT.set(_changed(sparse_display, threshold, edgeitems, linewidth, precision))


def get_print_options() -> dict[str, str | int]:
    """The options that hold in the current thread or task, by name; a copy (04-tables section 1)."""
    now = current()
    return {name: getattr(now, name) for name in sorted(PrintOptions.__slots__, key=_ORDER.index)}


_ORDER = ("sparse_display", "threshold", "edgeitems", "linewidth", "precision")


class _Block:
    """What :func:`print_options` returns: options that hold inside a ``with`` block."""

    def __init__(self, options: dict[str, str | int | None]) -> None:
        self._options = options
        self._before: list[PrintOptions] = []

    def __enter__(self) -> dict[str, str | int]:
        now = _changed(**self._options)  # type: ignore[arg-type]
        self._before.append(current())
        _CURRENT.set(now)
        return get_print_options()

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _CURRENT.set(self._before.pop())


def print_options(
    *,
    sparse_display: Literal["metadata", "content"] | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    precision: int | Literal["shortest"] | None = None,
) -> _Block:
    """Options for a ``with`` block: those of :func:`set_print_options`, put back at its end, come what may
    (04-tables section 1).

    Blocks nest, and hold for the current thread or task alone::

        with hurray.print_options(threshold=10, precision=3):
            print(tensor)

    :raises ValueError: a value that an option does not have, at the call; ``TypeError`` for another type.
    """
    _changed(sparse_display, threshold, edgeitems, linewidth, precision)
    return _Block(
        {
            "sparse_display": sparse_display,
            "threshold": threshold,
            "edgeitems": edgeitems,
            "linewidth": linewidth,
            "precision": precision,
        }
    )
