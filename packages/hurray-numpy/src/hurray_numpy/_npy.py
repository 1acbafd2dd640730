"""The header of a .npy file (NumPy enhancement proposal 1), distrusted.

NumPy's own functions read and write it; what it claims is checked against the bytes that are there.
"""

from __future__ import annotations

import io
from math import prod
from typing import IO, Any, NamedTuple

import numpy as np
from hurray import Dtype, UnsupportedError
from numpy.lib import format as npy

from hurray_numpy._dtypes import NATIVE, way_out

__all__ = ["HEAD_BYTES", "MAX_RANK", "BadArray", "Header", "read_header", "write_header"]

# NumPy's own bound on a header that it does not trust is 10,000 characters; ours is that with its prefix.
HEAD_BYTES = 12 + 10_000
MAX_QUOTED = 100  # characters of a header in a message
MAX_RANK: int = getattr(np, "MAXDIMS", 64)  # NumPy 1 says it, NumPy 2 has 64


class BadArray(ValueError):
    """The bytes are no .npy file, or not the one that their header claims."""


class Header(NamedTuple):
    """What a header says: the data are ``size`` bytes from ``offset`` on."""

    dtype: np.dtype[Any]
    ours: Dtype
    shape: tuple[int, ...]
    fortran: bool
    offset: int
    size: int


def read_header(head: bytes, total: int) -> Header:
    """The header at the start of ``head``, the first HEAD_BYTES of ``total`` bytes.

    :raises BadArray: it cannot be read, or claims more or less data than there are.
    :raises UnsupportedError: the elements are none of the format's.
    """
    dtype, shape, fortran, offset = _parse(head)
    # The elements first: the size of a pickled object array cannot be known from its shape.
    ours = _element_type(dtype)
    _check_shape(shape, dtype)
    size = prod(shape) * dtype.itemsize
    if offset + size > total:
        raise BadArray(
            f"shape {_short(shape)} of {dtype} takes {size} bytes, and there are {max(0, total - offset)}"
        )
    if offset + size < total:
        raise BadArray(
            f"{total - offset - size} bytes follow the array: the file is damaged, or np.save was called on it "
            "more than once; save each array to a file of its own"
        )
    return Header(dtype, ours, shape, fortran, offset, size)


def write_header(file: IO[bytes], dtype: np.dtype[Any], shape: tuple[int, ...], fortran: bool) -> None:
    """Write a version 1.0 header, padded so that the data begin at a multiple of 64."""
    fields = {"descr": npy.dtype_to_descr(dtype), "fortran_order": fortran, "shape": shape}
    npy.write_array_header_1_0(file, fields)


def _parse(head: bytes) -> tuple[np.dtype[Any], tuple[int, ...], bool, int]:
    file = io.BytesIO(head)
    try:
        version = npy.read_magic(file)
        # Version 3 differs from 2 in the encoding of field names, and structured elements are refused anyway.
        read = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        read[(3, 0)] = npy.read_array_header_2_0
        if version not in read:
            raise BadArray(f"version {version[0]}.{version[1]} of the .npy format is not known")
        shape, fortran, dtype = read[version](file)
    except BadArray:
        raise
    except Exception as error:  # literals nested too deep and dtypes from hell end in all kinds of errors
        raise BadArray(f"its header cannot be read: {_fault(head)}") from error
    return dtype, shape, fortran, file.tell()


def _fault(head: bytes) -> str:
    """What is wrong with a header that NumPy refused; its own words quote Python's objects, or all of it."""
    if not head.startswith(npy.MAGIC_PREFIX):
        return f"it begins with {head[:8]!r}, not with {npy.MAGIC_PREFIX!r}"
    size = 2 if head[6:7] == b"\1" else 4  # bytes of the length, by the version
    start = 8 + size
    length = int.from_bytes(head[8:start], "little")
    if len(head) < start or (len(head) < start + length and len(head) < HEAD_BYTES):
        return "the file ends within it"
    if start + length > HEAD_BYTES:
        return f"it claims {length} bytes, and NumPy reads at most 10000"
    text = head[start : start + length].decode("latin1").rstrip()
    return f"it is no dictionary of descr, fortran_order and shape: {_short(text)}"


def _short(value: object) -> str:
    """What a header claims, as much of it as fits a line."""
    text = value if isinstance(value, str) else str(value)
    text = text if len(text) <= MAX_QUOTED else f"{text[:MAX_QUOTED]}… ({len(text)} characters)"
    return repr(text) if isinstance(value, str) else text


def _element_type(dtype: np.dtype[Any]) -> Dtype:
    if dtype.hasobject:
        raise UnsupportedError("it holds pickled Python objects, which are never loaded: make them numbers")
    ours = None if dtype.names else NATIVE.get(dtype.newbyteorder("="))
    if ours is None:
        raise UnsupportedError(f"its elements are {_short(dtype)}: {way_out(dtype)}")
    return ours


def _check_shape(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if len(shape) > MAX_RANK:
        raise BadArray(f"it claims {len(shape)} dimensions, and NumPy has at most {MAX_RANK}")
    if any(isinstance(extent, bool) or extent < 0 for extent in shape):
        raise BadArray(f"it claims the shape {_short(shape)}")
    if prod(extent or 1 for extent in shape) * dtype.itemsize >= 2**63:
        raise BadArray(f"shape {_short(shape)} of {dtype} is more than can be addressed")
