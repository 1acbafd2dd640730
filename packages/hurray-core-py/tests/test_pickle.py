"""pickle, copy.copy and copy.deepcopy of everything that is a value (issue 4, People; PEP 574)."""

from __future__ import annotations

import copy
import pickle
import sys
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, handle
from core_memory import address, aligned, python
from core_tensors import EVERY, assembled, bare, contents, csr, floats, placed, same, words

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def readonlies(tensor: hurray.Tensor) -> list[bool]:
    return [tensor.buffer(at).readonly for at in range(tensor.buffer_count)]


def mixed() -> hurray.Tensor:
    """A csr tensor over writable, read-only and writable memory."""
    buffers = placed(floats(5, 7)), placed(words(0, 2)).toreadonly(), placed(words(0, 1, 2))
    return hurray.Tensor.from_descriptor(csr().descriptor, buffers, copy=False)


# --- tensors -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("kind", EVERY)
def test_a_tensor_comes_back(kind: str, protocol: int) -> None:
    """Every layout, section and element type, by every protocol: equal but for measured alignment."""
    tensor = EVERY[kind]()
    again = pickle.loads(pickle.dumps(tensor, protocol))
    assert same(tensor, again)
    assert (again.layout, again.dtype is tensor.dtype, again.shape) == (tensor.layout, True, tensor.shape)
    assert again.quantization == tensor.quantization
    assert readonlies(again) == readonlies(tensor)
    assert all(one.alignment >= 64 or one.is_empty for one in again.buffer_handles)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_read_only_buffers_stay_so_each_by_itself(protocol: int) -> None:
    """A read-only source never becomes writable, and what is writable stays so."""
    again = pickle.loads(pickle.dumps(mixed(), protocol))
    assert readonlies(again) == [False, True, False]
    memoryview(again.values)[0] = 1.5  # type: ignore[call-overload]
    assert again.values.tolist() == [1.5, 7]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_device_keeps_its_id(protocol: int) -> None:
    """The id is runtime metadata that no descriptor says."""
    for device in (hurray.Device("cpu", 3), hurray.Device("cuda", 7, "unified"), hurray.Device(0xF3, 1)):
        tensor = hurray.Tensor(bytes(8), hurray.float32, (2,), device)
        again = pickle.loads(pickle.dumps(tensor, protocol))
        assert again.device == device
        assert again.buffer_handles[0].device is again.device
        assert bare(again.descriptor) == bare(tensor.descriptor)
        assert pickle.loads(pickle.dumps(tensor.descriptor, protocol)).device == device
        assert copy.copy(tensor).device == copy.deepcopy(tensor).device == device
    plain = hurray.Tensor(bytes(8), hurray.float32, (2,))
    assert pickle.loads(pickle.dumps(plain, protocol)).device is plain.device


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_is_not_synced_is_relayed(protocol: int) -> None:
    """Relaying a declaration is not reading a byte: the mode crosses unchanged."""
    tensor = assembled(FLOAT32, 1, (2,), (floats(1, 2),), handles=handle(8, device=1, sync=1))
    again = pickle.loads(pickle.dumps(tensor, protocol))
    assert again.buffer_handles[0].sync_mode == "event"
    assert bare(again.descriptor) == bare(tensor.descriptor)


@pytest.mark.parametrize("payload", [b"", b"\x01", bytes(100), handle(8) * 3], ids=len)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_unknown_layout_comes_back(payload: bytes, protocol: int) -> None:
    """A relay rebuilds what it has: the payload's end crosses too, which the wire does not tell."""
    layout = hurray.UnknownLayout(0x0C, payload)
    tensor = hurray.Tensor(bytes(40), hurray.float32, (2, 3), aux_buffers=[b"abc"], layout=layout)
    again = pickle.loads(pickle.dumps(tensor, protocol))
    assert same(tensor, again)
    assert again.layout == layout
    assert pickle.loads(pickle.dumps(tensor.descriptor, protocol)) == tensor.descriptor


# --- protocol 5, out of band -------------------------------------------------------------------------------


def parted(obj: Any) -> tuple[bytes, list[pickle.PickleBuffer]]:
    buffers: list[pickle.PickleBuffer] = []
    return pickle.dumps(obj, 5, buffer_callback=buffers.append), buffers


@pytest.mark.parametrize("kind", EVERY)
def test_every_buffer_goes_out_of_band(kind: str) -> None:
    """Protocol 5: one PickleBuffer a buffer, over the tensor's own memory, in the descriptor's order."""
    tensor = EVERY[kind]()
    stream, buffers = parted(tensor)
    assert len(buffers) == tensor.buffer_count
    for at, buffer in enumerate(buffers):
        view = buffer.raw()
        assert view.nbytes == tensor.buffer_handles[at].byte_size
        assert view.readonly is tensor.buffer(at).readonly
        if view.nbytes:
            assert address(view) == address(tensor.buffer(at))
    assert same(pickle.loads(stream, buffers=buffers), tensor)


def test_nothing_is_copied_either_way() -> None:
    """The unpickled tensor shares the out-of-band buffers where they are aligned."""
    size = 64 << 20
    tensor = hurray.Tensor(aligned(size), hurray.uint8, (size,))
    stream, buffers = parted(tensor)
    assert len(stream) < 1000
    again = pickle.loads(stream, buffers=buffers)
    assert address(again) == address(tensor)
    memoryview(tensor)[7] = 9
    assert memoryview(again)[7] == 9
    sparse = mixed()
    stream, buffers = parted(sparse)
    other = pickle.loads(stream, buffers=buffers)
    for at in range(3):
        assert address(other.buffer(at)) == address(sparse.buffer(at))
    assert readonlies(other) == [False, True, False]


def test_what_arrives_decides() -> None:
    """Read-only memory that a transport hands over makes a read-only tensor; unaligned memory is copied."""
    stream, buffers = parted(hurray.Tensor(placed(floats(1, 2)), hurray.float32, (2,)))
    whole = placed(bytes(buffers[0].raw()))
    frozen = pickle.loads(stream, buffers=[whole.toreadonly()])
    assert (frozen.readonly, address(frozen)) == (True, address(whole))
    shifted = aligned(8, 4)
    shifted[:] = whole
    moved = pickle.loads(stream, buffers=[shifted])
    assert (moved.tolist(), address(moved) % 64, moved.readonly) == ([1, 2], 0, False)


def test_buffers_keep_the_memory_and_nothing_else() -> None:
    """A PickleBuffer outlives the tensor that it came from."""
    source = bytearray(128)
    tensor = hurray.Tensor(memoryview(source)[-address(source) % 64 :][:64], hurray.uint8, (64,))
    _, buffers = parted(tensor)
    del tensor
    with pytest.raises(BufferError):
        source.extend(b"x")
    buffers[0].release()
    del buffers
    source.extend(b"x")


@pytest.mark.parametrize(
    ("buffers", "error"),
    [([bytes(7)], hurray.BufferError), ([object()], TypeError), ([bytes(8), bytes(8)], None)],
    ids=["short", "no buffer", "more than asked for"],
)
def test_what_does_not_fit_is_refused(buffers: list[Any], error: type[Exception] | None) -> None:
    """An unpickler is a door like the others."""
    stream, _ = parted(hurray.Tensor(placed(floats(1, 2)), hurray.float32, (2,)))
    if error is None:
        assert pickle.loads(stream, buffers=buffers).shape == (2,)
        return
    with pytest.raises(error, match=r"buffers\[0\]"):
        pickle.loads(stream, buffers=buffers)


def test_a_damaged_descriptor_is_refused() -> None:
    """Unpickling checks a descriptor as decoding does."""
    stream = pickle.dumps(hurray.Tensor(bytes(8), hurray.float32, (2,)))
    damaged = stream.replace(b"HRRY\x01\x00", b"HRRY\x02\x00")
    assert damaged != stream
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        pickle.loads(damaged)
    assert caught.value.code == "D-3"
    longer = stream.replace(
        pack("<Q", 2) + bytes(8) + b"\x01" + pack("<Q", 8), pack("<Q", 3) + bytes(8) + b"\x01" + pack("<Q", 8)
    )
    assert longer != stream
    with pytest.raises(hurray.BufferError):
        pickle.loads(longer)


def test_a_tensor_of_a_file_crosses_and_stays_its_own(tmp_path: Any) -> None:
    """Mapped memory is pickled as any other; what comes back has nothing of the file."""
    path = tmp_path / "x.hrry"
    hurray.save(path, {"w": csr()})
    ways: list[tuple[Any, bool]] = [("mmap", True), ("mmap", False), ("read", True)]
    for io, writable in ways:
        with hurray.open(path, io=io, writable=writable) as file:
            tensor = file["w"]
            again = pickle.loads(pickle.dumps(tensor))
            stream, buffers = parted(tensor)
            shared = pickle.loads(stream, buffers=buffers)
        assert (same(again, tensor), same(shared, tensor)) == (True, True)
        assert readonlies(again) == readonlies(tensor) == readonlies(shared)
        assert address(shared.values) == address(tensor.values)


def test_one_tensor_twice_is_one() -> None:
    """By pickle's memo and deepcopy's: what was one object comes back as one."""
    tensor = csr()
    for again in (pickle.loads(pickle.dumps([tensor, tensor])), copy.deepcopy([tensor, tensor])):
        assert again[0] is again[1]
        assert again[0] is not tensor


# --- copy --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVERY)
def test_copy_shares_and_deepcopy_does_not(kind: str) -> None:
    """copy.copy: another tensor over the same memory; copy.deepcopy: memory of its own, to be written."""
    tensor = EVERY[kind]()
    shallow, deep = copy.copy(tensor), copy.deepcopy(tensor)
    assert shallow is not tensor
    assert shallow.descriptor == tensor.descriptor
    assert same(deep, tensor)
    for at, one in enumerate(tensor.buffer_handles):
        if one.byte_size:
            assert address(shallow.buffer(at)) == address(tensor.buffer(at)) != address(deep.buffer(at))
    assert readonlies(shallow) == readonlies(tensor)
    assert not any(readonlies(deep))


def test_writing_to_a_deep_copy_leaves_the_source() -> None:
    tensor = mixed()
    deep = copy.deepcopy(tensor)
    memoryview(deep.values)[0] = 1.5  # type: ignore[call-overload]
    memoryview(deep.col_indices)[0] = 1
    assert (tensor.values.tolist(), tensor.col_indices.tolist()) == ([5, 7], [0, 2])
    shallow = copy.copy(tensor)
    memoryview(shallow.values)[0] = 2.5  # type: ignore[call-overload]
    assert tensor.values.tolist() == [2.5, 7]


# --- everything else ---------------------------------------------------------------------------------------


def values(tmp_path: Any) -> dict[str, Any]:
    path = tmp_path / "v.hrry"
    hurray.save(path, {"w": csr()})
    path.write_bytes(path.read_bytes().replace(words(0, 2), words(2, 0)))
    with hurray.open(path) as file:
        entry = file.entry("w")
    tiled = hurray.TiledLayout((2, 4), inner_layout="tiled", inner_tiled=hurray.TiledLayout((1, 2)))
    return {
        "descriptor": csr().descriptor,
        "private descriptor": EVERY["private"]().descriptor,
        "handle": hurray.Tensor(bytes(8), hurray.uint8, (8,), hurray.Device("cuda", 2)).buffer_handles[0],
        "event": assembled(
            FLOAT32, 1, (2,), (floats(1, 2),), handles=handle(8, device=1, sync=1)
        ).buffer_handles[0],
        "device": hurray.Device(0xF2, 5, 0xF1),
        "dtype": hurray.dtype.int4,
        "private dtype": hurray.Dtype.from_tag(0xF7),
        "row": hurray.RowMajorLayout(),
        "column": hurray.ColMajorLayout(),
        "strided": hurray.StridedLayout((-3, 0)),
        "tiled": tiled,
        "morton": hurray.MortonLayout((2, 2)),
        "hilbert": hurray.HilbertLayout(2, 3),
        "coo": hurray.CooLayout(nnz=5, is_sorted=True),
        "csr": hurray.CsrLayout(nnz=5),
        "csc": hurray.CscLayout(nnz=5),
        "csf": hurray.CsfLayout(nnz=5, mode_order=(2, 1, 0)),
        "paged": hurray.BlockPagedLayout(2, 3, 0, 4, "value", 7, "uint64"),
        "overlay": hurray.CompositeLayout("overlay", 3, "add"),
        "group": hurray.CompositeLayout("group", 0),
        "private": hurray.PrivateExtensionLayout(0xF4, 2**63, b"xyz"),
        "unknown": hurray.UnknownLayout(0x0D, b"xyz"),
        "per tensor": hurray.PerTensorAffine(0.5, -3),
        "per channel": hurray.PerChannelAffine.asymmetric(0, 1, 2),
        "per block": hurray.PerBlockAffine.symmetric(1, 32, 1, hurray.bfloat16),
        "nf4": hurray.NF4(0, 64, 1),
        "mxfp": hurray.MXFP(1, 32, 1),
        "shard": hurray.Shard((8, 8), (0, 4)),
        "statistics": hurray.Statistics(nnz=7, value_mean=0.5, value_stddev=1.0),
        "extension": hurray.ExtensionType(16, is_float=True, sign_bits=1, exponent_bits=5, mantissa_bits=10),
        "entry": entry,
        "problem": hurray.verify(path)[0],
    }


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_value_object_comes_back(protocol: int, tmp_path: Any) -> None:
    """pickle, copy and deepcopy of everything that a user can hold a value of."""
    for name, value in values(tmp_path).items():
        for again in (
            pickle.loads(pickle.dumps(value, protocol)),
            copy.copy(value),
            copy.deepcopy(value),
        ):
            assert type(again) is type(value), name
            assert repr(again) == repr(value), name
            assert again == value, name


def test_nothing_public_was_forgotten(tmp_path: Any) -> None:
    """Every public class is pickled above, or is no value: then it says so."""
    held = {type(value).__name__ for value in values(tmp_path).values()} | {"Tensor"}
    public = {name for name in hurray.__all__ if isinstance(getattr(hurray, name), type)}
    errors = {name for name in public if issubclass(getattr(hurray, name), Exception)}
    no_values = {"File", "FileMap", "FileWriter", "Layout"}
    abstract = {"StreamReader", "StreamWriter", "Composite"}
    assert public - errors - held - abstract == no_values
    path = tmp_path / "x.hrry"
    hurray.save(path, {"w": csr()})
    with hurray.open(path) as file, hurray.FileWriter(tmp_path / "y.hrry") as writer:
        for obj in (file, writer, hurray.FileMap(path)):
            with pytest.raises(TypeError, match="pickle"):
                pickle.dumps(obj)


SPAWN = """
import multiprocessing, sys
import hurray
from core_tensors import EVERY, bare, contents

def described(tensor):
    return bare(tensor.descriptor), contents(tensor), tensor.device

def back(tensor):
    return tensor

if __name__ == "__main__":
    tensors = [make() for make in EVERY.values()]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(described, tensors) == [described(one) for one in tensors]
        again = pool.map(back, tensors)
    assert [described(one) for one in again] == [described(one) for one in tensors]
    print(len(again))
"""


def test_multiprocessing_ships_tensors(tmp_path: Any) -> None:
    """A spawned worker gets every kind of tensor and sends it back."""
    script = tmp_path / "spawned.py"
    script.write_text(SPAWN)
    done = python("import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')", script, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, str(len(EVERY))), done.stderr


def test_pickling_holds_no_references() -> None:
    """Neither way leaks a reference to the memory."""
    source = placed(floats(1, 2))
    before = sys.getrefcount(source)
    for _ in range(20):
        tensor = hurray.Tensor(source, hurray.float32, (2,))
        for protocol in PROTOCOLS:
            pickle.loads(pickle.dumps(tensor, protocol))
        copy.copy(tensor)
        copy.deepcopy(tensor)
    del tensor
    assert sys.getrefcount(source) == before
    assert contents(hurray.Tensor(source, hurray.float32, (2,))) == [floats(1, 2)]


def test_a_pickle_cannot_put_buffers_on_another_device() -> None:
    """The bytes say where the buffers are; only the number of the device is not in them."""
    from hurray._core import _descriptor

    cuda = hurray.Tensor(bytes(4), hurray.uint8, [4], hurray.Device("cuda", 1)).descriptor
    assert _descriptor(cuda.encode(), hurray.Device("cuda", 3)).device.device_id == 3
    for place in (hurray.Device("cpu"), hurray.Device("cuda", 1, "unified"), hurray.Device("rocm", 1)):
        with pytest.raises(hurray.InvalidDescriptorError, match="not on"):
            _descriptor(cuda.encode(), place)
