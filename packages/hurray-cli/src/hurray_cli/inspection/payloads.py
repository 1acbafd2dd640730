"""The layout payloads (format: layouts.md). They have no length: who does not know one cannot go on.

The names of the fields are those of the layout classes of ``hurray``.
"""

from __future__ import annotations

from hurray_cli.inspection.cursor import Cursor, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from typing import Any

LAYOUTS = {
    0x01: "row_major",
    0x02: "col_major",
    0x03: "strided",
    0x04: "tiled",
    0x05: "morton",
    0x06: "coo",
    0x07: "csr",
    0x08: "csc",
    0x09: "csf",
    0x0A: "block_paged",
    0x0B: "composite",
    0x40: "hilbert",
}
_OUTER = {1: "row_major", 2: "col_major", 3: "strided"}
_INNER = {**_OUTER, 4: "tiled"}
_ROLES = {0: "key", 1: "value", 2: "fused"}
_INDEX_TYPES = {0: "uint32", 1: "uint64"}
_RULES = {1: "partition", 2: "overlay", 3: "group"}
_OPERATIONS = {0: None, 1: "replace", 2: "add"}
_NESTED, _STRIDED, _NO_LAYER = 4, 3, 2**32 - 1


def layout_payload(cursor: Cursor, tag: int, rank: int) -> Generator[Field, None, bool]:
    """The fields of the payload; returns whether the layout is known, and so where its payload ends."""
    if 0xF0 <= tag <= 0xFE:
        yield from _private(cursor)
    elif tag in _PAYLOADS:
        yield from _PAYLOADS[tag](cursor, rank)
    return 0xF0 <= tag <= 0xFE or tag in _PAYLOADS


def _nothing(cursor: Cursor, rank: int) -> Iterator[Field]:
    return iter(())


def _strided(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield from cursor.array(8, "strides", rank, label="stride", after=", in elements:", signed=True)


def _tiled(cursor: Cursor, rank: int) -> Iterator[Field]:
    level, inner = 0, _NESTED
    while inner == _NESTED:
        path = ("inner_tiled",) * level
        inner = yield from _tile_level(cursor, rank, f"tile level {level}: " if level else "", path)
        level += 1


def _tile_level(cursor: Cursor, rank: int, prefix: str, path: tuple[str, ...]) -> Generator[Field, None, int]:
    """One level of tiles; returns what its inner layout is."""
    for field in cursor.array(8, "tile_shape", rank, label=f"{prefix}tile_shape"):
        yield field.under(*path)
    outer, field = cursor.choice(f"{prefix}outer_layout", _OUTER, name="outer_layout")
    yield field.under(*path)
    inner, field = cursor.choice(f"{prefix}inner_layout", _INNER, name="inner_layout")
    yield field.under(*path)
    yield cursor.reserved(2, f"{prefix}reserved")
    for which, code, unit in (("outer", outer, "tiles"), ("inner", inner, "elements")):
        if code == _STRIDED:
            label = f"{prefix}{which} stride"
            for field in cursor.array(
                8, f"{which}_strides", rank, label=label, after=f", in {unit}:", signed=True
            ):
                yield field.under(*path)
    return inner


def complete_tiles(level: dict[str, Any] | None) -> None:
    """Say None of what a level of tiles does not have, as its class does."""
    while level is not None:
        for name in ("outer_strides", "inner_strides", "inner_tiled"):
            level.setdefault(name, None)
        level = level["inner_tiled"]


def _morton(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield from cursor.array(4, "morton_bits", rank)


def _coo(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    yield cursor.uint(1, "is_sorted", value=bool)
    yield cursor.reserved(7)


def _compressed(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    yield cursor.reserved(8)


def _csf(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    yield from cursor.array(4, "mode_order", rank)
    yield cursor.reserved(8)


def _block_paged(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(4, "page_size")
    yield cursor.uint(8, "num_pages")
    yield cursor.uint(4, "paged_axis")
    yield cursor.uint(4, "num_seqs")
    yield cursor.choice("kv_role", _ROLES)[1]
    yield cursor.uint(
        4,
        "layer_index",
        lambda n: "none" if n == _NO_LAYER else str(n),
        value=lambda n: None if n == _NO_LAYER else n,
    )
    yield cursor.choice("block_table_index_type", _INDEX_TYPES)[1]
    yield cursor.reserved(6)


def _composite(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.choice("composition_rule", _RULES, private=True)[1]
    yield cursor.choice("combine_op", _OPERATIONS)[1]
    yield cursor.reserved(2)
    yield cursor.uint(4, "member_count")


def _hilbert(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(4, "hilbert_order")
    yield cursor.uint(4, "hilbert_rank")


def _private(cursor: Cursor) -> Iterator[Field]:
    yield cursor.uint(8, "extension_layout_id", lambda n: f"{n:#018x}")
    size, field = cursor.keep(4, "extension_data_length")
    yield Field(field.offset, field.data, field.text)
    field = cursor.raw(size, "extension data", lambda raw: f"extension data, {len(raw)} opaque bytes")
    yield Field(field.offset, field.data, field.text, ("extension_data",), field.data)


_PAYLOADS: dict[int, Callable[[Cursor, int], Iterator[Field]]] = {
    0x01: _nothing,
    0x02: _nothing,
    0x03: _strided,
    0x04: _tiled,
    0x05: _morton,
    0x06: _coo,
    0x07: _compressed,
    0x08: _compressed,
    0x09: _csf,
    0x0A: _block_paged,
    0x0B: _composite,
    0x40: _hilbert,
}
