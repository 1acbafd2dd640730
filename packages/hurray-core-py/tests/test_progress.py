"""How far a conversion says it is: before each tensor, and while a large one is written."""

from __future__ import annotations

import mmap
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hurray
import pytest
from hurray import formats
from hurray._core import _ticking
from hurray._progress import Meter
from hurray.formats import Format, Item, RawItem

if TYPE_CHECKING:
    from types import TracebackType

    from hurray.formats import Kv
    from typing_extensions import Self

MIB = 1 << 20
Calls = list[tuple[int, int, str]]


class Big(Format):
    """A foreign format of one tensor, whose file says how large it is; a writer as slow as a network."""

    name = "big"
    suffixes = (".big",)
    kind: type[RawItem] = RawItem
    dtype = hurray.uint8

    def sniff(self, path: str, head: bytes) -> bool:
        return path.endswith(".big")

    def read(self, path: str) -> Any:
        size = int(Path(path).read_text())
        return BigReader(
            self.kind("w", self.dtype, (size * 8 // self.dtype.bit_width,), memoryview(mmap.mmap(-1, size)))
        )

    def check(self, items: Iterable[Item], kv: Kv) -> Iterable[Any]:
        return ()

    def notes(self, items: Iterable[Item], kv: Kv) -> Iterable[str]:
        return ()

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        with open(path, "wb", buffering=0) as file:
            for item in items:
                raw = item.raw()
                assert raw is not None
                hurray.write_all(Slow(file, 8 if item.dtype is hurray.bool else 1), raw)


class BigReader:
    notes = ()

    def __init__(self, item: Item) -> None:
        self.kv: dict[str, Any] = {}
        self._item = item

    def __iter__(self) -> Iterator[Item]:
        return iter([self._item])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None: ...


class Slow:
    def __init__(self, file: Any, times: int) -> None:
        self._file = file
        self._times = times

    def write(self, data: bytes) -> int:
        for _ in range(self._times):
            self._file.write(data)
        time.sleep(0.01)
        return len(data)


@pytest.fixture
def big(monkeypatch: pytest.MonkeyPatch) -> Big:
    monkeypatch.setenv("HURRAY_PLUGINS", "0")
    monkeypatch.setattr(formats, "_local", {})
    monkeypatch.setattr(formats, "_registry", None)
    format = Big()
    formats.register(format)
    return format


def converted(source: Path, target: Path, **options: Any) -> Calls:
    calls: Calls = []
    thread = threading.get_ident()

    def progress(done: int, total: int, name: str) -> None:
        assert threading.get_ident() == thread
        calls.append((done, total, name))

    hurray.convert(source, target, overwrite=True, progress=progress, **options)
    done = [call[0] for call in calls]
    assert done == sorted(done)
    assert len({call[1] for call in calls}) == 1
    return calls


def inside(calls: Calls, name: str = "w") -> list[int]:
    """What was said between nothing and all."""
    return [done for done, total, what in calls if 0 < done < total and what == name]


def test_a_large_tensor_into_a_hrry_file(tmp_path: Path, big: Big) -> None:
    """By reference, in one call of the writer. How large is large depends on the disk."""
    for size in (256 * MIB, 1024 * MIB, 4096 * MIB):
        (tmp_path / "a.big").write_text(str(size))
        calls = converted(tmp_path / "a.big", tmp_path / "b.hrry")
        assert calls[0] == (0, size, "w")
        if inside(calls):
            return
    raise AssertionError("no word in all that time")


def test_a_large_tensor_out_of_a_mapped_file(tmp_path: Path, big: Big) -> None:
    """From file to file, inside the system."""
    for size in (512 * MIB, 4096 * MIB):
        hurray.save(tmp_path / "a.hrry", {"w": hurray.Tensor(mmap.mmap(-1, size), hurray.uint8, (size,))})
        sizes = sizes_while_saving(tmp_path / "b.hrry", hurray.load(tmp_path / "a.hrry")["w"])
        assert sizes == sorted(sizes)
        if any(0 < seen < size for seen in sizes):
            return
    raise AssertionError("no word in all that time")


def sizes_while_saving(path: Path, tensor: hurray.Tensor) -> list[int]:
    sizes: list[int] = []
    with hurray.FileWriter(path) as writer:
        _ticking(lambda: sizes.append(writer.tell()), lambda: writer.write("w", tensor))
    return sizes


@pytest.mark.parametrize("dtype", ["uint8", "bool"])
def test_a_large_tensor_into_a_foreign_file(tmp_path: Path, big: Big, dtype: str) -> None:
    big.dtype = hurray.Dtype.from_name(dtype)
    (tmp_path / "a.big").write_text(str(40 * MIB))
    calls = converted(tmp_path / "a.big", tmp_path / "b.big")
    assert calls[0] == (0, 40 * MIB, "w")
    seen = inside(calls)
    assert len(seen) >= 3, calls
    assert seen[0] <= 16 * MIB, "a byte for each bool is no byte of the tensor"


def test_a_tensor_that_is_decoded_in_pieces(tmp_path: Path, big: Big) -> None:
    class Pieces(RawItem):
        def pieces(self) -> Iterator[memoryview]:
            for at in range(0, self.nbytes, MIB):
                time.sleep(0.02)
                yield self._buffer[at : at + MIB]

    big.kind = Pieces
    (tmp_path / "a.big").write_text(str(16 * MIB))
    seen = inside(converted(tmp_path / "a.big", tmp_path / "b.hrry"))
    assert 3 <= len(seen) <= 8, "as often as somebody can see, and no more"


def test_a_hrry_file_that_is_copied(tmp_path: Path, big: Big, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hurray._replace.COPY_BYTES", 8192)
    hurray.save(tmp_path / "a.hrry", {"w": hurray.Tensor(bytes(40960), hurray.uint8, (40960,))})
    calls = converted(tmp_path / "a.hrry", tmp_path / "b.hrry")
    assert len(inside(calls, "")) >= 4
    assert calls[-1] == (40960, 40960, "")


def test_an_error_of_the_watcher_ends_the_conversion(tmp_path: Path, big: Big) -> None:
    def fed_up(done: int, total: int, name: str) -> None:
        if done:
            raise OSError("fed up")

    (tmp_path / "a.big").write_text(str(40 * MIB))
    hurray.save(tmp_path / "a.hrry", {"w": hurray.Tensor(bytes(40960), hurray.uint8, (40960,))})
    before = sorted(os.listdir(tmp_path))
    for source, target in (("a.big", "b.big"), ("a.hrry", "b.hrry")):
        with pytest.raises(OSError, match="fed up"):
            hurray.convert(tmp_path / source, tmp_path / target, progress=fed_up)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_watcher_may_write_files_itself(tmp_path: Path, big: Big) -> None:
    saved: list[int] = []

    def saving(done: int, total: int, name: str) -> None:
        hurray.save(tmp_path / "log.hrry", {"n": hurray.Tensor(bytes(24 * MIB), hurray.uint8, (24 * MIB,))})
        saved.append(done)

    (tmp_path / "a.big").write_text(str(24 * MIB))
    hurray.convert(tmp_path / "a.big", tmp_path / "b.big", progress=saving)
    assert saved[0] == 0
    assert saved == sorted(set(saved))


class TestTell:
    def test_grows_and_ends(self, tmp_path: Path) -> None:
        writer = hurray.FileWriter(tmp_path / "a.hrry")
        assert writer.tell() <= 64
        writer.write("w", hurray.Tensor(bytes(8 * MIB), hurray.uint8, (8 * MIB,)))
        assert writer.tell() >= 8 * MIB
        writer.close()
        with pytest.raises(ValueError, match="the writer is closed"):
            writer.tell()

    @pytest.mark.parametrize("end", ["close", "abort"])
    def test_nothing_stays_open(self, tmp_path: Path, end: str) -> None:
        """What is given up must not hold its place on the disk until somebody forgets the writer."""
        before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc") else 0
        writer = hurray.FileWriter(tmp_path / "a.hrry")
        getattr(writer, end)()
        assert before == (len(os.listdir("/proc/self/fd")) if os.path.exists("/proc") else 0)

    def test_waits_for_nobody(self, tmp_path: Path) -> None:
        """Another thread is in the middle of a tensor, and asks in turn."""
        asked: list[int] = []

        def pieces() -> Iterator[bytes]:
            for _ in range(3):
                other = threading.Thread(target=lambda: asked.append(writer.tell()))
                other.start()
                other.join(10)
                yield bytes(MIB)

        with hurray.FileWriter(tmp_path / "a.hrry") as writer:
            writer.write_pieces("w", pieces(), hurray.uint8, (3 * MIB,))
        assert len(asked) == 3
        assert asked[2] > asked[1] > asked[0]


def test_a_meter_tells_nothing_twice() -> None:
    calls: Calls = []
    size = 0
    meter = Meter(lambda *call: calls.append(call), 10)
    meter.look()
    meter.follow(lambda: size)
    item = RawItem("w", hurray.uint8, (10,), memoryview(bytes(10)))
    meter.begin(item)
    meter.begin(item)
    meter.look()
    for size in (4, 4, 25):  # noqa: B007 - the meter asks for it
        meter.look()
    assert calls == [(0, 10, "w"), (4, 10, "w"), (10, 10, "w")]


def test_ticks_belong_to_the_work() -> None:
    ticks: list[int] = []
    work: Callable[[], str] = lambda: "done"  # noqa: E731
    assert _ticking(lambda: ticks.append(1), work) == "done"
    with pytest.raises(ZeroDivisionError):
        _ticking(lambda: ticks.append(1), lambda: 1 // 0)
    with open(os.devnull, "wb") as nowhere:
        hurray.write_all(Slow(nowhere, 1), bytes(24 * MIB))
    assert ticks == []
