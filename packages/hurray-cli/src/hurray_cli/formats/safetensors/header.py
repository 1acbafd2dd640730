"""The header of a safetensors file: read, and every claim checked against the file."""

from __future__ import annotations

from hurray.formats import FormatError, PlanError, Problem

from hurray_cli.formats.safetensors import MAX_HEADER_BYTES
from hurray_cli.formats.safetensors.dtypes import CODES
from hurray_cli.formats.safetensors.scan import Pairs, ScanError, Scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Buffer

METADATA = "__metadata__"
FIELDS = ("dtype", "shape", "data_offsets")
MAX_ENTRY = 8192  # characters of one tensor's entry: 64 dimensions of 20 digits leave room for blanks
MAX_PROBLEMS = 1000  # a header of 100 MB may hold a million faults


class Entry:
    """One tensor as the header describes it; ``start`` and ``stop`` count from the end of the header."""

    __slots__ = ("code", "name", "shape", "start", "stop")

    def __init__(self, name: str, code: str, shape: tuple[int, ...], start: int, stop: int) -> None:
        self.name = name
        self.code = code
        self.shape = shape
        self.start = start
        self.stop = stop


class Header:
    """A checked header: entries in the order of their data, metadata in the order of the file."""

    __slots__ = ("data_start", "entries", "metadata")

    def __init__(self, entries: list[Entry], metadata: dict[str, str], data_start: int) -> None:
        self.entries = entries
        self.metadata = metadata
        self.data_start = data_start


def parse(path: str, buffer: Buffer) -> Header:
    """The header of the file whose bytes are ``buffer``.

    :raises FormatError: it breaks a rule; every problem is listed.
    :raises PlanError: it keeps the rules and names element types that Hurray does not have.
    """
    with memoryview(buffer) as view:
        text, data_start = _text(path, view)
        parsing = _Parsing(view.nbytes - data_start)
    try:
        parsing.run(Scanner(text))
    except ScanError as error:
        parsing.report(
            Problem(f"the header is no JSON of a safetensors file: {error}", offset=_offset(text, error.at))
        )
    except _TooManyError:
        parsing.problems.append(Problem(f"more than {MAX_PROBLEMS} problems; the rest is not listed"))
    else:
        parsing.problems += _gaps(parsing.entries, parsing.data_bytes, complete=not parsing.problems)
    if parsing.problems:
        raise FormatError(path, parsing.problems + parsing.unsupported)
    if parsing.unsupported:
        raise PlanError(path, parsing.unsupported)
    return Header(parsing.entries, parsing.metadata, data_start)


def _text(path: str, view: memoryview) -> tuple[str, int]:
    """The header as text, and where the data begins."""
    if view.nbytes < 8:
        raise FormatError(
            path, [Problem(f"the file has {view.nbytes} bytes; a safetensors file has at least 10")]
        )
    size = int.from_bytes(view[:8], "little")
    claim = f"the first 8 bytes say that the header has {size} bytes"
    if size > MAX_HEADER_BYTES:
        raise FormatError(path, [Problem(f"{claim}; at most {MAX_HEADER_BYTES} are allowed", offset=0)])
    if size > view.nbytes - 8:
        raise FormatError(path, [Problem(f"{claim}; the file has {view.nbytes - 8} behind them", offset=0)])
    first = bytes(view[8 : min(9, 8 + size)])
    if first != b"{":
        found = f"begins with {first!r}, not with '{{'" if first else "is empty"
        raise FormatError(path, [Problem(f"the header {found}", offset=8)])
    try:
        return str(view[8 : 8 + size], "utf-8"), 8 + size
    except UnicodeDecodeError as error:
        where = 8 + error.start
        problem = Problem(f"the header is no UTF-8: {error.reason} at byte {where}", offset=where)
        raise FormatError(path, [problem]) from None


def _offset(text: str, at: int) -> int:
    return 8 + len(text[:at].encode("utf-8", "surrogatepass"))


class _TooManyError(Exception):
    """So many problems that listing more helps nobody."""


class _Parsing:
    """A header on its way from text to entries."""

    def __init__(self, data_bytes: int) -> None:
        self.data_bytes = data_bytes
        self.entries: list[Entry] = []
        self.metadata: dict[str, str] = {}
        self.problems: list[Problem] = []
        self.unsupported: list[Problem] = []

    def report(self, problem: Problem) -> None:
        self.problems.append(problem)
        if len(self.problems) >= MAX_PROBLEMS:
            raise _TooManyError

    def run(self, scanner: Scanner) -> None:
        seen: set[str] = set()
        for name in scanner.members():
            if name in seen:
                self.report(Problem("the header has this name twice", name=name))
            seen.add(name)
            if name == METADATA:
                self._read_metadata(scanner)
            else:
                self._read_entry(name, scanner.small(MAX_ENTRY))
        scanner.end()

    def _read_metadata(self, scanner: Scanner) -> None:
        if not scanner.at_object():
            value = scanner.small(MAX_ENTRY)
            if value is not None:  # the reference implementation reads null as no metadata
                self.report(Problem(f"{METADATA} is {_kind(value)}, not an object"))
            return
        for key in scanner.members():
            value = scanner.string() if scanner.at_string() else scanner.small(MAX_ENTRY)
            if key in self.metadata:
                self.report(Problem("the metadata has this key twice", key=key))
            elif not isinstance(value, str):
                self.report(Problem(f"its value is {_kind(value)}; safetensors allows text only", key=key))
            elif not (_is_utf8(key) and _is_utf8(value)):
                self.report(Problem("it holds a lone surrogate, which is no character", key=key))
            else:
                self.metadata[key] = value

    def _read_entry(self, name: str, value: Any) -> None:
        if not (_is_good(value, self.data_bytes) and name.isascii()):
            faults = _faults(value, self.data_bytes)
            if not _is_utf8(name):
                faults.append("the name holds a lone surrogate, which is no character")
            for fault in faults:
                self.report(Problem(fault, name=name))
            if faults:
                return
        fields = dict(value)
        code, (start, stop) = fields["dtype"], fields["data_offsets"]
        if CODES[code][1] is None:
            self.unsupported.append(Problem(f"its dtype is {code}: {CODES[code][2]}", name=name))
        self.entries.append(Entry(name, code, tuple(fields["shape"]), start, stop))


def _is_good(value: Any, data_bytes: int) -> bool:
    """Whether an entry in the usual form has no fault, in a tenth of the time that listing faults takes."""
    try:
        (first, code), (second, shape), (third, (start, stop)) = value
        bits = CODES[code][0]
        for size in shape:
            if type(size) is not int or not 0 <= size < 2**63:
                return False
            bits *= size
        known = (first, second, third) == FIELDS and type(shape) is list
        places = type(start) is type(stop) is int and 0 <= start <= stop <= data_bytes
        return known and places and bits == 8 * (stop - start)
    except (TypeError, ValueError, KeyError):
        return False


def _faults(value: Any, data_bytes: int) -> list[str]:
    """What is wrong with the entry of one tensor, taken by itself."""
    if not isinstance(value, Pairs):
        return [f"its entry is {_kind(value)}, not an object"]
    fields = dict(value)
    faults = [f"its entry lacks {field!r}" for field in FIELDS if field not in fields]
    faults += [f"its entry has a field {key!r} that is not known" for key in fields if key not in FIELDS]
    if len(fields) < len(value):
        faults.append("its entry has a field twice")
    if "dtype" in fields:
        faults += _dtype_faults(fields["dtype"])
    if "shape" in fields:
        faults += _shape_faults(fields["shape"])
    if "data_offsets" in fields:
        faults += _offset_faults(fields["data_offsets"], data_bytes)
    return faults or _size_faults(fields["dtype"], fields["shape"], *fields["data_offsets"])


def _dtype_faults(code: Any) -> list[str]:
    if isinstance(code, str) and code in CODES:
        return []
    what = f"dtype {_short(code)} is not known" if isinstance(code, str) else f"its dtype is {_kind(code)}"
    return [f"{what}; known: {', '.join(CODES)}"]


def _shape_faults(shape: Any) -> list[str]:
    if not isinstance(shape, list) or isinstance(shape, Pairs):
        return [f"its shape is {_kind(shape)}, not a list"]
    return [f"shape[{k}] is {reason}" for k, size in enumerate(shape) if (reason := _bad_count(size))]


def _offset_faults(offsets: Any, data_bytes: int) -> list[str]:
    if not isinstance(offsets, list) or isinstance(offsets, Pairs) or len(offsets) != 2:
        return [f"its data_offsets are {_kind(offsets)}, not a list of two numbers"]
    faults = [f"data_offsets[{k}] is {reason}" for k, at in enumerate(offsets) if (reason := _bad_count(at))]
    if faults:
        return faults
    start, stop = offsets
    if start > stop:
        return [f"its data begins at {start} and ends before that, at {stop}"]
    return [f"its data ends at {stop}; the file has {data_bytes} bytes of data"] if stop > data_bytes else []


def _size_faults(code: str, shape: list[int], start: int, stop: int) -> list[str]:
    bits = CODES[code][0]
    for size in shape:
        bits *= size
    if bits >= 2**64:
        return [f"a {code} of shape {_short(shape)} has 2^64 bits or more"]
    if bits % 8:
        return [f"a {code} of shape {_short(shape)} takes {bits} bits, which is no whole number of bytes"]
    if bits // 8 != stop - start:
        return [
            f"a {code} of shape {_short(shape)} takes {bits // 8} bytes; its data_offsets span {stop - start}"
        ]
    return []


def _gaps(entries: list[Entry], data_bytes: int, complete: bool) -> list[Problem]:
    """Sort the entries by their data; holes between them, overlaps, and bytes that belong to none.

    Holes mean nothing when entries are missing because they were refused: ``complete`` says that none is.
    """
    entries.sort(key=lambda entry: (entry.start, entry.stop))
    problems = []
    end, before = 0, "the header"
    for entry in entries:
        if entry.start < end:
            problems.append(
                Problem(f"its data begins at {entry.start}, inside that of {before}", name=entry.name)
            )
        elif entry.start > end and complete:
            hole = f"{entry.start - end} bytes between it and {before} belong to no tensor"
            problems.append(Problem(hole, name=entry.name))
        if entry.stop >= end:
            end, before = entry.stop, repr(entry.name)
    if end < data_bytes and complete:
        problems.append(Problem(f"the last {data_bytes - end} bytes of the file belong to no tensor"))
    return problems[:MAX_PROBLEMS]


def _bad_count(value: Any) -> str | None:
    """Why a value is no size or offset, or None."""
    if isinstance(value, bool) or not isinstance(value, int):
        return f"{_kind(value)}, not a whole number"
    if value < 0:
        return f"{_short(value)}, less than 0"
    return f"{_short(value)}, 2^63 or more" if value >= 2**63 else None


def _kind(value: Any) -> str:
    """A JSON value in a few words."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return f"the number {_short(value)}"
    if isinstance(value, str):
        return f"the text {_short(value)}"
    return "an object" if isinstance(value, Pairs) else f"a list of {len(value)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:60]}… ({len(text)} characters)"


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
