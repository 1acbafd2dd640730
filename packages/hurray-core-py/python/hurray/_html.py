"""What a notebook shows: one table, without scripts, links or anything from elsewhere. Every text is escaped."""

from __future__ import annotations

from ._exceptions import BufferError as _BufferError
from ._exceptions import FileError, InvalidDescriptorError, UnsupportedError
from ._show import tensor_str

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ._core import Descriptor, File, Tensor

__all__ = ["descriptor_html", "file_html", "tensor_html"]

MOST_NAMES = 100
_CELL = 'style="text-align: left; vertical-align: top"'
_UNREADABLE = (FileError, InvalidDescriptorError, UnsupportedError, _BufferError)
_SECTIONS = ("quantization", "statistics", "shard", "extension_type")


def escaped(text: object) -> str:
    """Text that is nothing but text in HTML, inside quotes too."""
    out = str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return out.replace('"', "&quot;").replace("'", "&#x27;")


def tensor_html(tensor: Tensor) -> str:
    """``tensor._repr_html_()``."""
    rows = [("shape", str(tensor.shape)), ("dtype", str(tensor.dtype)), ("layout", repr(tensor.layout))]
    rows += [("device", _device(tensor)), ("bytes", _bytes(tensor.nbytes))]
    rows += [("buffers", _buffers(tensor)), *_sections(tensor)]
    return _table("hurray.Tensor", rows, tensor_str(tensor))


def descriptor_html(descriptor: Descriptor) -> str:
    """``descriptor._repr_html_()``."""
    version = ".".join(map(str, descriptor.version))
    rows = [("shape", str(descriptor.shape)), ("dtype", str(descriptor.dtype))]
    rows += [("layout", repr(descriptor.layout)), ("byte offset", str(descriptor.byte_offset))]
    rows += [("device", _device(descriptor)), ("buffers", _buffers(descriptor)), *_sections(descriptor)]
    rows += [("version", version), ("encoded", _bytes(descriptor.encoded_len))]
    return _table("hurray.Descriptor", rows, None)


def file_html(file: File) -> str:
    """``file._repr_html_()``: the names, with what each tensor is."""
    if file.closed:
        return "<p>closed hurray.File</p>"
    count = len(file)
    caption = (
        f"hurray.File: {count:,} tensor{'' if count == 1 else 's'}, {_bytes(file.size)}{_metadata(file)}"
    )
    head = "".join(f"<th {_CELL}>{title}</th>" for title in ("name", "shape", "dtype", "layout", "bytes"))
    body = "".join(_row(cells) for cells in _names(file))
    if count > MOST_NAMES:
        body += f'<tr><td {_CELL} colspan="5">and {count - MOST_NAMES:,} more</td></tr>'
    return f"<table><caption>{escaped(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _metadata(file: File) -> str:
    count = len(file.kv)
    return f", {count:,} metadata {'key' if count == 1 else 'keys'}" if count else ""


def _names(file: File) -> Iterator[tuple[str, ...]]:
    for _, name in zip(range(MOST_NAMES), file, strict=False):
        try:
            one = file.descriptor(name)
            size = sum(handle.byte_size for handle in one.buffer_handles)
            yield name, str(one.shape), str(one.dtype), one.layout.name, f"{size:,}"
        except _UNREADABLE as error:
            yield name, f"cannot be read: {error}", "", "", ""


def _row(cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<td {_CELL}>{escaped(cell)}</td>" for cell in cells) + "</tr>"


def _table(caption: str, rows: Iterable[tuple[str, str]], values: str | None) -> str:
    body = "".join(
        f"<tr><th {_CELL}>{escaped(name)}</th><td {_CELL}>{escaped(text)}</td></tr>" for name, text in rows
    )
    if values is not None:
        body += (
            f'<tr><th {_CELL}>values</th><td {_CELL}><pre style="margin: 0">{escaped(values)}</pre></td></tr>'
        )
    return f"<table><caption>{caption}</caption><tbody>{body}</tbody></table>"


def _sections(described: Tensor | Descriptor) -> Iterator[tuple[str, str]]:
    for name in _SECTIONS:
        section = getattr(described, name, None)
        if section is not None:
            yield name.replace("_", " "), repr(section)


def _device(described: Tensor | Descriptor) -> str:
    device = described.device
    plain = device.kind == "cpu" and device.memory_class == "standard"
    return "cpu" if plain else repr(device)


def _buffers(described: Tensor | Descriptor) -> str:
    handles = described.buffer_handles
    if len(handles) == 1:
        return f"1, aligned to {handles[0].alignment}"
    sizes = ", ".join(f"{handle.byte_size:,}" for handle in handles[:8])
    return f"{len(handles)}: {sizes}{', …' if len(handles) > 8 else ''} bytes" if handles else "none"


def _bytes(count: int) -> str:
    text = f"{count:,} byte{'' if count == 1 else 's'}"
    size, unit = float(count), ""
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{text} ({size:.3g} {unit})" if unit else text
