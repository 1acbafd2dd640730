"""Tensors out of the objects of other libraries (requirements: NumPy and PyTorch Interoperability, copy on ingest).

``copy`` means the same at every door: None shares what can be shared and copies the rest, False shares or
raises :class:`hurray.CopyRequiredError`, True copies. Memory can be shared when it is aligned to 64 bytes
and one of the format's layouts describes it.
"""

from __future__ import annotations

from hurray import bridges
from hurray._core import Device, Dtype, Tensor, _listed, from_dlpack, from_hurray
from hurray._exceptions import UnsupportedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hurray._core import _Dtype

_loaded = bridges.loaded

# What has no element type until somebody gives it one.
_NUMBERS = (int, float, complex, list, tuple, range)

__all__ = ["asarray", "from_scipy", "from_torch"]


def through_bridge(name: str, obj: Any, copy: bool | None) -> Tensor:
    """What the core calls for all but the plain arrays, which it takes by itself."""
    bridge = _loaded[name] if name in _loaded else bridges.get(name)
    return bridge.from_object(obj, copy=copy)


def from_torch(tensor: Any, *, copy: bool | None = None) -> Tensor:
    """A PyTorch tensor as a tensor of the same shape, bit for bit (requirements: PyTorch Interoperability).

    :raises CopyRequiredError: ``copy=False``, and the memory cannot be shared as it is.
    :raises UnsupportedError: the format cannot express it exactly.
    :raises ImportError: hurray-torch is not installed.
    """
    return through_bridge("torch", tensor, copy)


def from_scipy(matrix: Any, *, copy: bool | None = None) -> Tensor:
    """A SciPy sparse matrix or array as a sparse tensor; ``copy`` is decided for each buffer by itself
    (04-tables section 3, ruling 2).

    :raises CopyRequiredError: ``copy=False``, and some buffer cannot be shared as it is.
    :raises UnsupportedError: the format has no such sparse layout.
    :raises ImportError: hurray-scipy is not installed.
    """
    return bridges.get("scipy").from_object(matrix, copy=copy)


def asarray(
    obj: Any, *, dtype: _Dtype | None = None, device: Device | None = None, copy: bool | None = None
) -> Tensor:
    """Any array as a tensor (04-tables, section 1).

    Taken are, in this order: a Tensor, an installed framework's array, an object with ``__hurray__``, a DLPack
    producer, a buffer, a Python number, and lists, tuples and ranges of numbers, nested with one length at each
    depth.

    Of an array, ``dtype`` and ``device`` are what the caller relies on: nothing is cast and nothing moves. Python
    numbers have no element type, so ``dtype`` gives them one, exactly as in :func:`hurray.full`; without it bools
    make bool, ints int64 (uint64 where only that holds them), floats float64, complex numbers complex128, and an
    empty list float64.

    :raises TypeError: ``obj`` is none of these, or a list holds something else than numbers.
    :raises ValueError: the lists are ragged, or the dtype does not hold a number exactly.
    :raises OverflowError: a number is outside the dtype's range.
    :raises InvalidDescriptorError: the lists are nested more than 64 deep.
    :raises CopyRequiredError: ``copy=False``, and there is no memory that can be shared as it is.
    :raises UnsupportedError: the object has another dtype or device than asked for, or cannot be expressed.
    """
    wanted = None if dtype is None else Dtype.of(dtype)
    if device is not None and not isinstance(device, Device):
        raise TypeError(
            f"device is a hurray.Device, such as hurray.device.cpu or hurray.Device('cuda', 1); got {device!r}"
        )
    tensor = _wrapped(obj, copy)
    if tensor is None:
        return _listed(obj, wanted, device, copy)
    if wanted is not None and wanted is not tensor.dtype:
        raise UnsupportedError(
            f"the {_kind(obj)} holds {tensor.dtype.name}, not {wanted.name}, and hurray never casts: "
            "cast it with the library that made it"
        )
    if device is not None and device != tensor.device:
        raise UnsupportedError(
            f"the {_kind(obj)} is on {tensor.device.kind}, not on {_place(device)}, and hurray never moves data: "
            "move it with the library that made it"
        )
    return tensor


def borrow(obj: Any) -> tuple[Any, Dtype, tuple[int, ...], bool] | None:
    """An array's bytes for a writer, which needs no alignment in memory: (buffer, dtype, shape, Fortran order).

    None where only a tensor will do, or where the array's bridge offers no ``borrow``.
    """
    bridge = bridges.find(obj)
    method = getattr(bridge, "borrow", None)
    return None if method is None else method(obj)


def _wrapped(obj: Any, copy: bool | None) -> Tensor | None:
    """None for numbers and lists of them, which have no dtype yet."""
    if isinstance(obj, Tensor):
        return Tensor.from_buffer(obj, copy=True) if copy else obj
    bridge = bridges.find(obj)
    if bridge is not None:
        return bridge.from_object(obj, copy=copy)
    if hasattr(obj, "__hurray__"):
        tensor = from_hurray(obj)
        return Tensor.from_buffer(tensor, copy=True) if copy else tensor
    if hasattr(obj, "__dlpack__"):
        if hasattr(type(obj), "mask"):  # DLPack would hand out what is masked as if it were not
            raise UnsupportedError(
                f"a {_kind(obj)} may have a mask, which would be lost: pass its plain data"
            )
        return from_dlpack(obj, copy=copy)
    try:
        view = memoryview(obj)
    except TypeError:
        if isinstance(obj, _NUMBERS):
            return None
        raise TypeError(
            f"a {_kind(obj)} is no array: it offers neither __dlpack__ nor the buffer protocol, "
            "and is no number or list of them"
        ) from None
    with view:
        return Tensor.from_buffer(obj, copy=copy)


def _kind(obj: object) -> str:
    kind = type(obj)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _place(device: Any) -> str:
    return str(getattr(device, "kind", device))
