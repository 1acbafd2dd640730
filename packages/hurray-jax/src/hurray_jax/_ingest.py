"""Tensors out of JAX arrays (requirements: DLPack, copy on ingest; rulings 7 and 8 of 04-tables.md)."""

from __future__ import annotations

from typing import Any

import hurray
import numpy as np
from hurray import CopyRequiredError, Tensor, UnsupportedError, from_dlpack

from hurray_jax._dtypes import FROM_JAX, PACKED
from hurray_jax._refuse import check, named

__all__ = ["from_object"]


def from_object(obj: Any, *, copy: bool | None = None) -> Tensor:
    """A JAX array as a tensor of the same shape, bit for bit, once its computation is done.

    Its memory is shared, and the tensor read-only, because a JAX array never changes: ``copy=True`` makes one that may
    be written to. A device layout in another order of dimensions becomes col-major or strided. bool and the types of
    less than a byte have a byte for each element in JAX and are packed: a copy. An array of another device is
    described and handed on, not read.

    :raises CopyRequiredError: ``copy=False``, and the memory cannot be shared as it is.
    :raises UnsupportedError: the format cannot express it, or it is traced, deleted, sparse or spread over devices.
    :raises TypeError: ``obj`` is no JAX array.
    """
    check(obj)
    dtype = FROM_JAX[str(obj.dtype)]
    # What a tensor says is there has to be there: JAX returns from a call before it is computed.
    obj.block_until_ready()
    if dtype in PACKED:
        return _packed(obj, dtype, copy)
    if dtype is hurray.dtype.float8_e8m0:
        _check_scales(obj)
    tensor = from_dlpack(obj, copy=copy)
    if copy or tensor.device.kind != "cpu":
        return tensor
    return _read_only(tensor)


def _read_only(tensor: Tensor) -> Tensor:
    """The same tensor, whose memory nobody writes to: the capsule that JAX makes cannot say so."""
    if not tensor.size:
        return Tensor(b"", tensor.dtype, tensor.shape)
    return Tensor.from_descriptor(tensor.descriptor, [memoryview(tensor.buffer(0)).toreadonly()])


def _packed(array: Any, dtype: hurray.Dtype, copy: bool | None) -> Tensor:
    if copy is not None and not copy:
        raise CopyRequiredError(
            f"{named(array)} has a byte for each element, and the format packs {dtype.name}: it takes a copy, and "
            "copy=False forbids it"
        )
    return hurray.from_numpy(np.asarray(array), copy=copy)


def _check_scales(array: Any) -> None:
    """float8_e8m0 may not hold the bytes 0x00 and 0xFF (format: element-types.md §4)."""
    codes = np.asarray(array).view(np.uint8)
    reserved = (codes == 0x00) | (codes == 0xFF)
    if reserved.any():
        index = np.argwhere(reserved)[0].tolist()
        raise UnsupportedError(
            f"{named(array)} holds the byte {codes[tuple(index)]:#04x} at {index}, which the format reserves: "
            "replace it, or pass x.view('uint8')"
        )
