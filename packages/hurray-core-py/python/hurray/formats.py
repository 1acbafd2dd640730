"""Foreign file formats: what a plugin implements, and the registry that finds it.

A format is an object with the members of :class:`Format`, offered through the entry-point group
``hurray.formats``. :func:`hurray.convert` and the ``hurray`` command reach files through it alone. A file is
told by its content first and by its suffix second. The ``hrry`` format is built in and needs no entry point.
"""

from __future__ import annotations

from hurray._exceptions import FileError
from hurray._format import Format, FormatError, Item, PlanError, Problem, RawItem, Reader, nbytes_of, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from os import PathLike
    from typing import TypeAlias

    from hurray._format import Kv as Kv
    from hurray._plugins import Found, Registry

    AnyPath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

__all__ = [
    "Format",
    "FormatError",
    "Item",
    "PlanError",
    "Problem",
    "RawItem",
    "Reader",
    "detect",
    "for_target",
    "get",
    "has_suffix",
    "names",
    "nbytes_of",
    "quoted",
    "register",
    "regular_file",
    "report",
]

GROUP = "hurray.formats"
HEAD_BYTES = 4096
MEMBERS = ("name", "suffixes", "sniff", "read", "write")
# Formats of this project by the distribution that carries them, for an error that says what to install.
OURS = {"npy": "hurray-numpy", "npz": "hurray-numpy", "pt": "hurray-torch", "safetensors": "hurray-cli"}

# How files of those formats begin (a pattern), for the same error where nobody is there to tell them.
BEGINNINGS = {"npy": rb"\x93NUMPY", "npz": rb"PK\x03\x04.{26}[^\0]*\.npy"}

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
    :raises ImportError: it is in a format of this project that is not installed; the text says what to do.
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
        _require(name, head)
        begin = f"begins with the bytes {head[:8].hex(' ')}" if head else "is empty"
        raise FileError(f"{name}: in no format that is known ({', '.join(names())}); it {begin}")
    return _single(found, name)


def for_target(path: AnyPath) -> Format:
    """The format that a new file at ``path`` gets by its suffix.

    :raises FileError: no format has this suffix, or several have.
    :raises ImportError: it is that of a format of this project that is not installed; the text says what to do.
    """
    import os

    name = os.fsdecode(path)
    found = _longest_suffix(_known().values(), name) or _longest_suffix(_everything(), name)
    if not found:
        _require(name)
        raise FileError(
            f"{name}: no format that is known has this suffix (known: {', '.join(_suffixes())}); "
            "target_format says which format to write"
        )
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


def _suffixes() -> list[str]:
    """The suffixes of every format that loads, sorted."""
    return sorted({suffix for format in _everything() for suffix in format.suffixes})


def _require(path: str, head: bytes = b"") -> None:
    """Raise what :func:`get` does for a format of this project that ``path`` is in and nobody has loaded."""
    import re

    low = path.lower()
    for name in OURS:
        begins = BEGINNINGS.get(name)
        if low.endswith(f".{name}") or (begins and re.match(begins, head, re.DOTALL)):
            get(name)


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
