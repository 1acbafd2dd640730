"""buffers.md: a buffer handle, sixteen bytes that declare a region of memory."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from .element_types import is_private
from .faults import Report
from .wire import Reader

CPU = 0x00
# §4: the memory classes that each public device may have.
CLASSES: dict[int, str] = {
    0: "012",
    1: "0123",
    2: "0123",
    3: "012",
    4: "0123",
    5: "0",
    6: "012",
    7: "0123",
    8: "012",
}


@dataclass(frozen=True)
class Handle:
    """One entry of the buffer table, §1."""

    byte_size: int
    alignment: int = 64
    device: int = CPU
    sync: int = 0
    memory_class: int = 0
    reserved: int = 0

    def encode(self) -> bytes:
        """The sixteen bytes."""
        tail = (self.device, self.sync, self.memory_class, self.reserved)
        return struct.pack("<QI4B", self.byte_size, self.alignment, *tail)


def read_handles(reader: Reader, report: Report) -> tuple[Handle, ...]:
    """The buffer table; each handle is checked as it is read, then all of them together (§7)."""
    handles = []
    for number in range(reader.u8("buffer_count")):
        handles.append(Handle(*struct.unpack("<QI4B", reader.take(16, "buffer handle"))))
        check_handle(handles[-1], report, f"handle {number}")
    check_colocation(handles, report)
    return tuple(handles)


def check_colocation(handles: Sequence[Handle], report: Report) -> None:
    """D-38."""
    devices = {handle.device for handle in handles}
    classes = {handle.memory_class for handle in handles}
    report.check(len(devices) < 2, "D-38", f"buffers lie on devices {sorted(devices)}")
    report.check(len(classes) < 2, "D-38", f"buffers are of memory classes {sorted(classes)}")


def check_handle(handle: Handle, report: Report, where: str) -> None:
    """D-32 to D-37."""
    power = handle.alignment > 0 and handle.alignment & handle.alignment - 1 == 0
    floor = handle.byte_size == 0 or handle.alignment >= 64
    report.check(power and floor, "D-32", f"{where}: alignment {handle.alignment}")
    known = report.check(
        handle.device in CLASSES or is_private(handle.device),
        "D-33",
        f"{where}: device tag {handle.device:#x}",
    )
    report.check(handle.sync <= 2, "D-34", f"{where}: sync mode {handle.sync}")
    report.check(
        not 1 <= handle.sync <= 2 or handle.device != CPU, "D-34", f"{where}: sync mode on a CPU buffer"
    )
    valid = report.check(
        handle.memory_class <= 3 or is_private(handle.memory_class),
        "D-35",
        f"{where}: memory class {handle.memory_class:#x}",
    )
    if known and valid:
        pair = f"{where}: memory class {handle.memory_class:#x} on device {handle.device:#x}"
        report.check(pair_is_valid(handle.device, handle.memory_class), "D-36", pair)
    report.check(handle.reserved == 0, "D-37", f"{where}: reserved byte {handle.reserved}")


def pair_is_valid(device: int, memory_class: int) -> bool:
    """The table of §4. A private class is taken as agreed where the device is private too."""
    if is_private(device):
        return memory_class == 0 or is_private(memory_class)
    return str(memory_class) in CLASSES[device]
