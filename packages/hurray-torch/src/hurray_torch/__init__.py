"""The PyTorch bridge of Hurray: registered, so that it can be found, and not there yet.

Until it is, both ways raise :class:`hurray.UnsupportedError` with what works today instead. PyTorch is not imported.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, final

import hurray

__all__ = ["PyTorchBridge", "__version__", "bridge"]

__version__ = "0.1.0"
hurray.bridges.require_core("hurray-torch", __version__)

# The types of PyTorch are told by the package that their classes come from.
_ROOTS: Final = frozenset({"torch"})


@final
class PyTorchBridge:
    """What :func:`hurray.bridges.get` returns for ``"torch"``."""

    name: Final = "torch"
    framework: Final = "torch"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is of PyTorch, or of a subclass, told without importing it."""
        return any(base.__module__.partition(".")[0] in _ROOTS for base in type(obj).__mro__)

    def from_object(self, obj: Any, *, copy: bool | None = None) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-torch cannot take PyTorch objects yet; hurray.from_dlpack(x) shares a CPU tensor"
        )

    def to_object(self, tensor: hurray.Tensor, **options: Any) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-torch cannot make PyTorch objects yet; torch.from_dlpack(t) shares what DLPack can describe"
        )


bridge: Final = PyTorchBridge()
