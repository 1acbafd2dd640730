"""The other sections of a descriptor."""

from collections.abc import Iterable
from typing import ClassVar, SupportsFloat, SupportsIndex, final

from typing_extensions import Self

@final
class Shard:
    """Where a tensor lies in a larger one, in elements."""

    def __new__(
        cls, parent_shape: Iterable[SupportsIndex], shard_offset: Iterable[SupportsIndex]
    ) -> Self: ...
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
