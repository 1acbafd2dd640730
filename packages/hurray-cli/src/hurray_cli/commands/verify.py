"""``hurray verify``."""

from __future__ import annotations

import click

from hurray_cli import units
from hurray_cli.errors import check_paths
from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hurray.formats import Format, Item


@click.command(short_help="Check a file against every rule of its format.")
@click.argument("file")
def command(file: str) -> int:
    """Check FILE against every rule of its format and list every problem.

    A line for each problem (rule, place, tensor, what is wrong) and a closing line on stdout. Exit status 1 if
    there is any. Foreign formats are checked by their readers.
    """
    from hurray import formats

    from hurray_cli.formats import register

    check_paths(file)
    register()
    format = formats.detect(file)
    problems, contents = _hrry(format, file) if format.name == "hrry" else _foreign(format, file)
    for problem in problems:
        print(f"{shown(file)}: {shown(line(problem))}")
    if problems:
        print(f"{shown(file)}: {units.plural(len(problems), 'problem')} ({format.name})")
        return 1
    print(f"{shown(file)}: no problems ({format.name}, {contents})")
    return 0


def line(problem: Any) -> str:
    """``F-26 at 4160 (0x1040), tensor 'w': …``, as much of it as is known."""
    place = [problem.code or ""]
    if problem.offset is not None:
        place.append(f"at {problem.offset} ({problem.offset:#x})")
    parts = [" ".join(filter(None, place))]
    if problem.name is not None:
        parts.append(f"tensor {problem.name!r}")
    elif (key := getattr(problem, "key", None)) is not None:
        parts.append(f"metadata key {key!r}")
    return f"{', '.join(filter(None, parts))}: {problem.message}".removeprefix(": ")


def _hrry(format: Format, path: str) -> tuple[Sequence[Any], str]:
    import hurray

    if problems := hurray.verify(path):
        return problems, ""
    with format.read(path) as reader:
        return (), _contents(list(reader))


def _foreign(format: Format, path: str) -> tuple[Sequence[Any], str]:
    """The checks of the format's reader, and of the elements that it checks while they are decoded."""
    from hurray.formats import FormatError, PlanError

    problems: list[Any] = []
    try:
        with format.read(path) as reader:
            items = list(reader)
            for item in items:
                try:
                    _look_at(item)
                except FormatError as error:
                    problems += error.problems
            return problems, _contents(items)
    except (FormatError, PlanError) as error:
        return error.problems, ""


def _look_at(item: Item) -> None:
    """Let the item check what it checks on the way out: the elements, and the checksum of a zip member."""
    pieces = item.pieces()
    if pieces is None:
        if item.raw() is None:
            item.load()
        return
    for _ in pieces:
        pass


def _contents(items: Sequence[Item]) -> str:
    total = sum(item.nbytes for item in items)
    return f"{units.plural(len(items), 'tensor')}, {units.plural(total, 'byte')} of data"
