"""Bridges to array frameworks: what a plugin implements, and the registry that finds it.

A bridge is an object with the members of :class:`Bridge`, offered through the entry-point group
``hurray.bridges`` under the framework's name. :func:`hurray.asarray`, ``hurray.from_<name>`` and
:meth:`hurray.Tensor.to` reach frameworks through it alone.
"""

from __future__ import annotations

from hurray._core import _trust
from hurray._plugins import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from hurray import Tensor
    from hurray._plugins import Found
else:
    Protocol = object

__all__ = ["GROUP", "Bridge", "find", "get", "names", "report", "require_core", "trust"]

GROUP = "hurray.bridges"
# Bridges of this project by the distribution that carries them, for an error that says what to install.
OURS = {name: f"hurray-{name}" for name in ("cupy", "jax", "numpy", "scipy", "torch")}


class Bridge(Protocol):
    """What a plugin offers. A ``framework`` attribute names the module that ``hurray doctor`` looks for.

    A bridge may also have ``borrow(obj) -> (buffer, dtype, shape, fortran) | None``: an array's bytes for a
    writer, by reference and of any alignment, C-contiguous in the order that ``fortran`` says. ``save`` and
    ``FileWriter`` ask for it before they make a tensor, which may take a copy. The NumPy bridge has
    ``aligned_allocator()``, the context manager that :func:`hurray.aligned_allocator` returns.
    """

    name: str

    def owns(self, obj: object) -> bool:
        """Whether ``obj`` is this framework's own, decided without importing the framework."""
        raise NotImplementedError

    def from_object(self, obj: Any, *, copy: bool | None = None) -> Tensor:
        """``obj`` as a tensor.

        :raises CopyRequiredError: ``copy=False``, and the memory cannot be shared as it is.
        :raises UnsupportedError: the format cannot express it exactly.
        """
        raise NotImplementedError

    def to_object(self, tensor: Tensor, /, *args: Any, **options: Any) -> Any:
        """``tensor`` as the framework's own object; ``options`` are keywords of the framework's.

        :raises UnsupportedError: the framework cannot express it exactly.
        """
        raise NotImplementedError


_registry = Registry(GROUP, "bridge", ours=OURS, members=("name", "owns", "from_object", "to_object"))
# The bridges that were asked for; looked into directly where nanoseconds count.
loaded: dict[str, Bridge] = _registry.loaded


def get(name: str) -> Bridge:
    """The bridge called ``name``, imported on the first call.

    :raises ImportError: it is not installed or does not load; the text is the command that mends it.
    :raises LookupError: nobody is known to offer the name; the text lists the bridges there are.
    """
    bridge: Bridge = _registry.get(name)
    return bridge


def names() -> tuple[str, ...]:
    """The names of the installed bridges, sorted; none is imported."""
    return _registry.names()


def find(obj: object) -> Bridge | None:
    """The bridge whose framework made ``obj``, or None.

    The bridges named like the packages that define the object's classes are asked first, so that a broken
    plugin is not touched on behalf of another's objects.
    """
    likely = loaded.get(type(obj).__module__.partition(".")[0])
    if likely is not None and _owns(likely, obj):
        return likely
    packages = {cls.__module__.partition(".")[0] for cls in type(obj).__mro__} - {"builtins"}
    if packages:
        for bridge in _registry.all(first=packages):
            if _owns(bridge, obj):
                found: Bridge = bridge
                return found
    return None


def _owns(bridge: Bridge, obj: object) -> bool:
    try:
        return bool(bridge.owns(obj))
    except Exception as error:  # one broken bridge must not stand between the others and their objects
        text = f"the bridge {bridge.name!r} fails on {type(obj)}: {type(error).__name__}: {error}"
        _registry.complain(bridge.name, text)
        return False


def trust(exporter: type) -> None:
    """Vouch for a class whose instances export exactly what they are by the buffer protocol, or refuse to.

    ``hurray.from_numpy`` then takes them without asking the bridge, which is asked where they refuse.
    """
    _trust(exporter)


def report() -> list[Found]:
    """The installed bridges and whether they work, for ``hurray doctor``."""
    return _registry.report()


def require_core(distribution: str, version: str) -> None:
    """Refuse to load a plugin of this project beside a core of another version.

    :raises ImportError: the versions differ; the text is the command that mends it.
    """
    from hurray import __version__

    if version != __version__:
        raise ImportError(
            f"{distribution} {version} needs hurray-core-py {version}, and {__version__} is installed: "
            f"pip install {distribution}=={__version__}"
        )
