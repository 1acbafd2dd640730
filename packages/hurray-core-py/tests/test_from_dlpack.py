"""hurray.from_dlpack: producers of every kind, those that lie included (PEERS, memory and claims)."""

from __future__ import annotations

import threading
from typing import Any

import core_dlpack as dl
import hurray
import pytest
from core_memory import address, aligned, run
from core_numpy import np

BOTH = pytest.mark.parametrize("version", [(1, 0), (1, 7), None], ids=["1.0", "1.7", "legacy"])


def memory(count: int = 16) -> tuple[memoryview, int]:
    """Aligned float32 numbers 0, 1, 2 … and where they are."""
    store = aligned(4 * count)
    store[:] = np.arange(count, dtype=np.float32).tobytes()
    return store, address(store)


class Old:
    """A producer from before 1.0: no version, no device."""

    def __init__(self, producer: dl.Producer) -> None:
        self.producer = producer

    def __dlpack__(self, stream: Any = None) -> Any:
        return self.producer.capsule()


class Bare:
    """Nothing but the dunder over another object's."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __dlpack__(self, **options: Any) -> Any:
        return self.inner.__dlpack__(**options)


@BOTH
def test_memory_is_shared_and_the_deleter_called_once(version: Any) -> None:
    """The Tensor owns the managed tensor: released once, when the last view is gone."""
    store, at = memory()
    producer = dl.Producer(at, (3, 4), version=version)
    tensor = hurray.from_dlpack(producer)
    assert (tensor.shape, tensor.dtype, tensor.layout) == ((3, 4), hurray.float32, hurray.RowMajorLayout())
    assert address(tensor) == at
    store[:4] = np.float32(9).tobytes()
    assert tensor.tolist()[0] == [9.0, 1.0, 2.0, 3.0]
    view, part = memoryview(tensor), tensor.T
    del tensor, part
    assert producer.deleted == 0
    view.release()
    del view
    assert producer.deleted == 1


@BOTH
def test_a_producer_with_the_dunder_alone_is_enough(version: Any) -> None:
    """STYLE 7: accept anything with the dunder."""
    _, at = memory()
    producer = dl.Producer(at, (4,), version=version)
    assert hurray.from_dlpack(producer).tolist() == [0, 1, 2, 3]
    assert hurray.from_dlpack(Bare(np.arange(3.0))).tolist() == [0, 1, 2]


def test_a_producer_from_before_versions_is_asked_as_it_expects() -> None:
    _, at = memory()
    producer = dl.Producer(at, (4,), version=None)
    tensor = hurray.from_dlpack(Old(producer))
    assert tensor.tolist() == [0, 1, 2, 3]
    assert not tensor.readonly
    del tensor
    assert producer.deleted == 1


def test_a_producer_is_told_which_version_is_known() -> None:
    producer = dl.Producer(memory()[1], (1,))
    hurray.from_dlpack(producer)
    assert producer.options["max_version"][0] == 1


@BOTH
@pytest.mark.parametrize("twice", [False, True])
def test_a_capsule_is_taken_once(version: Any, twice: bool) -> None:
    """A consumed capsule raises hurray.BufferError, and is not read."""
    _, at = memory()
    producer = dl.Producer(at, (4,), version=version)
    capsule = producer.capsule()

    class Same:
        def __dlpack__(self, **options: Any) -> Any:
            return capsule

    one = hurray.from_dlpack(Same())
    assert dl.name_of(capsule) == dl.USED[producer.name]
    for _ in range(2 if twice else 1):
        with pytest.raises(hurray.BufferError, match="consumed"):
            hurray.from_dlpack(Same())
    assert producer.deleted == 0
    del one
    assert producer.deleted == 1


def test_strides_offsets_and_order_are_kept() -> None:
    """PEERS, values: byte_offset counts; strides are honoured."""
    _, at = memory()
    cases: list[tuple[dict[str, Any], list[Any]]] = [
        ({"shape": (2, 3), "strides": (1, 2)}, [[0, 2, 4], [1, 3, 5]]),
        ({"shape": (2, 3), "strides": (4, 1)}, [[0, 1, 2], [4, 5, 6]]),
        ({"shape": (3,), "strides": (-2,), "byte_offset": 16}, [4, 2, 0]),
        ({"shape": (2, 2), "strides": (0, 1)}, [[0, 1], [0, 1]]),
        ({"shape": (2, 2), "byte_offset": 4}, [[1, 2], [3, 4]]),
        ({"shape": (), "byte_offset": 8}, 2.0),  # type: ignore[list-item]
        ({"shape": (0, 3)}, []),
        ({"shape": (2, 0)}, [[], []]),
    ]
    for arguments, expected in cases:
        producer = dl.Producer(at, **arguments)
        tensor = hurray.from_dlpack(producer)
        assert tensor.tolist() == expected
        del tensor
        assert producer.deleted == 1


@pytest.mark.parametrize(
    "dtype", [(0, 8), (1, 64), (2, 16), (2, 64), (4, 16), (5, 64), (5, 128), (10, 8), (12, 8), (14, 8)]
)
def test_types_come_in_as_what_they_are(dtype: tuple[int, int]) -> None:
    names = {
        (0, 8): "int8",
        (1, 64): "uint64",
        (2, 16): "float16",
        (2, 64): "float64",
        (4, 16): "bfloat16",
        (5, 64): "complex64",
        (5, 128): "complex128",
        (10, 8): "float8_e4m3",
        (12, 8): "float8_e5m2",
        (14, 8): "float8_e8m0",
    }
    store, at = memory()
    tensor = hurray.from_dlpack(dl.Producer(at, (2,), dtype=(*dtype, 1)))
    assert tensor.dtype.name == names[dtype]
    assert tensor.tobytes() == bytes(store[: 2 * dtype[1] // 8])


def test_a_producers_bool_is_packed() -> None:
    """Ruling 8: a producer's DLPack bool is packed on the way in."""
    store = aligned(64)
    store[:10] = bytes([1, 0, 1, 1, 0, 0, 0, 0, 1, 1])
    producer = dl.Producer(address(store), (2, 5), dtype=(6, 8, 1))
    with pytest.raises(hurray.CopyRequiredError, match="bit"):
        hurray.from_dlpack(producer, copy=False)
    assert producer.deleted == 1
    tensor = hurray.from_dlpack(producer)
    assert producer.deleted == 2
    assert (tensor.dtype, tensor.tobytes()) == (hurray.bool, b"\x0d\x03")


@BOTH
@pytest.mark.parametrize("copy", [None, False, True])
def test_the_read_only_flag_is_honoured(version: Any, copy: bool | None) -> None:
    """A read-only source never becomes writable."""
    _, at = memory()
    producer = dl.Producer(at, (4,), version=version, flags=dl.READ_ONLY)
    tensor = hurray.from_dlpack(producer, copy=copy)
    # A legacy capsule cannot say so; a copy is the receiver's own.
    assert tensor.readonly is (version is not None and copy is not True)
    assert producer.deleted == (1 if copy else 0)


REFUSED: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("negative ndim", {"ndim": -1}, hurray.BufferError),
    ("65 dimensions", {"ndim": 65}, hurray.BufferError),
    ("2**31-1 dimensions", {"ndim": 2**31 - 1}, hurray.BufferError),
    ("no shape", {"shape": None, "ndim": 2}, hurray.BufferError),
    ("no data", {"data": None}, hurray.BufferError),
    ("10**6 dimensions", {"ndim": 10**6}, hurray.BufferError),
    ("negative dimension", {"shape": (2, -3)}, hurray.BufferError),
    ("least dimension", {"shape": (-(2**63),)}, hurray.BufferError),
    ("huge dimension", {"shape": (2**63 - 1,)}, hurray.BufferError),
    ("huge product", {"shape": (2**40, 2**40)}, hurray.BufferError),
    ("product that wraps to 0", {"shape": (2**32, 2**32)}, hurray.BufferError),
    ("huge stride", {"shape": (3,), "strides": (2**61,)}, hurray.BufferError),
    ("stride that overflows in bytes", {"shape": (2,), "strides": (2**63 - 1,)}, hurray.BufferError),
    ("least stride", {"shape": (2,), "strides": (-(2**63),)}, hurray.BufferError),
    ("below address 0", {"shape": (2,), "strides": (-(2**60),)}, hurray.BufferError),
    ("huge offset", {"byte_offset": 2**63}, hurray.BufferError),
    ("largest offset", {"byte_offset": 2**64 - 1}, hurray.BufferError),
    ("two lanes", {"dtype": (2, 32, 2)}, hurray.UnsupportedError),
    ("no lanes", {"dtype": (2, 32, 0)}, hurray.UnsupportedError),
    ("no bits", {"dtype": (2, 0, 1)}, hurray.UnsupportedError),
    ("odd bits", {"dtype": (0, 12, 1)}, hurray.UnsupportedError),
    ("4-bit integers", {"dtype": (0, 4, 1)}, hurray.UnsupportedError),
    ("opaque handles", {"dtype": (3, 64, 1)}, hurray.UnsupportedError),
    ("unknown code", {"dtype": (200, 8, 1)}, hurray.UnsupportedError),
    ("wide bool", {"dtype": (6, 32, 1)}, hurray.UnsupportedError),
    ("a device that the format lacks", {"device": (17, 0)}, hurray.UnsupportedError),
    ("a negative device number", {"device": (dl.CUDA, -1)}, hurray.BufferError),
    ("no device", {"device": (0, 0)}, hurray.UnsupportedError),
]


@pytest.mark.parametrize(("what", "lie", "error"), REFUSED, ids=[row[0] for row in REFUSED])
@BOTH
def test_a_capsule_that_lies_is_refused_and_released(
    what: str, lie: dict[str, Any], error: type[Exception], version: Any
) -> None:
    """Strides are checked for the bytes they reach; the deleter runs exactly once."""
    _, at = memory()
    arguments: dict[str, Any] = {"data": at, "shape": (2, 2), "version": version, **lie}
    producer = dl.Producer(**arguments)
    for calls, copy in enumerate((None, True, False), 1):
        with pytest.raises(error):
            hurray.from_dlpack(producer, copy=copy)
        assert producer.deleted == calls


@pytest.mark.parametrize("version", [(2, 0), (0, 5), (2**32 - 1, 0)], ids=str)
def test_another_major_version_is_refused_unread_and_released(version: tuple[int, int]) -> None:
    """Of an unknown version nothing but version and deleter may be touched."""
    producer = dl.Producer(1, None, ndim=2**31 - 1, version=version)
    with pytest.raises(hurray.UnsupportedError, match="DLPack"):
        hurray.from_dlpack(producer)
    assert producer.deleted == 1


@BOTH
def test_a_producer_without_a_deleter_is_fine(version: Any) -> None:
    _, at = memory()
    assert hurray.from_dlpack(dl.Producer(at, (4,), version=version, deleter=False)).tolist() == [0, 1, 2, 3]


@BOTH
def test_no_data_is_fine_for_no_elements(version: Any) -> None:
    producer = dl.Producer(None, (0, 4), version=version)
    tensor = hurray.from_dlpack(producer)
    assert (tensor.shape, tensor.tobytes()) == ((0, 4), b"")
    del tensor
    assert producer.deleted == 1


@BOTH
def test_the_last_reference_may_go_in_another_thread(version: Any) -> None:
    _, at = memory()
    producer = dl.Producer(at, (4,), version=version)
    kept = [hurray.from_dlpack(producer)]
    worker = threading.Thread(target=kept.clear)
    worker.start()
    worker.join()
    assert producer.deleted == 1
    assert producer.threads == [worker.ident]


@BOTH
def test_a_copy_lets_the_producer_go_at_once(version: Any) -> None:
    store, at = memory()
    for data, copy in ((at, True), (at + 4, None)):
        producer = dl.Producer(data, (4,), version=version)
        tensor = hurray.from_dlpack(producer, copy=copy)
        assert producer.deleted == 1
        before = tensor.tolist()
        store[:32] = b"\xff" * 32
        assert tensor.tolist() == before
        assert not tensor.readonly
        store[:] = np.arange(16, dtype=np.float32).tobytes()


class Returns:
    """A producer whose dunders give what they are told to."""

    def __init__(self, capsule: Any = None, device: Any = (1, 0)) -> None:
        self.capsule, self.device = capsule, device

    def __dlpack__(self, **options: Any) -> Any:
        if isinstance(self.capsule, Exception):
            raise self.capsule
        return self.capsule

    def __dlpack_device__(self) -> Any:
        return self.device


@pytest.mark.parametrize("capsule", [None, 5, "dltensor", object(), dl.capsule_named(b"other", 1)])
def test_what_is_no_dlpack_capsule_is_refused(capsule: Any) -> None:
    with pytest.raises(hurray.BufferError):
        hurray.from_dlpack(Returns(capsule))


def test_a_capsule_without_a_name_is_refused() -> None:
    import ctypes

    nameless = ctypes.pythonapi.PyCapsule_New(1, None, None)
    with pytest.raises(hurray.BufferError):
        hurray.from_dlpack(Returns(nameless))


@pytest.mark.parametrize(
    "error", [RuntimeError("mine"), TypeError("mine"), BufferError("mine"), KeyError("mine")], ids=repr
)
def test_a_producers_own_error_comes_through(error: Exception) -> None:
    with pytest.raises(type(error), match="mine"):
        hurray.from_dlpack(Returns(error))


@pytest.mark.parametrize("device", [None, 5, (1,), ("cpu", 0), (1, 0, 0), (2**70, 0)], ids=str)
def test_a_device_that_is_no_pair_is_refused(device: Any) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)):
        hurray.from_dlpack(Returns(device=device))


@pytest.mark.parametrize("kind", [0, 5, 6, 9, 12, 17, 2**31 - 1, -1])
def test_a_device_that_the_format_lacks_is_refused_before_the_capsule_is_asked_for(kind: int) -> None:
    with pytest.raises(hurray.UnsupportedError, match=f"device type {kind}"):
        hurray.from_dlpack(Returns(AssertionError("asked"), device=(kind, 0)))


def test_a_producer_that_does_not_move_its_tensor_is_named() -> None:
    with pytest.raises(hurray.UnsupportedError, match=r"ndarray does not move its tensor.*cuda"):
        hurray.from_dlpack(np.zeros(3), device=hurray.device.cuda)
    with pytest.raises(hurray.UnsupportedError, match="no device type for cuda memory of class peer"):
        hurray.from_dlpack(np.zeros(3), device=hurray.Device("cuda", 0, "peer"))
    assert hurray.from_dlpack(np.zeros(3), device=hurray.device.cpu).shape == (3,)


def test_a_producer_is_asked_to_move_its_tensor() -> None:
    """PEERS, copies: dl_device is not ignored."""
    _, at = memory()

    class Mover(dl.Producer):
        def __dlpack_device__(self) -> tuple[int, int]:
            return (2, 1)

    producer = Mover(at, (4,))
    tensor = hurray.from_dlpack(producer, device=hurray.device.cpu, copy=True)
    assert (producer.options["dl_device"], producer.options["copy"]) == ((1, 0), True)
    assert (tensor.device, tensor.tolist()) == (hurray.device.cpu, [0, 1, 2, 3])
    with pytest.raises(
        hurray.BufferError, match=r"on DLPack device \(1, 0\) \(cpu\), and its producer had it on"
    ):
        hurray.from_dlpack(Mover(at, (4,)))


@pytest.mark.parametrize("obj", [None, 5, "text", b"bytes", [1, 2]])
def test_what_has_no_dunder_is_a_type_error(obj: Any) -> None:
    with pytest.raises(TypeError, match="__dlpack__"):
        hurray.from_dlpack(obj)


def test_our_own_tensors_come_back() -> None:
    one = hurray.Tensor.from_buffer(np.arange(6.0).reshape(2, 3).T)
    two = hurray.from_dlpack(one)
    assert (two.descriptor, address(two)) == (one.descriptor, address(one))
    for dtype in (hurray.bool, hurray.dtype.int4):
        with pytest.raises(BufferError):
            hurray.from_dlpack(hurray.Tensor(bytes(8), dtype, (8,)))


WRAPS = {
    "DLPack": "hurray.from_dlpack(t)",
    "DLPack of a wrapper": "hurray.from_dlpack(Bare(t))",
    "DLPack of an array": "hurray.from_dlpack(np.from_dlpack(t))",
    "view": "hurray.Tensor.from_buffer(memoryview(t))",
    "part of a view": "hurray.Tensor.from_buffer(memoryview(t)[:])",
    "array": "hurray.Tensor.from_buffer(np.asarray(t))",
    "constructor": "hurray.Tensor(t, hurray.uint8, (8, 8))",
    "buffer": "hurray.Tensor(t.buffer(0), hurray.uint8, (8, 8))",
    "transposed": "t.T",
}


@pytest.mark.parametrize("how", WRAPS)
def test_wrapping_again_and_again_costs_no_stack(how: str) -> None:
    """PEERS, memory: depth never means stack; wrapping a tensor 100,000 times neither overflows nor leaks."""
    code = f"""
import sys, hurray, weakref
if "np." in {WRAPS[how]!r}:
    import numpy as np

class Bare:
    def __init__(self, inner):
        self.inner = inner

    def __dlpack__(self, **options):
        return self.inner.__dlpack__(**options)

class Source(bytearray):
    pass

source = Source(4096 + 64)
from core_memory import address
start = -address(source) % 64
t = hurray.Tensor(memoryview(source)[start : start + 64], hurray.uint8, (8, 8))
watch = weakref.ref(source)
del source
for _ in range(100_000):
    t = {WRAPS[how]}
print(t.tolist() == [[0] * 8] * 8, watch() is not None)
del t
print(watch() is None)
"""
    assert run(code) == "True True\nTrue"


def test_capsules_that_nobody_takes_at_exit() -> None:
    """At exit there is nothing to give a reference to: no crash."""
    code = """
import sys, hurray
import core_dlpack as dl
from core_memory import aligned, address
store = aligned(64)
t = hurray.Tensor(aligned(64), hurray.uint8, (64,))
sys.kept = [t.__dlpack__(), t.__dlpack__(max_version=(0, 8)), dl.consume(t.__dlpack__()), t, memoryview(t)]
sys.more = hurray.from_dlpack(dl.Producer(address(store), (4,)))
print("end")
"""
    assert run(code) == "end"


BAD = {
    "structured": np.zeros(3, [("a", "f4"), ("b", "i4")]),
    "object": np.array([1, None], object),
    "string": np.array(["a"]),
    "bytes": np.array([b"a"]),
    "big-endian": np.arange(3, dtype=">f4"),
    "date": np.array(["2020-01-01"], "M8[D]"),
}


@pytest.mark.parametrize("what", BAD)
def test_arrays_that_dlpack_lacks_name_the_other_way_in(what: str) -> None:
    """Bad input: a specific error with the way out, and that way is one."""
    with pytest.raises(BufferError, match=r"the producer refuses: .*; hurray\.asarray") as caught:
        hurray.from_dlpack(BAD[what])
    assert isinstance(caught.value.__cause__, BufferError)
    if what == "big-endian":
        assert hurray.asarray(BAD[what]).tolist() == [0, 1, 2]
    else:
        with pytest.raises(hurray.UnsupportedError, match=r"array[.\[]|store its codes"):
            hurray.asarray(BAD[what])


def test_a_mask_is_not_dropped() -> None:
    masked = np.ma.masked_array([1.0, 2.0], [0, 1])
    for door in (hurray.from_dlpack, hurray.asarray, hurray.from_numpy):
        with pytest.raises(hurray.UnsupportedError, match="mask"):
            door(masked)
    assert hurray.from_dlpack(masked.data).tolist() == [1, 2]
