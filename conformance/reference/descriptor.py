"""descriptor.md: the parts of a descriptor in their order, and the rules between them."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field

from .buffers import Handle, read_handles
from .element_types import TYPES, ElementType, is_private
from .faults import Rejected, Report
from .layouts import BY_TAG, ColMajor, CompositeHead, Layout, Private, RowMajor
from .quantization import NF4, PER_BLOCK, Quantization, read_quantization
from .quantization_checks import check_quantization
from .sections import (
    DYNAMIC,
    Extension,
    Member,
    Shard,
    Statistics,
    read_extension,
    read_member,
    read_shard,
    read_statistics,
)
from .wire import Reader, u64s

MAGIC = b"HRRY"
QUANTIZED, SHARD, EXTENSION, STATISTICS, MEMBER = 0x01, 0x02, 0x04, 0x08, 0x10


@dataclass(frozen=True)
class Descriptor:
    """Everything about one tensor but its bytes. Nothing is checked by making one."""

    type_tag: int
    shape: tuple[int, ...]
    layout: Layout = field(default_factory=RowMajor)
    handles: tuple[Handle, ...] = ()
    byte_offset: int = 0
    quantization: Quantization | None = None
    shard: Shard | None = None
    statistics: Statistics | None = None
    extension: Extension | None = None
    member: Member | None = None
    version: tuple[int, int] = (1, 0)
    surplus: bytes = b""

    @property
    def rank(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def static_shape(self) -> tuple[int | None, ...]:
        """The shape with None for a dynamic dim."""
        return tuple(None if size == DYNAMIC else size for size in self.shape)

    @property
    def element(self) -> ElementType | None:
        """The storage type; None for one that is not public."""
        return TYPES.get(self.type_tag)

    @property
    def element_bits(self) -> int:
        """Bits that an element takes; a private width is rounded up to bytes (element-types.md §8.7)."""
        if self.element:
            return self.element.bits
        width = self.extension.bit_width if self.extension else 8
        return width if width < 8 else -(-width // 8) * 8

    def size_of(self, count: int) -> int:
        """Bytes of ``count`` packed elements."""
        return self.element.size_of(count) if self.element else -(-count * self.element_bits // 8)

    @property
    def padded_shape(self) -> tuple[int, ...]:
        """quantization.md §10.3: the shape with its quantized axis rounded up, where buffer 0 shows that."""
        padded = self.padded_size
        if padded is None or not self.quantization or self.handles[0].byte_size - self.byte_offset != padded:
            return self.shape
        return self._padded(self.quantization)

    def _padded(self, one: Quantization) -> tuple[int, ...]:
        up = -(-self.shape[one.axis] // one.block_size) * one.block_size
        return (*self.shape[: one.axis], up, *self.shape[one.axis + 1 :])

    @property
    def padded_size(self) -> int | None:
        """Bytes with partial blocks stored whole, if that is more than without."""
        one = self.quantization
        if (
            one is None
            or one.scheme not in (PER_BLOCK, NF4)
            or not isinstance(self.layout, (RowMajor, ColMajor))
        ):
            return None
        if one.axis >= self.rank or not one.block_size or not self.handles or DYNAMIC in self.shape:
            return None
        size = self.size_of(math.prod(self._padded(one)))
        return size if size > self.size_of(math.prod(self.shape)) else None

    def encode(self) -> bytes:
        """The descriptor's bytes, whatever it holds."""
        sections: list[tuple[int, bytes]] = []
        if self.quantization is not None:
            raw = self.quantization.encode()
            sections.append((QUANTIZED, struct.pack("<I", len(raw)) + raw))
        for flag, one in ((SHARD, self.shard), (STATISTICS, self.statistics), (EXTENSION, self.extension)):
            if one is not None:
                sections.append((flag, one.encode()))
        if self.member is not None:
            sections.append((MEMBER, self.member.encode()))
        layout_tag = self.layout.private_tag if isinstance(self.layout, Private) else self.layout.tag
        body = u64s(self.shape) + u64s([self.byte_offset]) + self.layout.encode()
        body += bytes([len(self.handles)]) + b"".join(handle.encode() for handle in self.handles)
        body += b"".join(raw for _, raw in sections) + self.surplus
        flags = sum(flag for flag, _ in sections)
        head = struct.pack("<4sBBII", MAGIC, *self.version, 20 + len(body), flags)
        return head + struct.pack("<BBI", self.type_tag, layout_tag, self.rank) + body


def parse(
    data: bytes, *, cross_machine: bool = False, families: str = "DLQ"
) -> tuple[Descriptor | None, Report]:
    """The descriptor that ``data`` starts with, and all that is wrong with it; None where reading had to stop."""
    report = Report(families=families)
    try:
        descriptor = _read(data, report)
    except Rejected:
        return None, report
    check(descriptor, report)
    if cross_machine:
        for handle in descriptor.handles:
            report.check(handle.sync == 0, "D-39 S-11", f"sync mode {handle.sync} over a network")
    return descriptor, report


def decode(data: bytes) -> Descriptor:
    """The descriptor that ``data`` starts with, or ``Rejected``."""
    descriptor, report = parse(data)
    report.raise_any()
    if descriptor is None:
        raise Rejected(report.faults)
    return descriptor


def frame(data: bytes, report: Report, at: int = 0) -> int:
    """descriptor_length, from the first ten bytes alone."""
    reader = Reader(data, report, "D-1 S-1", at)
    if reader.take(4, "magic") != MAGIC:
        report.stop("D-2 S-2", f"magic {data[at : at + 4]!r}")
    major = reader.u8("version_major")
    if major != 1:
        report.stop("D-3 S-3" if major > 1 else "D-4 S-3", f"version_major {major}")
    reader.u8("version_minor")
    length = reader.u32("descriptor_length")
    if length < 20:
        report.stop("D-5 S-4", f"descriptor_length {length}")
    return length


def _read(data: bytes, report: Report) -> Descriptor:
    length = frame(data, report)
    if length > len(data):
        report.stop("D-1 S-1", f"descriptor_length {length}, {len(data)} bytes are there")
    reader = Reader(data[:length], report, "D-1", 5)
    minor, _, flags = reader.u8("version_minor"), reader.u32("length"), reader.u32("flags")
    type_tag, layout_tag, rank = reader.u8("type_tag"), reader.u8("layout_tag"), reader.u32("rank")
    report.check(flags >> 5 == 0, "D-6", f"flags {flags:#x}")
    if type_tag in (0x00, 0xFF):
        report.add("D-7", f"type tag {type_tag:#x}")
    elif type_tag not in TYPES and not is_private(type_tag):
        report.add("D-8", f"type tag {type_tag:#x} is not assigned")
    report.check(
        is_private(type_tag) == bool(flags & EXTENSION), "D-9", "HAS_EXTENSION_TYPE and the type tag differ"
    )
    report.check(rank <= 64, "D-13 L-5", f"rank {rank}")
    _check_layout_tag(layout_tag, rank, report)
    if rank > 64:
        raise Rejected(report.faults)
    shape, byte_offset = reader.u64s(rank, "shape"), reader.u64s(1, "byte_offset")[0]
    layout = _read_layout(reader, layout_tag, rank, report)
    handles = read_handles(reader, report)
    report.check(bool(handles) or isinstance(layout, CompositeHead), "D-29 L-9", "a tensor without buffers")
    quantization = _read_quantization(reader, report) if flags & QUANTIZED else None
    shard = read_shard(reader, rank, shape, report) if flags & SHARD else None
    statistics = read_statistics(reader, report) if flags & STATISTICS else None
    extension = read_extension(reader, report) if flags & EXTENSION else None
    member = read_member(reader, report) if flags & MEMBER else None
    surplus = reader.take(reader.left, "surplus")
    report.check(not surplus or minor > 0, "D-51", f"{len(surplus)} bytes left over at minor 0")
    sections = (quantization, shard, statistics, extension, member)
    return Descriptor(type_tag, shape, layout, handles, byte_offset, *sections, (1, minor), surplus)


def _check_layout_tag(tag: int, rank: int, report: Report) -> None:
    if tag in (0x00, 0xFF):
        report.stop("D-10 L-1", f"layout tag {tag:#x}")
    if tag not in BY_TAG and not is_private(tag):
        report.stop("D-11 L-2", f"layout tag {tag:#x} is not assigned")
    if rank == 0 and tag in BY_TAG and 0 not in BY_TAG[tag].ranks:
        report.add("D-14 L-6", f"{BY_TAG[tag].name} of rank 0")


def _read_layout(reader: Reader, tag: int, rank: int, report: Report) -> Layout:
    reader.rules = "D-1 L-7"
    layout = Private.read_tagged(reader, tag) if is_private(tag) else BY_TAG[tag].read(reader, rank, report)
    reader.rules = "D-1"
    return layout


def _read_quantization(reader: Reader, report: Report) -> Quantization | None:
    length = reader.u32("quantization_length")
    reader.rules = "D-1 D-40 Q-1"
    raw = reader.take(length, "quantization section")
    reader.rules = "D-1"
    return read_quantization(raw, report)


def check(descriptor: Descriptor, report: Report) -> None:
    """All rules that need more than one part."""
    layout = descriptor.layout
    layout.check(descriptor, report)
    if not isinstance(layout, CompositeHead):
        _check_counts(descriptor, report)
        if descriptor.handles:
            size = descriptor.handles[0].byte_size
            good = descriptor.byte_offset <= size
            report.check(
                good, "D-15 L-10", f"byte_offset {descriptor.byte_offset} in a buffer of {size} bytes"
            )
        if not layout.dense:
            report.check(descriptor.byte_offset == 0, "D-16 L-11", f"byte_offset {descriptor.byte_offset}")
    report.check(
        layout.sharded or descriptor.shard is None, "D-46 L-28", f"{layout.name} with a shard section"
    )
    if descriptor.quantization is not None:
        check_quantization(descriptor, descriptor.quantization, report)
    known = descriptor.element is not None or descriptor.extension is not None
    if known and (layout.sized_by_nnz or DYNAMIC not in descriptor.shape):
        layout.check_sizes(descriptor, descriptor.size_of, report)


def _check_counts(descriptor: Descriptor, report: Report) -> None:
    have = len(descriptor.handles)
    own = descriptor.layout.own_buffers(descriptor.rank)
    one = descriptor.quantization
    if own is None or (one is not None and one.raw):
        return
    wanted = own + (one.parameter_buffers if one else 0)
    rules = "D-31 L-8 S-9" + (" Q-33" if one else "")
    report.check(have == wanted, rules, f"{have} buffers, {wanted} wanted")
