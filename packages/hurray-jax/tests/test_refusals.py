"""Arrays of JAX that hold no memory of their own, or what the format has no place for: each with its way out."""

from __future__ import annotations

from typing import Any

import hurray
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import sparse
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def deleted() -> Any:
    array = jnp.arange(8.0)
    array.delete()
    return array


def donated() -> Any:
    array = jnp.arange(1024.0)
    jax.jit(lambda x: x + 1, donate_argnums=0)(array)
    return array


def spread(*names: str) -> Any:
    mesh = Mesh(np.array(jax.devices()[:2]), ("rows",))
    return jax.device_put(jnp.arange(8.0), NamedSharding(mesh, PartitionSpec(*names)))


CASES = {
    "deleted": (deleted, r"shape \(8,\) has been deleted, .*donate_argnums"),
    "donated": (donated, r"donated to: keep what the call returned"),
    "sharded": (lambda: spread("rows"), r"over 2 devices: .*addressable_shards with a hurray\.Shard"),
    "replicated": (spread, r"over 2 devices"),
    "keys": (lambda: jax.random.key(0), r"keys of a random generator.*jax\.random\.key_data"),
    "another float8": (lambda: jnp.ones(2, jnp.float8_e4m3b11fnuz), r"no float8 of this encoding: x\.astype"),
    "BCOO": (lambda: sparse.BCOO.fromdense(jnp.eye(3)), r"x\.data and x\.indices as tensors, or x\.todense"),
    "BCSR": (lambda: sparse.BCSR.fromdense(jnp.eye(3)), r"x\.data, x\.indices and x\.indptr"),
}


@pytest.mark.parametrize("copy", [None, False, True])
@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_with_the_way_out(name: str, copy: bool | None) -> None:
    make, text = CASES[name]
    with pytest.raises(hurray.UnsupportedError, match=text):
        hurray.asarray(make(), copy=copy)


@pytest.mark.parametrize("transform", [jax.jit, jax.vmap, jax.grad])
def test_a_tracer_is_refused(transform: Any) -> None:
    def traced(x: Any) -> Any:
        hurray.asarray(x)
        return x.sum()

    argument = 1.0 if transform is jax.grad else jnp.ones(3)
    with pytest.raises(hurray.UnsupportedError, match=r"is a tracer, .*result of the transformed function"):
        transform(traced)(argument)


def test_a_part_of_a_spread_array_is_taken() -> None:
    shards = spread("rows").addressable_shards
    assert [hurray.asarray(shard.data).tolist() for shard in shards] == [[0, 1, 2, 3], [4, 5, 6, 7]]


@pytest.mark.parametrize("code", [0x00, 0xFF])
def test_reserved_codes_of_e8m0_are_refused(code: int) -> None:
    x = jnp.asarray(np.array([127, code], np.uint8).view(jnp.float8_e8m0fnu))
    with pytest.raises(hurray.UnsupportedError, match=rf"e8m0fnu .*{code:#04x} at \[1\]"):
        hurray.asarray(x)
