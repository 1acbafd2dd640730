"""A module into a ``.hrry`` file and back."""

from __future__ import annotations

import os
from typing import NamedTuple

import torch

from hurray_torch import _ties
from hurray_torch._load import load_file
from hurray_torch._save import Metadata, save_file

__all__ = ["LoadReport", "load_model", "save_model"]


class LoadReport(NamedTuple):
    """What a load found: names that the module has and the file lacks, and the other way round, both sorted."""

    missing: list[str]
    unexpected: list[str]


def save_model(
    model: torch.nn.Module,
    filename: str | os.PathLike[str],
    metadata: Metadata | None = None,
    *,
    durable: bool = False,
) -> None:
    """Save the state dict of ``model``; see :func:`save_file`, which this is with ``model.state_dict()``.

    Tied parameters are stored once, and none of their names is lost.

    :raises TypeError: the state dict holds more than tensors (a module with extra state).
    """
    save_file(model.state_dict(), filename, metadata, durable=durable)


def load_model(
    model: torch.nn.Module,
    filename: str | os.PathLike[str],
    strict: bool = True,
    device: str | int | torch.device = "cpu",
    *,
    assign: bool = False,
) -> LoadReport:
    """Load the file into ``model``, and report the names that do not meet.

    A tied parameter is there when any of its names is: files of writers that know no ties load as well. The values
    are copied into the parameters that there are, or with ``assign=True`` take their place, mapped, and with that on
    ``device`` (:meth:`torch.nn.Module.load_state_dict`).

    :raises RuntimeError: with ``strict``, names are missing or unexpected, all of which are listed, and the model is as
        it was; or a shape differs from the module's.
    :raises UnsupportedError: PyTorch cannot express a tensor of the file.
    :raises FileError: the file cannot be read; also the fitting built-in.
    """
    state = load_file(filename, device)
    own = model.state_dict()
    ties = _ties.find(own)
    there = {ties.get(name, name) for name in state if name in own}
    report = LoadReport(
        sorted(name for name in own if ties.get(name, name) not in there),
        sorted(name for name in state if name not in own),
    )
    if strict and (report.missing or report.unexpected):
        raise RuntimeError(
            f"{os.fsdecode(filename)} does not fit {type(model).__name__}: missing names: "
            f"{_listed(report.missing)}; unexpected names: {_listed(report.unexpected)}; strict=False loads the others"
        )
    model.load_state_dict(state, strict=False, assign=assign)
    return report


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names)) or "none"
