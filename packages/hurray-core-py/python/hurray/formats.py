"""Foreign file formats: what a plugin implements, and the registry that finds it.

A format is an object with the members of :class:`Format`, offered through the entry-point group
``hurray.formats``. :func:`hurray.convert` and the ``hurray`` command reach files through it alone. A file is
told by its content first and by its suffix second. The ``hrry`` format is built in and needs no entry point.
"""

from __future__ import annotations

from hurray._exceptions import FileError, UnsupportedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike
    from types import TracebackType
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer, Self

    from hurray import Dtype, Tensor
    from hurray._plugins import Found, Registry

    AnyPath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
    Kv: TypeAlias = Mapping[str, Any]
else:
    Protocol = object

GROUP = "hurray.formats"
HEAD_BYTES = 4096
MAX_QUOTED = 200  # characters of a name in a message
MEMBERS = ("name", "suffixes", "sniff", "read", "write")
# Formats of this project by the distribution that carries them, for an error that says what to install.
OURS = {"npy": "hurray-numpy", "npz": "hurray-numpy", "safetensors": "hurray-cli"}


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
        if self.key is not None:
            return f"metadata key {quoted(self.key)}: {self.message}"
        return self.message if self.name is None else f"tensor {quoted(self.name)}: {self.message}"


def quoted(name: str) -> str:
    """A name for a message: quoted, its control characters escaped, and not of any length."""
    return repr(name) if len(name) <= MAX_QUOTED else f"{name[:MAX_QUOTED]!r}… ({len(name)} characters)"


class FormatError(FileError):
    """A file that breaks the rules of its format. ``problems`` lists everything found, the text too."""

    def __init__(self, path: str, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__(_listing(path, self.problems))


class PlanError(UnsupportedError):
    """Tensors or metadata that the target format cannot hold; ``problems`` lists all. Nothing was written."""

    def __init__(self, path: str, problems: Iterable[Problem]) -> None:
        self.path = path
        self.problems = tuple(problems)
        super().__init__(_listing(path, self.problems))


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


# --- the registry ---

_local: dict[str, Format] = {}
_registry: Registry | None = None


def register(format: Format) -> None:
    """Add a format by hand. It comes before an installed one of the same name, and costs no discovery."""
    _local[format.name] = format


def names() -> tuple[str, ...]:
    """The names of all formats, sorted: built in, registered and installed; none is imported."""
    return tuple(sorted({*_known(), *_plugins().names()}))


def get(name: str) -> Format:
    """The format called ``name``.

    :raises ImportError: it is not installed or does not load; the text says what to do.
    :raises LookupError: there is no such format; the text lists those there are.
    """
    found = _known().get(name)
    if found is None:
        try:
            found = _plugins().get(name)
        except LookupError:
            raise LookupError(f"there is no format {name!r}; there are {', '.join(names())}") from None
    return found


def report() -> list[Found]:
    """The installed formats and whether they load, for ``hurray doctor``."""
    return _plugins().report()


def detect(path: AnyPath) -> Format:
    """The format of the file at ``path``, by content, else by suffix.

    :raises OSError: the file cannot be opened, or is no regular file.
    :raises FileError: no format claims it, or several do.
    """
    name = regular_file(path)
    with open(name, "rb") as file:
        head = file.read(HEAD_BYTES)
    # Most files are told by the formats at hand: no look at what is installed then.
    for format in _known().values():
        if has_suffix(format, name) and format.sniff(name, head):
            return format
    candidates = list(_everything())
    found = [format for format in candidates if format.sniff(name, head)]
    found = [format for format in found if has_suffix(format, name)] or found
    found = found or _longest_suffix(candidates, name)
    if not found:
        begin = f"begins with the bytes {head[:8].hex(' ')}" if head else "is empty"
        raise FileError(f"{name}: in no format that is known ({', '.join(names())}); it {begin}")
    return _single(found, name)


def for_target(path: AnyPath) -> Format:
    """The format that a new file at ``path`` gets by its suffix.

    :raises FileError: no format has this suffix, or several have.
    """
    import os

    name = os.fsdecode(path)
    found = _longest_suffix(_known().values(), name) or _longest_suffix(_everything(), name)
    if not found:
        raise FileError(f"{name}: no format that is known has this suffix ({', '.join(names())})")
    return _single(found, name)


def regular_file(path: AnyPath) -> str:
    """``path`` as str, when it is a regular file or a link to one; opening a FIFO would wait for ever.

    :raises OSError: it is missing, a directory, a FIFO, a socket or a device.
    """
    import errno
    import os
    import stat

    name = os.fsdecode(path)
    mode = os.stat(name).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    if not stat.S_ISREG(mode):
        raise FileError(
            f"{name}: not a regular file: a tensor file is read by position; copy it to a file first"
        )
    return name


def has_suffix(format: Format, path: str) -> bool:
    """Whether ``path`` ends in a suffix of ``format``, whatever its case."""
    return path.lower().endswith(format.suffixes)


def _known() -> dict[str, Format]:
    """The formats at hand without a look at entry points."""
    if "hrry" not in _local:
        from hurray._hrry_format import HRRY

        _local["hrry"] = HRRY
    return _local


def _plugins() -> Registry:
    global _registry
    if _registry is None:
        from hurray._plugins import Registry

        _registry = Registry(GROUP, "format", ours=OURS, members=MEMBERS)
    return _registry


def _everything() -> Iterator[Format]:
    """Every format that loads; a broken plugin is a warning of the registry, and no reason to stop."""
    known = _known()
    yield from tuple(known.values())
    for format in _plugins().all():
        if format.name not in known:
            yield format


def _longest_suffix(formats: Iterable[Format], path: str) -> list[Format]:
    """The formats whose suffix fits and is the longest: ``.index.json`` goes before ``.json``."""
    low = path.lower()
    fits = {
        format.name: (max(len(suffix) for suffix in format.suffixes if low.endswith(suffix)), format)
        for format in formats
        if low.endswith(format.suffixes)
    }
    longest = max((length for length, _ in fits.values()), default=0)
    return [format for length, format in fits.values() if length == longest]


def _single(found: Sequence[Format], path: str) -> Format:
    if len(found) > 1:
        raise FileError(f"{path}: may be any of {', '.join(format.name for format in found)}: say which")
    return found[0]
