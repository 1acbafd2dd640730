"""The values of a tensor as text, elided as NumPy does it, reading only the elements that are shown."""

from __future__ import annotations

from hurray_cli.errors import FailedError
from hurray_cli.inspection.numbers import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from hurray import Dtype
    from hurray.formats import Item

THRESHOLD, EDGE = 1000, 3  # NumPy's: from so many elements on, show so many at each end of a dimension
MAX_SHOWN = 4096
PLACED = ("row_major", "col_major", "strided")  # layouts whose elements are looked up one by one here
NOT_SHOWN = "<values not shown"  # how the library begins where there are none to print
WIDTH = 100  # columns until a line of values is broken


class Elements:
    """Random access to the elements of an item, wherever they lie."""

    def __init__(self, item: Item) -> None:
        self._dtype: Dtype = item.dtype
        raw = None if item.pieces() is not None else item.raw()
        if raw is not None:
            self._data, self._start, self._strides = memoryview(raw).cast("B"), 0, _row_major(item.shape)
            return
        tensor = item.load()
        self._data = memoryview(tensor.buffer(0))
        self._start = tensor.descriptor.byte_offset
        strides = getattr(tensor.layout, "strides", None)
        in_order = _row_major if tensor.layout.name == "row_major" else _col_major
        self._strides = tuple(strides) if strides is not None else in_order(item.shape)

    def at(self, index: Sequence[int]) -> str:
        """One element as text."""
        from hurray import Tensor

        place = sum(i * stride for i, stride in zip(index, self._strides, strict=True))
        value = Tensor(self._bytes(place), self._dtype, (1,)).tolist()[0]
        return text_of(value, self._dtype.name)

    def _bytes(self, place: int) -> bytes:
        """The element at ``place``, in elements from the first one, as a tensor of one element packs it."""
        bits = self._dtype.bit_width
        if bits >= 8:
            at = self._start + place * (bits // 8)
            return bytes(self._data[at : at + bits // 8])
        # Groups of whole bytes: one byte, or three for six bits (element-types.md §3).
        group = 3 if bits == 6 else 1
        at = self._start + place * bits // (8 * group) * group
        word = int.from_bytes(self._data[at : at + group], "little")
        code = word >> place * bits % (8 * group) & ((1 << bits) - 1)
        return code.to_bytes(group, "little")


def values(item: Item) -> str:
    """The values, nested in brackets.

    :raises FailedError: it has no plain values to show.
    """
    if item.special is not None or item.layout not in PLACED:
        return _as_printed(item)
    total = 1
    for size in item.shape:
        total *= size
    edge = _edge(item.shape) if total > THRESHOLD else None
    return "".join(_nested(Elements(item), item.shape, (), edge)) if total else _empty(item.shape)


def _as_printed(item: Item) -> str:
    """As the library prints a tensor: tiles and curves in order, of a sparse one the elements that are stored."""
    from hurray import Composite, print_options

    reason = item.special or f"its layout is {item.layout}"
    try:
        with print_options(sparse_display="content"):
            found: Any = item.load()  # a Composite too, where the entry is a head
            text = NOT_SHOWN if isinstance(found, Composite) else str(found)
    except NotImplementedError:
        text = NOT_SHOWN
    if text.startswith(NOT_SHOWN):
        raise FailedError(f"tensor {item.name!r}: {reason}; --descriptor shows what is known about it")
    return text


def _edge(shape: Sequence[int]) -> int:
    """How many elements to show at each end, fewer where many dimensions would multiply them."""
    for edge in range(EDGE, 0, -1):
        shown = 1
        for size in shape:
            shown *= min(size, 2 * edge)
        if shown <= MAX_SHOWN:
            return edge
    raise FailedError(f"{len(shape)} dimensions are too many to show the corners of")


def _nested(
    elements: Elements, shape: Sequence[int], index: tuple[int, ...], edge: int | None
) -> Iterator[str]:
    axis = len(index)
    if axis == len(shape):
        yield elements.at(index)
        return
    if axis + 1 == len(shape):
        yield _line(elements, index, list(_positions(shape[axis], edge)))
        return
    yield "["
    for count, position in enumerate(_positions(shape[axis], edge)):
        if count:
            yield ",\n" + " " * (axis + 1)
        if position is None:
            yield "…"
        else:
            yield from _nested(elements, shape, (*index, position), edge)
    yield "]"


def _line(elements: Elements, index: tuple[int, ...], positions: Sequence[int | None]) -> str:
    """The innermost dimension, broken where it gets too wide."""
    indent = " " * (len(index) + 1)
    lines = [indent[:-1] + "["]
    for count, position in enumerate(positions):
        text = "…" if position is None else elements.at((*index, position))
        text += "]" if count + 1 == len(positions) else ","
        if len(lines[-1]) + len(text) > WIDTH and count:
            lines.append(indent + text)
        else:
            lines[-1] += text if lines[-1].endswith("[") else f" {text}"
    return "\n".join(lines)[len(index) :]


def _positions(size: int, edge: int | None) -> Iterator[int | None]:
    """The indices to show; None stands for those that are left out."""
    if edge is None or size <= 2 * edge:
        yield from range(size)
        return
    yield from range(edge)
    yield None
    yield from range(size - edge, size)


def _empty(shape: Sequence[int]) -> str:
    return f"[], of shape [{', '.join(map(str, shape))}]"


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    return _col_major(shape[::-1])[::-1]


def _col_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in shape:
        strides.append(step)
        step *= size
    return tuple(strides)
