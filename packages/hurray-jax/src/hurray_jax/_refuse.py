"""JAX arrays that hold no memory of their own, or not here: told apart, each with its way out."""

from __future__ import annotations

from typing import Any

import jax
from hurray import UnsupportedError

from hurray_jax._dtypes import FROM_JAX, way_out

__all__ = ["check", "named"]


def check(array: Any) -> None:
    """Refuse what is no plain array of numbers on one device.

    :raises TypeError: ``array`` is none of JAX's.
    :raises UnsupportedError: it is traced, sparse, deleted, spread over devices, or of keys or other elements.
    """
    if not isinstance(array, jax.Array):
        _check_foreign(array)
    if reason := _traced(array) or _gone(array) or _spread(array) or _elements(array):
        raise UnsupportedError(f"{named(array)} {reason}")


def _check_foreign(obj: Any) -> None:
    kind = type(obj)
    where = f"{kind.__module__}.{kind.__qualname__}"
    if any(base.__name__ == "JAXSparse" and base.__module__.startswith("jax.") for base in kind.__mro__):
        parts = "x.data, x.indices and x.indptr" if hasattr(obj, "indptr") else "x.data and x.indices"
        raise UnsupportedError(
            f"a {where} of shape {tuple(obj.shape)} is sparse in JAX's own way, batched and padded, which the "
            f"format has no layout for: pass {parts} as tensors, or x.todense()"
        )
    raise TypeError(
        f"the jax bridge takes a jax.Array, not a {where}: use hurray.asarray, or jax.numpy.asarray(obj) first"
    )


def _traced(array: Any) -> str | None:
    if isinstance(array, jax.core.Tracer):
        return (
            "is a tracer, it stands for a value while jit, grad or vmap runs and holds none: take the result of "
            "the transformed function, or use jax.experimental.io_callback"
        )
    return None


def _gone(array: Any) -> str | None:
    if array.is_deleted():
        return (
            "has been deleted, by delete() or by a call that it was donated to: keep what the call returned, "
            "or leave the argument out of donate_argnums"
        )
    return None


def _spread(array: Any) -> str | None:
    if not array.is_fully_addressable:
        return (
            "is spread over several processes, and this one sees a part of it: pass the data of "
            "x.addressable_shards with a hurray.Shard each, or "
            "jax.experimental.multihost_utils.process_allgather(x)"
        )
    count = len(array.sharding.device_set)
    if count > 1:
        return (
            f"is spread over {count} devices: pass the data of x.addressable_shards with a hurray.Shard each, or "
            "jax.device_put(x, jax.devices()[0])"
        )
    return None


def _elements(array: Any) -> str | None:
    if jax.numpy.issubdtype(array.dtype, jax.dtypes.extended):
        return "holds keys of a random generator, not numbers: pass jax.random.key_data(x)"
    if str(array.dtype) not in FROM_JAX:
        return f"cannot be expressed: {way_out(array.dtype)}"
    return None


def named(array: Any) -> str:
    """The array in an error."""
    return f"a JAX array of dtype {array.dtype} and shape {tuple(array.shape)}"
