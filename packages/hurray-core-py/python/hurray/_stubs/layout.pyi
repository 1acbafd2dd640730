"""The base of the layouts, and those that say nothing of how elements lie."""

from collections.abc import Iterable, Sequence
from typing import Literal, SupportsIndex, final

from hurray._stubs.arguments import _Bytes, _CombineOp, _CompositionRule
from typing_extensions import Self, disjoint_base

@disjoint_base
class Layout:
    """Base of the layouts; also what a layout without a class of its own reports itself as."""

    @property
    def tag(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def buffer_count(self) -> int | None: ...
    @property
    def is_dense(self) -> bool: ...
    @property
    def is_virtual(self) -> bool: ...
    def validate_against_shape(self, shape: Iterable[SupportsIndex | None]) -> None: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...

@final
class CompositeLayout(Layout):
    """The head of a composite; no data of its own."""

    def __new__(
        cls,
        composition_rule: _CompositionRule,
        member_count: SupportsIndex,
        combine_op: _CombineOp | None = None,
    ) -> Self: ...
    @property
    def composition_rule(self) -> _CompositionRule: ...
    @property
    def member_count(self) -> int: ...
    @property
    def combine_op(self) -> _CombineOp | None: ...

@final
class PrivateExtensionLayout(Layout):
    """A layout by private agreement, tag 0xF0 to 0xFE."""

    def __new__(
        cls,
        tag: SupportsIndex,
        extension_layout_id: SupportsIndex,
        extension_data: _Bytes | Sequence[int] | None = None,
    ) -> Self: ...
    @property
    def extension_layout_id(self) -> int: ...
    @property
    def extension_data(self) -> bytes: ...

@final
class UnknownLayout(Layout):
    """A layout of a newer format under a reserved tag, kept as it was read."""

    def __new__(cls, tag: SupportsIndex, raw_bytes: _Bytes | Sequence[int] | None = None) -> Self: ...
    @property
    def raw_bytes(self) -> bytes: ...

def layout_tag_kind(tag: SupportsIndex) -> Literal["named", "reserved", "private", "invalid"]: ...
def _bare(layout: Layout) -> Layout: ...
