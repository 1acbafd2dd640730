"""PyTorch's memory as the core takes it: capsules, and views that begin inside a storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hurray
import torch
from hurray import Descriptor, Tensor, from_dlpack

__all__ = ["ALIGNED", "Held", "in_storage", "reach", "to_capsule"]

ALIGNED = hurray.MIN_BUFFER_ALIGNMENT
_CPU = (1, 0)
# What torch.utils.dlpack.to_dlpack is, or calls.
to_capsule: Callable[[torch.Tensor], Any] = torch._C._to_dlpack
_SHAPE_AT = 20  # where a descriptor's dimensions begin, eight bytes each, and byte_offset after them (descriptor.md §1)


class Held:
    """A capsule of a CPU tensor for whoever asks by the protocol; PyTorch's own method takes four times as long."""

    __slots__ = ("_capsule",)

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, *, max_version: tuple[int, int] | None = None) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU


def in_storage(tensor: torch.Tensor, dtype: hurray.Dtype) -> Tensor | None:
    """A view that begins inside an aligned storage, shared: its buffer begins at the aligned place before it.

    ``byte_offset`` says where the elements begin (descriptor.md §3). None where the view itself is aligned, is empty,
    or no aligned place lies before it in the storage.
    """
    address = tensor.data_ptr()
    before = address % ALIGNED
    if not before or not tensor.numel():
        return None
    storage = tensor.untyped_storage()
    start = address - before - storage.data_ptr()
    if start < 0:
        return None
    size = before + reach(tensor) * tensor.element_size()
    raw = torch.empty(0, dtype=torch.uint8).set_(storage, start, (size,), (1,))
    memory = from_dlpack(Held(to_capsule(raw)), copy=False)
    stated = bytearray(Tensor(memory, dtype, tuple(tensor.shape), layout=_layout(tensor)).descriptor.encode())
    at = _SHAPE_AT + 8 * tensor.dim()
    stated[at : at + 8] = before.to_bytes(8, "little")
    return Tensor.from_descriptor(Descriptor.decode(bytes(stated)), [memory], copy=False)


def reach(tensor: torch.Tensor) -> int:
    """How many elements of memory lie from the first to the last, gaps included; 0 of an empty tensor."""
    if not tensor.numel():
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


def _layout(tensor: torch.Tensor) -> hurray.Layout:
    if tensor.is_contiguous():
        return hurray.RowMajorLayout()
    if tensor.permute(*reversed(range(tensor.dim()))).is_contiguous():
        return hurray.ColMajorLayout()
    return hurray.StridedLayout(tensor.stride())
