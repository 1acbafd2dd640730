"""Writing a dict of tensors as ``torch.save`` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import torch
from hurray import Tensor
from hurray.formats import Item, Problem

from hurray_torch import _ties
from hurray_torch._dtypes import TO_TORCH
from hurray_torch._export import to_object

if TYPE_CHECKING:
    from hurray.formats import Kv

__all__ = ["check", "write"]


def check(items: Sequence[Item], kv: Kv) -> Iterator[Problem]:
    """What a file of tensors cannot hold of these; ties it can."""
    for item in items:
        if item.dtype not in TO_TORCH:
            yield Problem(f"PyTorch has no type for {item.dtype.name}; .hrry has", name=item.name)
        elif item.dtype.is_sub_byte and item.dtype.name != "bool" and (not item.shape or item.shape[-1] % 2):
            yield Problem("PyTorch packs two elements a byte, and its last dimension is odd", name=item.name)
    for key in kv:
        if not key.startswith(_ties.TIED):
            yield Problem("a .pt file of tensors has no place for metadata", key=key)


def write(path: str, items: Iterable[Item], kv: Kv) -> None:
    """Write the file; tensors that are mapped stay so, all others are in memory together."""
    tensors: dict[str, Any] = {item.name: to_object(_tensor(item)) for item in items}
    for alias, name in _ties.read(kv, tensors, path).items():
        tensors[alias] = tensors[name]
    torch.save(tensors, path)


def _tensor(item: Item) -> Tensor:
    pieces = item.pieces()
    if pieces is None:
        return item.load()
    data = bytearray()
    for piece in pieces:
        data += memoryview(piece)
    return Tensor(data, item.dtype, item.shape)
