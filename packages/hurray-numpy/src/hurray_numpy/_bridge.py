"""The plugin object of ``hurray.bridges``: small, so that finding it imports no NumPy."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import Any

    from hurray import Tensor

__all__ = ["NumpyBridge"]


class NumpyBridge:
    """The ``numpy`` bridge (:class:`hurray.bridges.Bridge`)."""

    name = "numpy"
    framework = "numpy"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is an ndarray, of a subclass too, or a NumPy scalar."""
        numpy = sys.modules.get("numpy")
        if numpy is None:
            return False
        try:
            return isinstance(obj, (numpy.ndarray, numpy.generic))
        except AttributeError:  # it is just being imported, and has made no array yet
            return False

    def from_object(self, obj: Any, *, copy: bool | None = None) -> Tensor:
        """A NumPy array or scalar as a tensor; see :func:`hurray.from_numpy`."""
        from hurray_numpy._ingest import from_object

        # The function itself from now on: a call less on a path that is measured in nanoseconds.
        self.from_object = from_object  # type: ignore[method-assign]
        return from_object(obj, copy=copy)

    def aligned_allocator(self) -> AbstractContextManager[None]:
        """A block whose arrays are aligned; see :func:`hurray.aligned_allocator`."""
        try:
            from hurray_numpy._allocator import make
        except ModuleNotFoundError as error:
            if error.name != "numpy":
                raise
            raise ModuleNotFoundError("NumPy is not installed: pip install numpy", name="numpy") from None
        return make()

    def borrow(self, obj: Any) -> tuple[Any, Any, tuple[int, ...], bool] | None:
        """An array's bytes for a writer, without a copy; see :meth:`hurray.bridges.Bridge.borrow`."""
        from hurray_numpy._ingest import borrow

        return borrow(obj)

    def to_object(
        self, tensor: Tensor, *, dtype: Any = None, copy: bool | None = None, ml_dtypes: bool = False
    ) -> Any:
        """A tensor as an ndarray; see :func:`hurray_numpy._export.to_object`."""
        from hurray_numpy._export import to_object

        self.to_object = to_object  # type: ignore[method-assign]
        return to_object(tensor, dtype=dtype, copy=copy, ml_dtypes=ml_dtypes)
