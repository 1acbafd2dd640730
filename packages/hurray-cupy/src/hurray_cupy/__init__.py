"""The CuPy bridge of Hurray: registered, so that it can be found, and not there yet.

Until it is, both ways raise :class:`hurray.UnsupportedError` with what works today instead. CuPy is not imported.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, final

import hurray

__all__ = ["CuPyBridge", "__version__", "bridge"]

__version__ = "0.1.0"
hurray.bridges.require_core("hurray-cupy", __version__)

# The types of CuPy are told by the package that their classes come from.
_ROOTS: Final = frozenset({"cupy"})


@final
class CuPyBridge:
    """What :func:`hurray.bridges.get` returns for ``"cupy"``."""

    name: Final = "cupy"
    framework: Final = "cupy"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is of CuPy, or of a subclass, told without importing it."""
        return any(base.__module__.partition(".")[0] in _ROOTS for base in type(obj).__mro__)

    def from_object(self, obj: Any, *, copy: bool | None = None) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-cupy cannot take CuPy objects yet; "
            "hurray.from_numpy(cupy.asnumpy(x)) copies an array to the host"
        )

    def to_object(self, tensor: hurray.Tensor, **options: Any) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-cupy cannot make CuPy objects yet; "
            "cupy.asarray(numpy.asarray(t)) copies a tensor to the device"
        )


bridge: Final = CuPyBridge()
