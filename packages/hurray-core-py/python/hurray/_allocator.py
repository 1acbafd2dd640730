"""Memory that needs no copy on its way into a tensor (requirements: The aligned allocator)."""

from __future__ import annotations

from hurray import bridges
from hurray._exceptions import UnsupportedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

__all__ = ["aligned_allocator"]


def aligned_allocator() -> AbstractContextManager[None]:
    """A context manager: NumPy arrays that are made inside the block begin at a multiple of 64 bytes.

    ``from_numpy(array, copy=False)`` then shares them, as often and as long after the block as one likes: an
    array keeps the functions that free it. Blocks may nest, and end in any order; each puts back the memory
    handler (NEP 49) that was there before it, also when it raises. The handler belongs to the context
    (:mod:`contextvars`) of the block: **a thread that is started inside it does not inherit it**, and has to
    enter a block of its own; a task of asyncio that is started inside does.

    :raises UnsupportedError: NumPy is older than 1.22, which is the first to have such handlers.
    :raises ImportError: hurray-numpy or NumPy is not installed; the text is the command that mends it.
    """
    bridge = bridges.get("numpy")
    make = getattr(bridge, "aligned_allocator", None)
    if make is None:
        raise UnsupportedError(f"the bridge {bridge.name!r} that is installed has no aligned allocator")
    allocator: AbstractContextManager[None] = make()
    return allocator
