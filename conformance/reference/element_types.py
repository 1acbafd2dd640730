"""element-types.md §1 and §2: the tags, and how wide each element is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ElementType:
    """One storage encoding. ``exponent``, ``mantissa`` (bits) and ``bias`` are for floats alone."""

    tag: int
    name: str
    bits: int
    kind: str
    signed: bool
    exponent: int = 0
    mantissa: int = 0
    bias: int = 0

    def size_of(self, count: int) -> int:
        """Bytes of ``count`` packed elements, §5."""
        if self.bits == 6:
            return -(-count // 4) * 3
        return -(-count * self.bits // 8)

    @property
    def range(self) -> tuple[int, int]:
        """Least and greatest integer."""
        if self.signed:
            return -(1 << self.bits - 1), (1 << self.bits - 1) - 1
        return 0, (1 << self.bits) - 1


def _float(tag: int, name: str, exponent: int, mantissa: int, bias: int, sign: int = 1) -> ElementType:
    return ElementType(tag, name, sign + exponent + mantissa, "float", bool(sign), exponent, mantissa, bias)


def _integers() -> list[ElementType]:
    tags = {0x10: 8, 0x12: 16, 0x14: 32, 0x16: 64, 0x48: 4, 0x4A: 2}
    found = [ElementType(tag, f"int{bits}", bits, "int", True) for tag, bits in tags.items()]
    return found + [ElementType(tag + 1, f"uint{bits}", bits, "int", False) for tag, bits in tags.items()]


TYPES: dict[int, ElementType] = {
    one.tag: one
    for one in (
        _float(0x01, "float16", 5, 10, 15),
        _float(0x02, "bfloat16", 8, 7, 127),
        _float(0x03, "float32", 8, 23, 127),
        _float(0x04, "float64", 11, 52, 1023),
        _float(0x40, "float8_e4m3", 4, 3, 7),
        _float(0x41, "float8_e5m2", 5, 2, 15),
        _float(0x42, "float8_e8m0", 8, 0, 127, sign=0),
        _float(0x43, "float4_e2m1", 2, 1, 1),
        _float(0x44, "float6_e2m3", 2, 3, 1),
        _float(0x45, "float6_e3m2", 3, 2, 3),
        _float(0x46, "float128", 15, 112, 16383),
        *_integers(),
        ElementType(0x20, "bool", 1, "bool", False),
        ElementType(0x50, "complex64", 64, "complex", True),
        ElementType(0x51, "complex128", 128, "complex", True),
    )
}
BY_NAME: dict[str, ElementType] = {one.name: one for one in TYPES.values()}


def is_private(tag: int) -> bool:
    """Whether a tag of any tag space is in the private range."""
    return 0xF0 <= tag <= 0xFE
