"""Reading what ``torch.save`` wrote: by PyTorch's own restricted unpickler, mapped where the file allows it."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

import torch
from hurray import Tensor, UnsupportedError, buffer_size_bytes
from hurray.formats import FormatError, Item, PlanError, Problem, Reader

from hurray_torch import _refuse, _ties
from hurray_torch._borrow import borrow
from hurray_torch._dtypes import FLOAT4, FROM_TORCH
from hurray_torch._ingest import from_object

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["PtReader"]

_SPARSE = {torch.sparse_coo: "coo", torch.sparse_csr: "csr", torch.sparse_csc: "csc"}
_ZIP = b"PK\x03\x04"
_SCALARS = (bool, int, float, str, bytes)


class PtReader(Reader):
    """An open checkpoint (:class:`hurray.formats.Reader`).

    ``kv`` holds the entries that are no tensors, under their names, and the ties of tensors with several names.
    """

    def __init__(self, path: str) -> None:
        content, notes = _unpickled(path)
        tensors: dict[str, torch.Tensor] = {}
        self.kv = {}
        for name, value in _leaves(path, content):
            if name in tensors or name in self.kv:
                raise PlanError(
                    path, [Problem("two entries have this name once containers are flattened", name=name)]
                )
            if isinstance(value, torch.Tensor):
                tensors[name] = value.detach()
            else:
                self.kv[name] = value
        problems = list(_problems(tensors))
        if problems:
            raise PlanError(path, problems)
        ties = _ties.find(tensors)
        self.kv.update((_ties.TIED + alias, name) for alias, name in ties.items())
        self.notes = tuple(notes)
        self._items: list[Item] = [PtItem(name, one) for name, one in tensors.items() if name not in ties]

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self._items = []


class PtItem(Item):
    """One tensor of a checkpoint, its storage mapped."""

    __slots__ = ("_tensor", "dtype", "layout", "name", "nbytes", "shape", "special")

    def __init__(self, name: str, tensor: torch.Tensor) -> None:
        self.name = name
        self._tensor = _refuse.plain(tensor)
        self.dtype = FROM_TORCH[tensor.dtype]
        shape = tuple(tensor.shape)
        self.shape = (*shape[:-1], 2 * shape[-1]) if tensor.dtype is FLOAT4 else shape
        self.layout = _SPARSE.get(tensor.layout, "row_major")
        self.special = (
            f"its layout is {self.layout}, which is not dense" if tensor.layout in _SPARSE else None
        )
        count = 1
        for size in self.shape:
            count *= size
        self.nbytes = buffer_size_bytes(self.dtype, count)

    def raw(self) -> memoryview | bytes | None:
        """The elements where they are mapped, if they lie in row-major order as the format has them."""
        if self._tensor.layout in _SPARSE or not self._tensor.is_contiguous():
            return None
        lent = borrow(self._tensor)
        return None if lent is None else lent[0]

    def load(self) -> Tensor:
        """The tensor in row-major order; sparse ones as they are."""
        tensor = self._tensor
        return from_object(tensor if tensor.layout in _SPARSE else tensor.contiguous())


def _unpickled(path: str) -> tuple[Any, list[str]]:
    """What the file holds, and what to tell of how it was read.

    :raises FormatError: PyTorch cannot read it.
    :raises PlanError: it names functions or classes that are not known to be safe.
    """
    notes = []
    with open(path, "rb") as file:
        zipped = file.read(len(_ZIP)) == _ZIP
    try:
        if zipped:
            unknown = sorted(torch.serialization.get_unsafe_globals_in_checkpoint(path))
            if unknown:
                raise PlanError(path, [Problem(_unsafe(name)) for name in unknown])
        else:
            notes.append("a file from before PyTorch 1.6: it is read whole into memory")
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipped), notes
    except pickle.UnpicklingError as error:
        raise PlanError(path, [Problem(f"it was not run: {_first(error)}")]) from error
    except (RuntimeError, ValueError, EOFError, KeyError, TypeError, AttributeError, IndexError) as error:
        if isinstance(error, UnsupportedError):
            raise
        raise FormatError(path, [Problem(f"PyTorch cannot read it: {_first(error)}")]) from error


def _unsafe(name: str) -> str:
    return (
        f"it needs {name}, which is not known to be safe and was not run: take the tensors out where it was made, "
        "or vouch for it with torch.serialization.add_safe_globals"
    )


def _first(error: Exception) -> str:
    """The beginning of PyTorch's long texts, without its advice to run what is in the file."""
    text = str(error).partition("\n")[0]
    return text.partition(" (1) ")[0] or type(error).__name__


def _leaves(path: str, content: Any) -> Iterator[tuple[str, Any]]:
    """Every entry by its name: keys and positions joined by dots; lists of plain values are one entry."""
    pending: list[tuple[str, Any]] = [("", content)]
    seen: set[int] = set()
    while pending:
        name, value = pending.pop()
        if isinstance(value, Mapping):
            inner = list(value.items())
        elif isinstance(value, (list, tuple)) and not _plain_list(value):
            inner = list(enumerate(value))
        else:
            yield name or "tensor", list(value) if isinstance(value, (list, tuple)) else value
            continue
        if id(value) in seen:
            raise PlanError(path, [Problem("a container is inside itself or there twice", name=name)])
        seen.add(id(value))
        for key, _ in inner:
            if not isinstance(key, (str, int)):
                raise PlanError(path, [Problem(f"the key {key!r} is neither text nor a number", name=name)])
        pending.extend((f"{name}.{key}" if name else str(key), one) for key, one in reversed(inner))


def _plain_list(value: list[Any] | tuple[Any, ...]) -> bool:
    kinds = {type(one) for one in value}
    return len(kinds) <= 1 and all(kind in _SCALARS for kind in kinds)


def _problems(tensors: Mapping[str, torch.Tensor]) -> Iterator[Problem]:
    for name, tensor in tensors.items():
        try:
            _refuse.check(tensor)
            if tensor.dtype is FLOAT4 and not tensor.dim():
                raise UnsupportedError("two elements with no dimension to count them in")
        except UnsupportedError as error:
            yield Problem(str(error), name=name)
