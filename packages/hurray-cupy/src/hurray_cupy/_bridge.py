"""The plugin object of ``hurray.bridges``: small, so that finding it imports no CuPy."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hurray import Tensor

__all__ = ["CuPyBridge"]


class CuPyBridge:
    """The ``cupy`` bridge (:class:`hurray.bridges.Bridge`), whose methods take a stream too."""

    name = "cupy"
    framework = "cupy"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is an array of CuPy, or a sparse one of cupyx, told without importing either."""
        array = getattr(sys.modules.get("cupy"), "ndarray", None)
        if array is not None and isinstance(obj, array):
            return True
        return any(base.__module__.startswith("cupyx.scipy.sparse") for base in type(obj).__mro__)

    def from_object(self, obj: Any, *, copy: bool | None = None, stream: Any = None) -> Tensor:
        """A CuPy array as a tensor on its device; see :func:`hurray_cupy._ingest.from_object`."""
        _need_cupy()
        from hurray_cupy._ingest import from_object

        return from_object(obj, copy=copy, stream=stream)

    def to_object(self, tensor: Tensor, *, copy: bool | None = None, stream: Any = None) -> Any:
        """A tensor as a CuPy array; see :func:`hurray_cupy._export.to_object`."""
        _need_cupy()
        from hurray_cupy._export import to_object

        return to_object(tensor, copy=copy, stream=stream)


def _need_cupy() -> None:
    try:
        import cupy  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "cupy":
            raise
        raise ModuleNotFoundError(
            "CuPy is not installed: pip install cupy-cuda12x, or the one for the CUDA at hand", name="cupy"
        ) from None
