"""The JAX bridge of Hurray: registered, so that it can be found, and not there yet.

Until it is, both ways raise :class:`hurray.UnsupportedError` with what works today instead. JAX is not imported.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, final

import hurray

__all__ = ["JAXBridge", "__version__", "bridge"]

__version__ = "0.1.0"
hurray.bridges.require_core("hurray-jax", __version__)

# The types of JAX are told by the package that their classes come from.
_ROOTS: Final = frozenset({"jax", "jaxlib"})


@final
class JAXBridge:
    """What :func:`hurray.bridges.get` returns for ``"jax"``."""

    name: Final = "jax"
    framework: Final = "jax"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is of JAX, or of a subclass, told without importing it."""
        return any(base.__module__.partition(".")[0] in _ROOTS for base in type(obj).__mro__)

    def from_object(self, obj: Any, *, copy: bool | None = None) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-jax cannot take JAX objects yet; hurray.from_dlpack(x) shares a CPU array"
        )

    def to_object(self, tensor: hurray.Tensor, **options: Any) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-jax cannot make JAX objects yet; jax.numpy.from_dlpack(t) takes what DLPack can describe"
        )


bridge: Final = JAXBridge()
