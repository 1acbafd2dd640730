"""Writing .npz: not compressed, 64-bit, every date the same, data aligned so that they can be mapped."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from hurray import MIN_BUFFER_ALIGNMENT
from hurray.formats import Item, Problem

from hurray_numpy._write import write_array

__all__ = ["check_names", "write_archive"]

_SUFFIX = ".npy"
_DATE = (1980, 1, 1, 0, 0, 0)  # the first that zip can say
_LOCAL_BYTES = 30
_ZIP64_BYTES = 20
_MAX_NAME_BYTES = 0xFFFF - len(_SUFFIX)
# The kind of extra field that zipalign and others pad with; the other field of ours is the 64-bit one.
_PADDING = 0xD935


def check_names(names: Sequence[str]) -> Iterator[Problem]:
    """The names that an archive cannot hold, or that NumPy would take for another."""
    every = set(names)
    for name in names:
        if reason := _bad_name(name):
            yield Problem(f"the name {reason}", name=name)
        if name + _SUFFIX in every:
            yield Problem(
                f"its file would be {name + _SUFFIX!r}, which is the name of another tensor, and np.load takes "
                "one for the other: rename one",
                name=name,
            )


def write_archive(path: str, items: Iterable[Item]) -> None:
    """Write ``items`` to a new archive at ``path``, in their order; equal items make equal files."""
    with open(path, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for item in items:
            info = zipfile.ZipInfo(item.name + _SUFFIX, _DATE)
            info.create_system = 3  # what the archive says of its maker must not depend on the machine
            info.external_attr = 0o644 << 16
            _align(file, info)
            with archive.open(info, "w", force_zip64=True) as member:
                write_array(member, item)


def _align(file: IO[bytes], info: zipfile.ZipInfo) -> None:
    """Pad the header of ``info`` so that the .npy file, and with it the data, begins at a multiple of 64."""
    name_bytes = len(info.filename.encode())
    start = file.tell() + _LOCAL_BYTES + name_bytes + _ZIP64_BYTES + 4
    padding = -start % MIN_BUFFER_ALIGNMENT
    info.extra = struct.pack("<2H", _PADDING, padding) + bytes(padding)


def _bad_name(name: str) -> str | None:
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "holds a lone surrogate, which UTF-8 cannot express"
    if "\0" in name:
        return "holds a NUL, at which zip readers cut it"
    if not size:
        return "is empty"
    return f"is {size} bytes long; zip holds up to {_MAX_NAME_BYTES}" if size > _MAX_NAME_BYTES else None
