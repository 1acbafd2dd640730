"""CuPy for Hurray: the ``cupy`` bridge, for arrays in the memory of a GPU.

Use it through :func:`hurray.asarray` and :meth:`hurray.Tensor.to`, or as ``hurray_cupy.bridge`` to name a stream.
Nothing here imports CuPy before it is handed an array or asked for one.
"""

from __future__ import annotations

from hurray.bridges import require_core

from hurray_cupy._bridge import CuPyBridge

__all__ = ["CuPyBridge", "__version__", "bridge"]

__version__ = "0.1.0"
require_core("hurray-cupy", __version__)

bridge = CuPyBridge()
