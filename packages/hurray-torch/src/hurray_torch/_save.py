"""A state dict into a ``.hrry`` file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

import torch
from hurray import FileWriter

from hurray_torch import _refuse, _ties

__all__ = ["Metadata", "save_file"]

Metadata: TypeAlias = Mapping[str, Any]


def save_file(
    tensors: Mapping[str, torch.Tensor],
    filename: str | os.PathLike[str],
    metadata: Metadata | None = None,
    *,
    durable: bool = False,
) -> None:
    """Save a state dict: each tensor under its name, exactly, in the order of the dict.

    A tensor that has several names is stored once, and :func:`load_file` gives it all its names again. A view stores
    its own elements, not those of its storage; views that overlap in part are stored each by itself. Strides without
    gaps (channels last, transposed) are kept. Tensors of a device are copied to the host one at a time. What requires
    grad is stored as it is; that it requires grad is not.

    ``metadata``: the file's key-value section, as for :func:`hurray.save`. ``durable=True`` also syncs to the disk.
    The file appears when all of it is written (ruling 4 of 04-tables.md).

    :raises TypeError: a name is no str, or a value no tensor.
    :raises ValueError: a metadata key begins with ``hurray.``.
    :raises UnsupportedError: the format cannot express a tensor; the text names it.
    :raises FileError: writing failed; also the fitting built-in.
    """
    _check(tensors)
    _ties.reserved(metadata or {})
    ties = _ties.find(tensors)
    kv = {**(metadata or {}), **{_ties.TIED + alias: name for alias, name in ties.items()}}
    with FileWriter(filename, kv=kv, durable=durable) as writer:
        for name, tensor in tensors.items():
            if name not in ties:
                writer.write(name, _host(tensor))


def _check(tensors: Mapping[Any, Any]) -> None:
    """All that can be told before a byte is written."""
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"the name {name!r} is no str")
        if not isinstance(tensor, torch.Tensor):
            kind = type(tensor)
            raise TypeError(
                f"{name!r} is a {kind.__module__}.{kind.__qualname__}, no tensor: "
                "a state dict of tensors alone can be saved; numbers and text go into metadata="
            )
        try:
            _refuse.check(tensor.detach() if tensor.requires_grad else tensor)
        except NotImplementedError as error:
            raise type(error)(f"tensor {name!r}: {error}") from None


def _host(tensor: torch.Tensor) -> torch.Tensor:
    """The values in memory that the CPU reads."""
    plain = _refuse.plain(tensor.detach())
    return plain if plain.is_cpu else plain.cpu()
