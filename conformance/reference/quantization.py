"""quantization.md §1 to §7: the scheme descriptor inside the quantization section."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

from .faults import Report
from .wire import Reader

PER_TENSOR, PER_CHANNEL, PER_BLOCK, NF4, MXFP = 1, 2, 3, 4, 5
NAMES = {1: "per_tensor", 2: "per_channel", 3: "per_block", 4: "nf4", 5: "mxfp"}
LENGTHS = {1: 16, 2: 20, 3: 24, 4: 16, 5: 16}
SYMMETRIC = 1
NONE = 0xFFFF_FFFF
_AFFINE = (0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x48, 0x49, 0x4A, 0x4B)
# §1: the storage types of each scheme.
STORAGE: dict[int, tuple[int, ...]] = {
    PER_TENSOR: _AFFINE,
    PER_CHANNEL: _AFFINE,
    PER_BLOCK: (0x10, 0x11, 0x48, 0x49, 0x4A, 0x4B),
    NF4: (0x49,),
    MXFP: (0x40, 0x41, 0x43, 0x44, 0x45, 0x10, 0x48),
}


@dataclass(frozen=True)
class Quantization:
    """All schemes in one: a field counts where the scheme has it. ``raw`` is what an unknown scheme holds."""

    scheme: int
    axis: int = 0
    block_size: int = 0
    scale_index: int = NONE
    zero_index: int = NONE
    scale_type: int = 0x03
    scale: float = 1.0
    zero_point: int = 0
    flags: int = 0
    version: int = 1
    reserved: int = 0
    surplus: bytes = b""
    raw: bytes = b""

    @property
    def symmetric(self) -> bool:
        """Whether the scheme has no zero points of its own."""
        return self.scheme in (NF4, MXFP) or bool(self.flags & SYMMETRIC)

    @property
    def parameters(self) -> list[int]:
        """The used indices into the buffer table, scale first."""
        if self.scheme == PER_TENSOR or self.scheme not in LENGTHS:
            return []
        return [self.scale_index] if self.symmetric else [self.scale_index, self.zero_index]

    @property
    def parameter_buffers(self) -> int:
        """How many entries of the table they take: one where scale and zero point share it."""
        return len(set(self.parameters))

    @property
    def along_axis(self) -> bool:
        """Whether the parameters go by an axis."""
        return self.scheme != PER_TENSOR

    def encode(self) -> bytes:
        """The section without its length prefix."""
        if self.scheme not in LENGTHS:
            return self.raw
        head = struct.pack("<BBH", self.scheme, self.version, self.flags)
        tail = struct.pack("<BBH", self.scale_type, self.reserved & 0xFF, self.reserved >> 8)
        if self.scheme == PER_TENSOR:
            body = struct.pack("<fiI", self.scale, self.zero_point, self.reserved)
        elif self.scheme == PER_CHANNEL:
            body = struct.pack("<III", self.axis, self.scale_index, self.zero_index) + tail
        elif self.scheme == PER_BLOCK:
            body = struct.pack("<4I", self.axis, self.block_size, self.scale_index, self.zero_index) + tail
        else:
            body = struct.pack("<3I", self.axis, self.block_size, self.scale_index)
        return head + body + self.surplus


def read_quantization(raw: bytes, report: Report) -> Quantization | None:
    """The section's bytes; None where too little is there to go on. Only faults of the section itself."""
    if not report.check(len(raw) >= 4, "Q-1 D-41", f"a quantization section of {len(raw)} bytes"):
        return None
    scheme, version, flags = struct.unpack_from("<BBH", raw)
    report.check(version <= 1, "Q-4 D-41", f"scheme version {version}")
    report.check(version >= 1, "Q-5 D-41", "scheme version 0")
    if scheme in (0x00, 0xFF):
        report.add("Q-2 D-41", f"scheme tag {scheme:#x}")
    elif scheme not in LENGTHS:
        report.add("Q-3 D-41", f"scheme tag {scheme:#x} is not known")
    if scheme not in LENGTHS:
        return Quantization(scheme, flags=flags, version=version, raw=raw)
    defined = SYMMETRIC if scheme in (PER_CHANNEL, PER_BLOCK) else 0
    report.check(flags & ~defined == 0, "Q-6 D-41", f"scheme flags {flags:#x}")
    if not report.check(len(raw) >= LENGTHS[scheme], "Q-1 D-41", f"{NAMES[scheme]} in {len(raw)} bytes"):
        return None
    known = Quantization(scheme, flags=flags, version=version, surplus=raw[LENGTHS[scheme] :])
    return _with_fields(known, Reader(raw, report, "Q-1", 4))


def _with_fields(one: Quantization, reader: Reader) -> Quantization:
    """§4 to §7: the fields after the header."""
    if one.scheme == PER_TENSOR:
        scale, zero_point = reader.f32("scale"), reader.i32("zero_point")
        return replace(one, scale=scale, zero_point=zero_point, reserved=reader.u32("reserved"))
    one = replace(one, axis=reader.u32("axis"))
    if one.scheme != PER_CHANNEL:
        one = replace(one, block_size=reader.u32("block_size"))
    one = replace(one, scale_index=reader.u32("scale_buffer_index"))
    if one.scheme in (NF4, MXFP):
        return one
    zero_index, scale_type = reader.u32("zero_point_buffer_index"), reader.u8("scale_type_tag")
    reserved = reader.unsigned(3, "reserved")
    return replace(one, zero_index=zero_index, scale_type=scale_type, reserved=reserved)
