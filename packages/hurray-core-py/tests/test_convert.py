"""``hurray.convert`` by itself, with a foreign format of the tests' own."""

from __future__ import annotations

import errno
import os
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import hurray
import pytest
from hurray import formats
from hurray.formats import Format, Item, PlanError, Problem, RawItem, Reader

if TYPE_CHECKING:
    from hurray.formats import Kv
    from typing_extensions import Self


class ToyReader(Reader):
    def __init__(self, format: ToyFormat, path: str) -> None:
        self.kv, tensors = pickle.loads(Path(path).read_bytes())
        self.closed = False
        self._items = [
            format.kind(name, hurray.Dtype.from_name(dtype), shape, memoryview(data))
            for name, dtype, shape, data in tensors
        ]
        format.readers.append(self)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        self.closed = True


class ToyFormat(Format):
    """Row-major uint8 and float32, metadata of text; fails on demand."""

    name = "toy"
    suffixes = (".toy",)

    def __init__(self) -> None:
        self.readers: list[ToyReader] = []
        self.written: list[str] = []
        self.kind: type[RawItem] = RawItem
        self.fail_after: int | None = None

    def sniff(self, path: str, head: bytes) -> bool:
        return head[:1] == b"\x80"

    def read(self, path: str) -> ToyReader:
        return ToyReader(self, path)

    def check(self, items: Iterable[Item], kv: Kv) -> Iterator[Problem]:
        for item in items:
            if item.dtype not in (hurray.uint8, hurray.float32):
                yield Problem(f"toy has no {item.dtype.name}", name=item.name)
        for key, value in kv.items():
            if not isinstance(value, str):
                yield Problem("toy has text only", key=key)

    def notes(self, items: Iterable[Item], kv: Kv) -> Iterator[str]:
        yield "a note"

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        self.written.append(path)
        tensors = []
        for count, item in enumerate(reversed(list(items))):
            if count == self.fail_after:
                raise RuntimeError("told to fail")
            data = item.load().tobytes() if (raw := item.raw()) is None else bytes(raw)
            tensors.append((item.name, item.dtype.name, item.shape, data))
        Path(path).write_bytes(pickle.dumps((dict(kv), tensors)))


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ToyFormat:
    monkeypatch.setenv("HURRAY_PLUGINS", "0")
    monkeypatch.setattr(formats, "_local", {})
    monkeypatch.setattr(formats, "_registry", None)
    format = ToyFormat()
    formats.register(format)
    return format


TENSORS = [("a", "uint8", (4,), b"1234"), ("b", "float32", (1, 2), b"56789012")]


def source(folder: Path, tensors: Any = TENSORS, **kv: Any) -> Path:
    path = folder / "a.toy"
    path.write_bytes(pickle.dumps((kv, list(tensors))))
    return path


def hrry(folder: Path, **kv: Any) -> Path:
    path = folder / "a.hrry"
    tensors = {
        "x": hurray.Tensor(b"1234", hurray.uint8, (4,)),
        "y": hurray.Tensor(b"5678", hurray.float32, (1,)),
    }
    hurray.save(path, tensors, kv=kv)
    return path


def test_there(tmp_path: Path, toy: ToyFormat) -> None:
    target = tmp_path / "b.hrry"
    report = hurray.convert(source(tmp_path, k="v"), target)
    assert (report.path, report.tensors, report.bytes) == (str(target), 2, 12)
    assert report.seconds > 0
    assert (report.plan.source_format, report.plan.target_format, report.plan.kv) == (
        "toy",
        "hrry",
        {"k": "v"},
    )
    assert [(item.name, item.shape, item.nbytes) for item in report.plan.items] == [
        ("a", (4,), 4),
        ("b", (1, 2), 8),
    ]
    assert {name: tensor.tobytes() for name, tensor in hurray.load(target).items()} == {
        "a": b"1234",
        "b": b"56789012",
    }
    assert hurray.load_kv(target) == {"k": "v"}
    assert toy.readers[0].closed


def test_back(tmp_path: Path, toy: ToyFormat) -> None:
    target = tmp_path / "b.toy"
    report = hurray.convert(os.fsencode(hrry(tmp_path, k="v")), str(target), durable=True)
    assert report.plan.notes == ("a note",)
    assert pickle.loads(target.read_bytes()) == (
        {"k": "v"},
        [("y", "float32", (1,), b"5678"), ("x", "uint8", (4,), b"1234")],
    )
    (temporary,) = toy.written
    assert os.path.dirname(temporary) == str(tmp_path)
    assert os.path.basename(temporary).startswith(".hurray-")
    assert temporary.endswith(".tmp.toy")
    assert not os.path.exists(temporary)


def test_raw_pieces_and_load_are_all_taken(tmp_path: Path, toy: ToyFormat) -> None:
    class Pieces(RawItem):
        def raw(self) -> None: ...

        def pieces(self) -> Iterator[memoryview]:
            for at in range(0, self.nbytes, 3):
                yield self._buffer[at : at + 3]

    class Load(RawItem):
        def raw(self) -> None: ...

    for kind in (Pieces, Load):
        toy.kind = kind
        hurray.convert(source(tmp_path), tmp_path / "b.hrry", overwrite=True)
        assert hurray.load(tmp_path / "b.hrry")["b"].tobytes() == b"56789012"


def test_pieces_that_do_not_add_up_are_an_error(tmp_path: Path, toy: ToyFormat) -> None:
    class Short(RawItem):
        def pieces(self) -> Iterator[memoryview]:
            yield self._buffer[:-1]

    toy.kind = Short
    with pytest.raises(ValueError, match="a"):
        hurray.convert(source(tmp_path), tmp_path / "b.hrry")
    assert sorted(os.listdir(tmp_path)) == ["a.toy"]


def test_every_obstacle_is_listed_before_a_byte_is_written(tmp_path: Path, toy: ToyFormat) -> None:
    path = tmp_path / "a.hrry"
    tensors = {name: hurray.Tensor(bytes(8), hurray.int64, (1,)) for name in ("p", "q")}
    hurray.save(path, tensors, kv={"n": 1, "t": "text", "m": [1]})
    with pytest.raises(PlanError) as caught:
        hurray.convert(path, tmp_path / "b.toy")
    assert [(p.name, p.key) for p in caught.value.problems] == [
        ("p", None),
        ("q", None),
        (None, "n"),
        (None, "m"),
    ]
    assert "drop_metadata=True leaves it out" in str(caught.value)
    assert not toy.written
    assert sorted(os.listdir(tmp_path)) == ["a.hrry"]


def test_metadata_is_left_out_only_where_it_must_be(tmp_path: Path, toy: ToyFormat) -> None:
    report = hurray.convert(hrry(tmp_path, n=1, t="text"), tmp_path / "b.toy", drop_metadata=True)
    assert report.plan.left_out == ("metadata key 'n'",)
    assert pickle.loads((tmp_path / "b.toy").read_bytes())[0] == {"t": "text"}


@pytest.mark.parametrize(
    ("tensors", "kv", "message"),
    [
        ([("", "uint8", (0,), b"")], {}, "tensor '': the name is empty"),
        ([("n" * 70_000, "uint8", (0,), b"")], {}, "the name is 70000 bytes long; .hrry holds up to 65535"),
        ([("\ud800", "uint8", (0,), b"")], {}, "the name holds a lone surrogate"),
        ([("a", "uint8", (1,) * 65, b"x")], {}, "it has 65 dimensions; .hrry holds up to 64"),
        ([*TENSORS, TENSORS[0]], {}, "tensor 'a': the name occurs twice"),
        ([], {"": "v"}, "metadata key '': the key is empty"),
        ([], {"k": None}, "a NoneType has no place in the metadata"),
        ([], {"k": 2**63}, "9223372036854775808 is outside int64"),
        ([], {"k": [1, "a"]}, "a list of int and str; .hrry holds lists of one kind"),
        ([], {"k": [[1]]}, "in a list, a list has no place"),
        ([], {"k": "\ud800"}, "the text holds a lone surrogate"),
    ],
)
def test_what_hrry_cannot_hold(tmp_path: Path, toy: ToyFormat, tensors: Any, kv: Any, message: str) -> None:
    path = tmp_path / "a.toy"
    path.write_bytes(pickle.dumps((kv, tensors)))
    with pytest.raises(PlanError) as caught:
        hurray.convert(path, tmp_path / "b.hrry")
    assert message in str(caught.value)
    assert not (tmp_path / "b.hrry").exists()


@pytest.mark.parametrize(
    "value", [True, -(2**63), 2**63 - 1, 0.5, "text", b"\0", [], [1, 2], ["a"], [b""], [True]]
)
def test_metadata_that_hrry_holds_arrives(tmp_path: Path, toy: ToyFormat, value: Any) -> None:
    hurray.convert(source(tmp_path, k=value), tmp_path / "b.hrry")
    assert hurray.load_kv(tmp_path / "b.hrry") == {"k": value}


def test_metadata_keeps_its_order(tmp_path: Path, toy: ToyFormat) -> None:
    hurray.convert(source(tmp_path, z="1", a="2", m="3"), tmp_path / "b.hrry")
    assert list(hurray.load_kv(tmp_path / "b.hrry")) == ["z", "a", "m"]


@pytest.mark.parametrize("target", ["b.toy", "b.hrry"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path, toy: ToyFormat, target: str) -> None:
    class Failing(RawItem):
        def raw(self) -> memoryview:
            if self.name == "b":
                raise RuntimeError("told to fail")
            return self._buffer

    toy.kind, toy.fail_after = Failing, 1
    path = source(tmp_path) if target == "b.hrry" else hrry(tmp_path)
    (tmp_path / target).write_bytes(b"old")
    with pytest.raises(RuntimeError, match="told to fail"):
        hurray.convert(path, tmp_path / target, overwrite=True)
    assert (tmp_path / target).read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == sorted([path.name, target])


def test_the_target_changes_in_one_step(
    tmp_path: Path, toy: ToyFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A foreign target is never seen half written: until the rename it is the old file, after it the new one."""
    target = tmp_path / "b.toy"
    target.write_bytes(b"old")
    seen = []
    replace = os.replace

    def watched(temporary: str, place: str) -> None:
        seen.append((target.read_bytes(), pickle.loads(Path(temporary).read_bytes())[0]))
        replace(temporary, place)

    monkeypatch.setattr(os, "replace", watched)
    with target.open("rb") as before:
        hurray.convert(hrry(tmp_path, k="v"), target, overwrite=True)
        assert before.read() == b"old"
    assert seen == [(b"old", {"k": "v"})]


def test_an_existing_target_needs_overwrite(tmp_path: Path, toy: ToyFormat) -> None:
    with pytest.raises(FileExistsError) as caught:
        hurray.convert(source(tmp_path), hrry(tmp_path))
    assert isinstance(caught.value, hurray.FileError)
    assert "overwrite=True replaces it" in str(caught.value)


def test_a_dry_run_writes_nothing(tmp_path: Path, toy: ToyFormat) -> None:
    report = hurray.convert(hrry(tmp_path), tmp_path / "b.toy", dry_run=True)
    assert (report.tensors, report.bytes, toy.written) == (2, 8, [])
    assert sorted(os.listdir(tmp_path)) == ["a.hrry"]


@pytest.mark.parametrize("target", ["b.hrry", "b.toy"])
def test_progress_follows_the_order_of_the_writer(tmp_path: Path, toy: ToyFormat, target: str) -> None:
    calls: list[tuple[int, int, str]] = []
    path = source(tmp_path) if target == "b.hrry" else hrry(tmp_path)
    hurray.convert(path, tmp_path / target, progress=lambda *call: calls.append(call))
    assert calls == ([(0, 12, "a"), (4, 12, "b")] if target == "b.hrry" else [(0, 8, "y"), (4, 8, "x")])


def test_source_and_target_may_be_one_file(tmp_path: Path, toy: ToyFormat) -> None:
    path = source(tmp_path)
    hurray.convert(path, path, target_format="hrry", overwrite=True)
    assert hurray.load(path)["a"].tobytes() == b"1234"
    hurray.convert(path, path, target_format="toy", overwrite=True)
    assert pickle.loads(path.read_bytes())[1][1] == TENSORS[0]


def test_the_reader_is_closed_when_converting_fails(tmp_path: Path, toy: ToyFormat) -> None:
    with pytest.raises(FileExistsError):
        hurray.convert(source(tmp_path), tmp_path / "a.toy")
    with pytest.raises(PlanError):
        hurray.convert(source(tmp_path, [*TENSORS, TENSORS[0]]), tmp_path / "b.hrry")
    assert all(reader.closed for reader in toy.readers)


def test_what_the_system_refuses_is_a_file_error_and_the_fitting_builtin(tmp_path: Path) -> None:
    with pytest.raises(hurray.FileError) as caught:
        hurray.convert(tmp_path / "nowhere.hrry", tmp_path / "b.hrry")
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.errno == errno.ENOENT
    hurray.save(tmp_path / "a.hrry", {})
    with pytest.raises(hurray.FileError) as caught:
        hurray.convert(tmp_path / "a.hrry", tmp_path / "a.hrry")
    assert isinstance(caught.value, FileExistsError)
