"""The SciPy bridge of Hurray: registered, so that it can be found, and not there yet.

Until it is, both ways raise :class:`hurray.UnsupportedError` with what works today instead. SciPy is not imported.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, final

import hurray

__all__ = ["SciPyBridge", "__version__", "bridge"]

__version__ = "0.1.0"
hurray.bridges.require_core("hurray-scipy", __version__)

# The types of SciPy are told by the package that their classes come from.
_ROOTS: Final = frozenset({"scipy"})


@final
class SciPyBridge:
    """What :func:`hurray.bridges.get` returns for ``"scipy"``."""

    name: Final = "scipy"
    framework: Final = "scipy"

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is of SciPy, or of a subclass, told without importing it."""
        return any(base.__module__.partition(".")[0] in _ROOTS for base in type(obj).__mro__)

    def from_object(self, obj: Any, *, copy: bool | None = None) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-scipy cannot take SciPy objects yet; "
            "hurray.from_numpy takes the parts of a matrix: m.data, m.indices and m.indptr"
        )

    def to_object(self, tensor: hurray.Tensor, **options: Any) -> NoReturn:
        """Not there yet.

        :raises hurray.UnsupportedError: always; the text says what works today.
        """
        raise hurray.UnsupportedError(
            "hurray-scipy cannot make SciPy objects yet; "
            "numpy.asarray(t) takes a dense tensor, and one buffer of any other, t.buffer(0)"
        )


bridge: Final = SciPyBridge()
