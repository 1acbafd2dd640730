"""How the command ends: one line on stderr for each thing wrong, an exit status, and no traceback."""

from __future__ import annotations

import sys

from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_LINE = 4000  # characters: a name may have millions
FAILED, USAGE, INTERRUPTED, HUNG_UP = 1, 2, 130, 141

# What the library calls its options, and what the command calls them.
_OPTIONS = {
    "overwrite=True": "--force",
    "drop_metadata=True": "--drop-metadata",
    ": say which": ": name it with --from or --to",
    "target_format says": "--to says",
}


class WrongUsageError(Exception):
    """The command line asks for something that does not exist. Exit status 2."""


class FailedError(Exception):
    """The command failed in a way that it knows; the message says it all. Exit status 1."""


def guarded(action: Callable[[], int | None], *, debug: bool) -> int:
    """Run ``action`` and return the exit status, whatever happens in it."""
    try:
        status = action() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _hang_up()
        return HUNG_UP
    except WrongUsageError as error:
        complain(str(error))
        return USAGE
    except Exception as error:
        if debug:
            import traceback

            traceback.print_exc()
        for line in lines(error):
            complain(line)
        return FAILED


def check_paths(*paths: str, streams: bool = False) -> None:
    """Refuse what is no path of a file: nothing, and the sign for a stream where none is taken."""
    for path in paths:
        if not path:
            raise WrongUsageError("a path is empty: name a file")
        if path == "-" and not streams:
            raise WrongUsageError(
                "this needs a file, which can be read again: 'hurray convert - file.hrry' makes one of a stream"
                " ('./-' is one that is called -)"
            )


def complain(text: str, kind: str = "error") -> None:
    """One line on stderr: ``hurray: error: …``."""
    if len(text) > MAX_LINE:
        text = f"{text[:MAX_LINE]}… ({len(text)} characters)"
    for ours, theirs in _OPTIONS.items():
        text = text.replace(ours, theirs)
    try:
        print(f"hurray: {kind}: {shown(text)}", file=sys.stderr)
    except OSError:  # nobody reads it
        return


def lines(error: Exception) -> Iterator[str]:
    """What went wrong, a line for each problem."""
    problems = getattr(error, "problems", None)
    if problems:
        path = getattr(error, "path", "")
        yield from (f"{path}: {problem}" if path else str(problem) for problem in problems)
    elif isinstance(error, OSError) and error.filename is not None:
        yield f"{_text(error.filename)}: {error.strerror or error}"
    elif isinstance(error, OSError) and error.strerror is not None:
        yield error.strerror
    elif isinstance(error, MemoryError):
        yield f"not enough memory{f': {error}' if str(error) else ''}"
    elif isinstance(error, _EXPECTED):
        yield str(error) or type(error).__name__
    else:
        what = f"{type(error).__name__}: {error}"
        yield f"a fault in hurray or a plugin: {what} (--debug shows where; please report it)"


_EXPECTED = (OSError, ValueError, LookupError, ImportError, NotImplementedError, FailedError)


def _text(filename: object) -> str:
    import os

    return os.fsdecode(filename) if isinstance(filename, str | bytes | os.PathLike) else str(filename)


def _hang_up() -> None:
    """The reader of stdout is gone: nothing more is said, not even by the interpreter on its way out."""
    import os

    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
