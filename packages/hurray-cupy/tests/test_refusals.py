"""What CuPy and the format cannot share, told without a device: CuPy makes arrays over any address."""

from __future__ import annotations

from typing import Any

import cupy
import hurray
import hurray_cupy
import pytest
from cupyx.scipy import sparse


def array(dtype: str = "float32", address: int = 1 << 20) -> Any:
    memory = cupy.cuda.UnownedMemory(address, 4096, None, device_id=0)
    return cupy.ndarray((3, 4), dtype, memptr=cupy.cuda.MemoryPointer(memory, 0))


def tensor(dtype: Any = hurray.float32, shape: Any = (8,), **more: Any) -> hurray.Tensor:
    return hurray.Tensor(bytearray(64), dtype, shape, **more)


@pytest.mark.parametrize("obj", [1, "text", [1.0], None, cupy.ndarray, cupy.float32])
def test_owns_arrays_alone(obj: object) -> None:
    assert hurray_cupy.bridge.owns(array()) is True
    assert hurray.bridges.find(array()) is hurray_cupy.bridge
    assert hurray_cupy.bridge.owns(obj) is False


@pytest.mark.parametrize("obj", [object(), None, "text"])
def test_foreign_objects_are_refused(obj: object) -> None:
    with pytest.raises(TypeError, match=rf"not a builtins\.{type(obj).__name__}"):
        hurray_cupy.bridge.from_object(obj)


@pytest.mark.parametrize("copy", [None, False, True])
def test_bool_would_be_packed_on_the_device(copy: bool | None) -> None:
    with pytest.raises(
        hurray.UnsupportedError, match=r"dtype bool .*packs bool.*hurray\.asarray\(x\.get\(\)\)"
    ):
        hurray.asarray(array("bool"), copy=copy)


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix])
def test_sparse_arrays_are_refused_with_the_way(kind: Any) -> None:
    obj = kind.__new__(kind)  # its constructor needs a device
    assert hurray_cupy.bridge.owns(obj)
    with pytest.raises(hurray.UnsupportedError, match=r"is sparse: hurray\.from_scipy\(x\.get\(\)\)"):
        hurray_cupy.bridge.from_object(obj)


@pytest.mark.parametrize("stream", ["0", 1.5, True, object()])
def test_a_stream_is_cupys_or_a_handle(stream: Any) -> None:
    with pytest.raises(TypeError, match=r"stream takes None, a cupy\.cuda\.Stream or a handle"):
        hurray_cupy.bridge.from_object(array(), stream=stream)
    with pytest.raises(TypeError, match="stream takes None"):
        tensor().to("cupy", stream=stream)


@pytest.mark.parametrize("stream", [0, -1, -7])
def test_a_handle_that_names_no_stream_is_refused(stream: int) -> None:
    with pytest.raises(ValueError, match=f"stream={stream} names no stream"):
        hurray_cupy.bridge.from_object(array(), stream=stream)
    with pytest.raises(ValueError, match="names no stream"):
        tensor().to("cupy", stream=stream)


def test_host_memory_takes_a_copy() -> None:
    with pytest.raises(hurray.CopyRequiredError, match="in host memory"):
        tensor().to("cupy", copy=False)


SMALL = (
    "bfloat16",
    "float8_e4m3",
    "float8_e5m2",
    "float8_e8m0",
    "float4_e2m1",
    "int4",
    "uint4",
    "int2",
    "uint2",
)


@pytest.mark.parametrize("dtype", SMALL)
def test_element_types_that_cupy_lacks(dtype: str) -> None:
    with pytest.raises(hurray.UnsupportedError, match=f"{dtype} .*has elements that CuPy has no type for"):
        tensor(dtype).to("cupy")


def test_what_is_no_plain_tensor() -> None:
    affine = hurray.PerTensorAffine(scale=0.5, zero_point=0)
    private = tensor(hurray.Dtype.from_tag(0xF0), extension_type=hurray.ExtensionType(8))
    sparse_one = hurray.sparse_coo([1.0, 2.0], [[0, 0], [1, 1]], (2, 2))
    odd = {
        "quantised": tensor(hurray.int8, quantization=affine),
        "dynamic": tensor(shape=(None,)),
        "extension": private,
        "layout coo": sparse_one,
    }
    for word, one in odd.items():
        with pytest.raises(hurray.UnsupportedError, match=word):
            one.to("cupy")
