"""PyTorch for Hurray: the ``torch`` bridge, state dicts in ``.hrry`` files, and the ``pt`` format.

``save_file`` and ``load_file`` are for a state dict, ``save_model`` and ``load_model`` for a module; tensors cross by
:func:`hurray.from_torch` and :meth:`hurray.Tensor.to_torch`. Nothing here imports PyTorch before it is needed.
"""

from __future__ import annotations

from hurray.bridges import require_core

from hurray_torch._bridge import TorchBridge
from hurray_torch._pt_format import PtFormat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hurray_torch._load import load_file
    from hurray_torch._model import LoadReport, load_model, save_model
    from hurray_torch._save import save_file

__all__ = [
    "LoadReport",
    "__version__",
    "bridge",
    "load_file",
    "load_model",
    "pt",
    "save_file",
    "save_model",
]

__version__ = "0.1.0"
require_core("hurray-torch", __version__)

bridge = TorchBridge()
pt = PtFormat()

# Where the names are that work with PyTorch, and import it.
_WHERE = {
    "LoadReport": "_model",
    "load_file": "_load",
    "load_model": "_model",
    "save_file": "_save",
    "save_model": "_model",
}


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'hurray_torch' has no attribute {name!r}")
    import importlib

    try:
        found = getattr(importlib.import_module(f"hurray_torch.{_WHERE[name]}"), name)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise ModuleNotFoundError("PyTorch is not installed: pip install torch", name="torch") from None
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
