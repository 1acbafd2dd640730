"""The layout payloads (format: layouts.md). They have no length: who does not know one cannot go on."""

from __future__ import annotations

from hurray_cli.inspection.cursor import Cursor, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

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
_ORDERS = {1: "row_major", 2: "col_major", 3: "strided", 4: "tiled"}
_ROLES = {0: "key", 1: "value", 2: "fused"}
_RULES = {1: "partition", 2: "overlay", 3: "group"}
_OPERATIONS = {0: "none", 1: "replace", 2: "add"}
_NESTED, _STRIDED = 4, 3


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
    for k in range(rank):
        yield cursor.int64(f"stride[{k}], in elements:")


def _tiled(cursor: Cursor, rank: int) -> Iterator[Field]:
    level = 0
    while True:
        prefix = f"tile level {level}: " if level else ""
        for k in range(rank):
            yield cursor.uint(8, f"{prefix}tile_shape[{k}]")
        outer, field = cursor.keep(1, f"{prefix}outer_layout", _choice(_ORDERS))
        yield field
        inner, field = cursor.keep(1, f"{prefix}inner_layout", _choice(_ORDERS))
        yield field
        yield cursor.reserved(2, f"{prefix}reserved")
        if outer == _STRIDED:
            for k in range(rank):
                yield cursor.int64(f"{prefix}outer stride[{k}], in tiles:")
        if inner == _STRIDED:
            for k in range(rank):
                yield cursor.int64(f"{prefix}inner stride[{k}], in elements:")
        if inner != _NESTED:
            return
        level += 1


def _morton(cursor: Cursor, rank: int) -> Iterator[Field]:
    for k in range(rank):
        yield cursor.uint(4, f"morton_bits[{k}]")


def _coo(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    yield cursor.uint(1, "is_sorted")
    yield cursor.reserved(7)


def _compressed(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    yield cursor.reserved(8)


def _csf(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(8, "nnz")
    for k in range(rank):
        yield cursor.uint(4, f"mode_order[{k}]")
    yield cursor.reserved(8)


def _block_paged(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(4, "page_size")
    yield cursor.uint(8, "num_pages")
    yield cursor.uint(4, "paged_axis")
    yield cursor.uint(4, "num_seqs")
    yield cursor.uint(1, "kv_role", _choice(_ROLES))
    yield cursor.uint(4, "layer_index", lambda n: "none" if n == 2**32 - 1 else str(n))
    yield cursor.uint(1, "block_table_index_type", _choice({0: "uint32", 1: "uint64"}))
    yield cursor.reserved(6)


def _composite(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(1, "composition_rule", _choice(_RULES))
    yield cursor.uint(1, "combine_op", _choice(_OPERATIONS))
    yield cursor.reserved(2)
    yield cursor.uint(4, "member_count")


def _hilbert(cursor: Cursor, rank: int) -> Iterator[Field]:
    yield cursor.uint(4, "hilbert_order")
    yield cursor.uint(4, "hilbert_rank")


def _private(cursor: Cursor) -> Iterator[Field]:
    yield cursor.uint(8, "extension_layout_id", lambda n: f"{n:#018x}")
    size, field = cursor.keep(4, "extension_data_length")
    yield field
    if size:
        yield cursor.raw(size, "extension data", lambda raw: f"extension data, {len(raw)} opaque bytes")


def _choice(names: dict[int, str]) -> Callable[[int], str]:
    return lambda value: f"{value} {names[value]}" if value in names else f"{value:#04x}, not assigned"


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
