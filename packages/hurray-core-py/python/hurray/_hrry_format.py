"""The ``.hrry`` format as :func:`hurray.convert` sees it (format: file.md). Built in, no entry point."""

from __future__ import annotations

from hurray.formats import Format, FormatError, Item, Problem, Reader, nbytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType
    from typing import Any

    from typing_extensions import Self

    from hurray import Descriptor, File, FileMap, Tensor
    from hurray._progress import Meter
    from hurray.formats import Kv

MAGIC = b"HRRYFILE"
MAX_RANK = 64
MAX_NAME_BYTES = 65535
# Flag bits of the descriptor (descriptor.md §2).
QUANTIZED, SHARD, EXTENSION, STATISTICS = 1, 2, 4, 8
_SCHEMES = {1: "per-tensor affine", 2: "per-channel affine", 3: "per-block affine", 4: "NF4", 5: "MXFP"}


class HrryItem(Item):
    """One tensor of an open .hrry file."""

    __slots__ = (
        "_file",
        "_host",
        "dtype",
        "extras",
        "layout",
        "name",
        "nbytes",
        "offset",
        "shape",
        "special",
    )

    def __init__(self, file: File, name: str, host: HostBytes) -> None:
        descriptor = file.descriptor(name)
        flags = int.from_bytes(file.descriptor_bytes(name)[10:14], "little")
        self._file = file
        self._host = host if descriptor.device.kind != "cpu" else None
        self.name = name
        self.dtype = descriptor.dtype
        self.shape = tuple(-1 if size is None else size for size in descriptor.shape)
        self.layout = descriptor.layout.name
        self.special = _special(file, name, descriptor, flags)
        self.extras = _extras(descriptor, flags)
        self.nbytes = nbytes_of(descriptor)
        self.offset = None
        if self.layout == "row_major" and self.special is None:
            self.offset = file.entry(name).buffer_offsets[0] + descriptor.byte_offset

    def load(self) -> Tensor:
        """The tensor, mapped."""
        return self._file[self.name]

    def raw(self) -> memoryview | None:
        """The bytes of a tensor that is meant for a device: in a file they are the host's (file.md §11.12)."""
        return None if self._host is None else self._host.at(self.offset, self.nbytes)


class HostBytes:
    """The file mapped once more, when a tensor needs it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._map: FileMap | None = None

    def at(self, offset: int | None, size: int) -> memoryview | None:
        """``size`` bytes from ``offset`` on."""
        from hurray import FileMap

        if offset is None:
            return None
        if self._map is None:
            self._map = FileMap(self._path)
        return memoryview(self._map)[offset : offset + size]


class HrryReader(Reader):
    """An open .hrry file, mapped read-only so that writers can give the pages back behind them."""

    def __init__(self, path: str) -> None:
        import hurray

        self._file = hurray.open(path, writable=False)
        try:
            self.kv = self._file.kv
            self._items = _items(self._file, path)
        except BaseException:
            self._file.close()
            raise

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items = []
        self._file.close()


class HrryFormat(Format):
    """``.hrry``: holds every tensor there is; names and metadata have limits (file.md §4, §5)."""

    name = "hrry"
    suffixes = (".hrry",)

    def sniff(self, path: str, head: bytes) -> bool:
        return head.startswith(MAGIC)

    def read(self, path: str) -> HrryReader:
        return HrryReader(path)

    def check(self, items: Sequence[Item], kv: Kv) -> Iterable[Problem]:
        for item in items:
            if reason := _bad_name(item.name):
                yield Problem(f"the name {reason}", name=item.name)
            if len(item.shape) > MAX_RANK:
                yield Problem(
                    f"it has {len(item.shape)} dimensions; .hrry holds up to {MAX_RANK}", name=item.name
                )
        for key, value in kv.items():
            if reason := _bad_name(key):
                yield Problem(f"the key {reason}", key=key)
            elif reason := _bad_value(value):
                yield Problem(reason, key=key)

    def write(
        self, path: str, items: Iterable[Item], kv: Kv, *, durable: bool = False, meter: Meter | None = None
    ) -> None:
        """Write the file. Atomic by itself: ``path`` is the target, replaced when all is written."""
        from hurray import FileWriter

        with FileWriter(path, kv=kv, durable=durable) as writer:
            if meter is not None:
                meter.follow(writer.tell)
            for item in items:
                if (pieces := item.pieces()) is not None:
                    writer.write_pieces(item.name, pieces, item.dtype, item.shape)
                elif (raw := item.raw()) is not None:
                    writer.write_buffer(item.name, raw, item.dtype, item.shape)
                else:
                    writer.write(item.name, item.load())


HRRY = HrryFormat()


def _items(file: File, path: str) -> list[Item]:
    """Every tensor by its place in the file; one error for all descriptors that cannot be read."""
    items: list[Item] = []
    problems: list[Problem] = []
    host = HostBytes(path)
    for name in file:
        try:
            items.append(HrryItem(file, name, host))
        except (ValueError, NotImplementedError, OSError) as error:
            # The text names the tensor, the place and the rule.
            problems.append(Problem(str(error).removeprefix(f"{path}: ")))
    if problems:
        raise FormatError(path, problems)
    return items


def _special(file: File, name: str, descriptor: Descriptor, flags: int) -> str | None:
    if file.is_composite(name):
        return "it is the head of a composite"
    if flags & QUANTIZED:
        scheme = _scheme(file.descriptor_bytes(name), descriptor)
        return f"it is quantised{f' ({scheme})' if scheme else ''}: its elements are codes, not values"
    if flags & EXTENSION:
        return f"its element type is private (tag {descriptor.dtype.tag:#04x})"
    if None in descriptor.shape:
        return "it has a dynamic dimension, whose size is not in the file"
    if not descriptor.layout.is_dense:
        return f"its layout is {descriptor.layout.name}, which is not dense"
    if descriptor.device.kind != "cpu" and descriptor.layout.name != "row_major":
        return f"it is meant for {descriptor.device.kind}, and its {descriptor.layout.name} layout is not put in order"
    return None


def _scheme(data: bytes, descriptor: Descriptor) -> str | None:
    """The name of the quantization scheme, where the layout says where its section is (descriptor.md §1)."""
    payload = {"row_major": 0, "col_major": 0, "strided": 8 * descriptor.ndim}.get(descriptor.layout.name)
    if payload is None:
        return None
    return _SCHEMES.get(data[29 + 8 * descriptor.ndim + payload + 16 * descriptor.buffer_count + 4])


def _extras(descriptor: Descriptor, flags: int) -> tuple[str, ...]:
    extras = []
    if flags & SHARD:
        extras.append("its place in a larger tensor (shard)")
    if flags & STATISTICS:
        extras.append("its statistics")
    if descriptor.buffer_count and descriptor.device.kind != "cpu":
        extras.append(f"its device ({descriptor.device.kind})")
    return tuple(extras)


def _bad_name(name: str) -> str | None:
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "holds a lone surrogate, which UTF-8 cannot express"
    if size == 0:
        return "is empty; in .hrry it must have at least one byte"
    return f"is {size} bytes long; .hrry holds up to {MAX_NAME_BYTES}" if size > MAX_NAME_BYTES else None


def _bad_value(value: Any) -> str | None:
    """Why a metadata value has no place in a KV section (file.md §4), or None."""
    if isinstance(value, list):
        kinds = {type(element) for element in value}
        if len(kinds) > 1:
            mixed = " and ".join(sorted(kind.__name__ for kind in kinds))
            return f"a list of {mixed}; .hrry holds lists of one kind"
        return next((f"in a list, {reason}" for element in value if (reason := _bad_scalar(element))), None)
    return _bad_scalar(value)


def _bad_scalar(value: Any) -> str | None:
    if isinstance(value, bool | float | bytes):
        return None
    if isinstance(value, int):
        return None if -(2**63) <= value < 2**63 else f"{value} is outside int64"
    if not isinstance(value, str):
        return f"a {type(value).__name__} has no place in the metadata of a .hrry file"
    try:
        value.encode()
    except UnicodeEncodeError:
        return "the text holds a lone surrogate, which UTF-8 cannot express"
    return None
