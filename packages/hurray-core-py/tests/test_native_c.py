"""The native protocol with a peer in C, built against hurray.h with the system's compiler."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
from pathlib import Path
from typing import Any

import core_cc
import core_tensors
import hurray
import pytest
from core_files import FLOAT32, descriptor, handle
from core_memory import address, python, run
from hurray import native
from test_native import NAME, SAMPLES, USED, Returns, floats

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return core_cc.native_peer(tmp_path_factory.mktemp("peer"))


def test_c_reads_what_python_made(tmp_path: Path) -> None:
    """The protocol serves consumers in other languages: descriptor and bytes, by the header alone."""
    core_cc.native_peer(tmp_path)
    code = """
import ctypes, sys, hurray
peer = ctypes.PyDLL(sys.argv[1])
csr = hurray.Tensor(bytes(8), hurray.float32, (2, 2), layout=hurray.CsrLayout(nnz=2),
                    aux_buffers=[bytes([0] * 8 + [1] + [0] * 7), bytes([0] * 8 + [1] + [0] * 7 + [2] + [0] * 7)])
for t in (hurray.Tensor(bytes(range(6)), hurray.uint8, (2, 3)), csr,
          hurray.Tensor(bytes(8), hurray.float64, (), hurray.Device("cuda", 2))):
    status = peer.peer_consume(ctypes.py_object(t.__hurray__()))
    assert status == 0, status
"""
    printed = run(code, tmp_path / "native_peer.so").splitlines()
    assert printed == [
        "type 0x11, layout 0x01, offset 0, shape 2 3",
        "buffer 0: 6 bytes, device 0, class 0, sync 0, aligned 1: 00 01 02 03 04 05",
        "type 0x03, layout 0x07, offset 0, shape 2 2",
        "buffer 0: 8 bytes, device 0, class 0, sync 0, aligned 1: 00 00 00 00 00 00 00 00",
        "buffer 1: 16 bytes, device 0, class 0, sync 0, aligned 1: "
        + " ".join(["00"] * 8 + ["01"] + ["00"] * 7),
        "buffer 2: 24 bytes, device 0, class 0, sync 0, aligned 1: "
        + " ".join(["00"] * 8 + ["01"] + ["00"] * 7 + ["02"] + ["00"] * 7),
        "type 0x04, layout 0x01, offset 0, shape",
        "buffer 0: 8 bytes, device 1, class 0, sync 0, aligned 1:",
    ]


def test_c_gives_the_reference_back(peer: Any, capfd: pytest.CaptureFixture[str]) -> None:
    tensor = floats()
    before = sys.getrefcount(tensor)
    capsule = tensor.__hurray__()
    assert peer.peer_consume(ctypes.py_object(capsule)) == 0
    assert sys.getrefcount(tensor) == before
    assert peer.peer_consume(ctypes.py_object(capsule)) == -1
    with pytest.raises(hurray.BufferError, match="consumed before"):
        hurray.from_hurray(Returns(capsule))
    assert "shape 2 3" in capfd.readouterr().out


def test_python_reads_what_c_made(peer: Any) -> None:
    """from_hurray MUST accept any object whose __hurray__ returns a valid capsule, and own the buffers."""
    before = peer.peer_released()
    capsule = peer.peer_produce(FLOAT32)
    tensor = hurray.from_hurray(Returns(capsule))
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert (tensor.device, tensor.readonly, tensor.buffer_count) == (hurray.device.cpu, False, 1)
    view = memoryview(tensor)
    view[0, 0] = 9
    del capsule, tensor
    gc.collect()
    assert (view[0, 0], peer.peer_released() - before) == (9, 0)
    view.release()
    del view
    # The memory and the context's owner, once each.
    assert peer.peer_released() - before == 2


def test_a_capsule_of_c_that_nobody_takes(peer: Any) -> None:
    before = peer.peer_released()
    peer.peer_produce(FLOAT32)
    assert peer.peer_released() - before == 2


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_dtype_and_layout_comes_back_through_c(peer: Any, kind: str) -> None:
    """Element i of the list MUST be the buffer at index i of the descriptor's buffer table."""
    tensor = SAMPLES[kind]
    count, before = sys.getrefcount(tensor), peer.peer_released()
    back = hurray.from_hurray(Returns(peer.peer_rewrap(ctypes.py_object(tensor.__hurray__()))))
    assert core_tensors.same(back, tensor)
    assert [address(back.buffer(at)) for at in range(back.buffer_count)] == [
        address(tensor.buffer(at)) for at in range(tensor.buffer_count)
    ]
    # The capsule's own owner is kept as long as the tensor.
    assert (sys.getrefcount(tensor), peer.peer_released()) == (count + 1, before)
    del back
    assert (sys.getrefcount(tensor), peer.peer_released()) == (count, before + 1)


def test_what_the_abi_does_not_say_the_object_may(peer: Any) -> None:
    """The number of the device and read-only memory: attributes of the object that has the dunder."""
    tensor = hurray.Tensor(bytes(64), hurray.float32, (16,), hurray.Device("rocm", 4))

    def rewrapped() -> Any:
        return peer.peer_rewrap(ctypes.py_object(tensor.__hurray__()))

    assert hurray.from_hurray(Returns(rewrapped(), device=tensor.device)).device.device_id == 4
    told = Returns(rewrapped(), __dlpack_device__=lambda: (10, 3))
    assert hurray.from_hurray(told).device == hurray.Device("rocm", 3)
    other = Returns(rewrapped(), device=hurray.Device("cuda", 9), readonly=True)
    back = hurray.from_hurray(other)
    assert (back.device, back.readonly) == (hurray.Device("rocm", 0), True)
    silent = hurray.from_hurray(Returns(rewrapped(), device="rocm:1", readonly=1))
    assert (silent.device.device_id, silent.readonly) == (0, False)


FAULTS: dict[str, tuple[type[Exception], str]] = {
    "version": (hurray.UnsupportedError, "version 5 of the C ABI"),
    "version 0": (hurray.UnsupportedError, "version 0 of the C ABI"),
    "size": (hurray.BufferError, "buffer 0 of the capsule is 23 bytes, and the descriptor declares 24"),
    "huge": (hurray.BufferError, "buffer 0 of the capsule is 18446744073709551607 bytes"),
    "none": (hurray.BufferError, "holds 0 buffers, and its descriptor declares 1"),
    "two": (hurray.BufferError, "holds 2 buffers, and its descriptor declares 1"),
    "many": (hurray.BufferError, "holds 100000 buffers, and its descriptor declares 1"),
    "device": (hurray.BufferError, "device tag 0x01, and the descriptor declares 0x00"),
    "class": (hurray.BufferError, "memory class 0x01, and the descriptor declares 0x00"),
    "address": (hurray.BufferError, "aligned to 8 bytes"),
    "no context": (hurray.BufferError, "no context"),
    "no descriptor": (hurray.BufferError, "no descriptor"),
    "used": (hurray.BufferError, "consumed before"),
    "name": (hurray.BufferError, "name is"),
    "no name": (hurray.BufferError, "no name"),
}
UNTAKEN = {"version", "version 0", "no context", "used", "name", "no name"}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_hostile_capsule_is_refused(peer: Any, fault: str) -> None:
    """A consumer MUST reject a capsule whose list length differs; BufferError, UnsupportedError by version."""
    error, text = FAULTS[fault]
    before = peer.peer_released()
    capsule = peer.peer_broken(fault.encode(), None, ctypes.c_uint64(0))
    with pytest.raises(error, match=text):
        hurray.from_hurray(Returns(capsule))
    if fault not in UNTAKEN:
        # It was taken, and given up with everything in it.
        buffers = {"none": 0, "two": 2, "many": 100_000, "address": 0}.get(fault, 1)
        assert peer.peer_released() - before == buffers + 1
    if fault.startswith("version"):
        # Of another version nothing is touched: the capsule still belongs to its maker.
        assert ctypes.pythonapi.PyCapsule_IsValid(ctypes.py_object(capsule), NAME) == 1


def test_a_sync_mode_that_the_descriptor_does_not_declare_is_refused(peer: Any) -> None:
    blob = descriptor(FLOAT32, shape=(2, 3), sizes=(24,), handles=handle(24, device=1))
    capsule = peer.peer_broken(b"sync", blob, ctypes.c_uint64(len(blob)))
    with pytest.raises(hurray.BufferError, match="sync mode 0x01, and the descriptor declares 0x00"):
        hurray.from_hurray(Returns(capsule))


@pytest.mark.parametrize("mode", [1, 2])
def test_a_tensor_of_c_that_is_not_synced_is_described(peer: Any, mode: int) -> None:
    blob = descriptor(FLOAT32, shape=(2, 3), sizes=(24,), handles=handle(24, device=1, sync=mode))
    fault = {1: b"sync", 2: b"stream"}[mode]
    tensor = hurray.from_hurray(Returns(peer.peer_broken(fault, blob, ctypes.c_uint64(len(blob)))))
    assert tensor.buffer_handles[0].sync_mode in ("event", "consumer_stream")
    for protocol in (tensor.__hurray__, tensor.__dlpack__):
        with pytest.raises(BufferError, match="sync mode"):
            protocol()


@pytest.mark.parametrize(
    "blob",
    [b"", b"H", b"HRRY", bytes(61), b"HRRY\x02" + bytes(56), b"\xff" * 200],
    ids=["empty", "a byte", "magic", "zeros", "major 2", "ones"],
)
def test_a_descriptor_that_is_none_is_refused(peer: Any, blob: bytes) -> None:
    capsule = peer.peer_broken(b"", blob, ctypes.c_uint64(len(blob)))
    with pytest.raises(hurray.BufferError, match="descriptor"):
        hurray.from_hurray(Returns(capsule))
    assert ctypes.pythonapi.PyCapsule_IsValid(ctypes.py_object(capsule), USED) == 1


def test_a_descriptor_that_claims_more_than_its_buffer_is_refused(peer: Any) -> None:
    """The rule's own error is the cause, and its code is kept."""
    blob = descriptor(FLOAT32, shape=(2**40,), sizes=(24,))
    with pytest.raises(hurray.BufferError, match="refused") as caught:
        hurray.from_hurray(Returns(peer.peer_broken(b"", blob, ctypes.c_uint64(len(blob)))))
    assert isinstance(caught.value.__cause__, ValueError)
    assert caught.value.code


def test_random_descriptors_are_refused_or_read(peer: Any) -> None:
    import random

    noise = random.Random(5)
    good = hurray.Tensor(bytes(24), hurray.float32, (2, 3)).descriptor.encode()
    refused = 0
    for _ in range(3000):
        blob = bytearray(good)
        for _ in range(noise.randrange(1, 4)):
            blob[noise.randrange(len(blob))] = noise.randrange(256)
        try:
            tensor = hurray.from_hurray(
                Returns(peer.peer_broken(b"", bytes(blob), ctypes.c_uint64(len(blob))))
            )
            repr(tensor)
        except (hurray.BufferError, hurray.UnsupportedError):
            refused += 1
    assert 1000 < refused < 3000


def test_memory_of_a_device_is_never_read(peer: Any) -> None:
    """What C says is CUDA memory is described and handed on."""
    tensor = hurray.Tensor(bytes(64), hurray.float32, (16,), hurray.Device("cuda", 1))
    back = hurray.from_hurray(Returns(peer.peer_rewrap(ctypes.py_object(tensor.__hurray__()))))
    for read in (back.tolist, back.tobytes, lambda: back.buffer(0)):
        with pytest.raises(hurray.UnsupportedError, match="cuda"):
            read()
    again = hurray.from_hurray(back)
    assert (again.descriptor, again.device) == (back.descriptor, back.device)


def test_capsules_of_c_at_exit(tmp_path: Path) -> None:
    core_cc.native_peer(tmp_path)
    code = """
import ctypes, sys, hurray
from test_native import Returns
peer = ctypes.PyDLL(sys.argv[1])
peer.peer_produce.restype = peer.peer_rewrap.restype = ctypes.py_object
t = hurray.Tensor(bytes(64), hurray.uint8, (64,))
sys.kept = [
    peer.peer_produce(3),
    hurray.from_hurray(Returns(peer.peer_produce(3))),
    peer.peer_rewrap(ctypes.py_object(t.__hurray__())),
    hurray.from_hurray(Returns(peer.peer_rewrap(ctypes.py_object(t.__hurray__())))),
]
print("end")
"""
    done = python(code, tmp_path / "native_peer.so")
    assert (done.returncode, done.stdout) == (0, "end\n"), done.stderr


def test_the_header_and_the_library_are_where_they_are_said_to_be() -> None:
    header = (Path(native.include()) / "hurray.h").read_text(encoding="utf-8")
    assert "#define HURRAY_C_ABI_VERSION 4" in header
    library = ctypes.CDLL(native.library())
    assert library.hurray_c_abi_version() == 4


def test_the_library_has_every_function_of_the_header() -> None:
    import re

    header = (Path(native.include()) / "hurray.h").read_text(encoding="utf-8")
    code = re.sub(r"//.*", "", header)
    names = set(re.findall(r"\b(hurray_\w+)\(", code))
    assert len(names) > 25
    library = ctypes.CDLL(native.library())
    assert [name for name in sorted(names) if not hasattr(library, name)] == []


def test_the_header_is_that_of_the_crate() -> None:
    """The one fact stands twice, here and in hurray-ffi: compared where cargo can say where that is."""
    import json
    import shutil

    manifest = HERE.parent / "Cargo.toml"
    if shutil.which("cargo") is None or not manifest.is_file():
        pytest.skip("cargo, or the crate's manifest, is not here")
    command = ["cargo", "metadata", "--locked", "--offline", "--format-version", "1", "--manifest-path"]
    done = subprocess.run([*command, str(manifest)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip("cargo has not fetched the crates")
    crates = [one for one in json.loads(done.stdout)["packages"] if one["name"] == "hurray-ffi"]
    theirs = Path(crates[0]["manifest_path"]).parent / "include" / "hurray.h"
    assert (Path(native.include()) / "hurray.h").read_text() == theirs.read_text()
