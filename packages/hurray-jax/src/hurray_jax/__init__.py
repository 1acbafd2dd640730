"""JAX for Hurray: the ``jax`` bridge, used through :func:`hurray.asarray` and :meth:`hurray.Tensor.to`.

Nothing here imports JAX before it is handed an array or asked for one.
"""

from __future__ import annotations

from hurray.bridges import require_core

from hurray_jax._bridge import JAXBridge

__all__ = ["JAXBridge", "__version__", "bridge"]

__version__ = "0.1.0"
require_core("hurray-jax", __version__)

bridge = JAXBridge()
