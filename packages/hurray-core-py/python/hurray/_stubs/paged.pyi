"""The layout of KV caches."""

from collections.abc import Iterable
from typing import SupportsIndex, final

from hurray._stubs.arguments import _Bytes, _IndexType, _KvRole, _Quantization
from hurray._stubs.layout import Layout
from typing_extensions import Self

@final
class BlockPagedLayout(Layout):
    """A KV cache in pages: page pool, block_table, seq_ptr."""

    def __new__(
        cls,
        page_size: SupportsIndex,
        num_pages: SupportsIndex,
        paged_axis: SupportsIndex,
        num_seqs: SupportsIndex,
        kv_role: _KvRole = "key",
        layer_index: SupportsIndex | None = None,
        block_table_index_type: _IndexType = "uint32",
    ) -> Self: ...
    @property
    def page_size(self) -> int: ...
    @property
    def num_pages(self) -> int: ...
    @property
    def paged_axis(self) -> int: ...
    @property
    def num_seqs(self) -> int: ...
    @property
    def kv_role(self) -> _KvRole: ...
    @property
    def layer_index(self) -> int | None: ...
    @property
    def block_table_index_type(self) -> _IndexType: ...
    def validate_index_buffers(
        self, seq_ptr: _Bytes | Iterable[SupportsIndex], block_table: _Bytes | Iterable[SupportsIndex]
    ) -> None: ...
    def validate_quantization_compatibility(self, quantization: _Quantization) -> None: ...
