"""The optional sections of a descriptor, in the order in which they lie (format: descriptor.md §6)."""

from __future__ import annotations

from hurray_cli.inspection.cursor import Cursor, EndError, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUANTIZATION, SHARD, EXTENSION, STATISTICS, MEMBER = 1, 2, 4, 8, 16
FLAGS = {
    QUANTIZATION: "HAS_QUANTIZATION",
    SHARD: "HAS_SHARD",
    EXTENSION: "HAS_EXTENSION_TYPE",
    STATISTICS: "HAS_STATISTICS",
    MEMBER: "HAS_COMPOSITE_MEMBER",
}
_SCHEMES = {1: "per-tensor affine", 2: "per-channel affine", 3: "per-block affine", 4: "NF4", 5: "MXFP"}
_COMPUTED = ("nnz", "sparsity", "value range", "value statistics", "N:M sparsity", "NaN and infinity")
_SYMMETRIC, _NO_BUFFER = 1, 2**32 - 1


def sections(cursor: Cursor, flags: int, rank: int, dtype_name: Callable[[int], str]) -> Iterator[Field]:
    """All sections that the flags announce."""
    if flags & QUANTIZATION:
        yield from _quantization(cursor, dtype_name)
    if flags & SHARD:
        for field in ("parent_shape", "shard_offset"):
            for k in range(rank):
                yield cursor.uint(8, f"{field}[{k}]")
    if flags & STATISTICS:
        yield from _statistics(cursor)
    if flags & EXTENSION:
        yield from _extension(cursor)
    if flags & MEMBER:
        yield cursor.uint(1, "member_role", lambda n: {0: "0 correction", 1: "1 base"}.get(n, f"{n:#04x}"))
        yield cursor.reserved(15)


def _quantization(cursor: Cursor, dtype_name: Callable[[int], str]) -> Iterator[Field]:
    """Framed by its own length: what is not known of it is shown as bytes, and passed."""
    size, field = cursor.keep(4, "quantization_length")
    yield field
    payload = cursor.raw(size, "quantization", lambda raw: "")
    inner = Cursor(payload.data)
    try:
        for field in _scheme(inner, dtype_name):
            yield Field(payload.offset + field.offset, field.data, field.text)
    except EndError as end:
        yield Field(payload.offset + inner.at, end.rest, f"{end.label}: cut short by quantization_length")
        return
    if rest := inner.rest():
        yield Field(payload.offset + inner.at, rest, f"{len(rest)} more bytes of the quantization section")


def _scheme(cursor: Cursor, dtype_name: Callable[[int], str]) -> Iterator[Field]:
    scheme, field = cursor.keep(1, "scheme", lambda n: f"{n} {_SCHEMES[n]}" if n in _SCHEMES else f"{n:#04x}")
    yield field
    yield cursor.uint(1, "scheme_version")
    yield cursor.uint(
        2, "scheme flags", lambda n: "SYMMETRIC" if n == _SYMMETRIC else "none" if not n else hex(n)
    )
    if scheme == 1:
        yield cursor.real(4, "scale")
        yield cursor.raw(
            4, "zero_point", lambda raw: f"zero_point {int.from_bytes(raw, 'little', signed=True)}"
        )
        yield cursor.reserved(4)
    elif scheme in _SCHEMES:
        yield cursor.uint(4, "axis")
        if scheme != 2:
            yield cursor.uint(4, "block_size")
        yield cursor.uint(4, "scale buffer", _buffer)
        if scheme in (2, 3):
            yield cursor.uint(4, "zero-point buffer", _buffer)
            yield cursor.uint(1, "scale type", dtype_name)
            yield cursor.reserved(3)


def _statistics(cursor: Cursor) -> Iterator[Field]:
    yield cursor.uint(4, "computed_mask", _computed)
    yield cursor.reserved(4)
    yield cursor.uint(8, "statistics: nnz")
    for name in ("sparsity_ratio", "value_min", "value_max", "value_abs_max", "value_mean", "value_stddev"):
        yield cursor.real(8, f"statistics: {name}")
    for name in ("nm_n", "nm_m", "has_nan", "has_inf"):
        yield cursor.uint(1, f"statistics: {name}")
    yield cursor.reserved(4)


def _extension(cursor: Cursor) -> Iterator[Field]:
    yield cursor.uint(4, "extension type: bit_width")
    for name in ("packing_factor", "is_float", "is_signed", "sign_bits", "exponent_bits", "mantissa_bits"):
        yield cursor.uint(1, f"extension type: {name}")
    yield cursor.reserved(2)
    yield cursor.uint(4, "extension type: exponent_bias")
    yield cursor.uint(1, "extension type: has_nan")
    yield cursor.uint(1, "extension type: has_inf")
    yield cursor.reserved(2)


def _buffer(index: int) -> str:
    return "none" if index == _NO_BUFFER else str(index)


def _computed(mask: int) -> str:
    names = [name for bit, name in enumerate(_COMPUTED) if mask >> bit & 1]
    if mask >> len(_COMPUTED):
        names.append(f"reserved bits {mask & -64:#x}")
    return ", ".join(names) or "none"
