"""What a file format implements, and what it is handed. Public as :mod:`hurray.formats`."""

from __future__ import annotations

from hurray._exceptions import FileError, UnsupportedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer, Self

    from hurray import Descriptor, Dtype, Tensor

    Kv: TypeAlias = Mapping[str, Any]
else:
    Protocol = object

MAX_QUOTED = 200  # characters of a name in a message


class Item(Protocol):
    """One tensor of a file that is being read. Subclass it, or offer the same attributes.

    ``nbytes`` is the size of the elements packed as Hurray packs them; ``layout`` a name of ``Layout.name``.
    """

    __slots__ = ()

    name: str
    dtype: Dtype
    shape: tuple[int, ...]
    nbytes: int
    layout: str = "row_major"
    # Why this is more than plain elements ("it is quantised (NF4)"): only .hrry can hold it then.
    special: str | None = None
    # What a foreign format has no place for and ``drop_metadata=True`` leaves out ("statistics").
    extras: tuple[str, ...] = ()
    # Where the elements begin in ``path`` (None: the file that is read), when they lie there as they are.
    offset: int | None = None
    path: str | None = None

    def load(self) -> Tensor:
        """The tensor. May read, map or copy; called once for each item that is written."""
        raise NotImplementedError

    def raw(self) -> Buffer | None:
        """The elements in row-major order, packed as Hurray packs them, by reference; None: use load().

        Any alignment will do. A slice of a :class:`hurray.FileMap` is best: its pages are given back as a
        writer passes them, so that a tensor of any size goes through in little memory.
        """
        return None

    def pieces(self) -> Iterator[Buffer] | None:
        """What raw() returns, as consecutive buffers of a few MiB, for elements that are decoded on the way.

        None: use raw(), and load() if that is None too.
        """
        return None


class Reader(Protocol):
    """An open file of some format: a context manager, iterable over its items in the order of the file.

    Opening checks all that can be checked without reading tensor data, and raises one :class:`FormatError`
    that lists every problem. ``notes`` says what the user should know and nothing is lost by.
    """

    kv: dict[str, Any]
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Item]: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Format(Protocol):
    """A file format. ``suffixes`` are lower case with their dot, the most specific first."""

    name: str
    suffixes: tuple[str, ...]

    def sniff(self, path: str, head: bytes) -> bool:
        """Whether the content says so; ``head`` is the first 4096 bytes. The suffix is not its business."""
        raise NotImplementedError

    def read(self, path: str) -> Reader:
        """Open ``path``.

        :raises FormatError: the file breaks the rules of the format.
        :raises UnsupportedError: it keeps them, and holds what cannot be expressed.
        """
        raise NotImplementedError

    def check(self, items: Sequence[Item], kv: Kv) -> Iterable[Problem]:
        """What a file of this format cannot hold of these, each as a :class:`Problem`; reads no data.

        Called before ``write``. A problem with ``key`` is about that entry of ``kv``: ``drop_metadata=True``
        leaves the entry out and the problem with it. Items with ``special`` never get this far.
        """
        return ()

    def notes(self, items: Sequence[Item], kv: Kv) -> Iterable[str]:
        """What changes on the way and loses nothing ("w: col_major becomes row-major"), a line each."""
        return ()

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        """Write a new file at ``path``, a temporary beside the target that is renamed on success.

        ``items`` may be iterated once; its memory may be let go after each. Raise on any failure.
        """
        raise NotImplementedError
        raise NotImplementedError


class Problem:
    """One thing wrong: what (``message``), in which tensor (``name``) or metadata ``key``, and where.

    ``offset`` is a byte offset in the file; ``code`` the stable code of the rule, where the format has codes.
    """

    __slots__ = ("code", "key", "message", "name", "offset")

    def __init__(
        self,
        message: str,
        *,
        name: str | None = None,
        key: str | None = None,
        offset: int | None = None,
        code: str = "",
    ) -> None:
        self.message = message
        self.name = name
        self.key = key
        self.offset = offset
        self.code = code

    def __repr__(self) -> str:
        fields = ((field, getattr(self, field)) for field in ("name", "key", "offset", "code"))
        return f"Problem({self.message!r}{''.join(f', {k}={v!r}' for k, v in fields if v not in (None, ''))})"

    def __str__(self) -> str:
        text = f"{self.message} [{self.code}]" if self.code else self.message
        if self.key is not None:
            return f"metadata key {quoted(self.key)}: {text}"
        return text if self.name is None else f"tensor {quoted(self.name)}: {text}"


def nbytes_of(descriptor: Descriptor) -> int:
    """Bytes of the elements packed, whatever the layout stores; for what has no dense elements, of all buffers.

    It is what ``Item.nbytes`` of a ``.hrry`` file says, and the number that ``hurray`` prints as bytes of data.
    """
    from hurray import buffer_size_bytes

    if descriptor.layout.is_dense and descriptor.size is not None:
        try:
            return buffer_size_bytes(descriptor.dtype, descriptor.size)
        except OverflowError:  # a broadcast may stand for more elements than any memory has
            return _packed(descriptor.size, descriptor.dtype.bit_width)
        except (ValueError, NotImplementedError):  # a private type has no size of its own
            pass
    return sum(handle.byte_size for handle in descriptor.buffer_handles)


def _packed(size: int, bits: int) -> int:
    """Bytes of ``size`` elements (format: element-types.md §3): six-bit ones fill three bytes by fours."""
    return -(-size // 4) * 3 if bits == 6 else -(-size * bits // 8)


def quoted(name: str) -> str:
    """A name for a message: quoted, its control characters escaped, and not of any length."""
    return repr(name) if len(name) <= MAX_QUOTED else f"{name[:MAX_QUOTED]!r}… ({len(name)} characters)"


class FormatError(FileError):
    """A file that breaks the rules of its format. ``problems`` lists everything found, the text too."""

    def __init__(self, path: str, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__(_listing(path, self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.problems)


class PlanError(UnsupportedError):
    """Tensors or metadata that the target format cannot hold; ``problems`` lists all. Nothing was written."""

    def __init__(self, path: str, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__(_listing(path, self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, self.problems)


def _listing(path: str, problems: Sequence[Problem]) -> str:
    if len(problems) == 1:
        return f"{path}: {problems[0]}"
    return f"{path}: {len(problems)} problems" + "".join(f"\n  {problem}" for problem in problems)


class RawItem(Item):
    """An item whose elements lie packed in a buffer, as in most files."""

    __slots__ = ("_buffer", "dtype", "name", "nbytes", "offset", "path", "shape")

    def __init__(
        self,
        name: str,
        dtype: Dtype,
        shape: tuple[int, ...],
        buffer: memoryview,
        *,
        offset: int | None = None,
        path: str | None = None,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.shape = shape
        self.nbytes = buffer.nbytes
        self.offset = offset
        self.path = path
        self._buffer = buffer

    def raw(self) -> memoryview | None:
        """The buffer as it is."""
        return self._buffer

    def load(self) -> Tensor:
        """The tensor: shared where the buffer is aligned to 64 bytes, else copied."""
        from hurray import Tensor

        return Tensor(memoryview(Tensor.from_buffer(self._buffer.cast("B"))), self.dtype, self.shape)


for _class in (Item, Reader, Format, Problem, FormatError, PlanError, RawItem):
    _class.__module__ = "hurray.formats"
