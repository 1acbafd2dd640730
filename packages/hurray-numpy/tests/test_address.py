"""Rules that hold whatever the address of an array (issue 3, NumPy bridge; ruling 4 of 04-tables.md)."""

from __future__ import annotations

from pathlib import Path

import hurray
import numpy as np
import pytest


def aligned(size: int) -> np.ndarray:
    """Writable memory that starts at a multiple of 64; the buffer is kept by the array made of it."""
    raw = np.zeros(size + 64, np.uint8)
    skip = -raw.ctypes.data % 64
    return raw[skip : skip + size]


@pytest.mark.parametrize("shift", [0, 16])
@pytest.mark.parametrize("kind", ["float32", "bool"])
def test_read_only_stays_so_whatever_the_address(shift: int, kind: str) -> None:
    """Issue 3: read-only kept read-only, also where the memory had to be copied."""
    source = aligned(16 * 4 + shift)[shift:].view(kind)
    source.flags.writeable = False
    assert hurray.from_numpy(source).readonly
    assert not hurray.from_numpy(source, copy=True).readonly


def test_a_bool_is_0_or_1() -> None:
    """element-types.md §3: one bit an element; a byte that it cannot hold is refused, not rounded."""
    for values in ([0, 1, 2], [255] * 9, [1] * 8 + [4]):
        with pytest.raises(hurray.UnsupportedError, match="other than 0 and 1"):
            hurray.from_numpy(np.array(values, np.uint8).view(np.bool_))


def test_the_same_arrays_give_the_same_file_whatever_their_address(tmp_path: Path) -> None:
    """save: the same tensors always give the same file; sliced and broadcast through the format's own layouts."""
    files = set()
    for shift in range(0, 128, 8):
        array = aligned(12 * 6 * 4 + shift)[shift:].view(np.float32).reshape(12, 6)
        array[:] = np.arange(72).reshape(12, 6)
        views = {
            "s": array[:, ::2],
            "r": array[::-1],
            "t": array.T,
            "b": np.broadcast_to(array[0], (4, 6)),
            "q": array > 3,
        }
        hurray.save(tmp_path / "a.hrry", views)
        files.add((tmp_path / "a.hrry").read_bytes())
    assert len(files) == 1
    loaded = hurray.load(tmp_path / "a.hrry")
    assert {name: tensor.layout.name for name, tensor in loaded.items()} == {
        "s": "row_major",
        "r": "strided",
        "t": "col_major",
        "b": "strided",
        "q": "row_major",
    }
    for name, view in views.items():
        assert np.array_equal(np.asarray(loaded[name]), view)
