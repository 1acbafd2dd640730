"""The PyTorch tensors that have no plain memory, or none that may be shared, each with its reason and the way out."""

from __future__ import annotations

from typing import Any

import torch
from hurray import UnsupportedError

from hurray_torch._dtypes import FROM_TORCH, way_out

__all__ = ["check", "named", "plain"]

_SPARSE = {torch.sparse_coo, torch.sparse_csr, torch.sparse_csc}
_PLAIN_DISPATCH = torch.Tensor.__torch_dispatch__
_KINDS = {
    "FakeTensor": "it describes a tensor and holds no data: use the real one, outside of FakeTensorMode",
    "FunctionalTensor": "it stands for a tensor while a program is traced: use the real one",
    "DTensor": "it is spread over several processes: pass t.to_local() with a hurray.Shard, or t.full_tensor()",
    "MaskedTensor": "the format has no masks: pass t.get_data() and t.get_mask() as two tensors",
}


def check(tensor: Any) -> None:
    """Refuse what is no plain tensor of numbers.

    :raises TypeError: ``tensor`` is none of PyTorch's.
    :raises UnsupportedError: the format cannot express it, or it cannot be shared as it is.
    """
    if not isinstance(tensor, torch.Tensor):
        kind = type(tensor)
        raise TypeError(
            f"from_torch takes a torch.Tensor, not a {kind.__module__}.{kind.__qualname__}: "
            "use hurray.asarray, or torch.as_tensor(obj) first"
        )
    if reason := _kind(tensor) or _form(tensor) or _elements(tensor):
        raise UnsupportedError(f"{named(tensor)} {reason}")


def _kind(tensor: torch.Tensor) -> str | None:
    """What is wrong with what it is, told before anything is asked of it."""
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        return (
            "is inside a transform of torch.func (vmap, grad), where it stands for other tensors: "
            "take the result of the transform"
        )
    if tensor.is_nested:
        return (
            "is nested, its parts differ in shape, and the format has one shape a tensor: pass the parts of "
            "t.unbind(), or torch.nested.to_padded_tensor(t, 0)"
        )
    kind = type(tensor)
    if kind.__torch_dispatch__ is not _PLAIN_DISPATCH:
        why = _KINDS.get(
            kind.__name__, "what it holds is known to its class alone: take the plain tensors in it"
        )
        return f"is a {kind.__module__}.{kind.__qualname__}: {why}"
    return None


def _form(tensor: torch.Tensor) -> str | None:
    if tensor.is_meta:
        return (
            "is on the meta device, it has a shape and no data: torch.empty_like(t, device='cpu') and fill it"
        )
    if tensor.is_quantized:
        return (
            "is quantised in PyTorch's own way: pass t.int_repr() and a hurray.PerTensorAffine(scale, zero_point), "
            "or t.dequantize()"
        )
    layout = tensor.layout
    if layout in (torch.sparse_bsr, torch.sparse_bsc):
        which = "csr" if layout is torch.sparse_bsr else "csc"
        return f"is sparse by blocks, which the format has no layout for: t.to_dense().to_sparse_{which}() has none"
    if layout is not torch.strided and layout not in _SPARSE:
        return f"has the layout {layout}, whose memory is its library's own: pass t.to_dense()"
    return None


def _elements(tensor: torch.Tensor) -> str | None:
    if tensor.dtype not in FROM_TORCH:
        return f"cannot be expressed: {way_out(tensor.dtype)}"
    if tensor.requires_grad:
        return "requires grad, and a shared tensor would change behind autograd: pass t.detach()"
    return None


def plain(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself without the class that somebody derived: the same memory, and no overridden methods."""
    if type(tensor) is torch.Tensor:
        return tensor
    with torch._C.DisableTorchFunctionSubclass():
        return tensor.detach().as_subclass(torch.Tensor)


def named(tensor: Any) -> str:
    """The tensor in an error: what it is made of, as far as it says."""
    try:
        return f"a tensor of dtype {tensor.dtype} and shape {tuple(tensor.shape)}"
    except RuntimeError:
        return f"a tensor of dtype {tensor.dtype}"
