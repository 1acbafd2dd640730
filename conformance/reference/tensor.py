"""A descriptor with its buffers: what the contents must obey, and the logical values."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from .dequantize import Dequantizer
from .descriptor import Descriptor
from .faults import Rejected, Report
from .layouts import CompositeHead, Unresolved
from .numbers import Number
from .packing import slice_of, value_at
from .sections import DYNAMIC

E8M0 = 0x42
Nested = Number | list["Nested"]


@dataclass(frozen=True)
class Tensor:
    """One tensor that has been read."""

    descriptor: Descriptor
    buffers: list[bytes]

    def check(self, report: Report) -> None:
        """Rules about contents; only for a descriptor without faults, whose sizes can be trusted."""
        descriptor = self.descriptor
        if DYNAMIC in descriptor.shape or isinstance(descriptor.layout, CompositeHead):
            return
        descriptor.layout.check_contents(descriptor, self.buffers, report)
        if descriptor.quantization is not None:
            Dequantizer(descriptor, descriptor.quantization, self.buffers).check(report)
        elif descriptor.type_tag == E8M0 and not report.faults:
            self._check_e8m0(report)

    def _check_e8m0(self, report: Report) -> None:
        """element-types.md §4: a reader that meets 0x00 or 0xFF treats the descriptor as invalid; no list has an id."""
        try:
            odd = [index for index, value in self.values().items() if value != value]
        except Unresolved:
            return
        report.check(not odd, "Q-29", f"float8_e8m0 0x00 or 0xFF at {odd[:4]}")

    def position(self, index: Sequence[int]) -> int | None:
        """The element of buffer 0 for a logical index; None for a zero that is not stored."""
        if DYNAMIC in self.descriptor.shape:
            raise Rejected([*_unresolved().faults])
        return self.descriptor.layout.find(self.descriptor, self.buffers, index)

    def stored(self, position: int) -> Number:
        """The number, or the code, stored at a position of buffer 0."""
        kind = self.descriptor.element
        if kind is None:
            raise Unresolved("what a private type means is agreed elsewhere")
        return value_at(kind, self.buffers[0], self.descriptor.byte_offset, position)

    def values(self) -> dict[tuple[int, ...], Number]:
        """Every logical index with its value; quantized ones as the real numbers that they mean."""
        descriptor = self.descriptor
        if DYNAMIC in descriptor.shape:
            raise Rejected([*_unresolved().faults])
        one = descriptor.quantization
        real = Dequantizer(descriptor, one, self.buffers).real if one is not None else None
        found: dict[tuple[int, ...], Number] = {}
        for index in itertools.product(*map(range, descriptor.shape)):
            position = self.position(index)
            if position is None:
                found[index] = 0.0 if real else zero_of(descriptor)
            else:
                code = self.stored(position)
                found[index] = real(code, index, position) if real else code
        return found

    def bits(self, index: Sequence[int]) -> bytes:
        """The raw bytes of a whole-byte element, for types that have no public meaning."""
        width = self.descriptor.element_bits // 8
        position = self.position(index)
        start = self.descriptor.byte_offset + (position or 0) * width
        return bytes(width) if position is None else slice_of(self.buffers[0], start, width)


def zero_of(descriptor: Descriptor) -> Number:
    """The zero of the tensor's type."""
    kind = descriptor.element
    zeros: dict[str, Number] = {"bool": False, "int": 0, "float": 0.0, "complex": 0j}
    return zeros[kind.kind] if kind else 0


def _unresolved() -> Report:
    report = Report(families="DLQS")
    report.add("L-57 S-10", "a dynamic dim that nothing resolves")
    return report


def nested(values: dict[tuple[int, ...], Number], shape: Sequence[int]) -> Nested:
    """Values as lists in lists, as ``tolist`` gives them."""

    def level(prefix: tuple[int, ...]) -> Nested:
        if len(prefix) == len(shape):
            return values[prefix]
        return [level((*prefix, position)) for position in range(shape[len(prefix)])]

    return level(())
