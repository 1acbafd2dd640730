"""A place in a descriptor that moves forward, field by field, and never past the end."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Field:
    """Some bytes and what they mean. ``offset`` counts from the start of the descriptor."""

    __slots__ = ("data", "offset", "text")

    def __init__(self, offset: int, data: bytes, text: str) -> None:
        self.offset = offset
        self.data = data
        self.text = text


class EndError(Exception):
    """The bytes end inside a field; ``rest`` is what there is of it."""

    def __init__(self, label: str, rest: bytes, wanted: int) -> None:
        super().__init__(label)
        self.label = label
        self.rest = rest
        self.wanted = wanted


class Cursor:
    """The walk. All integers are little-endian."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.at = 0

    def raw(self, size: int, label: str, describe: Callable[[bytes], str]) -> Field:
        """The next ``size`` bytes."""
        data = self._data[self.at : self.at + size]
        if len(data) < size:
            raise EndError(label, data, size)
        field = Field(self.at, data, describe(data))
        self.at += size
        return field

    def keep(self, size: int, label: str, describe: Callable[[int], str] = str) -> tuple[int, Field]:
        """The next unsigned integer, and the field."""
        field = self.raw(size, label, lambda raw: f"{label} {describe(int.from_bytes(raw, 'little'))}")
        return int.from_bytes(field.data, "little"), field

    def uint(self, size: int, label: str, describe: Callable[[int], str] = str) -> Field:
        """The next unsigned integer as a field."""
        return self.keep(size, label, describe)[1]

    def int64(self, label: str) -> Field:
        """The next signed 64-bit integer as a field."""
        return self.raw(8, label, lambda raw: f"{label} {int.from_bytes(raw, 'little', signed=True)}")

    def real(self, size: int, label: str) -> Field:
        """The next float32 or float64 as a field."""
        from struct import unpack

        return self.raw(size, label, lambda raw: f"{label} {unpack('<f' if size == 4 else '<d', raw)[0]!r}")

    def reserved(self, size: int, label: str = "reserved") -> Field:
        """Bytes that must be zero."""
        return self.raw(size, label, lambda raw: f"{label}{'' if not any(raw) else ', and not zero'}")

    def rest(self) -> bytes:
        """All that is left."""
        return self._data[self.at :]
