"""JAX arrays out of tensors (requirements: DLPack; rulings 6 and 7 of 04-tables.md)."""

from __future__ import annotations

import builtins
from typing import Any

import hurray
import jax
import numpy as np
from hurray import CopyRequiredError, Tensor, UnsupportedError

from hurray_jax._dtypes import BY_DLPACK, BY_ML_DTYPES, NEEDS_X64, TO_JAX

__all__ = ["to_object"]

_DENSE = frozenset({"row_major", "col_major", "strided", "tiled", "morton", "hilbert"})
# JAX asks for the capsule of DLPack before 1.0, which cannot say that memory is read-only (ruling 7).
_LEGACY = (0, 8)


class _Capsule:
    """A tensor whose capsule is made as ``copy`` says: JAX hands its own ``copy`` to nobody."""

    def __init__(self, tensor: Tensor, copy: bool | None) -> None:
        self.tensor, self.copy = tensor, copy

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, *, stream: Any = None) -> Any:
        return self.tensor.__dlpack__(stream=stream, max_version=_LEGACY, copy=self.copy)


def to_object(tensor: Tensor, *, copy: bool | None = None) -> Any:
    """``tensor`` as a JAX array of its shape, on the device that it is on.

    Memory is shared where JAX can: at an address that is a multiple of 64, and with the strides of some order of the
    dimensions. Then the array changes with the tensor, whatever JAX believes, so write to neither. All other memory
    goes as a copy: read-only memory, since JAX may write to what is donated; bool and the types of less than a byte,
    which JAX has a byte each for.

    ``copy``: None copies if needed, True always, False never.

    :raises CopyRequiredError: ``copy=False``, and it takes a copy.
    :raises UnsupportedError: JAX has no such elements or layout, 64-bit types are off, or JAX cannot reach the device.
    """
    _check(tensor)
    if tensor.device.kind != "cpu":
        return _elsewhere(tensor, copy)
    if reason := _copied(tensor):
        if copy is not None and not copy:
            raise CopyRequiredError(f"{named(tensor)} {reason}: it takes a copy, and copy=False forbids it")
        return _private(tensor)
    if not tensor.size:
        return _private(tensor)
    if copy:
        return _private(tensor)
    if tensor.dtype in BY_DLPACK:
        return jax.dlpack.from_dlpack(_Capsule(tensor, copy))
    return jax.device_put(_bytes_of(tensor), _host(), may_alias=True)


def _check(tensor: Tensor) -> None:
    """Refuse what is no plain array of numbers, and what JAX would narrow."""
    problem = None
    if tensor.layout.name not in _DENSE:
        problem = (
            f"has the layout {tensor.layout.name}, which a JAX array lacks; t.buffer(i) has its parts, for "
            "jax.experimental.sparse for instance"
        )
    elif tensor.quantization is not None:
        problem = "is quantised, and its codes are not its values: t.buffer(0) has the codes"
    elif None in tensor.shape:
        problem = f"has a dimension that is not known yet, dimension {tensor.shape.index(None)} is dynamic"
    elif tensor.dtype not in TO_JAX:
        problem = "has elements that JAX has no type for; t.tobytes() has the bytes"
    elif not hasattr(jax.numpy, TO_JAX[tensor.dtype]):
        problem = (
            f"needs {TO_JAX[tensor.dtype]}, which JAX {jax.__version__} lacks: pip install --upgrade jax"
        )
    elif tensor.dtype in NEEDS_X64 and not jax.config.jax_enable_x64:  # type: ignore[attr-defined]
        problem = (
            "has 64-bit elements, which JAX would narrow to 32 bits: call "
            'jax.config.update("jax_enable_x64", True) first, or cast the values yourself'
        )
    if problem is not None:
        raise UnsupportedError(f"{named(tensor)} {problem}")


def _copied(tensor: Tensor) -> str | None:
    """Why the memory cannot be shared, or None where it can."""
    layout = tensor.layout
    if tensor.dtype not in BY_DLPACK | BY_ML_DTYPES:
        return "is packed, and JAX has a byte for each element"
    if tensor.readonly:
        return "is read-only, which JAX cannot be told"
    if layout.name in {"tiled", "morton", "hilbert"}:
        return "has tiles or a curve for a layout, and JAX has an order of dimensions alone"
    if isinstance(layout, hurray.StridedLayout) and not _compact(tensor.shape, layout.strides):
        return "has strides with gaps, overlaps or a reversed dimension, and JAX has an order of dimensions alone"
    if tensor.dtype in BY_ML_DTYPES and layout.name != "row_major":
        return f"has the layout {layout.name}, and {TO_JAX[tensor.dtype]} crosses in row-major order alone"
    if tensor.size and _address(tensor) % 64:
        return "begins at an address that is no multiple of 64, which JAX needs"
    return None


def _compact(shape: Any, strides: Any) -> bool:
    """Whether the strides are those of the dimensions in some order, without gaps."""
    step = 1
    for stride, size in sorted(zip(strides, shape, strict=True)):
        if size != 1:
            if stride != step:
                return False
            step *= size
        # The stride of a single element is never followed, but JAX compares it.
        elif stride != step:
            return False
    return True


def _bytes_of(tensor: Tensor) -> Any:
    """A row-major tensor's memory as an ndarray of ml_dtypes' elements."""
    return tensor.to("numpy", ml_dtypes=True)


def _address(tensor: Tensor) -> int:
    start: int = np.frombuffer(memoryview(tensor.buffer(0)), np.uint8).__array_interface__["data"][0]
    return start + int(tensor.byte_offset)


def _private(tensor: Tensor) -> Any:
    """A copy that nobody else has: of memory that is let go of at once, if JAX shares it."""
    array = np.array(tensor.to("numpy", ml_dtypes=True), order="C", copy=True)
    return jax.device_put(array, _host())


def _host() -> Any:
    return jax.local_devices(backend="cpu")[0]


def _elsewhere(tensor: Tensor, copy: bool | None) -> Any:
    """Memory of another device, which JAX reaches where it was installed for it."""
    try:
        return jax.dlpack.from_dlpack(_Capsule(tensor, copy))
    except (builtins.BufferError, RuntimeError, TypeError, ValueError) as error:
        raise UnsupportedError(
            f"{named(tensor)} is on {tensor.device.kind}, and this JAX cannot take it: {error}"
        ) from error


def named(tensor: Tensor) -> str:
    """The tensor in an error."""
    return f"a tensor of dtype {tensor.dtype} and shape {tensor.shape}"
