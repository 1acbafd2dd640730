"""hurray.aligned_allocator for NumPy (requirements: The aligned allocator; NEP 49)."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import hurray
import ml_dtypes
import numpy as np
import pytest
from numpy._core.multiarray import get_handler_name

OURS = "hurray aligned"
DTYPES = ["b1", "i1", "u2", "f2", "i4", "f4", "f8", "c8", "c16", ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]


def handler() -> str:
    """The name of the handler of this context."""
    return str(get_handler_name())


DEFAULT = handler()


def address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def aligned(array: Any) -> bool:
    return address(array) % hurray.MIN_BUFFER_ALIGNMENT == 0


@pytest.fixture(autouse=True)
def _handler_is_as_before() -> Iterator[None]:
    """Whatever a test does, the handler of its context is NumPy's own again in the end."""
    assert handler() == DEFAULT != OURS
    yield
    assert handler() == DEFAULT


def run(code: str, *, timeout: float = 60) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()


# --- arrays that need no copy ----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_arrays_of_the_block_are_shared(dtype: Any) -> None:
    """Arrays allocated inside it need no copy on ingest."""
    shapes: list[Any] = [1, 2, 3, 17, 1000, 100_003, (3, 5), (2, 3, 4), (1, 1), ()]
    for shape in shapes:
        with hurray.aligned_allocator():
            made = [
                np.empty(shape, dtype),
                np.zeros(shape, dtype),
                np.ones(shape, dtype),
                np.full(shape, 1, dtype),
            ]
            made += [
                np.empty(shape, dtype, order="F"),
                made[1].copy(),
                made[1].astype(dtype),
                made[1].reshape(-1),
            ]
        for array in made:
            assert aligned(array)
            assert get_handler_name(array) == OURS or array.base is not None
            if dtype == "b1":
                continue
            tensor = hurray.from_numpy(array, copy=False)
            assert tensor.buffer_handles[0].alignment >= hurray.MIN_BUFFER_ALIGNMENT
            if array.ndim and dtype != ml_dtypes.float8_e5m2 and dtype != ml_dtypes.bfloat16:
                assert address(np.asarray(tensor)) == address(array)


def test_results_of_arithmetic_are_shared() -> None:
    with hurray.aligned_allocator():
        a = np.arange(1000.0)
        made = [a * 2, a @ a[:, None], np.concatenate([a, a]), np.sort(a), a[a > 3], np.linspace(0, 1, 7)]
        made += [np.frombuffer(bytes(range(100)), np.uint8).astype(np.float32), np.array([1, 2, 3])]
    for array in made:
        assert hurray.from_numpy(array, copy=False).tolist() == array.tolist()


def test_without_the_block_arrays_are_numpys() -> None:
    """The control: what NumPy allocates by itself is not aligned so."""
    arrays = [np.empty(1000 + number) for number in range(64)]
    assert not all(map(aligned, arrays))
    assert {get_handler_name(array) for array in arrays} == {DEFAULT}


def test_zeros_are_zero_and_empty_arrays_are_fine() -> None:
    with hurray.aligned_allocator():
        for _ in range(50):
            np.full(5000, 255, np.uint8)
            assert not np.zeros(5000, np.uint8).any()
        for shape in ((0,), (3, 0), (0, 2**40)):
            assert hurray.from_numpy(np.empty(shape), copy=False).shape == shape


def test_what_does_not_fit_is_a_memory_error() -> None:
    with hurray.aligned_allocator():
        for shape in ((2**60,), (2**59, 2), (2**58,)):
            for make in (np.empty, np.zeros):
                with pytest.raises((MemoryError, ValueError)):
                    make(shape, np.uint8)
        assert aligned(np.empty(10))


def test_sparse_coo_takes_them() -> None:
    with hurray.aligned_allocator():
        values, indices = np.ones(3, np.float32), np.zeros((3, 2), np.uint64)
        indices[:, 1] = [0, 1, 2]
    tensor = hurray.sparse_coo(values, indices, (2, 3), copy=False)
    assert tensor.values.tolist() == [1.0, 1.0, 1.0]


# --- arrays that outlive the block -------------------------------------------------------------------------


def test_resize_keeps_the_alignment_and_the_values() -> None:
    with hurray.aligned_allocator():
        array = np.arange(10)
    for count in (1000, 5, 300_000, 1, 100_000, 3):
        before = array[: min(count, array.size)].tolist()
        array.resize(count, refcheck=False)
        assert aligned(array)
        assert array[: len(before)].tolist() == before
        assert not array[len(before) :].any()
        assert get_handler_name(array) == OURS
    assert hurray.from_numpy(array, copy=False).shape == (3,)


def test_an_array_is_freed_by_what_made_it() -> None:
    """In any order, before, inside and after blocks, theirs inside and ours outside."""
    outside = np.arange(5000.0)
    with hurray.aligned_allocator():
        inside = [np.arange(5000.0) for _ in range(20)]
        outside.resize(10_000, refcheck=False)
        del outside
    del inside[::2]
    with hurray.aligned_allocator():
        del inside[::2]
        more = np.arange(3.0)
    assert [array.sum() for array in inside] == [np.arange(5000.0).sum()] * 5
    assert more.tolist() == [0.0, 1.0, 2.0]


def test_a_tensor_may_be_the_last_to_hold_it() -> None:
    with hurray.aligned_allocator():
        tensor = hurray.from_numpy(np.arange(1000.0), copy=False)
    gc.collect()
    assert np.asarray(tensor).sum() == 499500.0
    view = np.asarray(tensor)[10:20]
    del tensor
    gc.collect()
    assert view.tolist() == list(range(10, 20))


def test_arrays_travel_between_threads() -> None:
    def make(count: int) -> list[Any]:
        with hurray.aligned_allocator():
            return [np.full(count + number, number) for number in range(100)]

    with ThreadPoolExecutor(4) as pool:
        made = [array for arrays in pool.map(make, range(1, 2000, 100)) for array in arrays]
    assert len(made) == 2000
    assert all(map(aligned, made))
    with ThreadPoolExecutor(4) as pool:
        sums = list(pool.map(lambda number: int(made[number][0]), range(2000)))
        assert sums == [number % 100 for number in range(2000)]
        made.reverse()
        list(pool.map(lambda _: made.pop(), range(2000)))


def test_arrays_that_are_alive_when_the_interpreter_ends() -> None:
    code = """
import atexit, sys, threading
import numpy as np, hurray
block = hurray.aligned_allocator()
block.__enter__()
kept = [np.arange(100000.0) for _ in range(10)]
np.kept = [np.arange(10) for _ in range(10)]
sys.kept = hurray.from_numpy(np.arange(1000), copy=False)
cycle = [np.arange(77)]
cycle.append(cycle)
atexit.register(lambda: print(np.zeros(3).sum(), kept[0][:2].sum()))
class Late:
    def __init__(self): self.array = np.arange(1000)
    def __del__(self): self.array.resize(2000, refcheck=False); del self.array
late = Late()
holder = threading.local()
holder.array = np.arange(10)
print("end")
"""
    for _ in range(3):
        assert run(code).splitlines() == ["end", "0.0 1.0"]


def test_tracemalloc_sees_the_arrays() -> None:
    tracemalloc.start()
    try:
        with hurray.aligned_allocator():
            before = tracemalloc.get_traced_memory()[0]
            array = np.zeros(1 << 20, np.uint8)
            assert tracemalloc.get_traced_memory()[0] - before >= 1 << 20
            del array
            assert tracemalloc.get_traced_memory()[0] - before < 1 << 19
    finally:
        tracemalloc.stop()


# --- the handler that was there before ------------------------------------------------------------------------


def test_the_handler_is_restored() -> None:
    """It MUST restore the previously installed handler on exit, including when the block raises."""
    with hurray.aligned_allocator() as nothing:
        assert nothing is None
        assert handler() == OURS
    assert handler() == DEFAULT
    with pytest.raises(KeyError, match="mine"), hurray.aligned_allocator():
        raise KeyError("mine")
    assert handler() == DEFAULT
    with contextlib.suppress(GeneratorExit), hurray.aligned_allocator():
        raise GeneratorExit
    assert handler() == DEFAULT


def test_blocks_nest() -> None:
    """And MUST support nesting."""
    with hurray.aligned_allocator():
        with hurray.aligned_allocator():
            assert handler() == OURS
            with pytest.raises(ZeroDivisionError), hurray.aligned_allocator():
                raise ZeroDivisionError
            assert handler() == OURS
        assert handler() == OURS
        assert aligned(np.empty(1000))
    assert handler() == DEFAULT


def test_one_object_may_be_entered_again_and_inside_itself() -> None:
    block = hurray.aligned_allocator()
    for _ in range(2):
        with block:
            with block:
                assert handler() == OURS
            assert handler() == OURS
        assert handler() == DEFAULT


@pytest.mark.parametrize("order", ["0123", "3210", "1032", "2013", "1302"])
def test_blocks_may_end_in_any_order(order: str) -> None:
    """Interleaved: the handler stays until the last block ends, and then what was there first is back."""
    blocks = [hurray.aligned_allocator() for _ in range(4)]
    for block in blocks:
        block.__enter__()
    for left, number in enumerate(order):
        assert handler() == OURS, left
        blocks[int(number)].__exit__(None, None, None)
    assert handler() == DEFAULT


def test_generators_interleave() -> None:
    def numbers(count: int) -> Iterator[Any]:
        with hurray.aligned_allocator():
            for _ in range(count):
                yield np.empty(1000)

    for one, two in zip(numbers(3), numbers(5), strict=False):
        assert aligned(one)
        assert aligned(two)
    gc.collect()
    assert handler() == DEFAULT


def test_a_handler_of_somebody_else_is_left_where_it_is() -> None:
    """Theirs is installed between two blocks of ours, which end in the wrong order."""
    from hurray_numpy import _allocator

    with hurray.aligned_allocator():
        install: Any = _allocator._set_handler
    theirs = capsule(b"somebody's")
    first, second = hurray.aligned_allocator(), hurray.aligned_allocator()
    first.__enter__()
    ours = install(theirs)
    second.__enter__()
    assert handler() == OURS
    first.__exit__(None, None, None)
    assert handler() == OURS
    second.__exit__(None, None, None)
    assert handler() == "somebody's"
    with hurray.aligned_allocator():
        assert handler() == OURS
    assert handler() == "somebody's"
    install(ours)
    with contextvars_undone():
        assert handler() == OURS


def capsule(name: bytes) -> Any:
    """A handler of the same functions under another name, for good."""
    import ctypes

    from hurray_numpy import _allocator

    made = _allocator._Handler(name, 1, None, *hurray.aligned_functions())
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(made), _allocator._CAPSULE_NAME, None)


@contextlib.contextmanager
def contextvars_undone() -> Iterator[None]:
    """Puts NumPy's own handler back, which a test has left without."""
    from hurray_numpy import _allocator

    yield
    thread_default: list[Any] = []
    thread = threading.Thread(
        target=lambda: thread_default.append(_allocator._set_handler(_allocator._capsule))
    )
    thread.start()
    thread.join()
    _allocator._set_handler(thread_default[0])


# --- threads and contexts ---------------------------------------------------------------------------------------


def test_a_thread_started_inside_does_not_inherit_it() -> None:
    """Implementations MUST document that a thread started inside the block does not inherit the policy."""
    if getattr(sys.flags, "thread_inherit_context", 0):
        pytest.skip("skipped 1: threads of this interpreter inherit their starter's context")
    seen = []

    def look() -> None:
        seen.append(handler())
        with hurray.aligned_allocator():
            seen.append(handler())
            assert aligned(np.empty(1000))
        seen.append(handler())

    with hurray.aligned_allocator():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        assert handler() == OURS
    assert seen == [DEFAULT, OURS, DEFAULT]
    text = " ".join((hurray.aligned_allocator.__doc__ or "").split())
    assert "a thread that is started inside it does not inherit it" in text


def test_another_thread_is_not_touched() -> None:
    inside, looked = threading.Event(), threading.Event()

    def work() -> None:
        with hurray.aligned_allocator():
            inside.set()
            looked.wait(10)

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait(10)
    assert handler() == DEFAULT
    looked.set()
    thread.join()


def test_tasks_have_a_context_each() -> None:
    async def work(rounds: int) -> None:
        for _ in range(rounds):
            assert handler() == DEFAULT
            with hurray.aligned_allocator():
                await asyncio.sleep(0)
                assert handler() == OURS
                assert await asyncio.create_task(look()) == OURS
            await asyncio.sleep(0)

    async def look() -> str:
        return handler()

    async def main() -> None:
        await asyncio.gather(*(work(rounds) for rounds in range(1, 6)))

    asyncio.run(main())


def test_a_block_ends_where_it_began() -> None:
    """Another context has a handler of its own, which is not ours to change."""
    block = hurray.aligned_allocator()
    block.__enter__()
    failed: list[BaseException] = []

    def leave() -> None:
        try:
            block.__exit__(None, None, None)
        except RuntimeError as error:
            failed.append(error)

    thread = threading.Thread(target=leave)
    thread.start()
    thread.join()
    assert "in another thread or context" in str(failed[0])
    assert handler() == OURS
    copied = contextvars.copy_context()
    copied.run(leave)
    assert copied.run(handler) == DEFAULT
    assert handler() == OURS
    block.__exit__(None, None, None)
    with pytest.raises(RuntimeError, match="another thread or context"):
        block.__exit__(None, None, None)


# --- where it cannot be had ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1.21.6", "1.9.3", "0.9", "1.21.0rc1"])
def test_a_numpy_without_nep_49_is_refused(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It MUST raise hurray.UnsupportedError on NumPy older than 1.22, which predates NEP 49."""
    monkeypatch.setattr(np, "__version__", version)
    with pytest.raises(
        hurray.UnsupportedError, match=rf"NumPy {version} .*NEP 49.*pip install --upgrade numpy"
    ):
        hurray.aligned_allocator()


@pytest.mark.parametrize("version", ["1.22.0", "1.26.4", "2.0.0rc1", "10.0", "unknown"])
def test_a_newer_one_is_not(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(np, "__version__", version)
    with hurray.aligned_allocator():
        assert handler() == OURS


def test_a_missing_numpy_or_bridge_is_an_import_error() -> None:
    """DESIGN: a missing plugin or framework is an ImportError whose text is the pip command that mends it."""
    code = """
import sys
sys.modules[{name!r}] = None
import hurray
try:
    hurray.aligned_allocator()
except ImportError as error:
    print(error)
"""
    assert run(code.format(name="numpy")).endswith("pip install numpy")
    assert "hurray-numpy" in run(code.format(name="hurray_numpy"))
    off = "import os; os.environ['HURRAY_PLUGINS'] = '0'\n" + code.format(name="x")
    assert "hurray-numpy" in run(off) or "HURRAY_PLUGINS" in run(off)


def test_it_is_not_offered_as_an_install() -> None:
    """It MUST NOT be offered as a module-level install: making one changes nothing until it is entered."""
    hurray.aligned_allocator()
    assert handler() == DEFAULT
    assert [name for name in dir(hurray) if "install" in name] == []
