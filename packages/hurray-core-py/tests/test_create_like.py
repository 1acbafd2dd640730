"""zeros_like, ones_like, empty_like, full_like: the shape, dtype and device of another tensor."""

from __future__ import annotations

from typing import Any

import hurray
import pytest
from core_create import ALL, dtype, encoded
from core_numpy import np

LIKES: list[tuple[Any, str, int]] = [
    (hurray.zeros_like, "zeros_like", 0),
    (hurray.ones_like, "ones_like", 1),
    (lambda x, **options: hurray.full_like(x, 1, **options), "full_like", 1),
]
EMPTY: tuple[Any, str, int] = (hurray.empty_like, "empty_like", 0)
EACH = pytest.mark.parametrize(
    ("make", "call", "value"), [*LIKES, EMPTY], ids=[row[1] for row in (*LIKES, EMPTY)]
)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize(("make", "call", "value"), LIKES, ids=[row[1] for row in LIKES])
def test_shape_and_dtype_are_the_others(make: Any, call: str, value: int, name: str) -> None:
    if value == 0 and name == "float8_e8m0":
        return
    for shape in ((), (5,), (2, 3), (0, 4)):
        source = hurray.ones(shape, dtype=dtype(name))
        made = make(source)
        assert (made.shape, made.dtype, made.device) == (shape, dtype(name), source.device)
        assert made.tobytes() == encoded(name, [value] * int(np.prod(shape)))
        assert hurray.empty_like(source).dtype is dtype(name)


@EACH
def test_the_layout_is_row_major_whatever_the_others_is(make: Any, call: str, value: int) -> None:
    """Nothing but shape, dtype and device is taken over: not the layout, not the memory."""
    base = hurray.from_numpy(np.arange(12.0).reshape(3, 4))
    sources = [base.T, hurray.from_numpy(np.arange(24.0).reshape(4, 6)[::-1, ::2]).T]
    sources.append(hurray.sparse_coo(np.ones(1), np.zeros((1, 2), np.uint64), (3, 4)))
    for source in sources:
        made = make(source)
        assert made.layout == hurray.RowMajorLayout()
        assert made.shape == source.shape
        assert made.tolist() == [[value] * (source.shape[1] or 0)] * (source.shape[0] or 0)
    assert base.tolist() == np.arange(12.0).reshape(3, 4).tolist()


@EACH
def test_dtype_and_device_override(make: Any, call: str, value: int) -> None:
    source = hurray.ones((3,), dtype=hurray.int8)
    assert make(source, dtype=hurray.float32).dtype is hurray.float32
    assert make(source, device=hurray.device.cpu).device == hurray.device.cpu
    elsewhere = hurray.Tensor(bytes(4), hurray.float32, (1,), hurray.device.cuda)
    with pytest.raises(hurray.UnsupportedError, match=rf"^{call} .*cuda"):
        make(elsewhere)
    assert make(elsewhere, device=hurray.device.cpu).tolist() == [float(value)]
    with pytest.raises(hurray.UnsupportedError, match=rf"^{call} .*cuda"):
        make(source, device=hurray.device.cuda)


@EACH
def test_a_dynamic_dimension_of_the_other_is_refused(make: Any, call: str, value: int) -> None:
    """MUST refuse a dynamic dimension with InvalidDescriptorError, naming the call and the offending index."""
    source = hurray.Tensor(bytes(64), hurray.float32, (2, None, 3))
    with pytest.raises(hurray.InvalidDescriptorError, match=rf"^{call} .*x\.shape\[1\] is None"):
        make(source)


@EACH
def test_only_tensors_have_a_like(make: Any, call: str, value: int) -> None:
    for other in (np.zeros(3), (2, 3), None):
        with pytest.raises(TypeError, match=rf"^{call} takes a hurray.Tensor"):
            make(other)


@EACH
def test_a_private_type_is_refused(make: Any, call: str, value: int) -> None:
    section = hurray.ExtensionType(8)
    source = hurray.Tensor(bytes(3), hurray.Dtype.from_tag(0xF1), (3,), extension_type=section)
    with pytest.raises(hurray.UnsupportedError, match=rf"^{call} .*0xF1"):
        make(source)
    assert make(source, dtype=hurray.int8).tolist() == [value] * 3


def test_the_value_goes_into_the_others_dtype() -> None:
    source = hurray.zeros((2,), dtype=hurray.uint8)
    assert hurray.full_like(source, 255).tolist() == [255, 255]
    with pytest.raises(OverflowError, match="full_like: 256 is outside uint8"):
        hurray.full_like(source, 256)
    with pytest.raises(TypeError, match="full_like"):
        hurray.full_like(source, 1.0)


def test_a_zero_of_a_type_without_one() -> None:
    source = hurray.ones((2,), dtype=hurray.dtype.float8_e8m0)
    with pytest.raises(ValueError, match="zeros_like: float8_e8m0"):
        hurray.zeros_like(source)


def test_the_codes_of_a_quantised_tensor_are_no_ones() -> None:
    """The storage type is taken over and the scheme is not: a tensor of plain numbers."""
    source = hurray.Tensor(
        bytes(4), hurray.int8, (4,), quantization=hurray.PerTensorAffine(scale=0.5, zero_point=3)
    )
    made = hurray.ones_like(source)
    assert (made.quantization, made.dtype, made.tolist()) == (None, hurray.int8, [1, 1, 1, 1])
