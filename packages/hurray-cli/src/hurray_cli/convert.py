"""``hurray convert`` without click: what the command does, and its options.

The time that click takes to import is a tenth of the time that a GiB takes to convert. A plain command line is
therefore parsed here; whatever is unusual (an error, ``--help``) goes to click, which is given the same options.
"""

from __future__ import annotations

from hurray_cli import errors, units
from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from hurray._convert import Report
    from hurray._plan import Plan

    from hurray_cli.progress import Progress


class Option:
    """One option: its names, the parameter of :func:`run` it sets, whether it takes a value, its help."""

    __slots__ = ("field", "help", "metavar", "names")

    def __init__(self, names: tuple[str, ...], field: str, metavar: str | None, help: str) -> None:
        self.names = names
        self.field = field
        self.metavar = metavar
        self.help = help


OPTIONS = (
    Option(("--from",), "source_format", "FORMAT", "Format of SRC; by default its content decides."),
    Option(("--to",), "target_format", "FORMAT", "Format of DST; by default its suffix decides."),
    Option(
        ("-f", "--force"), "force", None, "Replace DST if it exists. It stays whole until all is written."
    ),
    Option(("-n", "--dry-run"), "dry_run", None, "Check everything and print the plan; write nothing."),
    Option(
        ("--drop-metadata",), "drop_metadata", None, "Leave out metadata that DST cannot hold, and name it."
    ),
    Option(("--durable",), "durable", None, "Return only when the file is on the disk."),
    Option(("-q", "--quiet"), "quiet", None, "Print no closing line and no progress."),
)
_BY_NAME = {name: option for option in OPTIONS for name in option.names}


def parse(args: Sequence[str]) -> dict[str, Any] | None:
    """The parameters of :func:`run`, or None where click should have a look."""
    found: dict[str, Any] = {option.field: None if option.metavar else False for option in OPTIONS}
    paths = []
    rest = iter(args)
    for arg in rest:
        if not arg.startswith("-") or arg == "-":
            paths.append(arg)
            continue
        name, equals, value = arg.partition("=")
        # -qf is -q and -f.
        several = not name.startswith("--") and len(name) > 2
        for option in map(_BY_NAME.get, [f"-{letter}" for letter in name[1:]] if several else [name]):
            if option is None or (option.metavar is None and equals):
                return None
            found[option.field] = (value if equals else next(rest, "")) if option.metavar else True
            if not found[option.field]:
                return None
    return {"src": paths[0], "dst": paths[1], **found} if len(paths) == 2 else None


def run(
    src: str,
    dst: str,
    *,
    source_format: str | None,
    target_format: str | None,
    force: bool,
    dry_run: bool,
    drop_metadata: bool,
    durable: bool,
    quiet: bool,
) -> int:
    """Convert, and say so in one line."""
    from hurray import convert

    from hurray_cli.formats import register
    from hurray_cli.progress import Progress, wanted

    errors.check_paths(src, dst, streams=True)
    register()
    _check_names(source_format, target_format)
    progress = Progress() if not (quiet or dry_run) and wanted() else None
    if src == "-" or dst == "-":
        return _piped(
            src, dst, source_format, target_format, force, dry_run, drop_metadata, durable, quiet, progress
        )

    def work() -> Report:
        return convert(
            src,
            dst,
            source_format=source_format,
            target_format=target_format,
            overwrite=force,
            drop_metadata=drop_metadata,
            durable=durable,
            progress=progress,
            dry_run=dry_run,
        )

    if progress is None:
        report = work()
    else:
        with progress:
            report = work()
    for thing in report.plan.left_out:
        errors.complain(f"left out: {thing}", kind="note")
    if dry_run:
        print_plan(report.plan, dst)
    elif not quiet:
        print(f"{shown(dst)}: {closing(report)}")
    return 0


def _piped(
    src: str,
    dst: str,
    source_format: str | None,
    target_format: str | None,
    force: bool,
    dry_run: bool,
    drop_metadata: bool,
    durable: bool,
    quiet: bool,
    progress: Progress | None,
) -> int:
    """``-`` is a stream: one of the two is a file."""
    from contextlib import nullcontext

    from hurray_cli import pipe

    if src == dst:
        raise errors.WrongUsageError(
            "a stream into a stream is what a pipe does by itself: name a file for one of them"
        )
    if src == "-":
        if source_format is not None:
            raise errors.WrongUsageError(
                "what comes on stdin is a stream of tensors: --from names formats of files"
            )
        if dry_run:
            raise errors.WrongUsageError("a stream can be read once: there is no dry run of one")
        return pipe.receive(dst, target_format=target_format, force=force, durable=durable, quiet=quiet)
    if target_format is not None:
        raise errors.WrongUsageError(
            "what goes to stdout is a stream of tensors: --to names formats of files"
        )
    with progress or nullcontext():
        return pipe.send(
            src, source_format=source_format, drop_metadata=drop_metadata, dry_run=dry_run, progress=progress
        )


def closing(report: Report) -> str:
    """``103 tensors, 90,264,576 bytes, 0.14 s``."""
    return (
        f"{units.plural(report.tensors, 'tensor')}, {units.plural(report.bytes, 'byte')}, "
        f"{units.seconds(report.seconds)}"
    )


def print_plan(plan: Plan, dst: str) -> None:
    """What would be written: a line for each tensor, then metadata, changes and the sum."""
    from hurray_cli.table import Table

    table = Table(("name", "dtype", "shape", "layout", "bytes"), right=("bytes",))
    for item in plan.items:
        shape = "[" + ", ".join(map(str, item.shape)) + "]"
        table.add(shown(item.name), str(item.dtype), shape, item.layout, units.grouped(item.nbytes))
    table.print()
    for key, value in plan.kv.items():
        print(f"metadata  {shown(key)} = {shown(repr(value))}")
    for note in plan.notes:
        print(f"note  {shown(note)}")
    print(
        f"would write {shown(dst)} ({plan.target_format}) from {shown(plan.source)} ({plan.source_format}): "
        f"{units.plural(len(plan.items), 'tensor')}, {units.plural(plan.bytes, 'byte')} of data, "
        f"{units.plural(len(plan.kv), 'metadata key')}"
    )


def _check_names(*names: str | None) -> None:
    from hurray import formats

    for name in names:
        try:
            if name is not None:
                formats.get(name)
        except LookupError as error:
            raise errors.WrongUsageError(str(error)) from error
