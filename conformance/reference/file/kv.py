"""file.md §4: the key-value section."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from ..faults import Report
from ..wire import Reader, u32s
from .index import is_utf8

STRING, INT64, UINT64, FLOAT64, BOOL, BYTES, ARRAY = range(1, 8)
NAMES = {1: "string", 2: "int64", 3: "uint64", 4: "float64", 5: "bool", 6: "bytes", 7: "array"}
SMALLEST = {STRING: 4, INT64: 8, UINT64: 8, FLOAT64: 8, BOOL: 1, BYTES: 4}
_NUMBERS = {INT64: "<q", UINT64: "<Q", FLOAT64: "<d", BOOL: "<?"}
Scalar = str | bytes | bool | int | float


@dataclass(frozen=True)
class Value:
    """A tagged value; ``element`` is the tag of an array's elements."""

    tag: int
    payload: Scalar | list[Scalar]
    element: int = 0

    def encode(self) -> bytes:
        """Tag and payload."""
        if isinstance(self.payload, list):
            items = b"".join(_encode(self.element, item) for item in self.payload)
            return bytes([self.tag, self.element]) + u32s(len(self.payload)) + items
        return bytes([self.tag]) + _encode(self.tag, self.payload)


def _encode(tag: int, value: Scalar) -> bytes:
    if isinstance(value, (str, bytes)):
        raw = value.encode() if isinstance(value, str) else value
        return u32s(len(raw)) + raw
    return struct.pack(_NUMBERS[tag], value)


def encode_kv(entries: list[tuple[str, Value]]) -> bytes:
    """The section."""
    keys = [(key.encode(), value) for key, value in entries]
    return u32s(len(keys)) + b"".join(struct.pack("<H", len(key)) + key + one.encode() for key, one in keys)


def read_kv(raw: bytes, *, minor: int, report: Report) -> list[tuple[str, Value]]:
    """The entries, with F-33 to F-41."""
    reader = Reader(raw, report, "F-40")
    if len(raw) < 4:
        report.stop("F-33 F-40", f"a KV section of {len(raw)} bytes")
    count = reader.u32("kv_count")
    if count > (len(raw) - 4) // 5:
        report.stop("F-33", f"{count} entries in {len(raw)} bytes")
    entries: list[tuple[str, Value]] = []
    for _ in range(count):
        key = reader.take(reader.u16("key_length"), "key")
        report.check(len(key) > 0 and is_utf8(key), "F-34", f"key {key!r}")
        entries.append((key.decode(errors="replace"), _value(reader, report)))
    keys = [key for key, _ in entries]
    report.check(len(set(keys)) == len(keys), "F-35", "a key twice")
    report.check(reader.left == 0 or minor > 0, "F-41", f"{reader.left} bytes after the last entry")
    return entries


def _value(reader: Reader, report: Report) -> Value:
    tag = reader.u8("value_tag")
    if tag not in NAMES:
        report.stop("F-36", f"value tag {tag:#x}")
    if tag != ARRAY:
        return Value(tag, _scalar(reader, tag, report))
    element, count = reader.u8("element tag"), reader.u32("array count")
    if element not in SMALLEST:
        report.stop("F-38", f"array element tag {element:#x}")
    if count > reader.left // SMALLEST[element]:
        report.stop("F-39", f"{count} elements in {reader.left} bytes")
    return Value(tag, [_scalar(reader, element, report) for _ in range(count)], element)


def _scalar(reader: Reader, tag: int, report: Report) -> Scalar:
    if tag in (STRING, BYTES):
        raw = reader.take(reader.u32("length"), "payload")
        if tag == BYTES:
            return raw
        report.check(is_utf8(raw), "F-40", f"string {raw!r}")
        return raw.decode(errors="replace")
    if tag == BOOL:
        value = reader.u8("bool")
        report.check(value <= 1, "F-37", f"bool {value}")
        return bool(value)
    found: Scalar = struct.unpack(_NUMBERS[tag], reader.take(8, "payload"))[0]
    return found
