"""Views of PyTorch's as strided layouts, shared (requirements: PyTorch Interoperability; ruling 7)."""

from __future__ import annotations

import ctypes
import gc

import hurray
import pytest
import torch

BASE = torch.arange(120.0).reshape(2, 3, 4, 5)
VIEWS = {
    "whole": BASE,
    "channels last": BASE.to(memory_format=torch.channels_last),
    "transposed": BASE[0, 0].t(),
    "row": BASE[1, 2, 3],
    "off by one": BASE.reshape(-1)[1:],
    "offset and steps": BASE[:, 1:, ::2, 1:],
    "expanded": torch.arange(3.0).expand(4, 3),
    "scalar inside": BASE[1, 1, 1, 1],
}


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_view_is_shared_with_its_strides_and_comes_back(view: torch.Tensor) -> None:
    tensor = hurray.from_torch(view, copy=False)
    assert tensor.shape == tuple(view.shape)
    assert tensor.tolist() == view.tolist()
    back = tensor.to_torch()
    assert back.data_ptr() == view.data_ptr()
    assert torch.equal(back, view)
    assert tensor.buffer_handles[0].alignment >= hurray.MIN_BUFFER_ALIGNMENT


def test_layouts() -> None:
    layouts = {name: hurray.from_torch(view).layout.name for name, view in VIEWS.items()}
    assert layouts["whole"] == layouts["off by one"] == layouts["row"] == "row_major"
    assert layouts["transposed"] == "col_major"
    assert hurray.from_torch(VIEWS["expanded"]).layout == hurray.StridedLayout((0, 1))
    assert hurray.from_torch(VIEWS["off by one"]).byte_offset == 4


@pytest.mark.parametrize("start", [0, 1])
def test_copy_true_is_memory_of_its_own(start: int) -> None:
    x = torch.arange(10.0)[start:]
    tensor = hurray.from_torch(x, copy=True)
    x[0] = 99
    assert 99 not in tensor.tolist()


def test_memory_that_is_not_aligned_is_copied_or_refused() -> None:
    memory = bytearray(400)
    start = -ctypes.addressof(ctypes.c_char.from_buffer(memory)) % 64 + 4
    x = torch.frombuffer(memory, dtype=torch.uint8)[start:].view(torch.uint8)
    x = torch.frombuffer(memoryview(memory)[start:], dtype=torch.float32, count=8)
    assert hurray.from_torch(x).tolist() == [0.0] * 8
    with pytest.raises(hurray.CopyRequiredError, match="align"):
        hurray.from_torch(x, copy=False)


def test_read_only_memory_crosses_as_a_private_copy() -> None:
    """Ruling 7: PyTorch cannot be told that memory is read-only; copy=False raises."""
    tensor = hurray.Tensor(bytes(64), hurray.float32, (16,))
    assert tensor.readonly
    tensor.to_torch()[0] = 5
    assert tensor.tolist()[0] == 0
    with pytest.raises(hurray.CopyRequiredError, match="read-only"):
        tensor.to("torch", copy=False)


def test_tiles_are_copied_and_refused_without() -> None:
    tensor = hurray.Tensor(bytearray(range(64)), hurray.uint8, (8, 8), layout=hurray.TiledLayout((2, 2)))
    assert tensor.to_torch().tolist() == tensor.tolist()
    with pytest.raises(hurray.CopyRequiredError, match="tiles"):
        tensor.to("torch", copy=False)


def test_the_source_may_go_first() -> None:
    tensor = hurray.from_torch(torch.arange(64.0))
    back = tensor.to_torch()
    del tensor
    gc.collect()
    assert back.tolist() == [float(n) for n in range(64)]
