"""``-``: a stream of tensors on stdin or stdout, with names and metadata (docs/streams.md)."""

from __future__ import annotations

import sys

from hurray_cli import errors, units
from hurray_cli.escape import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from hurray import StreamWriter
    from hurray._plan import Plan
    from hurray.formats import Item, Reader

STDIN, STDOUT = 0, 1


def planned(src: str, source_format: str | None, drop_metadata: bool) -> tuple[Reader, Plan, list[Item]]:
    """An open source, what will be sent of it, and the items: a composite's members go with their head."""
    from hurray import formats
    from hurray._hrry_format import HRRY
    from hurray._plan import Plan, fill

    source = formats.regular_file(src)
    reads = formats.get(source_format) if source_format else formats.detect(source)
    members = _members(source) if reads.name == HRRY.name else frozenset()
    reader = reads.read(source)
    try:
        plan = Plan(src, reads.name, "-", HRRY.name)
        fill(plan, reader, list(reader), HRRY, drop_metadata)
        items = [item for item in reader if item.name not in members]
    except BaseException:
        reader.__exit__(None, None, None)
        raise
    return reader, plan, items


def _members(path: str) -> frozenset[str]:
    import hurray

    with hurray.open(path, writable=False) as file:
        return frozenset(name for head in file if file.is_composite(head) for name in file.members(head))


def send(
    src: str,
    *,
    source_format: str | None,
    drop_metadata: bool,
    dry_run: bool,
    progress: Callable[[int, int, str], None] | None,
) -> int:
    """The file as a stream on stdout, one tensor in memory at a time."""
    import hurray
    from hurray._named_stream import head

    from hurray_cli.convert import print_plan

    if not dry_run and sys.stdout is not None and sys.stdout.isatty():
        raise errors.WrongUsageError("stdout is a terminal: pipe the stream into something, or name a file")
    reader, plan, items = planned(src, source_format, drop_metadata)
    with reader:
        first = head([item.name for item in items], plan.kv)
        for thing in plan.left_out:
            errors.complain(f"left out: {thing}", kind="note")
        if dry_run:
            print_plan(plan, "-")
            return 0
        done = 0
        with hurray.StreamWriter(STDOUT) as writer:
            writer.write(first)
            for item in items:
                if progress is not None:
                    progress(done, plan.bytes, item.name)
                _write(writer, item)
                done += item.nbytes
        items.clear()  # they hold the mapping that the reader closes
    return 0


def _write(writer: StreamWriter, item: Item) -> None:
    """By reference where the file has the bytes as they are: its pages are given back behind the writing."""
    if (pieces := item.pieces()) is not None:
        writer.write_pieces(pieces, item.dtype, item.shape)
    elif (raw := item.raw()) is not None:
        writer.write_buffer(raw, item.dtype, item.shape)
    else:
        writer.write(item.load())


def incoming() -> tuple[list[str] | None, dict[str, Any], Iterator[Any]]:
    """(names, metadata, items) of the stream on stdin; without names of their own, items are called by number."""
    from itertools import chain

    import hurray
    from hurray._named_stream import read

    if sys.stdin is not None and sys.stdin.isatty():
        raise errors.WrongUsageError("stdin is a terminal: pipe a stream into it, or name a file")
    reader = hurray.StreamReader(STDIN)
    first = next(reader, None)
    found = None if first is None else read(first)
    if found is not None:
        return found[0], found[1], reader
    return None, {}, reader if first is None else chain([first], reader)


def named(names: list[str] | None, items: Iterator[Any]) -> Iterator[tuple[str, Any]]:
    """Items by their names.

    :raises FailedError: the stream ends before all that it names, or goes on after them.
    """
    count = 0
    for item in items:
        if names is not None and count == len(names):
            raise errors.FailedError(f"the stream goes on after the {count} tensors that it names")
        yield (str(count) if names is None else names[count]), item
        del item  # let go of before the next one arrives
        count += 1
    if names is not None and count < len(names):
        raise errors.FailedError(f"the stream ends after {count} of the {len(names)} tensors that it names")


def receive(dst: str, *, target_format: str | None, force: bool, durable: bool, quiet: bool) -> int:
    """The stream on stdin as a .hrry file, which appears when the stream has ended well."""
    from time import perf_counter

    import hurray
    from hurray import formats
    from hurray._plan import target_path

    started = perf_counter()
    name = target_format or formats.for_target(dst).name
    if name != "hrry":
        raise errors.WrongUsageError(
            f"a stream becomes a .hrry file, not {name}: receive one, and convert that"
        )
    target = target_path(dst, force)
    names, kv, items = incoming()
    count = size = 0
    with hurray.FileWriter(target, kv=kv, durable=durable) as writer:
        for name, item in named(names, items):
            writer.write(name, item)
            count += 1
            size += _size(item)
            del item  # one at a time
    if not quiet:
        took = units.seconds(perf_counter() - started)
        print(f"{shown(dst)}: {units.plural(count, 'tensor')}, {units.plural(size, 'byte')}, {took}")
    return 0


def _size(item: Any) -> int:
    """Bytes of data, those of all members."""
    members = getattr(item, "members", None)
    return int(item.nbytes) if members is None else sum(map(_size, members))
