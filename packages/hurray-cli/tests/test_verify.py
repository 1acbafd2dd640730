"""``hurray verify``: every problem on its own line, and a closing one. Each run in a process of its own."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from cli_helpers import apart, apart_each, entry, safetensors_bytes
from hrry_files import MEASURED, SHARDED, SPECIAL, container, single


def test_a_good_file(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    path.write_bytes(container([("a", SHARDED, (128,)), ("b", MEASURED, (128,))]))
    done = apart("verify", path)
    assert (done.status, done.err) == (0, "")
    assert done.out == f"{path}: no problems (hrry, 2 tensors, 256 bytes of data)\n"


@pytest.mark.parametrize("kind", SPECIAL)
def test_layouts_without_a_class_are_verified_too(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.hrry"
    path.write_bytes(single(SPECIAL[kind]))
    assert apart("verify", path).status == 0


def test_every_problem_has_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    first, second = bytearray(SHARDED), bytearray(MEASURED)
    first[14] = 0x7F
    second[11] = 0x80
    path.write_bytes(container([("a\x1b[0m", bytes(first), (128,)), ("b", bytes(second), (128,))]))
    done = apart("verify", path)
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith(f"{path}: D-8 at 64 (0x40), tensor 'a\\x1b[0m': ")
    assert lines[1].startswith(f"{path}: D-6 at ")
    assert lines[2] == f"{path}: 2 problems (hrry)"
    assert "[D-8]" not in done.out
    assert "\x1b" not in done.out


def test_a_container_that_is_broken(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    content = bytearray(single(SHARDED))
    content[-1] ^= 1
    path.write_bytes(content)
    done = apart("verify", path)
    assert done.status == 1
    assert done.out.startswith(f"{path}: F-9 at {len(content) - 4} (")
    path.write_bytes(b"")
    assert apart("verify", path).status == 1


def test_verify_never_ends_in_a_traceback(tmp_path: Path) -> None:
    """Cut at every length near the ends, a byte changed at every place that is no data."""
    content = container([("w", SHARDED, (128,))])
    broken = [content[:size] for size in (*range(200), *range(len(content) - 120, len(content)))]
    for at in (*range(160), *range(len(content) - 120, len(content))):
        broken.append(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
    runs = []
    for k, bytes_ in enumerate(broken):
        path = tmp_path / f"{k}.hrry"
        path.write_bytes(bytes_)
        runs += [("verify", path), ("inspect", path)]
    statuses = [done.status for done in apart_each(runs)]
    assert statuses.count(1) > len(broken), "most of this is no file any more"
    assert statuses[0] == 1


def test_a_foreign_file_by_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    path.write_bytes(safetensors_bytes({"a": entry("F7"), "b": entry(shape=(-1,))}, bytes(4)))
    done = apart("verify", path)
    assert (done.status, done.err) == (1, "")
    lines = done.out.splitlines()
    assert [line.split(": ")[1] for line in lines] == ["tensor 'a'", "tensor 'b'", "2 problems (safetensors)"]


def test_elements_that_are_checked_while_they_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    header = {"m": entry("BOOL"), "n": entry("BOOL", (4,), (4, 8)), "s": entry("F8_E8M0", (2,), (8, 10))}
    path.write_bytes(safetensors_bytes(header, b"\0\1\1\7" + b"\0\1\0\2" + b"\x01\xff"))
    done = apart("verify", path)
    assert done.status == 1
    start = path.stat().st_size - 10
    assert [line.partition(": ")[2].partition(":")[0] for line in done.out.splitlines()[:-1]] == [
        f"at {start + 3} ({start + 3:#x}), tensor 'm'",
        f"at {start + 7} ({start + 7:#x}), tensor 'n'",
        f"at {start + 9} ({start + 9:#x}), tensor 's'",
    ]


def test_numpy_files_by_their_reader(tmp_path: Path) -> None:
    """Every member has its line, and what only shows in the data is found: bool, checksums."""
    numpy = pytest.importorskip("numpy")
    for order in ("C", "F"):
        flags = numpy.zeros((4, 5), "u1", order)
        flags[1, 2] = 7
        numpy.save(tmp_path / "b.npy", flags.view("?"))
        done = apart("verify", tmp_path / "b.npy")
        assert (done.status, done.err) == (1, "")
        at = 128 + int(flags.ravel("K").argmax())
        assert f": at {at} ({at:#x}), tensor 'b': element {at - 128} is 0x07; a bool is 0 or 1" in done.out
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.write(tmp_path / "b.npy", "b.npy")
        archive.writestr("readme.txt", "words")
        archive.writestr("other", "words")
    done = apart("verify", tmp_path / "a.npz")
    assert (done.status, done.err) == (1, "")
    assert [line.split(": ")[1] for line in done.out.splitlines()] == [
        "tensor 'readme.txt'",
        "tensor 'other'",
        "2 problems (npz)",
    ]
    assert apart("convert", tmp_path / "a.npz", tmp_path / "x.hrry").err.count("\n") == 2
    numpy.savez(tmp_path / "c.npz", w=numpy.arange(100.0))
    data = bytearray((tmp_path / "c.npz").read_bytes())
    data[500] ^= 1
    (tmp_path / "c.npz").write_bytes(data)
    done = apart("verify", tmp_path / "c.npz")
    assert (done.status, done.err) == (1, "")
    assert "its checksum is" in done.out


def test_what_is_no_tensor_file(tmp_path: Path) -> None:
    (tmp_path / "words").write_text("words")
    done = apart("verify", tmp_path / "words")
    assert done.status == 1
    assert not done.out
    assert done.err.count("\n") == 1
