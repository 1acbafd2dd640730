"""``hurray.convert``: a file of one format into one of another, lossless or refused, whole or not at all."""

from __future__ import annotations

from hurray import formats
from hurray._hrry_format import HRRY
from hurray._plan import Plan, copies, fill, target_path
from hurray._replace import copy, probe, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from hurray import Tensor
    from hurray.formats import AnyPath, Format, Item

    # Called with the bytes done, the bytes in all and the name of the tensor that comes next.
    Progress: TypeAlias = Callable[[int, int, str], None]


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
    """Convert the file ``src`` into the file ``dst``.

    Every element, name, shape and metadata value arrives unchanged, or nothing is written. ``dst`` appears
    when all is there: a failure, a kill or a full disk leaves the old file whole. ``src`` and ``dst`` may be
    the same file (with ``overwrite=True``). Memory stays bounded whatever the size of the tensors.

    ``source_format`` and ``target_format`` name formats of :func:`hurray.formats.names`; by default the
    content of ``src`` and the suffix of ``dst`` decide. ``drop_metadata=True`` leaves out the metadata that
    the target cannot hold and names it in ``plan.left_out``. ``durable=True`` also syncs to the disk.
    ``progress(done, total, name)`` is called before each tensor, in bytes. ``dry_run=True`` writes nothing,
    and raises what writing would where ``dst`` or its folder is in the way.

    :raises FileExistsError: ``dst`` exists and ``overwrite`` is false.
    :raises hurray.formats.FormatError: ``src`` breaks the rules of its format; ``problems`` lists them all.
    :raises hurray.formats.PlanError: the target cannot hold something; ``problems`` lists all of it.
    :raises OSError: reading or writing failed.
    """
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
            _write(plan, writes, _tracked(items, progress, plan.bytes), durable)
        items.clear()  # they hold the mapping that the reader closes
    return Report(plan, perf_counter() - started)


class _Tracked(formats.Item):
    """An item that says when it is used: a writer may take the items in an order of its own."""

    __slots__ = ("_item", "_tell", "dtype", "extras", "layout", "name", "nbytes", "shape", "special")

    def __init__(self, item: Item, tell: Callable[[Item], None]) -> None:
        self.name, self.dtype, self.shape, self.nbytes = item.name, item.dtype, item.shape, item.nbytes
        self.layout, self.special, self.extras = item.layout, item.special, item.extras
        self._item = item
        self._tell = tell

    def load(self) -> Tensor:
        self._tell(self._item)
        return self._item.load()

    def raw(self) -> Any:
        self._tell(self._item)
        return self._item.raw()

    def pieces(self) -> Any:
        self._tell(self._item)
        return self._item.pieces()


class _Meter:
    """Counts the bytes of the items that are done, by what is begun after them."""

    __slots__ = ("_begun", "_done", "_progress", "_total")

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._total = total
        self._done = 0
        self._begun: set[str] = set()

    def tell(self, item: Item) -> None:
        if item.name not in self._begun:
            self._begun.add(item.name)
            self._progress(self._done, self._total, item.name)
            self._done += item.nbytes


def _tracked(items: Iterable[Item], progress: Progress | None, total: int) -> Iterable[Item]:
    if progress is None:
        return items
    meter = _Meter(progress, total)
    return [_Tracked(item, meter.tell) for item in items]


def _write(plan: Plan, target: Format, items: Iterable[Item], durable: bool) -> None:
    if copies(plan):
        replace(plan.target, lambda temporary: copy(plan.source, temporary), durable)
    elif target.name == HRRY.name:
        HRRY.write(plan.target, items, plan.kv, durable=durable)
    else:
        replace(plan.target, lambda temporary: target.write(temporary, items, plan.kv), durable)
