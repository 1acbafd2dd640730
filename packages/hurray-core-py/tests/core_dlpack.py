"""DLPack structures and capsules by hand (dlpack.h 1.1): what a producer may hand over, lies included."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

CPU, CUDA = 1, 2
READ_ONLY, COPIED = 1, 2
VERSIONED, LEGACY = b"dltensor_versioned", b"dltensor"


class Device(ctypes.Structure):
    """DLDevice."""

    _fields_ = (("kind", ctypes.c_int32), ("id", ctypes.c_int32))


class DataType(ctypes.Structure):
    """DLDataType."""

    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    )


class Legacy(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_api.PyCapsule_SetName.restype = ctypes.c_int
_api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]

_api.Py_IncRef.argtypes = [ctypes.py_object]
_api.Py_IncRef.restype = None


def immortal(obj: Any) -> Any:
    """``obj``, which foreign code may look at for as long as the process lives, its end included."""
    _api.Py_IncRef(obj)
    return obj


USED = {VERSIONED: b"used_dltensor_versioned", LEGACY: b"used_dltensor"}


def name_of(capsule: Any) -> bytes:
    """A capsule's name."""
    return bytes(_api.PyCapsule_GetName(capsule))


def look(capsule: Any) -> Any:
    """The structure in an unconsumed capsule: Versioned or Legacy by its name."""
    name = name_of(capsule)
    kind = Versioned if name == VERSIONED else Legacy
    return kind.from_address(_api.PyCapsule_GetPointer(capsule, name))


def consume(capsule: Any) -> Any:
    """Take the structure as a consumer does: rename the capsule; the deleter is ours to call."""
    managed, name = look(capsule), name_of(capsule)
    _api.PyCapsule_SetName(capsule, USED[name])
    return managed


def delete(managed: Any) -> None:
    """Call the deleter that a producer stored."""
    # With the GIL held, as Python consumers call it.
    ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))


class Producer:
    """An object that exposes ``__dlpack__`` alone; ``deleted`` counts calls of its deleter."""

    def __init__(
        self,
        data: int | None,
        shape: tuple[int, ...] | None,
        strides: tuple[int, ...] | None = None,
        *,
        dtype: tuple[int, int, int] = (2, 32, 1),
        ndim: int | None = None,
        device: tuple[int, int] = (CPU, 0),
        byte_offset: int = 0,
        version: tuple[int, int] | None = (1, 0),
        flags: int = 0,
        deleter: bool = True,
    ) -> None:
        self.deleted = 0
        self.threads: list[int] = []
        self.capsules = 0
        self.name = LEGACY if version is None else VERSIONED
        self._callback = DELETER(self._delete)
        made: Any = Legacy() if version is None else Versioned(*version)
        tensor = made.tensor
        tensor.data, tensor.byte_offset = data, byte_offset
        tensor.device, tensor.dtype = Device(*device), DataType(*dtype)
        tensor.ndim = len(shape or ()) if ndim is None else ndim
        if shape is not None:
            tensor.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        if strides is not None:
            tensor.strides = (ctypes.c_int64 * max(len(strides), 1))(*strides)
        made.deleter = ctypes.cast(self._callback, ctypes.c_void_p) if deleter else None
        if version is not None:
            made.flags = flags
        self.managed = made
        immortal((made, self._callback))

    def _delete(self, _: Any) -> None:
        self.deleted += 1
        self.threads.append(threading.get_ident())

    def capsule(self) -> Any:
        """A capsule over the structure, without a destructor."""
        self.capsules += 1
        return _api.PyCapsule_New(ctypes.addressof(self.managed), self.name, None)

    def __dlpack__(self, **options: Any) -> Any:
        self.options = options
        return self.capsule()


def capsule_named(name: bytes, address: int) -> Any:
    """Any capsule."""
    immortal(name)
    return _api.PyCapsule_New(address, name, None)
