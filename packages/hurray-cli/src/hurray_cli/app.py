"""The command line: finds the command, runs it, and turns whatever happens into an exit status."""

from __future__ import annotations

import sys

from hurray_cli.errors import guarded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def run(args: Sequence[str] | None = None) -> int:
    """Run the command line ``args`` (default: that of the process)."""
    given = list(sys.argv[1:] if args is None else args)
    if args is None:
        _end_on_terminate()
    debug = _take_debug(given)
    _prepare_output()
    return guarded(lambda: _dispatch(given), debug=debug)


def _dispatch(args: list[str]) -> int:
    if args and args[0] == "convert":
        from hurray_cli import convert

        if (options := convert.parse(args[1:])) is not None:
            return convert.run(**options)
    from hurray_cli.commands import invoke

    return invoke(args)


def _take_debug(args: list[str]) -> bool:
    """``--debug`` may stand anywhere: one adds it at the end of a line that has just failed."""
    options = args[: args.index("--")] if "--" in args else args
    if "--debug" not in options:
        return False
    args.remove("--debug")
    return True


def _prepare_output() -> None:
    """A character that the terminal's encoding lacks is shown as its escape; it is no reason to fail."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def _end_on_terminate() -> None:
    """SIGTERM ends the process as an exception does, so that no temporary file stays behind."""
    import signal

    def terminate(number: int, frame: object) -> None:
        sys.exit(128 + number)

    signal.signal(signal.SIGTERM, terminate)
