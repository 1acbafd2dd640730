"""An overview as JSON for programs. Integers are exact; offsets count from the start of the file.

The schema number changes when a field changes its meaning or goes; new fields may come without.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from hurray import Descriptor

    from hurray_cli.inspection.overview import Overview, Row

SCHEMA = 3


def lines(found: Overview, rows: Iterable[Row]) -> Iterator[str]:
    """The document, a line for each tensor, and no more than one of them in memory at a time."""
    from json import dumps

    yield "{"
    yield f' "schema": {SCHEMA},'
    yield f' "file": {dumps({"path": found.path, "format": found.format, **found.file})},'
    yield f' "metadata": {dumps({key: value_of(value) for key, value in found.kv.items()})},'
    yield ' "tensors": ['
    before = None
    for row in rows:
        if before is not None:
            yield f"{before},"
        before = f"  {dumps(_tensor(row, found.path))}"
    if before is not None:
        yield before
    yield " ]"
    yield "}"


def value_of(value: Any) -> Any:
    """A metadata value. What JSON has no word for is an object: ``{"bytes": base64}``, ``{"float": "nan"}``."""
    if isinstance(value, list):
        return [value_of(element) for element in value]
    if isinstance(value, bytes):
        from base64 import b64encode

        return {"bytes": b64encode(value).decode("ascii")}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"float": repr(value)}
    return value


def _tensor(row: Row, path: str) -> dict[str, Any]:
    tensor: dict[str, Any] = {"name": row.name}
    if row.fault is not None:
        tensor["fault"] = {"code": getattr(row.fault, "code", None), "message": str(row.fault)}
    else:
        tensor |= {
            "dtype": row.dtype,
            "shape": None if row.shape is None else list(row.shape),
            "elements": row.elements,
            "layout": {"name": row.layout, **_plain(row.fields.get("layout", {}))},
            "bytes": row.nbytes,
        }
    if row.members is not None:
        tensor["members"] = list(row.members)
    if row.head is not None:
        tensor["head"] = row.head
    if row.entry is not None:
        entry = row.entry
        tensor["descriptor"] = {"offset": entry.descriptor_offset, "length": entry.descriptor_length}
        tensor["data"] = {"offset": entry.data_offset, "length": entry.data_length}
        if row.descriptor is not None:
            tensor |= {key: _plain(value) for key, value in row.fields.items() if key != "layout"}
            tensor["stored"] = row.stored
            tensor |= _storage(row.descriptor, entry.buffer_offsets)
    elif row.offset is not None:
        tensor["data"] = {"offset": row.offset}
        if row.path not in (None, path):
            tensor["data"]["file"] = row.path
    return tensor


def _plain(value: Any) -> Any:
    """The fields of a layout or a section, whatever is nested in them."""
    return {key: _plain(one) for key, one in value.items()} if isinstance(value, dict) else value_of(value)


def _storage(descriptor: Descriptor, offsets: Sequence[int]) -> dict[str, Any]:
    storage: dict[str, Any] = {"byte_offset": descriptor.byte_offset}
    storage["buffers"] = [
        {
            "offset": offset,
            "bytes": handle.byte_size,
            "alignment": handle.alignment,
            "device": handle.device.kind,
            "memory_class": handle.device.memory_class,
            "sync_mode": handle.sync_mode,
        }
        for offset, handle in zip(offsets, descriptor.buffer_handles, strict=True)
    ]
    return storage
