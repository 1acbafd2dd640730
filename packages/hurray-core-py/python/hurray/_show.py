"""``repr`` and ``str`` of a tensor: its values as NumPy would print them, reading no element that is not shown."""

from __future__ import annotations

from . import _print_options
from ._digits import aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ._core import Tensor

__all__ = ["body", "fields", "tensor_repr", "tensor_str"]

# A tensor of many dimensions has more corners than anyone looks at.
MAX_SHOWN = 4096
LEFT_OUT = "..."
NAME = "hurray.Tensor("


def tensor_repr(tensor: Tensor) -> str:
    """``repr(tensor)``."""
    width = _print_options.current().linewidth
    values = body(tensor, " " * len(NAME), ",")
    rest = ", ".join(fields(tensor))
    last = values.rpartition("\n")[2]
    used = len(last) + (0 if "\n" in values else len(NAME))
    gap = ",\n" + " " * len(NAME) if used + 3 + len(rest) > width and "\n" in values else ", "
    return f"{NAME}{values}{gap}{rest})"


def tensor_str(tensor: Tensor) -> str:
    """``str(tensor)``: the values alone."""
    text = body(tensor, "", "")
    return text if tensor._hidden() is None else f"<{text[1:-1]}, shape={tensor.shape}>"


def fields(tensor: Tensor) -> Iterator[str]:
    """What the tensor is, where it is not what every tensor is."""
    yield f"shape={tensor.shape}"
    yield f"dtype={tensor.dtype}"
    if tensor.layout.name != "row_major":
        yield f"layout={tensor.layout!r}"
    device = tensor.device
    if device.kind != "cpu" or device.memory_class != "standard":
        yield f"device={device!r}"
    quantization = getattr(tensor, "quantization", None)
    if quantization is not None:
        yield f"quantization={quantization!r}"


def body(tensor: Tensor, indent: str, ending: str) -> str:
    """The values, or in angle brackets why there are none.

    :param indent: goes before all lines but the first.
    :param ending: what will follow the values on their last line.
    """
    reason = tensor._hidden()
    if reason is not None:
        return f"<values not shown: {reason}>"
    options = _print_options.current()
    stored = getattr(tensor, "nnz", None)
    if stored is not None:
        from ._sparse import entries

        if options.sparse_display == "content" and stored:
            return entries(tensor, stored, indent, options)
        return f"<{stored} of {tensor.size} elements stored>"
    shape: Sequence[int] = tensor.shape  # type: ignore[assignment]
    if 0 in shape:
        return "[]"
    edge = _edge(shape, options)
    axes = [list(_places(size, edge)) for size in shape]
    shown = [[place for place in places if place is not None] for places in axes]
    texts = aligned(tensor._chosen(shown), options.precision)
    width = options.linewidth - len(ending)
    return _Nesting(axes, iter(texts), indent, width).level(0)


def _edge(shape: Sequence[int], options: _print_options.PrintOptions) -> int | None:
    """How many elements to show at each end of a dimension; None for all, 0 for the first one alone."""
    count = 1
    for size in shape:
        count *= size
    if count <= options.threshold:
        return None
    most = max(MAX_SHOWN, options.threshold)
    for edge in range(min(options.edgeitems, most), 0, -1):
        shown = 1
        for size in shape:
            shown *= min(size, 2 * edge)
        if shown <= most:
            return edge
    return 0


def _places(size: int, edge: int | None) -> Iterator[int | None]:
    """The indices to show; None stands for those that are left out."""
    if edge is None or size <= max(2 * edge, 1):
        yield from range(size)
        return
    yield from range(max(edge, 1))
    yield None
    yield from range(size - edge, size)


class _Nesting:
    """Brackets around the texts of the elements, which come in row-major order."""

    def __init__(
        self, axes: list[list[int | None]], texts: Iterator[str], indent: str, linewidth: int
    ) -> None:
        self._axes = axes
        self._texts = texts
        self._indent = indent
        self._linewidth = linewidth

    def level(self, axis: int) -> str:
        """Everything from dimension ``axis`` inwards."""
        left = len(self._axes) - axis
        if left == 0:
            return next(self._texts)
        if left == 1:
            return self._row(axis)
        parts = [LEFT_OUT if place is None else self.level(axis + 1) for place in self._axes[axis]]
        between = "," + "\n" * min(left - 1, 3) + self._indent + " " * (axis + 1)
        return f"[{between.join(parts)}]"

    def _row(self, axis: int) -> str:
        """The innermost dimension, broken where it gets too wide."""
        indent = self._indent + " " * (axis + 1)
        lines, line = [], indent
        closing = axis + 1  # brackets that may follow
        places = self._axes[axis]
        for count, place in enumerate(places):
            text = LEFT_OUT if place is None else next(self._texts)
            if line != indent and len(line) + 1 + len(text) + closing > self._linewidth:
                lines.append(line)
                line = indent
            line += ("" if line == indent else " ") + text + ("" if count + 1 == len(places) else ",")
        lines.append(line)
        return "[" + "\n".join(lines)[len(indent) :] + "]"
