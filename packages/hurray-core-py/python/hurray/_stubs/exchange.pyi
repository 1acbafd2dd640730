"""Tensors out of other libraries' arrays."""

from typing import Any

from hurray._stubs.device import Device
from hurray._stubs.tensor import Tensor

def from_numpy(array: Any, *, copy: bool | None = None) -> Tensor: ...
def from_dlpack(x: Any, *, device: Device | None = None, copy: bool | None = None) -> Tensor: ...
def from_hurray(obj: Any) -> Tensor: ...
