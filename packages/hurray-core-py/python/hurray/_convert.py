"""``hurray.convert``: a file of one format into one of another, lossless or refused, whole or not at all."""

from __future__ import annotations

import os

from hurray import formats
from hurray._exceptions import FileError, file_error
from hurray._hrry_format import HRRY
from hurray._plan import Plan, copies, fill, target_path
from hurray._progress import Meter
from hurray._replace import copy, probe, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hurray._progress import Progress
    from hurray.formats import AnyPath, Format, Item


class Report:
    """What :func:`convert` did: the path written, tensors, bytes of tensor data, seconds, and the plan."""

    __slots__ = ("bytes", "path", "plan", "seconds", "tensors")

    def __init__(self, plan: Plan, seconds: float) -> None:
        self.path = plan.target
        self.tensors = len(plan.items)
        self.bytes = plan.bytes
        self.seconds = seconds
        self.plan = plan

    def __repr__(self) -> str:
        return (
            f"Report({self.path!r}, tensors={self.tensors}, bytes={self.bytes}, seconds={self.seconds:.3f})"
        )


def convert(
    src: AnyPath,
    dst: AnyPath,
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    overwrite: bool = False,
    drop_metadata: bool = False,
    durable: bool = False,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> Report:
    """Convert the file ``src`` into the file ``dst`` (04-tables section 3, ruling 4: the target is old or new, whole).

    Every element, name, shape and metadata value arrives unchanged, or nothing is written. ``dst`` appears
    when all is there: a failure, a kill or a full disk leaves the old file whole. ``src`` and ``dst`` may be
    the same file (with ``overwrite=True``). Memory stays bounded whatever the size of the tensors.

    ``source_format`` and ``target_format`` name formats of :func:`hurray.formats.names`; by default the
    content of ``src`` and the suffix of ``dst`` decide. ``drop_metadata=True`` leaves out the metadata that
    the target cannot hold and names it in ``plan.left_out``. ``durable=True`` also syncs to the disk.
    ``progress(done, total, name)`` is called before each tensor, in bytes, and about twenty times a second while
    a large one is written, on this thread: what it raises ends the conversion. The name is empty where the
    file is copied as a whole. ``dry_run=True`` writes nothing,
    and raises what writing would where ``dst`` or its folder is in the way.

    :raises FileExistsError: ``dst`` exists and ``overwrite`` is false.
    :raises hurray.formats.FormatError: ``src`` breaks the rules of its format; ``problems`` lists them all.
    :raises hurray.formats.PlanError: the target cannot hold something; ``problems`` lists all of it.
    :raises hurray.FileError: reading or writing failed; also the fitting built-in, such as ``FileNotFoundError``.
    """
    try:
        return _converted(
            src, dst, source_format, target_format, overwrite, drop_metadata, durable, progress, dry_run
        )
    except OSError as refused:
        if isinstance(refused, FileError) or refused.errno is None:
            raise
        raise file_error(refused.errno, refused.strerror or "", refused.filename) from refused


def _converted(
    src: AnyPath,
    dst: AnyPath,
    source_format: str | None,
    target_format: str | None,
    overwrite: bool,
    drop_metadata: bool,
    durable: bool,
    progress: Progress | None,
    dry_run: bool,
) -> Report:
    from time import perf_counter

    started = perf_counter()
    source = formats.regular_file(src)
    reads = formats.get(source_format) if source_format else formats.detect(source)
    target = target_path(dst, overwrite)
    writes = formats.get(target_format) if target_format else formats.for_target(dst)
    with reads.read(source) as reader:
        items = list(reader)
        plan = Plan(source, reads.name, target, writes.name)
        fill(plan, reader, items, writes, drop_metadata)
        if dry_run:
            probe(target)
        else:
            meter = None if progress is None else Meter(progress, plan.bytes)
            _write(plan, writes, items, durable, meter)
        items.clear()  # they hold the mapping that the reader closes
    return Report(plan, perf_counter() - started)


def _write(plan: Plan, target: Format, items: Sequence[Item], durable: bool, meter: Meter | None) -> None:
    if copies(plan):
        told = None if meter is None else meter.copied
        replace(plan.target, lambda temporary: copy(plan.source, temporary, told), durable)
    elif meter is None:
        _write_items(plan, target, items, durable, None)
    else:
        tracked = meter.items(items)
        meter.during(lambda: _write_items(plan, target, tracked, durable, meter))


def _write_items(
    plan: Plan, target: Format, items: Iterable[Item], durable: bool, meter: Meter | None
) -> None:
    if target.name == HRRY.name:
        HRRY.write(plan.target, items, plan.kv, durable=durable, meter=meter)
        return

    def fill(temporary: str) -> None:
        if meter is not None:
            meter.follow(lambda: os.stat(temporary).st_size, unpacks=True)
        target.write(temporary, items, plan.kv)

    replace(plan.target, fill, durable)
