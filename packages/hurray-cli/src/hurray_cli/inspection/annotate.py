"""The bytes of a descriptor with the meaning of each field (format: descriptor.md).

A walker of its own, not the core's decoder: it also shows layouts and sections that the core has no class for,
and a broken descriptor as far as it goes. It states what the bytes say and judges only where it must stop.
"""

from __future__ import annotations

from hurray_cli.inspection.cursor import FIRST_PRIVATE, LAST_PRIVATE, Cursor, EndError, Field
from hurray_cli.inspection.payloads import LAYOUTS, complete_tiles, layout_payload
from hurray_cli.inspection.sections import FLAGS, SHARD, complete, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any, TypeVar

    from hurray_cli.inspection.cursor import Path

    T = TypeVar("T")

DYNAMIC = 2**64 - 1  # the size of a dimension that is not known yet
_DEVICES = dict(
    enumerate(("cpu", "cuda", "rocm", "metal", "vulkan", "webgpu", "hexagon", "level_zero", "opencl"))
)
_SYNC_MODES = dict(enumerate(("producer_synced", "event", "consumer_stream")))
_MEMORY_CLASSES = dict(enumerate(("standard", "host_pinned", "unified", "peer")))


def annotate(data: bytes) -> Iterator[Field]:
    """Every field in order; a last one without bytes says why the walk ended early, if it did."""
    cursor = Cursor(data)
    try:
        yield from _walk(cursor)
    except EndError as end:
        if end.rest:
            yield Field(cursor.at, end.rest, f"{end.label}: cut short, {len(end.rest)} of {end.wanted} bytes")
        else:
            yield Field(cursor.at, b"", f"the descriptor ends before: {end.label}")
    else:
        if rest := cursor.rest():
            yield Field(cursor.at, rest, f"{len(rest)} bytes left over")


def structure(data: bytes) -> dict[str, Any]:
    """The fields of a good descriptor by their names, those of layout and sections nested under theirs."""
    tree: dict[str, Any] = {"layout": {}}
    for field in annotate(data):
        if field.path:
            _put(tree, field.path, field.value)
    # Which of the private ones it is: their names are all the same.
    if tree["layout_tag"] >= FIRST_PRIVATE:
        tree["layout"] = {"tag": tree["layout_tag"], **tree["layout"]}
    if "tile_shape" in tree["layout"]:
        complete_tiles(tree["layout"])
    if "scheme" in tree.get("quantization", {}):
        complete(tree["quantization"])
    if tree["flags"] & SHARD:  # of a scalar: no dimensions, no bytes
        tree.setdefault("shard", {"parent_shape": [], "shard_offset": []})
    return tree


def _put(tree: dict[Any, Any], path: Path, value: Any) -> None:
    """Set what lies at the end of the path; a number there is the next place of a list."""
    *steps, last = path
    numbered = steps.pop() if isinstance(last, int) else None
    for step in steps:
        tree = tree.setdefault(step, {})
    if numbered is None:
        tree[last] = value
    else:
        tree.setdefault(numbered, []).append(value)


def _walk(cursor: Cursor) -> Iterator[Field]:
    yield cursor.raw(4, "magic", lambda raw: f'magic "{raw.decode("ascii", "backslashreplace")}"')
    yield cursor.raw(2, "version", lambda raw: f"version {raw[0]}.{raw[1]}")
    yield cursor.uint(4, "descriptor_length", lambda n: f"{n}{_length_remark(n, cursor.size)}")
    flags, field = cursor.keep(4, "flags", _flag_names)
    yield field
    yield cursor.uint(1, "type_tag", lambda n: f"{n:#04x} {dtype_name(n)}")
    layout, field = cursor.keep(1, "layout_tag", _layout_name)
    yield field
    rank, field = cursor.keep(4, "rank")
    yield field
    yield from cursor.array(8, "shape", rank, describe=lambda n: "dynamic" if n == DYNAMIC else str(n))
    yield cursor.uint(8, "byte_offset")
    payload = layout_payload(cursor, layout, rank)
    if not (yield from _under("layout", payload)):
        if rest := cursor.rest():
            text = f"{len(rest)} bytes that cannot be told apart: the payload of layout {layout:#04x} is not known"
            yield Field(cursor.at, rest, text)
            cursor.at = cursor.size
        return
    buffers, field = cursor.keep(1, "buffer_count")
    yield field
    for k in range(buffers):
        yield from _handle(cursor, f"buffer {k}: ")
    yield from sections(cursor, flags, rank, dtype_name)


def _under(name: str, fields: Generator[Field, None, T]) -> Generator[Field, None, T]:
    """The same fields, one step further down."""
    while True:
        try:
            field = next(fields)
        except StopIteration as end:
            result: T = end.value
            return result
        yield field.under(name)


def _handle(cursor: Cursor, label: str) -> Iterator[Field]:
    yield cursor.uint(8, f"{label}byte_size")
    yield cursor.uint(4, f"{label}alignment")
    yield cursor.choice(f"{label}device", _DEVICES, private=True)[1]
    yield cursor.choice(f"{label}sync mode", _SYNC_MODES)[1]
    yield cursor.choice(f"{label}memory class", _MEMORY_CLASSES, private=True)[1]
    yield cursor.reserved(1, f"{label}reserved")


def dtype_name(tag: int) -> str:
    """The element type of a tag (element-types.md §1); of a private one with the tag."""
    from hurray import Dtype

    try:
        return str(Dtype.from_tag(tag))
    except (ValueError, NotImplementedError, LookupError):
        return "not assigned"


def _layout_name(tag: int) -> str:
    if FIRST_PRIVATE <= tag <= LAST_PRIVATE:
        return f"{tag:#04x} private"
    return f"{tag:#04x} {LAYOUTS[tag]}" if tag in LAYOUTS else f"{tag:#04x}, not assigned"


def _flag_names(flags: int) -> str:
    names = [name for bit, name in FLAGS.items() if flags & bit]
    if unknown := flags & ~sum(FLAGS):
        names.append(f"reserved bits {unknown:#010x}")
    return ", ".join(names) or "none"


def _length_remark(claim: int, size: int) -> str:
    return "" if claim == size else f" (the index says {size})"
