"""The optional sections of a descriptor, in the order in which they lie (format: descriptor.md §6).

The names of the fields are those of the classes of ``hurray``; what statistics do not know is None.
"""

from __future__ import annotations

from hurray_cli.inspection.cursor import Cursor, EndError, Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    TypeName = Callable[[int], str]

QUANTIZATION, SHARD, EXTENSION, STATISTICS, MEMBER = 1, 2, 4, 8, 16
FLAGS = {
    QUANTIZATION: "HAS_QUANTIZATION",
    SHARD: "HAS_SHARD",
    EXTENSION: "HAS_EXTENSION_TYPE",
    STATISTICS: "HAS_STATISTICS",
    MEMBER: "HAS_COMPOSITE_MEMBER",
}
PER_TENSOR, PER_CHANNEL, PER_BLOCK = 1, 2, 3
NF4, MXFP = 4, 5
_SCHEMES = {  # by the names of their classes
    PER_TENSOR: "PerTensorAffine",
    PER_CHANNEL: "PerChannelAffine",
    PER_BLOCK: "PerBlockAffine",
    NF4: "NF4",
    MXFP: "MXFP",
}
_COMPUTED = ("nnz", "sparsity", "value range", "value statistics", "N:M sparsity", "NaN and infinity")
_ROLES = {0: "correction", 1: "base"}
_SYMMETRIC, _NO_BUFFER = 1, 2**32 - 1


def sections(cursor: Cursor, flags: int, rank: int, dtype: TypeName) -> Iterator[Field]:
    """All sections that the flags announce. ``dtype`` names a type tag."""
    if flags & QUANTIZATION:
        for field in _quantization(cursor, dtype):
            yield field.under("quantization")
    if flags & SHARD:
        for name in ("parent_shape", "shard_offset"):
            for field in cursor.array(8, name, rank):
                yield field.under("shard")
    if flags & STATISTICS:
        for field in _statistics(cursor):
            yield field.under("statistics")
    if flags & EXTENSION:
        for field in _extension(cursor):
            yield field.under("extension_type")
    if flags & MEMBER:
        yield cursor.choice("member_role", _ROLES)[1]
        yield cursor.reserved(15)


def _quantization(cursor: Cursor, dtype: TypeName) -> Iterator[Field]:
    """Framed by its own length: what is not known of it is shown as bytes, and passed."""
    size, field = cursor.keep(4, "quantization_length")
    yield Field(field.offset, field.data, field.text)
    payload = cursor.raw(size, "quantization", bytes.hex)
    inner = Cursor(payload.data)
    try:
        for field in _scheme(inner, dtype):
            yield Field(payload.offset + field.offset, field.data, field.text, field.path, field.value)
    except EndError as end:
        yield Field(payload.offset + inner.at, end.rest, f"{end.label}: cut short by quantization_length")
        return
    if rest := inner.rest():
        yield Field(payload.offset + inner.at, rest, f"{len(rest)} more bytes of the quantization section")


def _scheme(cursor: Cursor, dtype: TypeName) -> Iterator[Field]:
    scheme, field = cursor.choice("scheme", _SCHEMES, private=True)
    yield field
    yield cursor.uint(1, "scheme_version")
    if scheme in (PER_CHANNEL, PER_BLOCK):
        yield cursor.uint(
            2, "scheme flags", _scheme_flags, name="is_symmetric", value=lambda n: bool(n & _SYMMETRIC)
        )
    else:
        yield cursor.reserved(2, "scheme flags, reserved")
    if scheme == PER_TENSOR:
        yield cursor.real(4, "scale")
        yield cursor.sint(4, "zero_point")
        yield cursor.reserved(4)
    elif scheme in _SCHEMES:
        yield cursor.uint(4, "axis")
        if scheme != PER_CHANNEL:
            yield cursor.uint(4, "block_size")
        yield cursor.uint(4, "scale buffer", _buffer, name="scale_buffer_index")
    if scheme in (PER_CHANNEL, PER_BLOCK):
        yield cursor.uint(
            4,
            "zero-point buffer",
            _buffer,
            name="zero_point_buffer_index",
            value=lambda n: None if n == _NO_BUFFER else n,
        )
        yield cursor.uint(1, "scale type", lambda n: f"{n:#04x} {dtype(n)}", name="scale_type", value=dtype)
        yield cursor.reserved(3)


def complete(scheme: dict[str, Any]) -> None:
    """Add what the class of a scheme says and its bytes do not, since the format has only one answer."""
    if scheme["scheme"] == _SCHEMES[PER_TENSOR] and "zero_point" in scheme:
        scheme["is_symmetric"] = scheme["zero_point"] == 0
    elif scheme["scheme"] in _FIXED_SCALES:
        scheme["scale_type"] = _FIXED_SCALES[scheme["scheme"]]


_FIXED_SCALES = {_SCHEMES[NF4]: "float32", _SCHEMES[MXFP]: "float8_e8m0"}


def _statistics(cursor: Cursor) -> Iterator[Field]:
    mask, field = cursor.keep(4, "computed_mask", _computed)
    yield Field(field.offset, field.data, field.text)
    yield cursor.reserved(4)
    yield _known(cursor.uint(8, "statistics: nnz", name="nnz"), mask, 0)
    for name, bit in _REALS.items():
        yield _known(cursor.real(8, f"statistics: {name}", name), mask, bit)
    for name in ("nm_n", "nm_m"):
        yield _known(cursor.uint(1, f"statistics: {name}", name=name), mask, 4)
    for name in ("has_nan", "has_inf"):
        yield _known(cursor.uint(1, f"statistics: {name}", name=name, value=bool), mask, 5)
    yield cursor.reserved(4)


_REALS = {
    "sparsity_ratio": 1,
    "value_min": 2,
    "value_max": 2,
    "value_abs_max": 2,
    "value_mean": 3,
    "value_stddev": 3,
}


def _known(field: Field, mask: int, bit: int) -> Field:
    """A field whose bit of the mask is clear is unknown, whatever its bytes say."""
    if mask >> bit & 1:
        return field
    return Field(field.offset, field.data, f"{field.text}, not computed", field.path, None)


def _extension(cursor: Cursor) -> Iterator[Field]:
    def number(size: int, name: str) -> Field:
        return cursor.uint(size, f"extension type: {name}", name=name)

    def truth(name: str) -> Field:
        return cursor.uint(1, f"extension type: {name}", name=name, value=bool)

    yield number(4, "bit_width")
    yield number(1, "packing_factor")
    yield truth("is_float")
    yield truth("is_signed")
    for name in ("sign_bits", "exponent_bits", "mantissa_bits"):
        yield number(1, name)
    yield cursor.reserved(2)
    yield number(4, "exponent_bias")
    yield truth("has_nan")
    yield truth("has_inf")
    yield cursor.reserved(2)


def _buffer(index: int) -> str:
    return "none" if index == _NO_BUFFER else str(index)


def _scheme_flags(flags: int) -> str:
    names = ["SYMMETRIC"] if flags & _SYMMETRIC else []
    if unknown := flags & ~_SYMMETRIC:
        names.append(f"reserved bits {unknown:#06x}")
    return ", ".join(names) or "none"


def _computed(mask: int) -> str:
    names = [name for bit, name in enumerate(_COMPUTED) if mask >> bit & 1]
    if mask >> len(_COMPUTED):
        names.append(f"reserved bits {mask & -64:#x}")
    return ", ".join(names) or "none"
