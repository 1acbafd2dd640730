"""The bytes of a descriptor with the meaning of each field (format: descriptor.md).

A walker of its own, not the core's decoder: it also shows layouts and sections that the core has no class for,
and a broken descriptor as far as it goes. It states what the bytes say and judges only where it must stop.
"""

from __future__ import annotations

from hurray_cli.inspection.cursor import Cursor, EndError, Field
from hurray_cli.inspection.payloads import LAYOUTS, layout_payload
from hurray_cli.inspection.sections import FLAGS, sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER_BYTES = 20
DEVICES = ("cpu", "cuda", "rocm", "metal", "vulkan", "webgpu", "hexagon", "level_zero", "opencl")
SYNC_MODES = ("producer-synced", "event", "consumer stream")
MEMORY_CLASSES = ("standard", "host pinned", "unified", "peer")


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


def _walk(cursor: Cursor) -> Iterator[Field]:
    yield cursor.raw(4, "magic", lambda raw: f'magic "{raw.decode("ascii", "backslashreplace")}"')
    yield cursor.raw(2, "version", lambda raw: f"version {raw[0]}.{raw[1]}")
    yield cursor.uint(4, "descriptor_length", lambda n: f"{n}{_length_remark(n, cursor.size)}")
    flags, field = cursor.keep(4, "flags", _flag_names)
    yield field
    yield cursor.uint(1, "type_tag", dtype_name)
    layout, field = cursor.keep(1, "layout_tag", _layout_name)
    yield field
    rank, field = cursor.keep(4, "rank")
    yield field
    for k in range(rank):
        yield cursor.uint(8, f"shape[{k}]", lambda n: "dynamic" if n == 2**64 - 1 else str(n))
    yield cursor.uint(8, "byte_offset")
    known = yield from layout_payload(cursor, layout, rank)
    if not known:
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


def _handle(cursor: Cursor, label: str) -> Iterator[Field]:
    yield cursor.uint(8, f"{label}byte_size")
    yield cursor.uint(4, f"{label}alignment")
    yield cursor.uint(1, f"{label}device", lambda n: _named(DEVICES, n))
    yield cursor.uint(1, f"{label}sync mode", lambda n: _named(SYNC_MODES, n))
    yield cursor.uint(1, f"{label}memory class", lambda n: _named(MEMORY_CLASSES, n))
    yield cursor.reserved(1, f"{label}reserved")


def dtype_name(tag: int) -> str:
    """What a type tag means (element-types.md §1)."""
    from hurray import Dtype

    if 0xF0 <= tag <= 0xFE:
        return f"{tag:#04x} private"
    try:
        return f"{tag:#04x} {Dtype.from_tag(tag).name}"
    except (ValueError, NotImplementedError, LookupError):
        return f"{tag:#04x}, not assigned"


def _layout_name(tag: int) -> str:
    if 0xF0 <= tag <= 0xFE:
        return f"{tag:#04x} private"
    return f"{tag:#04x} {LAYOUTS[tag]}" if tag in LAYOUTS else f"{tag:#04x}, not assigned"


def _flag_names(flags: int) -> str:
    names = [name for bit, name in FLAGS.items() if flags & bit]
    if unknown := flags & ~sum(FLAGS):
        names.append(f"reserved bits {unknown:#010x}")
    return ", ".join(names) or "none"


def _named(names: tuple[str, ...], value: int) -> str:
    return f"{value} {names[value]}" if value < len(names) else f"{value:#04x}"


def _length_remark(claim: int, size: int) -> str:
    return "" if claim == size else f" (the index says {size})"
