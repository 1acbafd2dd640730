"""The stored entries of a sparse tensor with their coordinates (layouts.md §7 to §9), reading those that are shown."""

from __future__ import annotations

from bisect import bisect_right

from ._digits import aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._core import Tensor
    from ._print_options import PrintOptions

__all__ = ["coordinates", "entries"]

MOST = 50  # a line each: fewer than of a dense tensor
WORD = 8


def entries(tensor: Tensor, stored: int, indent: str, options: PrintOptions) -> str:
    """``{(row, column): value, …}``, a line each, with the middle left out where there are many."""
    edge = options.edgeitems
    if stored <= min(options.threshold, MOST) or stored <= 2 * edge:
        places, cut = list(range(stored)), None
    else:
        places, cut = [*range(edge), *range(stored - edge, stored)], edge
    values = aligned(tensor._chosen([places]), options.precision)
    found = [coordinates(tensor, place) for place in places]
    widths = [max(map(len, column)) for column in zip(*found, strict=True)]
    lines = [
        f"({', '.join(map(str.rjust, where, widths))}{',' if len(where) == 1 else ''}): {value}"
        for where, value in zip(found, values, strict=True)
    ]
    if cut is not None:
        lines.insert(cut, "...")
    return "{" + f",\n{indent} ".join(lines) + "}"


def coordinates(tensor: Tensor, place: int) -> list[str]:
    """The index of one stored entry, as text; ``?`` where the tensor's own indices lead nowhere."""
    name, rank = tensor.layout.name, tensor.ndim
    if name == "coo":
        return [str(number) for number in _words(tensor, 1)[place * rank : (place + 1) * rank]]
    if name in ("csr", "csc"):
        minor = str(_words(tensor, 1)[place])
        major = _segment(_words(tensor, 2), place, tensor.shape[0 if name == "csr" else 1])
        return [major, minor] if name == "csr" else [minor, major]
    order = _mode_order(tensor)
    out = ["?"] * rank
    node: int | None = place
    for level in range(rank - 1, -1, -1):
        crd, pos = _words(tensor, 2 * level + 2), _words(tensor, 2 * level + 1)
        if node is None or node >= len(crd):
            break
        out[order[level]] = str(crd[node])
        parent = bisect_right(pos, node) - 1
        node = parent if parent >= 0 else None
    return out


def _words(tensor: Tensor, index: int) -> Sequence[int]:
    """A buffer as the u64 that it holds, shared."""
    data = memoryview(tensor.buffer(index))
    return data[: len(data) // WORD * WORD].cast("Q")


def _segment(pointers: Sequence[int], place: int, count: int | None) -> str:
    """Which of the rows, or columns, an entry is in."""
    row = bisect_right(pointers, place) - 1
    return str(row) if count is not None and 0 <= row < count else "?"


def _mode_order(tensor: Tensor) -> Sequence[int]:
    order = getattr(tensor.layout, "mode_order", None)
    return range(tensor.ndim) if order is None else order
