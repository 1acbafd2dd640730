"""A file of any format as rows: one for each tensor, broken ones too."""

from __future__ import annotations

from hurray_cli.errors import FailedError
from hurray_cli.formats import register
from hurray_cli.inspection.annotate import structure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from hurray import Descriptor, Entry, File
    from hurray.formats import Item

# What a row's fields are made of; member_role is a value, the others have fields of their own.
SECTIONS = ("layout", "quantization", "shard", "statistics", "extension_type", "member_role")
WITHOUT_FIELDS = (0x01, 0x02)  # the tags of row_major and col_major


class Row:
    """One tensor. ``shape`` holds None for a dynamic dimension; ``fault`` says why the rest is unknown.

    ``nbytes`` is the size of the elements packed, as everywhere in the command; ``stored`` that of its buffers in a
    .hrry file, which is less where elements repeat and more where there are gaps between them. ``fields`` holds
    what its descriptor says beyond dtype and shape: the fields of the layout, and the sections by their names.
    """

    __slots__ = (
        "descriptor",
        "dtype",
        "entry",
        "fault",
        "fields",
        "head",
        "layout",
        "members",
        "name",
        "nbytes",
        "offset",
        "path",
        "shape",
        "stored",
        "virtual",
    )

    def __init__(self, name: str) -> None:
        self.name = name
        self.dtype: str | None = None
        self.shape: tuple[int | None, ...] | None = None
        self.layout: str | None = None
        self.nbytes: int | None = None
        self.stored: int | None = None
        self.fields: dict[str, Any] = {}
        self.virtual = False  # a composite's head: its elements are those of its members
        self.members: tuple[str, ...] | None = None  # of a head, in order
        self.head: str | None = None  # the composite that it is a member of
        self.fault: Exception | None = None
        self.offset: int | None = None
        self.path: str | None = None
        self.entry: Entry | None = None
        self.descriptor: Descriptor | None = None

    @property
    def elements(self) -> int | None:
        """The number of logical elements, when it is known."""
        if self.shape is None:
            return None
        count = 1
        for size in self.shape:
            if size is None:
                return None
            count *= size
        return count


class Overview:
    """What a file says about itself. ``file`` holds the facts that only a .hrry file has."""

    def __init__(self, path: str, format: str, kv: dict[str, Any], rows: list[Row]) -> None:
        self.path = path
        self.format = format
        self.kv = kv
        self.rows = rows
        self.file: dict[str, int | str] = {}

    @property
    def faults(self) -> list[Row]:
        """The rows that could not be read."""
        return [row for row in self.rows if row.fault is not None]


def overview(path: str) -> Overview:
    """Look at the file: its header, index and descriptors, and none of its data.

    :raises OSError: it cannot be opened, or not even its index can be read.
    """
    from hurray import formats

    register()
    if path == "-":
        return _stream()
    format = formats.detect(path)
    if format.name == "hrry":
        return _hrry(path)
    with format.read(path) as reader:
        return Overview(path, format.name, reader.kv, [_item_row(item) for item in reader])


def _hrry(path: str) -> Overview:
    import hurray

    with hurray.open(path, writable=False) as file:
        found = Overview(path, "hrry", file.kv, [_descriptor_row(file, name) for name in file])
        _compose(file, found.rows)
        found.file = {
            "version": ".".join(map(str, file.version)),
            "bytes": file.size,
            "alignment": file.alignment,
            "flags": file.flags,
        }
        return found


def _stream() -> Overview:
    """What comes on stdin, each tensor looked at and let go."""
    from hurray_cli.pipe import incoming, named

    names, kv, items = incoming()
    rows: list[Row] = []
    for name, item in named(names, items):
        rows += _item_rows(name, item)
        del item
    return Overview("-", "stream", kv, rows)


def _item_rows(name: str, item: Any, head: str | None = None) -> list[Row]:
    """A tensor, or a composite and its members, named as a file would name them."""
    row = Row(name)
    row.head = head
    _describe(row, item.descriptor, item.descriptor.encode())
    rows = [row]
    if row.virtual:
        row.members = tuple(f"{name}.{at}" for at in range(item.member_count))
        for member, member_name in zip(item.members, row.members, strict=True):
            rows += _item_rows(member_name, member, name)
    return rows


def _descriptor_row(file: File, name: str) -> Row:
    row = Row(name)
    row.entry = file.entry(name)
    try:
        descriptor = file.descriptor(name)
        row.dtype = str(descriptor.dtype)
    except (ValueError, NotImplementedError, OSError, LookupError) as error:
        row.fault = error
        return row
    row.descriptor = descriptor
    _describe(row, descriptor, file.descriptor_bytes(name))
    return row


def _describe(row: Row, descriptor: Descriptor, data: bytes) -> None:
    from hurray import formats

    row.dtype = str(descriptor.dtype)
    row.shape = descriptor.shape
    row.layout = descriptor.layout.name
    row.virtual = descriptor.layout.is_virtual
    row.nbytes = formats.nbytes_of(descriptor)
    row.stored = sum(handle.byte_size for handle in descriptor.buffer_handles)
    row.fields = _fields(data)


def _compose(file: File, rows: list[Row]) -> None:
    """Heads with the names of their members, members with that of their head; a torn composite is a fault."""
    heads = [row for row in rows if row.virtual]
    if not heads:
        return
    by_name = {row.name: row for row in rows}
    for row in heads:
        try:
            row.members = file.members(row.name)
        except (ValueError, NotImplementedError, OSError) as error:
            row.fault = error
            continue
        for name in row.members:
            by_name[name].head = row.name


def _fields(data: bytes) -> dict[str, Any]:
    """What the descriptor says of layout and sections; most say nothing, which is told without a walk."""
    flags, layout = int.from_bytes(data[10:14], "little"), data[15]
    if not flags and layout in WITHOUT_FIELDS:
        return {}
    tree = structure(data)
    return {name: tree[name] for name in SECTIONS if tree.get(name)}


def _item_row(item: Item) -> Row:
    row = Row(item.name)
    row.dtype = str(item.dtype)
    row.shape = item.shape
    row.layout = item.layout
    row.nbytes = item.nbytes
    row.offset = item.offset
    row.path = item.path
    return row


def select(found: Overview, names: Sequence[str]) -> list[Row]:
    """The rows of ``found`` with these names, in this order; ``*`` and ``?`` in a name that no tensor has match any.

    :raises FailedError: a name matches nothing; all such names are listed.
    """
    from fnmatch import fnmatchcase

    by_name = {row.name: row for row in found.rows}
    chosen: dict[str, Row] = {}
    missing = []
    for name in names:
        # Brackets are common in names: here they are only brackets.
        pattern = name.replace("[", "[[]")
        matches = [name] if name in by_name else [other for other in by_name if fnmatchcase(other, pattern)]
        chosen.update((match, by_name[match]) for match in matches)
        if not matches:
            missing.append(name)
    if missing:
        listed = ", ".join(map(repr, missing))
        raise FailedError(f"{found.path}: no tensor named {listed}{_nearest(missing[0], by_name)}")
    return list(chosen.values())


def _nearest(name: str, names: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(names)[:10_000], n=3)
    return f"; near: {', '.join(map(repr, near))}" if near else ""
