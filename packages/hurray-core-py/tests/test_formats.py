"""The registry of file formats: content first, suffix second; built in, registered, installed."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import hurray
import pytest
from hurray import formats
from hurray.formats import Format, FormatError, Item, PlanError, Problem, RawItem, Reader

if TYPE_CHECKING:
    from hurray.formats import Kv


class Toy(Format):
    """A format that is told by its first word."""

    def __init__(self, name: str, magic: bytes, *suffixes: str) -> None:
        self.name = name
        self.suffixes = suffixes
        self.magic = magic

    def sniff(self, path: str, head: bytes) -> bool:
        return head.startswith(self.magic)

    def read(self, path: str) -> Reader:
        raise NotImplementedError

    def write(self, path: str, items: Iterable[Item], kv: Kv) -> None:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """No installed plugin takes part, and what a test registers goes with it."""
    monkeypatch.setenv("HURRAY_PLUGINS", "0")
    monkeypatch.setattr(formats, "_local", {})
    monkeypatch.setattr(formats, "_registry", None)
    return


def file(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def test_hrry_is_built_in(tmp_path: Path) -> None:
    assert formats.names() == ("hrry",)
    assert formats.get("hrry").name == "hrry"
    assert formats.detect(file(tmp_path, "a", b"HRRYFILE")).name == "hrry"
    assert formats.for_target("x/A.HRRY").name == "hrry"


def test_content_goes_before_suffix(tmp_path: Path) -> None:
    formats.register(Toy("one", b"ONE", ".one"))
    formats.register(Toy("two", b"TWO", ".two"))
    assert formats.detect(file(tmp_path, "a.two", b"ONE...")).name == "one"
    assert formats.detect(file(tmp_path, "b.two", b"???")).name == "two"
    assert formats.detect(os.fsencode(file(tmp_path, "c", b"TWO"))).name == "two"


def test_the_suffix_decides_between_two_that_claim_the_content(tmp_path: Path) -> None:
    formats.register(Toy("zip", b"PK", ".zip"))
    formats.register(Toy("npz", b"PK", ".npz"))
    assert formats.detect(file(tmp_path, "a.npz", b"PK")).name == "npz"
    with pytest.raises(hurray.FileError, match="may be any of zip, npz: say which"):
        formats.detect(file(tmp_path, "a", b"PK"))


def test_the_longest_suffix_wins(tmp_path: Path) -> None:
    formats.register(Toy("json", b"\0", ".json"))
    formats.register(Toy("index", b"\0", ".index.json"))
    assert formats.for_target("m.index.json").name == "index"
    assert formats.for_target("m.json").name == "json"
    assert formats.detect(file(tmp_path, "m.index.json", b"{}")).name == "index"


def test_two_formats_with_one_suffix_are_no_matter_of_chance() -> None:
    formats.register(Toy("a", b"A", ".npz"))
    formats.register(Toy("b", b"B", ".npz"))
    with pytest.raises(hurray.FileError, match=r"x\.npz: may be any of a, b: say which"):
        formats.for_target("x.npz")


def test_what_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(
        hurray.FileError, match=r"no format that is known \(hrry\); it begins with the bytes 77 6f"
    ):
        formats.detect(file(tmp_path, "a.txt", b"words"))
    with pytest.raises(hurray.FileError, match="it is empty"):
        formats.detect(file(tmp_path, "empty", b""))
    formats.register(Toy("toy-index", b"TOY", ".index.json", ".toy"))
    with pytest.raises(
        hurray.FileError,
        match=r"no format that is known has this suffix \(known: \.hrry, \.index\.json, \.toy\); target_format",
    ):
        formats.for_target("a.txt")
    formats._local.pop("toy-index")
    with pytest.raises(LookupError, match="there is no format 'nope'; there are hrry"):
        formats.get("nope")


def test_ours_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, distribution in formats.OURS.items():
        with pytest.raises(ImportError, match=rf"^the format '{name}' is switched off \(HURRAY_PLUGINS"):
            formats.get(name)
        monkeypatch.setattr("hurray._plugins._discover", lambda group: {})
        monkeypatch.setenv("HURRAY_PLUGINS", "1")
        with pytest.raises(
            ImportError, match=rf"^the format '{name}' is not installed: pip install {distribution}$"
        ):
            formats.get(name)
        monkeypatch.setenv("HURRAY_PLUGINS", "0")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.data", b"\x93NUMPY\1\0"),
        ("z.data", b"PK\3\4" + bytes(22) + b"\5\0\0\0w.npy"),
        ("a.npy", b"???"),
        ("A.NPZ", b"PK\3\4"),
        ("m.safetensors", b""),
    ],
)
def test_a_file_of_ours_that_is_not_installed_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes
) -> None:
    """A source by its content or suffix, a target by its suffix: never only that it is not known."""
    monkeypatch.setattr("hurray._plugins._discover", lambda group: {})
    monkeypatch.setenv("HURRAY_PLUGINS", "1")
    path = file(tmp_path, name, content)
    wanted = "hurray-cli" if name.endswith("safetensors") else "hurray-numpy"
    match = rf"the format '\w+' is not installed: pip install {wanted}$"
    with pytest.raises(ImportError, match=match):
        formats.detect(path)
    with pytest.raises(ImportError, match=match):
        hurray.convert(path, tmp_path / "x.hrry")
    if not name.endswith(".data"):
        hurray.save(tmp_path / "source.hrry", {})
        with pytest.raises(ImportError, match=match):
            hurray.convert(tmp_path / "source.hrry", tmp_path / f"new-{name}")


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        formats.detect(tmp_path / "none")
    with pytest.raises(IsADirectoryError):
        formats.detect(tmp_path)
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(hurray.FileError, match="not a regular file"):
        formats.detect(tmp_path / "fifo")


def test_an_installed_format_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "toy_format-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-format\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[hurray.formats]\ntoy = toy_format_for_tests:FORMAT\nbad = nowhere_at_all:x\n"
    )
    (tmp_path / "toy_format_for_tests.py").write_text(
        "from hurray.formats import Format\n"
        "class Toy(Format):\n"
        "    name, suffixes = 'toy', ('.toy',)\n"
        "    def sniff(self, path, head): return head.startswith(b'TOY')\n"
        "FORMAT = Toy()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("HURRAY_PLUGINS")
    assert {"hrry", "toy", "bad"} <= set(formats.names())
    with pytest.warns(RuntimeWarning, match="'bad' of toy-format 1.0 fails to load"):
        assert formats.detect(file(tmp_path, "a", b"TOY")).name == "toy"
    assert formats.for_target("b.toy").name == "toy"
    formats.register(Toy("other", b"TOY", ".other"))
    assert formats.detect(file(tmp_path, "a.toy", b"TOY")).name == "toy"
    with pytest.raises(hurray.FileError, match="may be any of other, toy"):
        formats.detect(file(tmp_path, "a.third", b"TOY"))
    states = {found.name: found.state for found in formats.report()}
    assert states["toy"] == "ok"
    assert states["bad"] == "broken"


def test_a_format_at_hand_is_told_without_looking_at_what_is_installed(tmp_path: Path) -> None:
    path = file(tmp_path, "a.hrry", b"HRRYFILE")
    code = (
        "import sys; from hurray import formats; formats.detect(sys.argv[1]); formats.for_target('b.hrry');"
        "print(sorted({'importlib.metadata', 'typing', 'hurray._plugins'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, path], capture_output=True, text=True, check=True
    )
    assert "importlib.metadata" not in done.stdout
    assert "typing" not in done.stdout


def test_errors_list_every_problem() -> None:
    problems = [
        Problem("too long", name="a\x1b[31m"),
        Problem("no text", key="k"),
        Problem("it ends early", offset=7),
    ]
    for kind, base in ((FormatError, hurray.FileError), (PlanError, hurray.UnsupportedError)):
        error = kind("f.x", problems)
        assert isinstance(error, base)
        assert error.problems == tuple(problems)
        assert str(error).splitlines() == [
            "f.x: 3 problems",
            "  tensor 'a\\x1b[31m': too long",
            "  metadata key 'k': no text",
            "  it ends early",
        ]
        assert str(kind("f.x", problems[2:])) == "f.x: it ends early"


def test_a_long_name_does_not_fill_the_screen() -> None:
    text = str(Problem("bad", name="n" * 10_000))
    assert len(text) < 300
    assert "(10000 characters)" in text


@pytest.mark.parametrize("shift", [0, 1, 8])
def test_a_raw_item_loads_from_any_alignment(shift: int) -> None:
    data = memoryview(bytearray(range(64)))[shift : shift + 24]
    item = RawItem("w", hurray.float32, (2, 3), data)
    tensor = item.load()
    assert (tensor.shape, tensor.dtype, tensor.tobytes()) == ((2, 3), hurray.float32, bytes(data))
    assert item.raw() is data
    assert item.pieces() is None
    assert (item.layout, item.special, item.extras, item.nbytes) == ("row_major", None, (), 24)


def test_errors_travel_between_processes() -> None:
    for kind in (FormatError, PlanError):
        back = pickle.loads(pickle.dumps(kind("f.x", [Problem("bad", name="a", offset=3, code="F-1")])))
        assert type(back) is kind
        assert (str(back), back.path, repr(back.problems)) == (
            "f.x: tensor 'a': bad [F-1]",
            "f.x",
            "(Problem('bad', name='a', offset=3, code='F-1'),)",
        )
