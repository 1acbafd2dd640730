"""A ``.hrry`` file into a state dict."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import hurray
import torch

from hurray_torch import _ties
from hurray_torch._export import to_object

__all__ = ["load_file"]


def load_file(
    filename: str | os.PathLike[str],
    device: str | int | torch.device = "cpu",
    *,
    names: Iterable[str] | None = None,
) -> dict[str, torch.Tensor]:
    """Load a state dict: every tensor of the file by its name, and again by every further name that it is tied to.

    On the CPU the tensors are copy-on-write views of the mapped file: nothing is read before it is used, and writing
    to them changes neither the file nor another load (ruling 3 of 04-tables.md). Tied names share their memory. bool
    is unpacked, a copy. On another ``device`` each tensor is copied there. COO, CSR and CSC come as sparse tensors.

    ``names``: only these, in this order.

    :raises KeyError: the file has none of a name in ``names``.
    :raises UnsupportedError: PyTorch cannot express a tensor; the text names it.
    :raises FileError: the file cannot be read, or its ties lead nowhere; also the fitting built-in.
    """
    target = torch.device(device)
    with hurray.open(filename) as file:
        ties = _ties.read(file.kv, file, filename)
        wanted = [*file, *ties] if names is None else list(names)
        loaded: dict[str, torch.Tensor] = {}
        for name in dict.fromkeys(ties.get(name, name) for name in wanted):
            loaded[name] = _loaded(file, name, target)
    # A second object over the same memory, as a module's own state dict has for tied parameters.
    return {name: loaded[ties[name]].detach() if name in ties else loaded[name] for name in wanted}


def _loaded(file: hurray.File, name: str, device: torch.device) -> torch.Tensor:
    tensor = file[name]
    try:
        made: Any = to_object(tensor, sparse=True)
    except (NotImplementedError, ValueError) as error:
        raise type(error)(f"tensor {name!r}: {error}") from None
    moved: torch.Tensor = made if device.type == "cpu" else made.to(device)
    return moved
