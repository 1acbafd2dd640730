"""One vector, and what the manifest says about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ..reference import composite
from ..reference.composite import Composite, Item
from ..reference.descriptor import Descriptor
from ..reference.file import File
from ..reference.file.kv import NAMES as KV_NAMES
from ..reference.file.kv import Value
from ..reference.layouts import Unresolved
from ..reference.numbers import Number
from ..reference.quantization import NAMES as SCHEMES
from ..reference.tensor import Nested, nested

Facts = dict[str, Any]


@dataclass(frozen=True)
class Vector:
    """``rule``: the reject rule that an invalid vector breaks. ``options``: how to read it, where it matters."""

    name: str
    kind: str
    data: bytes
    about: str
    rule: str = ""
    options: Facts = field(default_factory=dict)


def plain(value: Nested) -> Any:
    """A value as JSON has it: no NaN, no infinity, no complex number and no fraction."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, complex):
        return {"re": plain(value.real), "im": plain(value.imag)}
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def descriptor_facts(descriptor: Descriptor) -> Facts:
    """What a descriptor says, as far as anybody can compare it."""
    facts: Facts = {
        "type_tag": descriptor.type_tag,
        "shape": list(descriptor.static_shape),
        "layout": descriptor.layout.name,
        "byte_offset": descriptor.byte_offset,
        "buffers": [handle.byte_size for handle in descriptor.handles],
    }
    if descriptor.element:
        facts["dtype"] = descriptor.element.name
    if descriptor.quantization:
        facts["scheme"] = SCHEMES[descriptor.quantization.scheme]
    sections = ("shard", "statistics", "extension", "member")
    present = [name for name in sections if getattr(descriptor, name) is not None]
    if present:
        facts["sections"] = present
    return facts


def item_facts(item: Item) -> Facts:
    """A tensor or a composite with its logical values; null where they cannot be known."""
    if isinstance(item, Composite):
        facts = descriptor_facts(item.head.descriptor)
        facts["members"] = [item_facts(member) for member in item.members]
        shape = item.head.descriptor.shape
    else:
        facts = descriptor_facts(item.descriptor)
        shape = item.descriptor.shape
    try:
        values = composite.values(item)
    except Unresolved as error:
        facts["unresolved"] = str(error)
        values = None
    facts["values"] = None if values is None else plain(nested(values, shape))
    return facts


def kv_facts(value: Value) -> Facts:
    """A value of the metadata; bytes as hexadecimal digits."""

    def one(payload: Any) -> Any:
        return payload.hex() if isinstance(payload, bytes) else plain(payload)

    facts: Facts = {"kind": KV_NAMES[value.tag]}
    if isinstance(value.payload, list):
        return {**facts, "element": KV_NAMES[value.element], "value": [one(item) for item in value.payload]}
    return {**facts, "value": one(value.payload)}


def file_facts(file: File) -> Facts:
    """The index, in its order; the items, in the region's; the metadata."""
    names = [entry.name for entry in file.entries]
    facts: Facts = {
        "names": names if len(names) < 100 else {"count": len(names), "first": names[0], "last": names[-1]}
    }
    facts["items"] = [item_facts(item) for item in file.items[:100]]
    facts["kv"] = {key: kv_facts(value) for key, value in file.kv}
    return facts


__all__ = ["Facts", "Number", "Vector", "descriptor_facts", "file_facts", "item_facts", "kv_facts", "plain"]
