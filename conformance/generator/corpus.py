"""All vectors, what the manifest says about each, and the files that hold them."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path

from ..reference.descriptor import parse
from ..reference.faults import Report
from ..reference.file import parse_file
from ..reference.stream import parse_stream
from .invalid_contents import invalid_contents
from .invalid_descriptors import invalid_descriptors
from .invalid_files import invalid_files
from .invalid_quantization import invalid_quantization
from .streams import invalid_streams, valid_streams
from .valid_descriptors import valid_descriptors
from .valid_files import valid_files
from .valid_tensors import valid_tensors
from .vector import Facts, Vector, descriptor_facts, file_facts, item_facts

FOLDER = Path(__file__).resolve().parent.parent / "vectors"
SUFFIX = {"descriptor": ".bin", "stream": ".hrrystream", "file": ".hrry"}
LARGE = 1 << 20


def vectors() -> Iterator[Vector]:
    """All of them; the names are unique within valid and within invalid."""
    yield from valid_descriptors()
    yield from valid_tensors()
    yield from valid_streams()
    yield from valid_files()
    yield from invalid_descriptors()
    yield from invalid_quantization()
    yield from invalid_contents()
    yield from invalid_streams()
    yield from invalid_files()


def path_of(vector: Vector) -> str:
    """Where the vector lies in the folder; large ones are compressed."""
    suffix = SUFFIX[vector.kind] + (".gz" if len(vector.data) > LARGE else "")
    return f"{'invalid' if vector.rule else 'valid'}/{vector.name}{suffix}"


def content_of(path: Path) -> bytes:
    """The bytes of a vector that lies there."""
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def compressed(data: bytes) -> bytes:
    """Gzip without a time, and with the same header in every version of Python."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def judge(kind: str, data: bytes, options: Facts) -> tuple[Facts | None, Report]:
    """What the reference reads, and what it finds wrong."""
    cross = bool(options.get("cross_machine"))
    if kind == "descriptor":
        descriptor, report = parse(data, cross_machine=cross)
        return (None if report.faults or descriptor is None else descriptor_facts(descriptor)), report
    if kind == "stream":
        items, report = parse_stream(data, cross_machine=cross)
        return (None if report.faults or items is None else {"items": [*map(item_facts, items)]}), report
    file, report = parse_file(data)
    return (None if report.faults or file is None else file_facts(file)), report


def entry_of(vector: Vector) -> Facts:
    """What the manifest says: the values of a valid vector, the rules that an invalid one breaks."""
    facts, report = judge(vector.kind, vector.data, vector.options)
    entry: Facts = {"path": path_of(vector), "kind": vector.kind, "about": vector.about}
    if vector.options:
        entry["options"] = vector.options
    rules = sorted({rule for fault in report.faults for rule in fault.rules}, key=order)
    if vector.rule:
        if vector.rule not in rules:
            raise ValueError(f"{vector.name}: {vector.rule} is not among {rules}")
        return {**entry, "rule": vector.rule, "rules": rules}
    if facts is None:
        raise ValueError(f"{vector.name} is to be valid: {[str(fault) for fault in report.faults]}")
    return {**entry, "expect": facts}


def order(rule: str) -> tuple[str, int]:
    """D-2 before D-10."""
    family, _, number = rule.partition("-")
    return family, int(number)


def write(folder: Path) -> tuple[int, int]:
    """Write all vectors and the manifest; how many there are, and how many bytes they take."""
    for part in ("valid", "invalid"):
        shutil.rmtree(folder / part, ignore_errors=True)
    entries: list[Facts] = []
    size = 0
    for vector in vectors():
        path = folder / path_of(vector)
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = compressed(vector.data) if path.suffix == ".gz" else vector.data
        path.write_bytes(raw)
        size += len(raw)
        entries.append(entry_of(vector))
    text = manifest_text(entries)
    (folder / "manifest.json").write_text(text, encoding="utf-8")
    return len(entries), size + len(text)


def manifest_text(entries: list[Facts]) -> str:
    """One vector a line."""
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"format_version": "1.0", "vectors": [\n{lines}\n]}}\n'
