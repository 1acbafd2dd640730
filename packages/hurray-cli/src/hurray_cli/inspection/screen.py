"""An overview for people: a first screen, then a line for each tensor."""

from __future__ import annotations

from hurray_cli import units
from hurray_cli.escape import shown
from hurray_cli.sorting import natural
from hurray_cli.table import Table, bold, is_terminal, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hurray_cli.inspection.overview import Overview, Row

MAX_VALUE = 100  # characters of a metadata value on the screen; --json has all of it


def print_screen(found: Overview) -> None:
    """Version, counts, dtypes and metadata."""
    rows = found.rows
    version = found.file.get("version")
    print(bold(shown(found.path)) + f"  {found.format}" + (f" {version}" if version else ""))
    parameters = sum(row.elements or 0 for row in rows if not row.virtual)
    data = sum(row.nbytes or 0 for row in rows)
    stored = sum(row.stored or 0 for row in rows)
    heads = sum(row.virtual for row in rows)
    _fact("tensors", units.grouped(len(rows) - heads))
    if heads:
        _fact("composites", units.grouped(heads))
    _fact("parameters", _both(parameters, units.count(parameters)))
    whole = found.file.get("bytes")
    inside = f", {stored:,} stored" if whole and stored != data else ""
    _fact(
        "bytes", _both(data, units.size(data)) + (f" of data{inside}, {whole:,} in the file" if whole else "")
    )
    for label, value in zip(["metadata"] + [""] * len(found.kv), _metadata(found.kv), strict=False):
        _fact(label, value)
    if rows:
        print()
        _histogram(rows, data)


def print_rows(rows: Sequence[Row]) -> None:
    """The table of tensors in natural order, a composite's members below its head.

    What most have nothing of is shown only where one has some.

    On a terminal the rest of a descriptor follows the table, for it is long; in a pipe it is the last column, so
    that a line is a tensor.
    """
    tree = list(_tree(rows))
    rows = [row for _, row in tree]
    stored = any(row.stored not in (None, row.nbytes) for row in rows)
    below = is_terminal()
    more = any(row.fields for row in rows) and not below
    columns = ("name", "dtype", "shape", "layout", "bytes", *["stored"] * stored, *["more"] * more)
    table = Table(columns, right=("bytes", "stored"))
    for depth, row in tree:
        cells = ["  " * depth + shown(row.name), "invalid", "", "", ""]
        if row.fault is None:
            cells[1:] = [row.dtype or "", shape_of(row), row.layout or "", units.grouped(row.nbytes or 0)]
        if stored:
            cells.append("" if row.stored is None else units.grouped(row.stored))
        if more:
            cells.append(shown(details(row)))
        table.add(*cells)
    table.print()
    if below:
        _print_details(rows)


def _tree(rows: Sequence[Row]) -> Iterator[tuple[int, Row]]:
    """Rows with the number of heads above them; files nest 8 levels at most."""
    by_name = {row.name: row for row in rows}

    def below(row: Row, depth: int) -> Iterator[tuple[int, Row]]:
        yield depth, row
        for name in row.members or ():
            if name in by_name:
                yield from below(by_name[name], depth + 1)

    for row in sorted(rows, key=lambda row: natural(row.name)):
        if row.head not in by_name:
            yield from below(row, 0)


def _print_details(rows: Sequence[Row]) -> None:
    """The details of each tensor that has some, broken between fields."""
    from textwrap import TextWrapper

    listed = [(row.name, text) for row in rows if (text := details(row))]
    if listed:
        print()
    wrapper = TextWrapper(
        width(),
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    for name, text in listed:
        print(bold(shown(name)))
        print(wrapper.fill(shown(text)))


def details(row: Row) -> str:
    """What the descriptor says beyond the columns: ``csr(nnz=2); shard(parent_shape=[8, 8], shard_offset=[0, 4])``."""
    parts = []
    for section, value in row.fields.items():
        if section == "layout":
            parts.append(f"{row.layout}({_fields(value)})")
        elif section == "quantization":
            parts.append(f"{value['scheme']}({_fields(value, without='scheme')})")
        else:
            parts.append(f"{section}({_fields(value)})" if isinstance(value, dict) else f"{section}={value}")
    return "; ".join(parts)


def _fields(fields: dict[str, Any], without: str = "") -> str:
    """``axis=1, block_size=128``; what is not known or not there is left out."""
    return ", ".join(
        f"{key}={_field(value)}" for key, value in fields.items() if value is not None and key != without
    )


def _field(value: Any) -> str:
    if isinstance(value, dict):
        return f"({_fields(value)})"
    if isinstance(value, bytes):
        return units.plural(len(value), "byte").replace(" ", "_")
    return str(value).lower() if isinstance(value, bool) else str(value)


def shape_of(row: Row) -> str:
    """``[768, 30522]``; a dynamic dimension is ``?``."""
    return "[" + ", ".join("?" if size is None else str(size) for size in row.shape or ()) + "]"


def _histogram(rows: Sequence[Row], data: int) -> None:
    table = Table(
        ("dtype", "tensors", "parameters", "bytes", "share"),
        right=("tensors", "parameters", "bytes", "share"),
    )
    rows = [row for row in rows if not row.virtual]
    kinds = sorted({row.dtype for row in rows if row.dtype is not None})
    for kind in sorted(kinds, key=lambda kind: -_sum(rows, kind)):
        same = [row for row in rows if row.dtype == kind]
        elements = sum(row.elements or 0 for row in same)
        nbytes = _sum(rows, kind)
        share = _share(nbytes, data)
        table.add(shown(kind), *map(units.grouped, (len(same), elements, nbytes)), share)
    table.print()


def _sum(rows: Sequence[Row], kind: str) -> int:
    return sum(row.nbytes or 0 for row in rows if row.dtype == kind)


def _fact(label: str, value: str) -> None:
    print(f"  {label:<11} {value}")


def _both(exact: int, rounded: str) -> str:
    return units.grouped(exact) if str(exact) in rounded.split(" ") else f"{exact:,} ({rounded})"


def _metadata(kv: dict[str, Any]) -> list[str]:
    return [f"{shown(key)} = {_elided(value)}" for key, value in kv.items()] or ["none"]


def _elided(value: Any) -> str:
    if isinstance(value, str) and len(value) > MAX_VALUE:
        return f"{shown(repr(value[:MAX_VALUE]))}… ({len(value):,} characters)"
    text = shown(repr(value))
    return text if len(text) <= 2 * MAX_VALUE else f"{text[:MAX_VALUE]}… ({_measure(value)})"


def _measure(value: Any) -> str:
    return units.plural(len(value), "byte" if isinstance(value, bytes) else "element")


def _share(part: int, whole: int) -> str:
    if not whole:
        return ""
    percent = 100 * part / whole
    return "< 0.1 %" if 0 < percent < 0.05 else f"{percent:.1f} %"
