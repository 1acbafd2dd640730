"""A vector through the doors of ``hurray`` that anybody has: decode, from_descriptor, validate, verify, load.

Streams go through StreamReader, files through verify and load, descriptors through Descriptor.decode.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hurray

from ..generator.vector import Facts, plain
from ..reference.composite import Composite, Item
from ..reference.file import parse_file
from ..reference.stream import parse_stream
from .answer import ACCEPTED, LISTED, REFUSED, Answer

BUDGET = 1 << 20
SOME = 100  # tensors of a file whose values are compared
ERRORS = (
    hurray.InvalidDescriptorError,
    hurray.BufferError,
    hurray.UnsupportedError,
    hurray.FileError,
    hurray.StreamError,
)


def ask(entry: Facts, data: bytes, path: Path) -> Answer:
    """What hurray says. ``path`` holds ``data``."""
    try:
        if entry["kind"] == "descriptor":
            return _descriptor(entry.get("expect"), data)
        if entry["kind"] == "stream":
            return _stream(entry, data)
        return _file(entry.get("expect"), data, path)
    except ERRORS as error:
        return _refused(error)


def _refused(error: Exception) -> Answer:
    code = getattr(error, "code", None)
    return Answer(REFUSED, type(error).__name__, [code] if code else [])


def _descriptor(expect: Facts | None, data: bytes) -> Answer:
    """Decoded, encoded again, and put over zeros where they are not many."""
    descriptor = hurray.Descriptor.decode(data)
    answer = Answer(ACCEPTED)
    if expect is not None:
        answer.differences += _against(expect, descriptor, data)
        return answer
    sizes = [handle.byte_size for handle in descriptor.buffer_handles]
    if sum(sizes) <= BUDGET and descriptor.layout.name != "composite":
        hurray.Tensor.from_descriptor(descriptor, [bytes(size) for size in sizes])
    return answer


def _against(expect: Facts, descriptor: hurray.Descriptor, data: bytes) -> list[str]:
    """What of a descriptor is not as expected, its encoding included."""
    quantization = descriptor.quantization
    scheme = None if quantization is None else _SCHEMES[type(quantization).__name__]
    found: dict[str, Any] = {
        "type_tag": descriptor.dtype.tag,
        "shape": list(descriptor.shape),
        "layout": "private" if descriptor.layout.tag >= 0xF0 else descriptor.layout.name,
        "byte_offset": descriptor.byte_offset,
        "buffers": [handle.byte_size for handle in descriptor.buffer_handles],
        "dtype": descriptor.dtype.name,
        "scheme": scheme,
    }
    wrong = [f"{key} {found[key]!r}" for key in found if key in expect and found[key] != expect[key]]
    if ("scheme" in expect) != (scheme is not None):
        wrong.append(f"scheme {scheme}")
    sections = {
        "shard": descriptor.shard,
        "statistics": descriptor.statistics,
        "extension": descriptor.extension_type,
    }
    present = [name for name, one in sections.items() if one is not None]
    if present != [name for name in expect.get("sections", []) if name in sections]:
        wrong.append(f"sections {present}")
    if descriptor.encode() != data[: descriptor.encoded_len]:
        wrong.append("other bytes when encoded again")
    return wrong


_SCHEMES = {
    "PerTensorAffine": "per_tensor",
    "PerChannelAffine": "per_channel",
    "PerBlockAffine": "per_block",
    "NF4": "nf4",
    "MXFP": "mxfp",
}


def _stream(entry: Facts, data: bytes) -> Answer:
    """A stream's tensors one by one, as the reference frames them where a composite may be among them."""
    expect = entry.get("expect")
    if expect is None:
        return _contents(data) if "/contents/" in entry["path"] else _framed(data)
    items, _ = parse_stream(data)
    answer, read = Answer(ACCEPTED), list(hurray.StreamReader(data))
    if len(read) != len(items or []):
        answer.differences.append(f"{len(read)} items")
        return answer
    for ours, item, facts in zip(read, items or [], expect["items"], strict=True):
        _item(ours, item, facts, answer)
    return answer


def _framed(data: bytes) -> Answer:
    """A stream through its own reader, told to be as strict as the format: it takes 64 levels by itself (ruling 12)."""
    for _ in hurray.StreamReader(data, cross_machine=True, max_composite_depth=8):
        pass
    return Answer(ACCEPTED)


def _item(ours: Any, item: Item, facts: Facts, answer: Answer) -> None:
    """What was read, against what the reference read; of a composite the head, and each member."""
    if isinstance(item, Composite):
        data = item.head.descriptor.encode()
        answer.differences += _against(facts, ours.descriptor, data)
        for member, inner, one in zip(ours.members, item.members, facts["members"], strict=True):
            _item(member, inner, one, answer)
        return
    data = item.descriptor.encode()
    answer.differences += _against(facts, hurray.Descriptor.decode(data), data)
    if any(handle.device or handle.memory_class for handle in item.descriptor.handles):
        answer.unshown.add("memory of a device")
        return
    _tensor(ours, facts, item.buffers, answer)


def _tensor(tensor: hurray.Tensor, facts: Facts, buffers: Sequence[bytes], answer: Answer) -> None:
    """Bytes, contents and logical values of a tensor."""
    for number, raw in enumerate(buffers):
        if bytes(memoryview(tensor.buffer(number))) != raw:
            answer.differences.append(f"buffer {number} has other bytes")
    answer.differences += [f"{problem.code}: {problem.message}" for problem in tensor.validate()]
    if None in facts["shape"]:
        return
    try:
        values = tensor.tolist()
    except hurray.UnsupportedError:
        answer.unshown.add(f"values of {facts.get('scheme') or facts.get('dtype')} in {facts['layout']}")
        return
    shown, wanted = json.dumps(plain(values)), json.dumps(facts["values"])
    if shown != wanted:
        answer.differences.append(
            f"{facts['layout']} {facts.get('dtype')}: values {shown[:80]}, not {wanted[:80]}"
        )


def _contents(data: bytes) -> Answer:
    """One tensor whose descriptor is good."""
    descriptor = hurray.Descriptor.decode(data)
    start, buffers = descriptor.encoded_len, []
    for handle in descriptor.buffer_handles:
        buffers.append(data[start : start + handle.byte_size])
        start += handle.byte_size
    problems = hurray.Tensor.from_descriptor(descriptor, buffers).validate()
    return (
        Answer(REFUSED, LISTED, [one.code for one in problems if one.code]) if problems else Answer(ACCEPTED)
    )


def _file(expect: Facts | None, data: bytes, path: Path) -> Answer:
    """``verify`` says all; a file without problems is loaded and compared."""
    problems = hurray.verify(path)
    if problems:
        return Answer(REFUSED, LISTED, [one.code for one in problems if one.code])
    answer = Answer(ACCEPTED)
    if expect is None:
        return answer
    answer.differences += _metadata(expect["kv"], hurray.load_kv(path))
    file, _ = parse_file(data)
    if file is None:
        return Answer(REFUSED, "the reference")
    tensors = {entry.name: entry.tensor for entry in file.entries}
    with hurray.open(path) as opened:
        if list(opened) != list(tensors):
            answer.differences.append(f"names {list(opened)[:9]}")
            return answer
        for name in list(tensors)[:SOME]:
            if opened.descriptor(name).encode() != tensors[name].descriptor.encode():
                answer.differences.append(f"{name}: other bytes when encoded again")
    names = {id(tensor): name for name, tensor in tensors.items()}
    # A file of very many is read in part.
    some = [names[id(_head(item))] for item in file.items][:SOME]
    loaded = hurray.load(path, names=some)
    for item, one in zip(file.items[:SOME], expect["items"][:SOME], strict=True):
        _item(loaded[names[id(_head(item))]], item, one, answer)
    return answer


def _head(item: Item) -> Item:
    return item.head if isinstance(item, Composite) else item


def _metadata(expect: Facts, found: Facts) -> list[str]:
    """Which keys are not as expected, as JSON has them."""
    wrong = [f"keys {list(found)}"] if list(found) != list(expect) else []
    for key, facts in expect.items():
        value = found.get(key)
        shown = [_hex(one) for one in value] if isinstance(value, list) else _hex(value)
        if json.dumps(plain(shown)) != json.dumps(facts["value"]):
            wrong.append(f"metadata {key!r}: {shown}")
    return wrong


def _hex(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else value
