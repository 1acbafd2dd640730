"""Whose memory it is, measured by addresses: sharing, alignment, layouts, writes and the end of it."""

from __future__ import annotations

import gc
import mmap
import weakref
from typing import Any

import hurray
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hurray.testing._memory import addresses
from jax.experimental.layout import Format, Layout

WIDE = ("float64", "complex128", "int64", "uint64")


def placed(shift: int, size: int = 1024) -> memoryview:
    return memoryview(mmap.mmap(-1, 4096))[shift : shift + size]


@pytest.mark.parametrize("dtype", WIDE)
def test_64_bits_are_refused_and_not_narrowed_while_x64_is_off(dtype: str) -> None:
    tensor = hurray.Tensor(bytearray(64), dtype, (2,))
    jax.config.update("jax_enable_x64", False)
    try:
        for copy in (None, False, True):
            with pytest.raises(
                hurray.UnsupportedError, match=r'jax\.config\.update\("jax_enable_x64", True\)'
            ):
                tensor.to("jax", copy=copy)
    finally:
        jax.config.update("jax_enable_x64", True)
    assert str(tensor.to("jax").dtype) == dtype


def inside(dtype: str, shift: int) -> hurray.Tensor:
    """16 elements of which the first lies ``shift`` bytes behind the start of the buffer."""
    memory = placed(0)
    blob = bytearray(hurray.Tensor(memory, dtype, (16,)).descriptor.encode())
    blob[28:36] = shift.to_bytes(8, "little")  # where a tensor of rank 1 has its byte offset
    tensor = hurray.Tensor.from_descriptor(hurray.Descriptor.decode(bytes(blob)), [memory])
    assert tensor.byte_offset == shift
    assert addresses(tensor)[0] % 64 == shift % 64
    return tensor


@pytest.mark.parametrize("dtype", ["float32", "float8_e4m3"])
@pytest.mark.parametrize("shift", [0, 64, 4, 16, 32])
def test_memory_is_shared_at_a_multiple_of_64_and_copied_elsewhere(dtype: str, shift: int) -> None:
    tensor = inside(dtype, shift)
    start = addresses(tensor)[0]
    if shift % 64:
        with pytest.raises(hurray.CopyRequiredError, match="no multiple of 64"):
            tensor.to("jax", copy=False)
        assert tensor.to("jax").unsafe_buffer_pointer() != start
    else:
        assert tensor.to("jax", copy=False).unsafe_buffer_pointer() == start
        assert tensor.to("jax").unsafe_buffer_pointer() == start
    assert tensor.to("jax", copy=True).unsafe_buffer_pointer() != start


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float8_e5m2"])
def test_read_only_memory_goes_as_a_private_copy(dtype: str) -> None:
    """Ruling 7: JAX asks for a capsule that cannot say read-only, and an explicit copy=False raises."""
    tensor = hurray.Tensor(placed(0).toreadonly(), dtype, (16,))
    out = tensor.to("jax")
    assert out.unsafe_buffer_pointer() != addresses(tensor)[0]
    with pytest.raises(hurray.CopyRequiredError, match="read-only"):
        tensor.to("jax", copy=False)
    jax.jit(lambda x: x * 2 + 1, donate_argnums=0)(out).block_until_ready()
    assert tensor.tobytes() == bytes(len(tensor.tobytes()))


def test_a_tensor_over_a_jax_array_is_read_only() -> None:
    tensor = hurray.asarray(jnp.arange(4.0))
    assert tensor.readonly
    assert memoryview(tensor.buffer(0)).readonly
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(tensor)[0] = 1
    assert not hurray.asarray(jnp.arange(4.0), copy=True).readonly


def test_a_donated_array_does_not_change_a_tensor_over_it() -> None:
    array = jnp.arange(4096, dtype=jnp.int32)
    tensor = hurray.asarray(array, copy=False)
    jax.jit(lambda x: x + 1, donate_argnums=0)(array).block_until_ready()
    assert tensor.tolist() == list(range(4096))


def test_a_deleted_array_leaves_its_memory_to_the_tensor() -> None:
    array = jnp.arange(4096, dtype=jnp.int32)
    tensor = hurray.asarray(array)
    array.delete()
    del array
    noise = [jnp.full(4096, 7, jnp.int32) for _ in range(16)]
    assert tensor.tolist() == list(range(4096))
    assert len(noise) == 16


def test_device_layouts_keep_their_order_without_a_copy() -> None:
    array = jnp.arange(24.0).reshape(2, 3, 4)
    for order, layout in {(2, 1, 0): "col_major", (1, 2, 0): "strided", (0, 1, 2): "row_major"}.items():
        other = jax.device_put(array, Format(Layout(order), array.sharding))
        tensor = hurray.asarray(other, copy=False)
        assert tensor.layout.name == layout
        assert addresses(tensor) == (other.unsafe_buffer_pointer(),)
        assert tensor.tolist() == array.tolist()


@pytest.mark.parametrize(
    ("strides", "shape", "shared"),
    [
        ((1, 3), (3, 4), True),
        ((1, 8, 2), (2, 3, 4), True),
        ((8, 2), (3, 4), False),
        ((0, 1), (3, 4), False),
        ((4, 1), (3, 3), False),
        ((7, 1), (1, 4), False),
    ],
)
def test_strides_are_shared_where_they_are_an_order_of_the_dimensions(
    strides: tuple[int, ...], shape: tuple[int, ...], shared: bool
) -> None:
    memory = placed(0)
    memory[:] = bytes(range(256)) * 4
    tensor = hurray.Tensor(memory, hurray.uint16, shape, layout=hurray.StridedLayout(strides))
    out = tensor.to("jax")
    assert out.tolist() == tensor.tolist()
    assert (out.unsafe_buffer_pointer() == addresses(tensor)[0]) is shared
    if shared:
        assert tensor.to("jax", copy=False).tolist() == tensor.tolist()
    else:
        with pytest.raises(hurray.CopyRequiredError, match="strides with gaps"):
            tensor.to("jax", copy=False)


def test_tiles_and_curves_are_copied() -> None:
    for layout in (hurray.MortonLayout((2, 2)), hurray.HilbertLayout(2, 2)):
        tensor = hurray.Tensor(placed(0), hurray.float32, (4, 4), layout=layout)
        assert tensor.to("jax").tolist() == tensor.tolist()
        with pytest.raises(hurray.CopyRequiredError, match="tiles or a curve"):
            tensor.to("jax", copy=False)


@pytest.mark.parametrize("dtype", ["float32", "float8_e4m3"])
def test_memory_is_freed_when_the_last_of_both_sides_goes(dtype: str) -> None:
    memory = mmap.mmap(-1, 4096)
    watch = weakref.ref(memory)
    tensor = hurray.Tensor(memory, dtype, (64,))
    out = tensor.to("jax", copy=False)
    again = hurray.asarray(out, copy=False)
    del memory, tensor
    gc.collect()
    assert watch() is not None
    del out
    gc.collect()
    assert watch() is not None
    del again
    gc.collect()
    assert watch() is None


def test_what_is_not_computed_yet_is_waited_for() -> None:
    step = jax.jit(lambda x: jnp.sort(jnp.sin(x)[::-1]))
    tensor = hurray.asarray(step(jnp.arange(300_000.0)))
    values: Any = np.asarray(tensor)
    assert (np.diff(values) >= 0).all()


@pytest.mark.parametrize("kind", ["cuda", "rocm"])
def test_memory_of_a_device_that_is_not_here_is_refused(kind: str) -> None:
    tensor = hurray.Tensor(bytearray(64), hurray.float32, (4,), device=hurray.Device(kind))
    with pytest.raises(hurray.UnsupportedError, match=f"is on {kind}, and this JAX cannot take it"):
        tensor.to("jax")
