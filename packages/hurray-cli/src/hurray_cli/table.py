"""Tables: drawn for a terminal, plain and complete for a pipe."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

MAX_PADDED = 100  # cells; what is longer is written whole, and only its own row is longer
MAX_DRAWN = 2000  # rows; what is longer is read with a pager or a program, and rich needs its time for each


class Table:
    """Rows of text under named columns. Cells must be escaped already; ``right`` names columns of numbers."""

    def __init__(self, columns: Sequence[str], right: Collection[str] = ()) -> None:
        self._columns = tuple(columns)
        self._right = frozenset(right)
        self._rows: list[tuple[str, ...]] = []

    def add(self, *cells: str) -> None:
        """One more row."""
        self._rows.append(cells)

    def print(self) -> None:
        """Write the table to stdout."""
        if is_terminal() and len(self._rows) <= MAX_DRAWN:
            self._draw()
        else:
            self._list()

    def _draw(self) -> None:
        from rich import box
        from rich.console import Console
        from rich.table import Table as Drawn
        from rich.text import Text

        drawn = Drawn(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
        )
        for column in self._columns:
            right = column in self._right
            drawn.add_column(column, justify="right" if right else "left", overflow="fold", no_wrap=right)
        for row in self._rows:
            drawn.add_row(*(Text(cell) for cell in row))  # Text: a name like [red] is a name
        # NO_COLOR to rich is no colour but bold; here it is no escape sequence at all.
        Console(highlight=False, color_system=None if _plain() else "auto").print(drawn)

    def _list(self) -> None:
        widths = [
            max(width for width in map(cells, column) if width <= MAX_PADDED)
            for column in zip(self._columns, *self._rows, strict=True)
        ]
        for row in (self._columns, *self._rows):
            padded = [
                " " * (width - cells(cell)) + cell
                if column in self._right
                else cell + " " * (width - cells(cell))
                for column, cell, width in zip(self._columns, row, widths, strict=True)
            ]
            print("  ".join(padded).rstrip())


def is_terminal() -> bool:
    """Whether a person reads stdout."""
    return sys.stdout is not None and sys.stdout.isatty()


def width() -> int:
    """The columns of the terminal; 80 where nobody says."""
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, 20)


def bold(text: str) -> str:
    """``text`` in bold on a terminal that has it and wants it (https://no-color.org)."""
    return text if _plain() else f"\x1b[1m{text}\x1b[0m"


def _plain() -> bool:
    import os

    return not is_terminal() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def cells(text: str) -> int:
    """The width of ``text`` on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)
