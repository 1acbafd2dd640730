"""Creation functions."""

from collections.abc import Sequence
from typing import Any, SupportsIndex

from hurray._stubs.arguments import _Dtype, _Real, _Static
from hurray._stubs.device import Device
from hurray._stubs.tensor import Tensor

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
def _listed(
    obj: object, dtype: _Dtype | None = None, device: Device | None = None, copy: bool | None = None
) -> Tensor: ...
