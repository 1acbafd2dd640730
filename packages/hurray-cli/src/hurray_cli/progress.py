"""A line on stderr that says how far a long conversion is; on a terminal only, and only after a second."""

from __future__ import annotations

import sys

from hurray_cli import units
from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Event, Thread

    from typing_extensions import Self

FIRST, NEXT = 1.0, 0.1  # seconds until the line appears, and between two of its states


class Progress:
    """Called with (done, total, name) before each tensor; draws from a thread of its own, since one can be big."""

    def __init__(self) -> None:
        self._state = (0, 0, "")
        self._stop: Event | None = None
        self._thread: Thread | None = None

    def __call__(self, done: int, total: int, name: str) -> None:
        """Note how far the conversion is."""
        self._state = (done, total, name)

    def __enter__(self) -> Self:
        from threading import Event, Thread

        self._stop = Event()
        self._thread = Thread(target=self._draw, args=(self._stop,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._stop is not None and self._thread is not None:
            self._stop.set()
            self._thread.join()

    def _draw(self, stop: Event) -> None:
        from time import monotonic

        begun = monotonic()
        if stop.wait(FIRST):
            return
        while True:
            self._show(_line(*self._state, monotonic() - begun, _width()))
            if stop.wait(NEXT):
                self._show("")
                return

    def _show(self, line: str) -> None:
        try:
            sys.stderr.write(f"\r{line}\x1b[K")
            sys.stderr.flush()
        except OSError:  # the terminal is gone; the conversion is not
            pass


def wanted() -> bool:
    """Whether stderr is a terminal that can redraw a line."""
    import os

    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def _line(done: int, total: int, name: str, seconds: float, width: int) -> str:
    percent = 100 * done // total if total else 0
    text = (
        f"{percent:3d} %  {units.size(done)} of {units.size(total)}  {units.seconds(seconds)}  {shown(name)}"
    )
    return _cut(text, width - 1)


def _cut(text: str, cells: int) -> str:
    """As much of ``text`` as fits, a character that is not ASCII counted as two cells."""
    used = 0
    for at, char in enumerate(text):
        used += 1 if char.isascii() else 2
        if used > cells:
            return text[:at]
    return text


def _width() -> int:
    import os

    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except OSError:
        return 80
