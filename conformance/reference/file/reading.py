"""file.md §8 and §10: reading by the index, with everything that a strict reader refuses."""

from __future__ import annotations

from ..composite import gather
from ..descriptor import MAGIC, Descriptor, parse
from ..faults import Rejected, Report
from ..tensor import Tensor
from .crc import crc32c
from .header import HAS_CRC, SIZE, SORTED, Header, read_header
from .index import IndexEntry, read_index
from .kv import Value, read_kv
from .model import Entry, File, buffer_places, data_length
from .trailer import LENGTH, Trailer, read_trailer

FAMILIES = "DLQF"
SMALLEST = 37
Region = tuple[int, int, str]


def parse_file(data: bytes) -> tuple[File | None, Report]:
    """The file, and all that is wrong with it; None where reading had to stop."""
    report = Report(families=FAMILIES)
    try:
        return _read(data, report), report
    except Rejected:
        return None, report


def _read(data: bytes, report: Report) -> File:
    header = read_header(data, report)
    header.check(len(data), report)
    trailer = read_trailer(data, report)
    readable = trailer.check(header, len(data), report)
    kv = _read_kv(data, header, trailer, report)
    if not readable:
        raise Rejected(report.faults)
    index = data[trailer.index_offset : trailer.index_offset + trailer.index_length]
    if header.flags & HAS_CRC and crc32c(index) != trailer.crc:
        report.stop("F-13", f"the index has CRC {crc32c(index):#x}, the trailer says {trailer.crc:#x}")
    is_sorted = bool(header.flags & SORTED)
    listed = read_index(index, is_sorted=is_sorted, minor=header.version[1], report=report)
    offsets = [entry.descriptor_offset for entry in listed]
    report.check(len(set(offsets)) == len(offsets), "F-29", "two entries of one descriptor")
    entries = [_read_entry(data, one, header, trailer, report) for one in listed]
    _check_regions(data, _regions(listed, trailer, len(data)), report)
    found = [entry for entry in entries if entry is not None]
    file = File(header, found, kv, trailer.kv_offset if trailer.has_kv else 0, trailer.index_offset)
    if len(found) == len(entries):
        _gather(file, report)
    return file


def _read_kv(data: bytes, header: Header, trailer: Trailer, report: Report) -> list[tuple[str, Value]]:
    end = trailer.kv_offset + trailer.kv_length
    if not trailer.has_kv or end > len(data) - LENGTH:
        return []
    try:
        return read_kv(data[trailer.kv_offset : end], minor=header.version[1], report=report)
    except Rejected:
        return []


def _read_entry(
    data: bytes, one: IndexEntry, header: Header, trailer: Trailer, report: Report
) -> Entry | None:
    """One tensor; None where its descriptor or its data cannot be reached."""
    where, offset = repr(one.name), one.descriptor_offset
    good = offset >= header.first and offset % 8 == 0
    report.check(good, "F-22", f"{where}: descriptor_offset {offset}")
    end = offset + one.descriptor_length
    fits = one.descriptor_length >= SMALLEST and end <= trailer.region_end
    report.check(fits, "F-23", f"{where}: descriptor from {offset} to {end}")
    if end > len(data):
        return None
    raw = data[offset:end]
    own = int.from_bytes(raw[6:10], "little")
    if len(raw) >= 10 and raw[:4] == MAGIC:
        same = own == one.descriptor_length
        report.check(same, "F-21", f"{where}: {one.descriptor_length} bytes, the descriptor says {own}")
    descriptor, found = parse(raw, families=FAMILIES)
    report.within("F-30", found.faults, where)
    if descriptor is None:
        return None
    tensor = _read_buffers(data, one, descriptor, header, trailer, report)
    if tensor is not None and not found.faults:
        contents = Report(families=FAMILIES)
        tensor.check(contents)
        report.within("F-30", contents.faults, where)
    if tensor is None:
        return None
    return Entry(one.name.decode(errors="replace"), tensor, offset, one.data_offset)


def _read_buffers(
    data: bytes, one: IndexEntry, descriptor: Descriptor, header: Header, trailer: Trailer, report: Report
) -> Tensor | None:
    where, sizes = repr(one.name), [handle.byte_size for handle in descriptor.handles]
    alignment = max(header.alignment, 1)
    end = one.data_offset + one.data_length
    wanted = data_length(sizes, alignment)
    report.check(one.data_length == wanted, "F-26", f"{where}: data_length {one.data_length}, not {wanted}")
    if not sizes:
        return Tensor(descriptor, [])
    report.check(one.data_offset % alignment == 0, "F-24", f"{where}: data_offset {one.data_offset}")
    report.check(
        end <= trailer.region_end, "F-25", f"{where}: data to {end}, the region to {trailer.region_end}"
    )
    places = buffer_places(one.data_offset, sizes, alignment)
    inside = all(place + size <= end for place, size in zip(places, sizes, strict=False) if size)
    report.check(inside, "F-27", f"{where}: a buffer passes the tensor's data")
    if any(place + size > len(data) for place, size in zip(places, sizes, strict=False) if size):
        return None
    ends = [place + size for place, size in zip(places, sizes, strict=True)]
    for start, stop in zip(ends, places[1:], strict=False):
        report.check(
            not any(data[start:stop]), "F-46", f"{where}: padding from {start} to {stop} is not zero"
        )
    return Tensor(descriptor, [data[place:stop] for place, stop in zip(places, ends, strict=True)])


def _regions(listed: list[IndexEntry], trailer: Trailer, size: int) -> list[Region]:
    """All parts of the file with their names, by offset."""
    found: list[Region] = [(0, SIZE, "header"), (size - LENGTH, size, "trailer")]
    found.append((trailer.index_offset, trailer.index_offset + trailer.index_length, "index"))
    if trailer.has_kv:
        found.append((trailer.kv_offset, trailer.kv_offset + trailer.kv_length, "KV"))
    for one in listed:
        start = one.descriptor_offset
        found.append((start, start + one.descriptor_length, f"descriptor of {one.name!r}"))
        if one.data_length:
            found.append((one.data_offset, one.data_offset + one.data_length, f"data of {one.name!r}"))
    return sorted(found)


def _check_regions(data: bytes, regions: list[Region], report: Report) -> None:
    """F-28, and what lies between: F-45 and F-46."""
    at, before = 0, ""
    for start, end, what in regions:
        if start < at:
            rules = "F-28 F-31" if "KV" in (before, what) else "F-28"
            report.add(rules, f"{what} at {start} overlaps {before}")
        elif (gap := data[at:start]).count(0) != len(gap):
            report.add("F-46", f"padding from {at} to {start} is not zero")
            if any(_is_descriptor(data, place) for place in range(at + -at % 8, start, 8)):
                report.add("F-45", f"a descriptor between {at} and {start} is not in the index")
        if end > at:
            at, before = end, what


def _is_descriptor(data: bytes, at: int) -> bool:
    if data[at : at + 4] != MAGIC:
        return False
    descriptor, found = parse(data[at : at + int.from_bytes(data[at + 6 : at + 10], "little")])
    return descriptor is not None and not found.faults


def _gather(file: File, report: Report) -> None:
    """§7: membership goes by descriptor_offset."""
    rest = sorted(file.entries, key=lambda entry: -entry.descriptor_offset)

    def following() -> Tensor | None:
        return rest.pop().tensor if rest else None

    while (first := following()) is not None:
        file.items.append(gather(first, following, lambda: len(rest), report))
