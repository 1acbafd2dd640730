"""What every door that hands out elements does with a tensor whose elements are not plain numbers in memory.

Requirements: sync_mode; NumPy and PyTorch Interoperability; Dynamic dimensions; ruling 8. PEERS: quantised codes are
never handed out as plain numbers.
"""

from __future__ import annotations

import builtins
import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, handle
from core_numpy import np
from core_tensors import EVERY, assembled, by_channel, contents, floats, quantised, same

BY_TYPE = hurray.UnsupportedError
NUMPY = pytest.mark.skipif(
    not importlib.util.find_spec("hurray_numpy"), reason="hurray-numpy is not installed"
)


def unsynced(mode: int) -> hurray.Tensor:
    """Two floats on a device that may still be writing them."""
    return assembled(FLOAT32, 1, (2,), (floats(1, 2),), handles=handle(8, device=1, sync=mode))


TENSORS: dict[str, tuple[Callable[[], hurray.Tensor], str]] = {
    "event": (lambda: unsynced(1), r"\bevent\b"),
    "consumer_stream": (lambda: unsynced(2), r"\bconsumer_stream\b"),
    "one scale": (quantised, "quantised"),
    "scales": (by_channel, "quantised"),
    "dynamic": (EVERY["dynamic"], r"dimension 0\b.*dynamic"),
    **{kind: (EVERY[kind], rf"\b{kind}\b") for kind in ("coo", "csr", "csc", "csf")},
    "block_paged": (EVERY["paged"], r"\bblock_paged\b"),
    "extension": (EVERY["private"], r"\bextension\b"),
}
# The doors of Python's own protocols refuse by its own BufferError (ruling 8), all others by UnsupportedError.
DOORS: dict[str, tuple[Any, type[Exception]]] = {
    "memoryview": (memoryview, builtins.BufferError),
    "__dlpack__": (lambda t: t.__dlpack__(), builtins.BufferError),
    "__dlpack__ max_version": (lambda t: t.__dlpack__(max_version=(1, 1)), builtins.BufferError),
    "__dlpack__ copy": (lambda t: t.__dlpack__(copy=True), builtins.BufferError),
    "__dlpack__ stream": (lambda t: t.__dlpack__(stream=-1), builtins.BufferError),
    "tolist": (lambda t: t.tolist(), BY_TYPE),
    "tobytes": (lambda t: t.tobytes(), BY_TYPE),
    "bytes": (bytes, BY_TYPE),
    "tofile": (lambda t: t.tofile(io.BytesIO()), BY_TYPE),
    "a buffer": (lambda t: hurray.Tensor(t, hurray.uint8, (1,)), BY_TYPE),
    "from_buffer as another type": (
        lambda t: hurray.Tensor.from_buffer(t, hurray.uint16),
        builtins.BufferError,
    ),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", TENSORS)
def test_a_door_that_hands_out_elements_says_why_not(kind: str, door: str) -> None:
    """The error has the class that the door's protocol demands, and names the mode, the layout or the reason."""
    make, reason = TENSORS[kind]
    use, error = DOORS[door]
    with pytest.raises(error, match=f"(?s){reason}"):
        use(make())


@NUMPY
@pytest.mark.parametrize("kind", TENSORS)
def test_numpy_gets_nothing_that_is_not_numbers(kind: str) -> None:
    """__array__ MUST raise UnsupportedError, and np.asarray, which tries other protocols first, lets it through."""
    make, reason = TENSORS[kind]
    tensor = make()
    uses: list[Callable[[], Any]] = [
        tensor.__array__,
        lambda: tensor.__array__(copy=True),
        lambda: np.asarray(tensor),
        lambda: np.array(tensor, dtype=np.float32),
        lambda: tensor.to("numpy"),
    ]
    for use in uses:
        with pytest.raises(hurray.UnsupportedError, match=f"(?s){reason}"):
            use()
    with pytest.raises((builtins.BufferError, hurray.UnsupportedError)):
        np.from_dlpack(tensor)


@pytest.mark.parametrize("mode", ["event", "consumer_stream"])
def test_no_bridge_is_asked_for_what_is_not_synced(mode: str) -> None:
    """to_torch MUST refuse with UnsupportedError naming the mode, whether its bridge is there or not."""
    tensor = TENSORS[mode][0]()
    for use in (tensor.to_torch, tensor.to_scipy, lambda: tensor.to("torch"), tensor.__array__):
        with pytest.raises(hurray.UnsupportedError, match=mode):
            use()
    with pytest.raises(hurray.UnsupportedError, match=rf"buffer\(0\).*{mode}"):
        tensor.buffer(0)


@pytest.mark.parametrize("mode", ["event", "consumer_stream"])
def test_a_file_relays_the_mode(mode: str, tmp_path: Path) -> None:
    """Relaying a declaration is not reading a byte: save and FileWriter write it, load and open give it back."""
    tensor = TENSORS[mode][0]()
    path = tmp_path / "x.hrry"
    hurray.save(path, {"w": tensor})
    for io_ in ("mmap", "read"):
        again = hurray.load(path, io=io_)["w"]
        assert again.buffer_handles[0].sync_mode == mode
        assert again.device == tensor.device
        hurray.save(tmp_path / "y.hrry", {"w": again})
        assert (tmp_path / "y.hrry").read_bytes() == path.read_bytes()
    assert floats(1, 2) in path.read_bytes()


@pytest.mark.parametrize("kind", ["one scale", "scales"])
def test_codes_stay_codes_by_every_way_around(kind: str, tmp_path: Path) -> None:
    """A view, a copy, a file or another container of a quantised tensor is a quantised tensor."""
    tensor = TENSORS[kind][0]()
    path = tmp_path / "x.hrry"
    hurray.save(path, {"w": tensor})
    ways = [
        tensor.T,
        hurray.asarray(tensor),
        hurray.asarray(tensor, copy=True),
        hurray.Tensor.from_buffer(tensor),
        hurray.Tensor.from_buffer(tensor, copy=True),
        hurray.load(path)["w"],
        hurray.Tensor.from_descriptor(tensor.descriptor, contents(tensor)),
    ]
    for way in ways:
        assert way.quantization is not None
        with pytest.raises(builtins.BufferError, match="quantised"):
            memoryview(way)
        with pytest.raises(hurray.UnsupportedError, match="quantised"):
            way.tolist()
    assert all(same(way, tensor) for way in ways[1:])
    assert tensor.buffer(0).tolist() == list(range(6))


@NUMPY
@pytest.mark.parametrize(
    "kind", [kind for kind in TENSORS if kind not in ("event", "consumer_stream", "dynamic")]
)
@pytest.mark.parametrize("suffix", [".npy", ".npz"])
def test_a_foreign_file_gets_nothing_that_it_cannot_say(kind: str, suffix: str, tmp_path: Path) -> None:
    """A conversion to NumPy's formats refuses by the reason and leaves no file."""
    source, target = tmp_path / "x.hrry", tmp_path / f"x{suffix}"
    hurray.save(source, {"w": TENSORS[kind][0]()})
    reason = "private" if kind == "extension" else TENSORS[kind][1]
    with pytest.raises((hurray.UnsupportedError, hurray.FileError), match=reason):
        hurray.convert(source, target)
    assert not target.exists()
