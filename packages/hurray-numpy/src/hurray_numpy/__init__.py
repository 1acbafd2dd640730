"""NumPy for Hurray: the ``numpy`` bridge and the ``npy`` and ``npz`` formats.

Nothing here imports NumPy before it is handed an array or asked for one. Use it through :mod:`hurray`.
"""

from __future__ import annotations

from hurray.bridges import require_core

from hurray_numpy._bridge import NumpyBridge
from hurray_numpy._npy_format import NpyFormat
from hurray_numpy._npz_format import NpzFormat

__all__ = ["__version__", "bridge", "npy", "npz"]

__version__ = "0.1.0"
require_core("hurray-numpy", __version__)

bridge = NumpyBridge()
npy = NpyFormat()
npz = NpzFormat()
