"""The plugin object of ``hurray.bridges``: small, so that finding it imports no JAX."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hurray import Tensor

__all__ = ["JAXBridge"]


class JAXBridge:
    """The ``jax`` bridge (:class:`hurray.bridges.Bridge`)."""

    name = "jax"
    framework = "jax"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is a JAX array, a traced or a sparse one too, told without importing JAX."""
        return _is(obj, "jax", "Array") or _is(obj, "jax.experimental.sparse", "JAXSparse")

    def from_object(self, obj: Any, *, copy: bool | None = None) -> Tensor:
        """A JAX array as a read-only tensor; see :func:`hurray_jax._ingest.from_object`."""
        _need_jax()
        from hurray_jax._ingest import from_object

        return from_object(obj, copy=copy)

    def to_object(self, tensor: Tensor, *, copy: bool | None = None) -> Any:
        """A tensor as a JAX array; see :func:`hurray_jax._export.to_object`."""
        _need_jax()
        from hurray_jax._export import to_object

        return to_object(tensor, copy=copy)


def _is(obj: object, module: str, name: str) -> bool:
    # A module that is just being imported lacks the class, and has made no array yet.
    cls = getattr(sys.modules.get(module), name, None)
    return cls is not None and isinstance(obj, cls)


def _need_jax() -> None:
    try:
        import jax  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "jax":
            raise
        raise ModuleNotFoundError("JAX is not installed: pip install jax", name="jax") from None
