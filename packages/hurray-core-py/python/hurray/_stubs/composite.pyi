"""Composites."""

from collections.abc import Iterable
from typing import Any, ClassVar, Literal, SupportsIndex, final

from hurray._stubs.arguments import _CombineOp, _CompositionRule, _Dtype, _Shape
from hurray._stubs.descriptor import Descriptor
from hurray._stubs.dtype import Dtype
from hurray._stubs.layout import CompositeLayout
from hurray._stubs.sections import Shard
from hurray._stubs.tensor import Tensor
from typing_extensions import Self

@final
class Composite:
    """A head that owns no data, and the tensors that make it up; unhashable."""

    def __new__(
        cls,
        composition_rule: _CompositionRule,
        *,
        shape: Iterable[SupportsIndex],
        dtype: _Dtype,
        members: Iterable[Tensor | Composite],
        combine_op: _CombineOp | None = None,
        shard: Shard | None = None,
    ) -> Self: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def descriptor(self) -> Descriptor: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def layout(self) -> CompositeLayout: ...
    @property
    def member_count(self) -> int: ...
    @property
    def member_roles(self) -> tuple[Literal["base", "correction"] | None, ...]: ...
    @property
    def members(self) -> tuple[Tensor | Composite, ...]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> _Shape: ...
    @property
    def shard(self) -> Shard | None: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: dict[int, Any], /) -> Self: ...

def _composite(descriptor: Descriptor, members: Iterable[Tensor | Composite]) -> Composite: ...
