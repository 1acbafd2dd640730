"""A place in a descriptor that moves forward, field by field, and never past the end."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, TypeAlias

    # Where a field stands among the others of a descriptor: names, and the places in lists.
    Path: TypeAlias = tuple[str | int, ...]

FIRST_PRIVATE, LAST_PRIVATE = 0xF0, 0xFE


class Field:
    """Some bytes and what they mean. ``offset`` counts from the start of the descriptor.

    ``path`` and ``value`` are for programs; padding and what is only said about the bytes has no path.
    """

    __slots__ = ("data", "offset", "path", "text", "value")

    def __init__(self, offset: int, data: bytes, text: str, path: Path = (), value: Any = None) -> None:
        self.offset = offset
        self.data = data
        self.text = text
        self.path = path
        self.value = value

    def under(self, *names: str) -> Field:
        """The same field one step further down."""
        return Field(self.offset, self.data, self.text, self.path and (*names, *self.path), self.value)


class EndError(Exception):
    """The bytes end inside a field; ``rest`` is what there is of it."""

    def __init__(self, label: str, rest: bytes, wanted: int) -> None:
        super().__init__(label)
        self.label = label
        self.rest = rest
        self.wanted = wanted


class Cursor:
    """The walk. All integers are little-endian. A field's name for programs is its label, unless ``name`` is given."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.size = len(data)
        self.at = 0

    def raw(self, size: int, label: str, describe: Callable[[bytes], str]) -> Field:
        """The next ``size`` bytes, which have no name."""
        data = self._data[self.at : self.at + size]
        if len(data) < size:
            raise EndError(label, data, size)
        field = Field(self.at, data, describe(data))
        self.at += size
        return field

    def keep(
        self,
        size: int,
        label: str,
        describe: Callable[[int], str] = str,
        *,
        name: str | None = None,
        value: Callable[[int], Any] = int,
        signed: bool = False,
    ) -> tuple[int, Field]:
        """The next integer, and the field."""
        field = self.raw(size, label, bytes.hex)
        number = int.from_bytes(field.data, "little", signed=signed)
        text = f"{label} {describe(number)}"
        return number, Field(field.offset, field.data, text, (name or label,), value(number))

    def uint(
        self,
        size: int,
        label: str,
        describe: Callable[[int], str] = str,
        *,
        name: str | None = None,
        value: Callable[[int], Any] = int,
    ) -> Field:
        """The next unsigned integer as a field."""
        return self.keep(size, label, describe, name=name, value=value)[1]

    def sint(self, size: int, label: str) -> Field:
        """The next signed integer as a field."""
        return self.keep(size, label, signed=True)[1]

    def choice(
        self, label: str, names: Mapping[int, str | None], *, name: str | None = None, private: bool = False
    ) -> tuple[int, Field]:
        """The next byte, which stands for one of ``names``, where None is the name of nothing, or is private."""

        def describe(number: int) -> str:
            if private and FIRST_PRIVATE <= number <= LAST_PRIVATE:
                return f"{number:#04x} private"
            return (
                f"{number} {names[number] or 'none'}" if number in names else f"{number:#04x}, not assigned"
            )

        return self.keep(1, label, describe, name=name, value=lambda number: names.get(number, number))

    def array(
        self,
        size: int,
        name: str,
        count: int,
        *,
        label: str | None = None,
        after: str = "",
        signed: bool = False,
        describe: Callable[[int], str] = str,
    ) -> Iterator[Field]:
        """The next ``count`` integers, a field each, one list for programs."""
        for k in range(count):
            text = f"{label or name}[{k}]{after}"
            _, field = self.keep(size, text, describe, signed=signed)
            yield Field(field.offset, field.data, field.text, (name, k), field.value)

    def real(self, size: int, label: str, name: str | None = None) -> Field:
        """The next float32 or float64 as a field."""
        from struct import unpack

        field = self.raw(size, label, bytes.hex)
        value = float(unpack("<f" if size == 4 else "<d", field.data)[0])
        return Field(field.offset, field.data, f"{label} {value!r}", (name or label,), value)

    def reserved(self, size: int, label: str = "reserved") -> Field:
        """Bytes that must be zero."""
        return self.raw(size, label, lambda raw: f"{label}{'' if not any(raw) else ', and not zero'}")

    def rest(self) -> bytes:
        """All that is left."""
        return self._data[self.at :]
