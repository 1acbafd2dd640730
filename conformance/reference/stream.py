"""stream.md §1 to §5: the bare stream."""

from __future__ import annotations

from dataclasses import dataclass, field

from .composite import Composite, Item, gather
from .descriptor import frame, parse
from .faults import Rejected, Report
from .sections import DYNAMIC
from .tensor import Tensor
from .wire import Reader

MAX_DESCRIPTOR = 16 << 20
MAX_BUFFER = 1 << 40
SMALLEST = 37


@dataclass
class Stream:
    """Reads items one after another, with nothing between them."""

    data: bytes
    cross_machine: bool = False
    report: Report = field(default_factory=lambda: Report(families="DLQS"))
    at: int = 0

    def tensor(self) -> Tensor | None:
        """The next tensor; None at the end of the input."""
        if self.at == len(self.data):
            return None
        length = self._frame()
        raw = self.data[self.at : self.at + length]
        descriptor, found = parse(raw, cross_machine=self.cross_machine, families="DLQS")
        if descriptor is None or found.faults:
            self.report.within("S-6", found.faults, f"descriptor at {self.at}")
            raise Rejected(self.report.faults)
        self.at += length
        sizes = [handle.byte_size for handle in descriptor.handles]
        self.report.check(max(sizes, default=0) <= MAX_BUFFER, "S-7", f"buffers of {sizes} bytes")
        self.report.check(sum(sizes) < 1 << 64, "S-8", f"buffers of {sum(sizes)} bytes in all")
        if DYNAMIC in descriptor.shape and any(sizes):
            self.report.add("S-10 L-57", "a dynamic dim in a tensor with data")
        reader = Reader(self.data, self.report, "S-1", self.at)
        tensor = Tensor(descriptor, [reader.take(size, "buffer") for size in sizes])
        self.at = reader.at
        contents = Report(families="DLQS")
        tensor.check(contents)
        self.report.within("S-6", contents.faults, f"tensor before {self.at}")
        return tensor

    def _frame(self) -> int:
        before = len(self.report.faults)
        try:
            length = frame(self.data, self.report, self.at)
        except Rejected:
            rules = {rule for fault in self.report.faults[before:] for rule in fault.rules}
            if self.at and "S-2" in rules:
                self.report.add("S-12", f"no descriptor at {self.at}, after a tensor")
            raise Rejected(self.report.faults) from None
        if length > MAX_DESCRIPTOR:
            self.report.stop("S-5", f"descriptor_length {length}")
        if length > len(self.data) - self.at:
            self.report.stop("S-1", f"descriptor_length {length}, {len(self.data) - self.at} bytes are left")
        return length

    def room(self) -> int:
        """How many tensors the bytes that are left can hold at most."""
        return (len(self.data) - self.at) // SMALLEST

    def items(self) -> list[Item]:
        """All items."""
        found: list[Item] = []
        while (first := self.tensor()) is not None:
            found.append(gather(first, self.tensor, self.room, self.report))
        return found


def parse_stream(data: bytes, *, cross_machine: bool = False) -> tuple[list[Item] | None, Report]:
    """The items, and all that is wrong; None where reading had to stop."""
    stream = Stream(data, cross_machine)
    try:
        return stream.items(), stream.report
    except Rejected:
        return None, stream.report


def encode_item(item: Item) -> bytes:
    """Descriptor and buffers of an item, members after their head."""
    if isinstance(item, Composite):
        return encode_item(item.head) + b"".join(map(encode_item, item.members))
    return item.descriptor.encode() + b"".join(item.buffers)


def encode_stream(items: list[Item]) -> bytes:
    """Items one after another."""
    return b"".join(map(encode_item, items))
