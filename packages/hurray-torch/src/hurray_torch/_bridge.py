"""The plugin object of ``hurray.bridges``: small, so that finding it imports no PyTorch."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hurray import Dtype, Tensor

__all__ = ["TorchBridge"]


class TorchBridge:
    """The ``torch`` bridge (:class:`hurray.bridges.Bridge`)."""

    name = "torch"
    framework = "torch"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is a PyTorch tensor, of a subclass too, told without importing PyTorch."""
        torch = sys.modules.get("torch")
        if torch is None:
            return False
        try:
            return isinstance(obj, torch.Tensor)
        except AttributeError:  # it is just being imported, and has made no tensor yet
            return False

    def from_object(self, obj: Any, *, copy: bool | None = None) -> Tensor:
        """A PyTorch tensor as a tensor; see :func:`hurray_torch._ingest.from_object`."""
        _need_torch()
        from hurray_torch._ingest import from_object

        # The function itself from now on: a call less on a path that is measured in nanoseconds.
        self.from_object = from_object  # type: ignore[method-assign]
        return from_object(obj, copy=copy)

    def borrow(self, obj: Any) -> tuple[Any, Dtype, tuple[int, ...], bool] | None:
        """A tensor's bytes for a writer, without a copy; see :class:`hurray.bridges.Bridge`."""
        from hurray_torch._borrow import borrow

        return borrow(obj)

    def to_object(self, tensor: Tensor, *, copy: bool | None = None, sparse: bool = False) -> Any:
        """A tensor as PyTorch's; see :func:`hurray_torch._export.to_object`."""
        _need_torch()
        from hurray_torch._export import to_object

        self.to_object = to_object  # type: ignore[method-assign]
        return to_object(tensor, copy=copy, sparse=sparse)


def _need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError("PyTorch is not installed: pip install torch", name="torch") from None
