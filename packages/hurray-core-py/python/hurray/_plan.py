"""What a conversion is going to do, and all that stands in its way, before a byte is written."""

from __future__ import annotations

from hurray import formats
from hurray._exceptions import FileError, file_error
from hurray._hrry_format import HRRY
from hurray.formats import PlanError, Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hurray.formats import AnyPath, Format, Item, Reader

# Offsets in files are signed 64-bit numbers.
MOST_BYTES = (1 << 63) - 1


class Plan:
    """What a conversion will do, or would: items in order, metadata, what changes, what is left out."""

    __slots__ = (
        "bytes",
        "items",
        "kv",
        "left_out",
        "notes",
        "source",
        "source_format",
        "target",
        "target_format",
    )

    def __init__(self, source: str, source_format: str, target: str, target_format: str) -> None:
        self.source = source
        self.source_format = source_format
        self.target = target
        self.target_format = target_format
        self.items: tuple[PlannedItem, ...] = ()
        self.kv: dict[str, Any] = {}
        self.bytes = 0
        self.notes: tuple[str, ...] = ()
        self.left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<Plan {self.source_format} {self.source!r} -> {self.target_format} {self.target!r}: "
            f"{len(self.items)} tensors, {self.bytes} bytes>"
        )


class PlannedItem:
    """Name, dtype, shape, layout and packed bytes of one tensor of a plan."""

    __slots__ = ("dtype", "layout", "name", "nbytes", "shape")

    def __init__(self, item: Item) -> None:
        self.name = item.name
        self.dtype = item.dtype
        self.shape = item.shape
        self.layout = item.layout
        self.nbytes = item.nbytes


def target_path(dst: AnyPath, overwrite: bool) -> str:
    """The file that ``dst`` means. A symbolic link is followed: the link stays, and its file changes.

    :raises OSError: it cannot be written, or exists and ``overwrite`` is false.
    """
    import errno
    import os
    import stat

    target = os.path.realpath(os.fsdecode(dst))
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        if not os.path.isdir(os.path.dirname(target)):
            raise file_error(errno.ENOENT, "no such folder", os.path.dirname(target)) from None
        return target
    if stat.S_ISDIR(mode):
        raise file_error(errno.EISDIR, os.strerror(errno.EISDIR), os.fsdecode(dst))
    if not stat.S_ISREG(mode):
        raise FileError(f"{os.fsdecode(dst)}: not a regular file, so it cannot be replaced as a whole")
    if not overwrite:
        raise file_error(errno.EEXIST, "the file exists; overwrite=True replaces it", os.fsdecode(dst))
    return target


def fill(plan: Plan, reader: Reader, items: Sequence[Item], target: Format, drop_metadata: bool) -> None:
    """Everything that can be said before a byte is written; one error for all that stands in the way."""
    left_out: list[str] = []
    if copies(plan):
        problems: list[Problem] = []
        kv = dict(reader.kv)
        _verified(plan.source)
    else:
        problems = list(_duplicates(items))
        problems += _specials(items, target.name)
        problems += _unbounded(items, target.name)
        problems += _extras(items, target.name, left_out if drop_metadata else None)
        kv, refused = _metadata(items, reader.kv, target, left_out if drop_metadata else None)
        problems += refused
    if problems:
        raise PlanError(plan.source, problems)
    plan.items = tuple(PlannedItem(item) for item in items)
    plan.bytes = sum(item.nbytes for item in items)
    plan.kv = kv
    plan.notes = (*reader.notes, *(() if copies(plan) else target.notes(items, kv)))
    plan.left_out = tuple(left_out)


def copies(plan: Plan) -> bool:
    """.hrry to .hrry is a copy of the bytes: nothing in it needs to be understood, and nothing gets lost."""
    return plan.source_format == plan.target_format == HRRY.name


def _verified(path: str) -> None:
    from hurray import verify

    if problems := [Problem(p.message, name=p.name, offset=p.offset, code=p.code) for p in verify(path)]:
        raise formats.FormatError(path, problems)


def _duplicates(items: Iterable[Item]) -> Iterator[Problem]:
    seen: set[str] = set()
    for item in items:
        if item.name in seen:
            yield Problem("the name occurs twice", name=item.name)
        seen.add(item.name)


def _specials(items: Iterable[Item], target: str) -> Iterator[Problem]:
    if target == HRRY.name:
        return
    for item in items:
        if item.special is not None:
            yield Problem(f"{item.special}; {target} has no place for it, .hrry has", name=item.name)


def _unbounded(items: Iterable[Item], target: str) -> Iterator[Problem]:
    """A broadcast stands for elements that no other format could store one by one."""
    for item in items:
        if item.nbytes > MOST_BYTES and target != HRRY.name:
            shape = list(item.shape)
            message = f"shape {shape} of {item.dtype} makes {item.nbytes} bytes, more than a file can have"
            yield Problem(f"{message}; .hrry keeps the strides", name=item.name)


def _extras(items: Iterable[Item], target: str, left_out: list[str] | None) -> Iterator[Problem]:
    if target == HRRY.name:
        return
    for item in items:
        for extra in item.extras:
            if left_out is None:
                message = f"{target} has no place for {extra}; drop_metadata=True leaves it out"
                yield Problem(message, name=item.name)
            else:
                left_out.append(f"tensor {item.name!r}: {extra}")


def _metadata(
    items: Sequence[Item], kv: formats.Kv, target: Format, left_out: list[str] | None
) -> tuple[dict[str, Any], list[Problem]]:
    """What of the metadata goes along, and all that the target refuses."""
    kept = dict(kv)
    refused = []
    for problem in target.check([item for item in items if item.special is None], kv):
        if problem.key is None:
            refused.append(problem)
        elif left_out is None:
            hint = f"{problem.message}; drop_metadata=True leaves it out"
            refused.append(Problem(hint, key=problem.key, code=problem.code))
        elif problem.key in kept:
            del kept[problem.key]
            left_out.append(f"metadata key {problem.key!r}")
    return kept, refused
