"""What arguments may be, and values that come in several types."""

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, Protocol, SupportsIndex, TypeAlias

from hurray._stubs.dtype import Dtype
from hurray._stubs.quantization import MXFP, NF4, PerBlockAffine, PerChannelAffine, PerTensorAffine
from typing_extensions import Buffer

__all__ = [
    "_Bytes",
    "_CombineOp",
    "_CompositionRule",
    "_Dtype",
    "_IndexType",
    "_InnerLayout",
    "_Kv",
    "_KvRole",
    "_OuterLayout",
    "_Path",
    "_Quantization",
    "_Real",
    "_Shape",
    "_Static",
]

class _ArrayInterface(Protocol):
    # Arrays export the buffer protocol; before CPython 3.12 their own stubs do not say so.
    @property
    def __array_interface__(self) -> Any: ...

_Bytes: TypeAlias = Buffer | _ArrayInterface
_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Static: TypeAlias = SupportsIndex | Iterable[SupportsIndex]
_Real: TypeAlias = SupportsIndex | float
_Shape: TypeAlias = tuple[int | None, ...]

class _Named(Protocol):
    # Another library's object for an element type.
    @property
    def name(self) -> str: ...

_Dtype: TypeAlias = Dtype | str | _Named | type[Any]
_Quantization: TypeAlias = PerTensorAffine | PerChannelAffine | PerBlockAffine | NF4 | MXFP
_Kv: TypeAlias = (
    bool | int | float | str | bytes | list[bool] | list[int] | list[float] | list[str] | list[bytes]
)
_OuterLayout: TypeAlias = Literal["row_major", "col_major", "strided"]
_InnerLayout: TypeAlias = Literal["row_major", "col_major", "strided", "tiled"]
_KvRole: TypeAlias = Literal["key", "value", "fused"]
_IndexType: TypeAlias = Literal["uint32", "uint64"]
_CompositionRule: TypeAlias = Literal["partition", "overlay", "group"]
_CombineOp: TypeAlias = Literal["replace", "add"]
