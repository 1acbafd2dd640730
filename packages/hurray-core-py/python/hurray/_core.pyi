"""The compiled module. Import from :mod:`hurray`, never from here.

What each name does, its units, errors and clauses stand in the docstrings of the module itself.
"""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, Sequence, ValuesView
from os import PathLike
from types import TracebackType
from typing import (
    Any,
    ClassVar,
    Literal,
    Protocol,
    SupportsFloat,
    SupportsIndex,
    TypeAlias,
    TypeVar,
    final,
    overload,
)

from typing_extensions import Buffer, CapsuleType, Self, disjoint_base

_T = TypeVar("_T")

class _ArrayInterface(Protocol):
    # Arrays export the buffer protocol; before CPython 3.12 their own stubs do not say so.
    @property
    def __array_interface__(self) -> Any: ...

_Bytes: TypeAlias = Buffer | _ArrayInterface
_Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Static: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
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

__all__ = [
    "MIN_BUFFER_ALIGNMENT",
    "MXFP",
    "NF4",
    "PAGE_ALIGNMENT",
    "BlockPagedLayout",
    "BufferHandle",
    "ColMajorLayout",
    "CompositeLayout",
    "CooLayout",
    "CscLayout",
    "CsfLayout",
    "CsrLayout",
    "Descriptor",
    "Device",
    "Dtype",
    "Entry",
    "ExtensionType",
    "File",
    "FileMap",
    "FileWriter",
    "HilbertLayout",
    "Layout",
    "MortonLayout",
    "PerBlockAffine",
    "PerChannelAffine",
    "PerTensorAffine",
    "PrivateExtensionLayout",
    "Problem",
    "RowMajorLayout",
    "Shard",
    "Statistics",
    "StridedLayout",
    "Tensor",
    "TiledLayout",
    "UnknownLayout",
    "__version__",
    "_bare",
    "_descriptor",
    "_entry",
    "_handle",
    "_panic",
    "_problem",
    "_trust",
    "aligned_functions",
    "arange",
    "buffer_size_bytes",
    "decode_quantization",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "from_numpy",
    "full",
    "full_like",
    "layout_tag_kind",
    "linspace",
    "load",
    "load_kv",
    "ones",
    "ones_like",
    "open",
    "save",
    "sparse_coo",
    "verify",
    "write_all",
    "zeros",
    "zeros_like",
]

__version__: str
MIN_BUFFER_ALIGNMENT: int  # 64
PAGE_ALIGNMENT: int  # 4096

def buffer_size_bytes(dtype: _Dtype, count: SupportsIndex) -> int: ...
def decode_quantization(data: _Bytes) -> _Quantization:
    """The scheme that a quantization section, without its length prefix, begins with."""

@final
class Dtype:
    """One of the 26 element types, a singleton: compare with ``is``."""

    @property
    def name(self) -> str: ...
    @property
    def tag(self) -> int: ...
    @property
    def bit_width(self) -> int: ...
    @property
    def tier(self) -> int: ...
    @property
    def element_alignment(self) -> int: ...
    @property
    def is_float(self) -> bool: ...
    @property
    def is_integer(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    @property
    def is_sub_byte(self) -> bool: ...
    @property
    def is_array_api(self) -> bool: ...
    @property
    def itemsize(self) -> int | None: ...  # bytes; None below 8 bits
    @property
    def kind(self) -> Literal["f", "c", "i", "u", "b"] | None: ...
    @property
    def typestr(self) -> str | None: ...  # "<f4", of the array interface
    @staticmethod
    def from_name(name: str) -> Dtype: ...
    @staticmethod
    def of(obj: _Dtype) -> Dtype:
        """What every ``dtype`` argument takes, as the singleton."""
    @staticmethod
    def from_tag(tag: int) -> Dtype: ...

@final
class Device:
    def __new__(
        cls, kind: str | int, device_id: int | None = None, memory_class: str | int | None = None
    ) -> Self: ...
    @property
    def kind(self) -> str: ...
    @property
    def device_id(self) -> int: ...
    @property
    def memory_class(self) -> str: ...
    @property
    def tag(self) -> int: ...
    @property
    def memory_class_tag(self) -> int: ...
    @property
    def is_private(self) -> bool: ...

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
class RowMajorLayout(Layout):
    def __new__(cls) -> Self: ...

@final
class ColMajorLayout(Layout):
    def __new__(cls) -> Self: ...

@final
class StridedLayout(Layout):
    """Strides in elements (not bytes), signed; 0 repeats an element."""

    def __new__(cls, strides: Iterable[SupportsIndex]) -> Self: ...
    @property
    def strides(self) -> tuple[int, ...]: ...

@final
class TiledLayout(Layout):
    """Tiles, stored whole; ``outer_strides`` in tiles, ``inner_strides`` in elements."""

    def __new__(
        cls,
        tile_shape: Iterable[SupportsIndex],
        outer_layout: _OuterLayout = "row_major",
        inner_layout: _InnerLayout = "row_major",
        outer_strides: Iterable[SupportsIndex] | None = None,
        inner_strides: Iterable[SupportsIndex] | None = None,
        inner_tiled: TiledLayout | None = None,
    ) -> Self: ...
    @property
    def tile_shape(self) -> tuple[int, ...]: ...
    @property
    def outer_layout(self) -> _OuterLayout: ...
    @property
    def inner_layout(self) -> _InnerLayout: ...
    @property
    def outer_strides(self) -> tuple[int, ...] | None: ...
    @property
    def inner_strides(self) -> tuple[int, ...] | None: ...
    @property
    def inner_tiled(self) -> TiledLayout | None: ...

@final
class MortonLayout(Layout):
    """Z-order; ``morton_bits`` index bits per dimension."""

    def __new__(cls, morton_bits: Iterable[SupportsIndex]) -> Self: ...
    @property
    def morton_bits(self) -> tuple[int, ...]: ...

@final
class HilbertLayout(Layout):
    """Hilbert curve; every extent is ``2 ** hilbert_order``."""

    def __new__(cls, hilbert_order: SupportsIndex, hilbert_rank: SupportsIndex) -> Self: ...
    @property
    def hilbert_order(self) -> int: ...
    @property
    def hilbert_rank(self) -> int: ...

@final
class CooLayout(Layout):
    """Sparse by coordinates: values, indices."""

    def __new__(cls, nnz: SupportsIndex, is_sorted: bool = False) -> Self: ...
    @property
    def nnz(self) -> int: ...
    @property
    def is_sorted(self) -> bool: ...

@final
class CsrLayout(Layout):
    """Sparse by rows: values, col_indices, row_ptr."""

    def __new__(cls, nnz: SupportsIndex) -> Self: ...
    @property
    def nnz(self) -> int: ...

@final
class CscLayout(Layout):
    """Sparse by columns: values, row_indices, col_ptr."""

    def __new__(cls, nnz: SupportsIndex) -> Self: ...
    @property
    def nnz(self) -> int: ...

@final
class CsfLayout(Layout):
    """Sparse tree of rank 3 or more: values, then pos and crd of each level."""

    def __new__(cls, nnz: SupportsIndex, mode_order: Iterable[SupportsIndex]) -> Self: ...
    @property
    def nnz(self) -> int: ...
    @property
    def mode_order(self) -> tuple[int, ...]: ...

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

def _bare(layout: Layout) -> Layout: ...
def layout_tag_kind(tag: SupportsIndex) -> Literal["named", "reserved", "private", "invalid"]: ...

@final
class PerTensorAffine:
    """One scale, a float32, and one zero point for all elements; unhashable."""

    def __new__(cls, scale: SupportsFloat, zero_point: SupportsIndex) -> Self: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def scale(self) -> float: ...
    @property
    def zero_point(self) -> int: ...
    @property
    def is_symmetric(self) -> bool: ...
    def encode(self) -> bytes: ...

@final
class PerChannelAffine:
    """One scale, and one zero point unless symmetric, for each position along the axis."""

    @staticmethod
    def symmetric(axis: SupportsIndex, scale_buffer_index: SupportsIndex) -> PerChannelAffine: ...
    @staticmethod
    def asymmetric(
        axis: SupportsIndex, scale_buffer_index: SupportsIndex, zero_point_buffer_index: SupportsIndex
    ) -> PerChannelAffine: ...
    @property
    def axis(self) -> int: ...
    @property
    def scale_buffer_index(self) -> int: ...
    @property
    def zero_point_buffer_index(self) -> int | None: ...
    @property
    def scale_type(self) -> Dtype: ...
    @property
    def is_symmetric(self) -> bool: ...
    def encode(self) -> bytes: ...

@final
class PerBlockAffine:
    """One scale, and one zero point unless symmetric, for each block along the axis."""

    @staticmethod
    def symmetric(
        axis: SupportsIndex, block_size: SupportsIndex, scale_buffer_index: SupportsIndex, scale_type: _Dtype
    ) -> PerBlockAffine: ...
    @staticmethod
    def asymmetric(
        axis: SupportsIndex,
        block_size: SupportsIndex,
        scale_buffer_index: SupportsIndex,
        zero_point_buffer_index: SupportsIndex,
        scale_type: _Dtype,
    ) -> PerBlockAffine: ...
    @property
    def axis(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def scale_buffer_index(self) -> int: ...
    @property
    def zero_point_buffer_index(self) -> int | None: ...
    @property
    def scale_type(self) -> Dtype: ...
    @property
    def is_symmetric(self) -> bool: ...
    def encode(self) -> bytes: ...

@final
class NF4:
    """4-bit codes of a fixed table, one float32 scale for each block along the axis."""

    def __new__(
        cls, axis: SupportsIndex, block_size: SupportsIndex, scale_buffer_index: SupportsIndex
    ) -> Self: ...
    @property
    def axis(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def scale_buffer_index(self) -> int: ...
    @property
    def scale_type(self) -> Dtype: ...
    def encode(self) -> bytes: ...

@final
class MXFP:
    """Small floats or integers, one power of two for each block along the axis."""

    def __new__(
        cls, axis: SupportsIndex, block_size: SupportsIndex, scale_buffer_index: SupportsIndex
    ) -> Self: ...
    @property
    def axis(self) -> int: ...
    @property
    def block_size(self) -> int: ...
    @property
    def scale_buffer_index(self) -> int: ...
    @property
    def scale_type(self) -> Dtype: ...
    def encode(self) -> bytes: ...

@final
class Shard:
    """Where a tensor lies in a larger one, in elements."""

    def __new__(cls, parent_shape: Sequence[int], shard_offset: Sequence[int]) -> Self: ...
    @property
    def parent_shape(self) -> tuple[int, ...]: ...
    @property
    def shard_offset(self) -> tuple[int, ...]: ...

@final
class Statistics:
    """What a writer found out about a tensor's values; unhashable."""

    def __new__(
        cls,
        *,
        nnz: SupportsIndex | None = None,
        sparsity_ratio: SupportsFloat | None = None,
        value_min: SupportsFloat | None = None,
        value_max: SupportsFloat | None = None,
        value_abs_max: SupportsFloat | None = None,
        value_mean: SupportsFloat | None = None,
        value_stddev: SupportsFloat | None = None,
        nm_n: SupportsIndex | None = None,
        nm_m: SupportsIndex | None = None,
        has_nan: bool | None = None,
        has_inf: bool | None = None,
    ) -> Self: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    @property
    def computed_mask(self) -> int: ...
    @property
    def nnz(self) -> int | None: ...
    @property
    def sparsity_ratio(self) -> float | None: ...
    @property
    def value_min(self) -> float | None: ...
    @property
    def value_max(self) -> float | None: ...
    @property
    def value_abs_max(self) -> float | None: ...
    @property
    def value_mean(self) -> float | None: ...
    @property
    def value_stddev(self) -> float | None: ...
    @property
    def nm_n(self) -> int | None: ...
    @property
    def nm_m(self) -> int | None: ...
    @property
    def has_nan(self) -> bool | None: ...
    @property
    def has_inf(self) -> bool | None: ...

@final
class ExtensionType:
    """How a private element type is stored."""

    def __new__(
        cls,
        bit_width: SupportsIndex,
        *,
        is_float: bool = False,
        is_signed: bool = False,
        sign_bits: SupportsIndex = 0,
        exponent_bits: SupportsIndex = 0,
        mantissa_bits: SupportsIndex = 0,
        exponent_bias: SupportsIndex = 0,
        has_nan: bool = False,
        has_inf: bool = False,
    ) -> Self: ...
    @property
    def bit_width(self) -> int: ...
    @property
    def packing_factor(self) -> int: ...
    @property
    def is_float(self) -> bool: ...
    @property
    def is_signed(self) -> bool: ...
    @property
    def sign_bits(self) -> int: ...
    @property
    def exponent_bits(self) -> int: ...
    @property
    def mantissa_bits(self) -> int: ...
    @property
    def exponent_bias(self) -> int: ...
    @property
    def has_nan(self) -> bool: ...
    @property
    def has_inf(self) -> bool: ...
    def buffer_size_bytes(self, element_count: SupportsIndex) -> int: ...

@final
class BufferHandle:
    @property
    def byte_size(self) -> int: ...
    @property
    def alignment(self) -> int: ...
    @property
    def device(self) -> Device: ...
    @property
    def sync_mode(self) -> str: ...
    @property
    def is_empty(self) -> bool: ...

@final
class Descriptor:
    """What a tensor declares, without its data."""

    @staticmethod
    def decode(data: _Bytes, *, permissive: bool = False) -> Descriptor: ...
    def encode(self) -> bytes: ...
    @property
    def encoded_len(self) -> int: ...
    @property
    def version(self) -> tuple[int, int]: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def shape(self) -> _Shape: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int | None: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def byte_offset(self) -> int: ...
    @property
    def buffer_handles(self) -> tuple[BufferHandle, ...]: ...
    @property
    def buffer_count(self) -> int: ...
    @property
    def device(self) -> Device: ...
    def _repr_html_(self) -> str: ...
    @property
    def quantization(self) -> _Quantization | None: ...
    @property
    def shard(self) -> Shard | None: ...
    @property
    def statistics(self) -> Statistics | None: ...
    @property
    def extension_type(self) -> ExtensionType | None: ...

@final
class Tensor:
    def __new__(
        cls,
        buffer: _Bytes | Tensor,
        dtype: _Dtype,
        shape: Sequence[int | None],
        device: Device | None = None,
        *,
        aux_buffers: Iterable[_Bytes | Tensor] | None = None,
        layout: Layout | None = None,
        quantization: _Quantization | None = None,
        statistics: Statistics | None = None,
        shard: Shard | None = None,
        extension_type: ExtensionType | None = None,
    ) -> Self: ...
    @staticmethod
    def from_descriptor(
        descriptor: Descriptor, buffers: Iterable[_Bytes | Tensor], *, copy: bool | None = None
    ) -> Tensor:
        """Put a descriptor and its buffers together again, for a container of one's own."""
    @staticmethod
    def from_buffer(obj: _Bytes, dtype: _Dtype | None = None, *, copy: bool | None = None) -> Tensor:
        """Wrap an exporter of the buffer protocol with its own shape and strides.

        ``dtype`` reads the same bytes as another type of the same width (bfloat16 out of uint16);
        by default the exporter's format decides. A ``?`` exporter is packed to one bit an element.
        """
    @property
    def T(self) -> Tensor: ...
    @property
    def shape(self) -> _Shape: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int | None: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def itemsize(self) -> int | None: ...
    @property
    def dtype(self) -> Dtype: ...
    @property
    def device(self) -> Device: ...
    @property
    def layout(self) -> Layout: ...
    @property
    def descriptor(self) -> Descriptor: ...
    @property
    def buffer_count(self) -> int: ...
    @property
    def buffer_handles(self) -> tuple[BufferHandle, ...]: ...
    @property
    def readonly(self) -> bool: ...
    def buffer(self, index: SupportsIndex) -> Tensor: ...
    @property
    def byte_offset(self) -> int: ...
    @property
    def quantization(self) -> _Quantization | None: ...
    @property
    def statistics(self) -> Statistics | None: ...
    @property
    def shard(self) -> Shard | None: ...
    @property
    def extension_type(self) -> ExtensionType | None: ...
    # What follows raises AttributeError for the layouts that it does not apply to.
    @property
    def nnz(self) -> int: ...
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...
    @property
    def col_indices(self) -> Tensor: ...
    @property
    def row_ptr(self) -> Tensor: ...
    @property
    def row_indices(self) -> Tensor: ...
    @property
    def col_ptr(self) -> Tensor: ...
    def __copy__(self) -> Tensor: ...
    def __deepcopy__(self, memo: Any, /) -> Tensor: ...
    def __reduce_ex__(self, protocol: SupportsIndex, /) -> tuple[Any, ...]: ...
    def to(self, name: str, **options: Any) -> Any: ...
    def to_torch(self) -> Any: ...
    def to_scipy(self) -> Any: ...
    def tobytes(self) -> bytes:
        """The elements in row-major order, packed as the format packs them."""
    def tofile(self, file: Any) -> int:
        """Write what :meth:`tobytes` returns to an open file or descriptor, without making it."""
    def tolist(self) -> Any: ...
    def _chosen(
        self, places: Sequence[Sequence[int]]
    ) -> list[bool | int | str | tuple[str, str] | bytes]: ...
    def _hidden(self) -> str | None: ...
    def _stored(self) -> int | None: ...
    def _repr_html_(self) -> str: ...
    def validate(self) -> list[Problem]:
        """Every rule that the contents of index, pointer and parameter buffers break."""
    def unpack(self) -> bytearray:
        """The elements of a bool tensor in row-major order, one byte (0 or 1) each."""
    def __bytes__(self) -> bytes: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any: ...
    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> CapsuleType: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

@final
class Problem:
    """One broken rule of the format that :func:`verify` or :meth:`Tensor.validate` found."""

    @property
    def code(self) -> str: ...  # "F-11", "D-15", "L-12", "Q-25"
    @property
    def message(self) -> str: ...
    @property
    def offset(self) -> int | None: ...  # absolute byte offset in the file
    @property
    def name(self) -> str | None: ...  # the tensor, where there is one
    @property
    def more(self) -> int: ...  # further places that break it in the same way and are not listed

@final
class Entry:
    """Where one tensor lies in the file; every offset is absolute."""

    @property
    def name(self) -> str: ...
    @property
    def descriptor_offset(self) -> int: ...
    @property
    def descriptor_length(self) -> int: ...
    @property
    def data_offset(self) -> int: ...
    @property
    def data_length(self) -> int: ...
    @property
    def buffer_offsets(self) -> tuple[int, ...]: ...

@final
class FileMap:
    """A read-only mapping of a whole file, exporting the buffer protocol (``memoryview(m)``).

    A writer that is handed a slice of it gives the pages back as it passes them, so that a file of
    any size goes through in little memory.
    """

    def __new__(cls, file: _Path | int | Any) -> Self: ...
    def __len__(self) -> int: ...
    def discard(self, start: int = 0, stop: int | None = None) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

@final
class File(Mapping[str, Tensor]):
    """What :func:`open` returns."""

    @property
    def kv(self) -> dict[str, _Kv]: ...
    @property
    def version(self) -> tuple[int, int]: ...
    @property
    def size(self) -> int: ...  # bytes of the whole file
    @property
    def flags(self) -> int: ...
    @property
    def alignment(self) -> int: ...
    @property
    def closed(self) -> bool: ...
    def descriptor(self, name: str) -> Descriptor: ...
    def descriptor_bytes(self, name: str) -> bytes: ...
    def entry(self, name: str) -> Entry: ...
    def is_composite(self, name: str) -> bool: ...
    def _repr_html_(self) -> str: ...
    def close(self) -> None: ...
    def keys(self) -> KeysView[str]: ...
    def values(self) -> ValuesView[Tensor]: ...
    def items(self) -> ItemsView[str, Tensor]: ...
    @overload
    def get(self, key: str, default: None = None, /) -> Tensor | None: ...
    @overload
    def get(self, key: str, default: _T, /) -> Tensor | _T: ...
    def __getitem__(self, name: str, /) -> Tensor: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...

def open(
    path: _Path | int | _Bytes | Any, *, io: Literal["mmap", "read"] = "mmap", writable: bool = True
) -> File:
    """``writable=False`` maps read-only; writers then give the pages back behind them."""

def load(
    path: Any, *, names: Sequence[str] | None = None, io: Literal["mmap", "read"] = "mmap"
) -> dict[str, Tensor]: ...
def load_kv(path: Any) -> dict[str, _Kv]: ...
def verify(path: Any) -> list[Problem]:
    """Every structural rule that the file breaks; an empty list if it keeps them all."""

def save(
    path: _Path,
    tensors: Mapping[str, Any],
    *,
    kv: Mapping[str, _Kv] | None = None,
    durable: bool = False,
    check: bool = True,
) -> None: ...

@final
class FileWriter:
    def __new__(
        cls,
        path: _Path,
        *,
        kv: Mapping[str, _Kv] | None = None,
        durable: bool = False,
        check: bool = True,
    ) -> Self: ...
    def write(self, name: str, tensor: Any, *, check: bool | None = None) -> None: ...
    def write_buffer(self, name: str, buffer: _Bytes, dtype: _Dtype, shape: Sequence[int]) -> None:
        """Write a row-major tensor from bytes of any alignment, by reference."""
    def close(self) -> None:
        """Finish the file and put it in place. Idempotent."""
    def abort(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...
    def write_pieces(
        self, name: str, pieces: Iterable[_Bytes], dtype: _Dtype, shape: Sequence[int]
    ) -> None: ...

def write_all(file: Any, buffer: _Bytes) -> int: ...
def _descriptor(data: _Bytes, device: Device, unknown: int | None = None) -> Descriptor: ...
def _handle(byte_size: int, alignment: int, sync_mode: int, device: Device) -> BufferHandle: ...
def _entry(
    name: str,
    descriptor_offset: int,
    descriptor_length: int,
    data_offset: int,
    data_length: int,
    buffer_offsets: tuple[int, ...],
) -> Entry: ...
def _problem(code: str, message: str, offset: int | None, name: str | None, more: int) -> Problem: ...
def _panic(text: str) -> None: ...
def _trust(class_: type, /) -> None: ...
def from_numpy(array: Any, *, copy: bool | None = None) -> Tensor: ...
def from_dlpack(x: Any, *, device: Device | None = None, copy: bool | None = None) -> Tensor: ...
def zeros(shape: _Static, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def ones(shape: _Static, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def empty(shape: _Static, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def full(
    shape: _Static,
    fill_value: complex | SupportsIndex,
    *,
    dtype: _Dtype | None = None,
    device: Device | None = None,
) -> Tensor: ...
def zeros_like(x: Tensor, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def ones_like(x: Tensor, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def empty_like(x: Tensor, *, dtype: _Dtype | None = None, device: Device | None = None) -> Tensor: ...
def full_like(
    x: Tensor,
    fill_value: complex | SupportsIndex,
    *,
    dtype: _Dtype | None = None,
    device: Device | None = None,
) -> Tensor: ...
def arange(
    start: _Real,
    stop: _Real | None = None,
    step: _Real | None = None,
    *,
    dtype: _Dtype | None = None,
    device: Device | None = None,
) -> Tensor: ...
def linspace(
    start: complex | SupportsIndex,
    stop: complex | SupportsIndex,
    num: SupportsIndex,
    *,
    dtype: _Dtype | None = None,
    device: Device | None = None,
    endpoint: bool = True,
) -> Tensor: ...
def eye(
    n_rows: SupportsIndex,
    n_cols: SupportsIndex | None = None,
    *,
    k: SupportsIndex = 0,
    dtype: _Dtype | None = None,
    device: Device | None = None,
) -> Tensor: ...
def sparse_coo(
    values: Any, indices: Any, shape: Sequence[SupportsIndex], *, copy: bool | None = None
) -> Tensor: ...
def aligned_functions() -> tuple[int, int, int, int]: ...
