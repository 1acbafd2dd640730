"""Many threads over the same objects; the GIL free while bytes move (PEERS, streams and speed; issue 3)."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_memory import run
from core_numpy import np

THREADS = 8


def together(work: Any, count: int = THREADS) -> list[Any]:
    """What ``work(number)`` gives in each of ``count`` threads that start at once."""
    barrier = threading.Barrier(count)

    def start(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(start, range(count)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "a.hrry"
    tensors = {f"t{at}": np.full(1000, at, np.int32).data for at in range(50)}
    hurray.save(target, tensors, kv={"k": 1})
    return target


@pytest.mark.parametrize("io", ["mmap", "read"])
def test_one_open_file_serves_many_threads(path: Path, io: Any) -> None:
    file = hurray.open(path, io=io)

    def work(number: int) -> int:
        total = 0
        for turn in range(60):
            name = f"t{(number * 7 + turn) % 50}"
            total += int(np.asarray(file[name])[number])
            assert len(file) == 50
            assert file.kv == {"k": 1}
            assert file.entry(name).name == name
            assert bytes(memoryview(file[name])[:1]) == bytes(file[name].buffer(0))[:4]
        return total

    assert together(work) == [sum((n * 7 + turn) % 50 for turn in range(60)) for n in range(THREADS)]


def test_a_file_closed_under_its_readers_is_an_error_or_a_tensor(path: Path) -> None:
    """Closing races with reading: each call gives a tensor or says that the file is closed."""

    def work(number: int) -> tuple[int, int]:
        got = refused = 0
        for _ in range(200):
            try:
                if number == 0 and got == 50:
                    files[0].close()
                tensor = files[0]["t3"]
                assert tensor.tolist()[:2] == [3, 3]
                got += 1
            except ValueError as error:
                refused += "closed" in str(error)
        return got, refused

    files = [hurray.open(path)]
    results = together(work)
    assert results[0] == (50, 150)
    assert sum(got + refused for got, refused in results) == 200 * THREADS


def test_loading_and_saving_in_many_threads(path: Path, tmp_path: Path) -> None:
    def work(number: int) -> int:
        for turn in range(10):
            loaded = hurray.load(path, io="read" if turn % 2 else "mmap")
            hurray.save(tmp_path / f"out{number % 3}.hrry", loaded, kv={"number": number})
            assert len(hurray.load(tmp_path / f"out{number % 3}.hrry")) == 50
            assert hurray.load_kv(tmp_path / f"out{number % 3}.hrry").keys() == {"number"}
        return number

    assert together(work) == list(range(THREADS))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "a.hrry",
        "out0.hrry",
        "out1.hrry",
        "out2.hrry",
    ]


def test_one_tensor_in_many_threads(path: Path) -> None:
    tensor = hurray.load(path)["t7"]

    def work(number: int) -> bool:
        for _ in range(200):
            views = memoryview(tensor), np.asarray(tensor), np.from_dlpack(tensor), tensor.buffer(0)
            assert int(views[1][number]) == int(views[2][number]) == views[0][number] == 7
            assert tensor.descriptor == tensor.descriptor
        return True

    assert all(together(work))


def test_one_writer_in_many_threads(tmp_path: Path) -> None:
    """Each tensor is written whole, in some order; a name is written once."""
    with hurray.FileWriter(tmp_path / "a.hrry") as writer:

        def work(number: int) -> int:
            refused = 0
            for at in range(20):
                writer.write(f"{number}.{at}", np.full(300, number, np.uint8).data)
                try:
                    writer.write(f"shared.{at}", b"x")
                except ValueError:
                    refused += 1
            return refused

        assert sum(together(work)) == 20 * (THREADS - 1)
    loaded = hurray.load(tmp_path / "a.hrry")
    assert len(loaded) == 20 * THREADS + 20
    assert all(
        set(loaded[f"{number}.{at}"].tobytes()) == {number} for number in range(THREADS) for at in range(20)
    )
    assert hurray.verify(tmp_path / "a.hrry") == []


STALL = """
import os, sys, threading, time, hurray
source, target, what = sys.argv[1:]
mapped = hurray.FileMap(source)
tensor = hurray.Tensor(mapped, hurray.uint8, (len(mapped),))
ticks, stop = [], threading.Event()

def count():
    while not stop.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.0005)

work = {
    "save": lambda: hurray.save(target, {"w": tensor}),
    "writer": lambda: write(),
    "tofile": lambda: tofile(),
    "read": lambda: hurray.load(source + ".hrry", io="read"),
    "verify": lambda: hurray.verify(source + ".hrry"),
    "tobytes": lambda: tensor.tobytes(),
    "unpack": lambda: hurray.Tensor(mapped, hurray.dtype.bool, (8 * len(mapped),)).unpack(),
    "pickle": lambda: tensor.__reduce_ex__(4),
    "copy": lambda: hurray.Tensor.from_buffer(tensor, copy=True),
    "unaligned": lambda: hurray.Tensor(memoryview(mapped)[1:], hurray.uint8, (len(mapped) - 1,)),
}[what]

def write():
    with hurray.FileWriter(target) as writer:
        writer.write_buffer("w", mapped, hurray.uint8, (len(mapped),))

def tofile():
    with open(os.devnull, "wb") as sink, open(target, "wb") as file:
        tensor.T.tofile(sink) if tensor.ndim == 2 else tensor.tofile(file)

if what in ("read", "verify"):
    hurray.save(source + ".hrry", {"w": tensor})
worker = threading.Thread(target=count)
worker.start()
time.sleep(0.01)
begin = time.perf_counter()
work()
end = time.perf_counter()
stop.set()
worker.join()
within = [begin, *(tick for tick in ticks if begin < tick < end), end]
print(len(within), round(end - begin, 4), round(max(b - a for a, b in zip(within, within[1:])), 4))
"""


@pytest.mark.parametrize(
    "what", ["save", "writer", "tofile", "read", "verify", "tobytes", "unpack", "pickle", "copy", "unaligned"]
)
def test_other_threads_run_while_bytes_move(what: str, tmp_path: Path) -> None:
    """The GIL is released during save, load and the like: another thread keeps counting."""
    with open(tmp_path / "big", "wb") as file:
        file.truncate(160 << 20)
    for _ in range(3):  # a machine that is busy with other things may stall a thread by itself
        ticks, took, longest = map(float, run(STALL, tmp_path / "big", tmp_path / "out.hrry", what).split())
        if took < 0.02 or (ticks > 5 and longest < max(0.5 * took, 0.02)):
            return
        time.sleep(0.1)
    pytest.fail(f"{what}: {ticks:.0f} ticks in {took} s, the longest stall {longest} s")


WRITER = """
import sys, threading, time, hurray
path, how = sys.argv[1:]
writer = hurray.FileWriter(path)
started = threading.Event()

def pieces():
    for at in range(40):
        started.set()
        time.sleep(0.005)
        yield bytes(1000)

def write():
    try:
        writer.write_pieces("w", pieces(), hurray.uint8, (40_000,))
    except ValueError as error:
        print("write:", error)

thread = threading.Thread(target=write, daemon=True)
thread.start()
started.wait()
try:
    getattr(writer, how)()
except ValueError as error:
    print(f"{how}:", error)
thread.join(10)
print("joined", not thread.is_alive())
"""


@pytest.mark.parametrize("how", ["close", "abort"])
def test_a_writer_that_is_ended_by_another_thread(how: str, tmp_path: Path) -> None:
    """Objects work from any thread: whoever comes first, nobody waits for ever and nothing is torn."""
    assert run(WRITER, tmp_path / "a.hrry", how, timeout=20).endswith("joined True")
    if (tmp_path / "a.hrry").exists():
        assert hurray.verify(tmp_path / "a.hrry") == []


def test_threads_that_never_saw_python_before(path: Path) -> None:
    """asyncio.to_thread and executors: no object is bound to the thread that made it."""
    import asyncio

    async def work() -> list[int]:
        file = await asyncio.to_thread(hurray.open, path)
        tensors = await asyncio.gather(*(asyncio.to_thread(file.__getitem__, f"t{at}") for at in range(8)))
        lists = await asyncio.gather(*(asyncio.to_thread(tensor.tolist) for tensor in tensors))
        await asyncio.to_thread(file.close)
        return [numbers[0] for numbers in lists]

    assert asyncio.run(work()) == list(range(8))


CLOSING = """
import sys, threading, hurray
path = sys.argv[1]
for _ in range(20):
    f = hurray.open(path)
    for name in f:
        sum(memoryview(f[name])[::4096])
    stop = []
    def look():
        while not stop:
            f.closed
    threads = [threading.Thread(target=look) for _ in range(3)]
    for thread in threads:
        thread.start()
    f.close()
    stop.append(True)
    for thread in threads:
        thread.join()
print("done")
"""

TELLING = """
import sys, threading, hurray
sys.setswitchinterval(1e-6)
w = hurray.FileWriter(sys.argv[1])
w.abort()
def look():
    for _ in range(3000):
        try:
            w.tell()
        except hurray.FileError:
            pass
threads = [threading.Thread(target=look) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""


@pytest.mark.parametrize("code", [CLOSING, TELLING], ids=["close", "tell"])
def test_no_lock_is_held_while_another_thread_gets_its_turn(code: str, tmp_path: Path) -> None:
    """Giving back a large map, and making an exception, may let a thread run that asks the same object."""
    path = tmp_path / "a.hrry"
    hurray.save(path, {"w": memoryview(bytes(64 << 20))})
    target = path if code is CLOSING else tmp_path / "b.hrry"
    done = subprocess.run(
        [sys.executable, "-c", code, str(target)], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "done\n"
