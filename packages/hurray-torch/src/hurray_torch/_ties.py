"""Tensors with several names: stored once, and tied again (ruling 15 of 04-tables.md; docs/torch.md, Tied tensors).

A file's metadata says, for each further name of a stored tensor, ``hurray.tied.<further name>`` = the stored name.
One text for each name: metadata of every format can hold it, so that it survives a conversion.
"""

from __future__ import annotations

from hurray import FileError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from typing import Any

    import torch

__all__ = ["RESERVED", "TIED", "find", "read", "reserved"]

RESERVED = "hurray."
TIED = "hurray.tied."


def find(tensors: Mapping[str, torch.Tensor]) -> dict[str, str]:
    """Further name → first name, for tensors that are the same elements in the same memory.

    Same address, element type, shape and strides. Views that only overlap are tensors of their own.
    """
    first: dict[Any, str] = {}
    ties = {}
    for name, tensor in tensors.items():
        stored = first.setdefault(_identity(tensor), name)
        if stored != name:
            ties[name] = stored
    return ties


def _identity(tensor: torch.Tensor) -> Any:
    try:
        address = tensor.data_ptr()
    except (RuntimeError, NotImplementedError):  # sparse ones, and those without memory
        return id(tensor)
    if not address:
        return id(tensor)
    lazily = (tensor.is_conj(), tensor.is_neg())
    return (tensor.device, address, tensor.dtype, tuple(tensor.shape), tensor.stride(), lazily)


def read(kv: Mapping[str, Any], stored: Container[str], path: object) -> dict[str, str]:
    """Further name → stored name, as the metadata of the file at ``path`` has it.

    :raises FileError: a name is tied to one that is not stored, or is itself stored.
    """
    ties = {}
    for key, name in kv.items():
        if not key.startswith(TIED):
            continue
        alias = key[len(TIED) :]
        if not isinstance(name, str) or name not in stored:
            raise FileError(
                f"{path}: metadata key {key!r} ties a name to {name!r}, and no such tensor is stored"
            )
        if alias in stored:
            raise FileError(f"{path}: metadata key {key!r} ties a name that has a tensor of its own")
        ties[alias] = name
    return ties


def reserved(metadata: Mapping[Any, Any]) -> None:
    """Refuse metadata of the caller's under keys that are the format's.

    :raises ValueError: a key begins with ``hurray.``.
    """
    for key in metadata:
        if isinstance(key, str) and key.startswith(RESERVED):
            raise ValueError(
                f"metadata key {key!r}: keys that begin with {RESERVED!r} are reserved: choose another"
            )
