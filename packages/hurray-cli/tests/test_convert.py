"""``hurray convert``: what it does to files and folders, and what it says."""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from pathlib import Path
from typing import Any

import hurray as library
import pytest
from cli_helpers import Done, entry, hurray, leftovers, process, safetensors_bytes
from hrry_files import MEASURED, ON_CUDA, SHARDED, SPECIAL, single

A = safetensors_bytes({"__metadata__": {"format": "pt"}, "a": entry()}, b"\x01\x02\x03\x04")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.safetensors"
    path.write_bytes(A)
    return path


def failed(done: Done, *parts: str) -> None:
    assert done.status == 1, done
    assert done.err.count("\n") == 1, done.err
    assert done.err.startswith("hurray: error: "), done.err
    assert not done.out
    for part in parts:
        assert part in done.err


def test_closing_line(tmp_path: Path, source: Path) -> None:
    done = process("convert", source.name, "b.hrry", cwd=tmp_path)
    assert done.status == 0
    assert not done.err
    assert done.out.startswith("b.hrry: 1 tensor, 4 bytes, 0.")
    assert done.out.endswith(" s\n")
    assert done.out.count("\n") == 1
    assert leftovers(tmp_path, "a.safetensors", "b.hrry") == []


def test_quiet_says_nothing(tmp_path: Path, source: Path) -> None:
    assert hurray("convert", "-q", source, tmp_path / "b.hrry") == Done(0, "", "")


def test_dry_run_prints_the_plan_and_writes_nothing(tmp_path: Path, source: Path) -> None:
    done = hurray("convert", "--dry-run", source, tmp_path / "b.hrry")
    assert done.status == 0
    assert not done.err
    assert leftovers(tmp_path, "a.safetensors") == []
    lines = done.out.splitlines()
    assert lines[0].split() == ["name", "dtype", "shape", "layout", "bytes"]
    assert lines[1].split() == ["a", "uint8", "[4]", "row_major", "4"]
    assert lines[2] == "metadata  format = 'pt'"
    assert lines[-1].startswith("would write ")
    assert lines[-1].endswith("1 tensor, 4 bytes of data, 1 metadata key")


def without_privilege() -> None:
    """The superuser writes where nobody may; a process without CAP_DAC_OVERRIDE (1) does not."""
    if os.geteuid() == 0:
        ctypes.CDLL(None, use_errno=True).prctl(24, 1, 0, 0, 0)  # PR_CAPBSET_DROP, until the next exec


class TestDryRunOnTargetsThatCannotBeWritten:
    """A dry run says what the run would say, word for word, and leaves everything as it was."""

    def check(self, folder: Path, *args: str | Path, **options: Any) -> str:
        before = {path: path.lstat() for path in (folder, *folder.rglob("*"))}
        real = process("convert", *args, **options)
        dry = process("convert", "--dry-run", *args, **options)
        assert (dry.status, dry.out) == (1, ""), dry
        assert dry == real
        assert dry.err.count("\n") == 1
        after = {path: path.lstat() for path in (folder, *folder.rglob("*"))}
        assert [(path, s.st_mtime_ns, s.st_size) for path, s in before.items()] == [
            (path, s.st_mtime_ns, s.st_size) for path, s in after.items()
        ]
        return dry.err

    @pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")
    @pytest.mark.parametrize("name", ["b.hrry", "b.safetensors", "old.hrry"])
    def test_a_folder_that_cannot_be_written(self, tmp_path: Path, source: Path, name: str) -> None:
        folder = tmp_path / "closed"
        folder.mkdir()
        (folder / "old.hrry").write_text("old")
        folder.chmod(0o555)
        error = self.check(tmp_path, "-f", source, folder / name, preexec_fn=without_privilege)
        assert error == f"hurray: error: {folder / name}: Permission denied\n"
        folder.chmod(0o755)
        assert hurray("convert", "-nf", source, folder / name).status == 0

    def test_a_file_that_exists(self, tmp_path: Path, source: Path) -> None:
        (tmp_path / "b.hrry").write_text("old")
        assert "the file exists; --force replaces it" in self.check(tmp_path, source, tmp_path / "b.hrry")
        assert hurray("convert", "-nf", source, tmp_path / "b.hrry").status == 0
        assert (tmp_path / "b.hrry").read_text() == "old"

    def test_no_such_folder(self, tmp_path: Path, source: Path) -> None:
        assert f"{tmp_path / 'no'}: no such folder" in self.check(
            tmp_path, source, tmp_path / "no" / "b.hrry"
        )

    @pytest.mark.parametrize("suffix", ["safetensors", "npz"])
    def test_a_broadcast_that_no_file_could_hold(self, tmp_path: Path, suffix: str) -> None:
        endless = library.Tensor(
            bytearray(64), library.float32, (2**40, 2**30), layout=library.StridedLayout((0, 0))
        )
        library.save(tmp_path / "a.hrry", {"w": endless})
        error = self.check(tmp_path, tmp_path / "a.hrry", tmp_path / f"b.{suffix}")
        assert (
            "tensor 'w': shape [1099511627776, 1073741824] of float32 makes 4722366482869645213696 bytes"
            in error
        )
        kept = hurray("convert", tmp_path / "a.hrry", tmp_path / "b.hrry")
        assert (kept.status, (tmp_path / "b.hrry").stat().st_size < 1 << 20) == (0, True)

    def test_a_folder_and_a_pipe(self, tmp_path: Path, source: Path) -> None:
        assert "Is a directory" in self.check(tmp_path, "-f", "--to=hrry", source, tmp_path)
        os.mkfifo(tmp_path / "fifo.hrry")
        assert "not a regular file" in self.check(tmp_path, "-f", source, tmp_path / "fifo.hrry")


def test_the_plan_says_what_becomes_row_major(tmp_path: Path) -> None:
    tensor = library.Tensor(bytes(24), library.float32, (2, 3), layout=library.ColMajorLayout())
    library.save(tmp_path / "a.hrry", {"w": tensor})
    done = hurray("convert", "--dry-run", tmp_path / "a.hrry", tmp_path / "b.safetensors")
    assert "note  tensor 'w': col_major becomes row-major, the only order of safetensors" in done.out


def test_an_existing_file_needs_force(tmp_path: Path, source: Path) -> None:
    target = tmp_path / "b.hrry"
    target.write_text("old")
    failed(hurray("convert", source, target), f"{target}: the file exists; --force replaces it")
    assert target.read_text() == "old"
    assert hurray("convert", "--force", source, target).status == 0
    assert list(library.load(target)) == ["a"]


@pytest.mark.parametrize("suffix", ["hrry", "safetensors"])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_permissions_of_a_replaced_file_stay(tmp_path: Path, source: Path, mode: int, suffix: str) -> None:
    library.save(tmp_path / "s.hrry", {"a": library.Tensor(bytes(4), library.uint8, (4,))})
    target = tmp_path / f"b.{suffix}"
    target.write_text("old")
    target.chmod(mode)
    assert hurray("convert", "-f", source if suffix == "hrry" else tmp_path / "s.hrry", target).status == 0
    assert stat.S_IMODE(target.stat().st_mode) == mode


@pytest.mark.parametrize("suffix", ["hrry", "safetensors"])
def test_permissions_of_a_new_file_follow_the_umask(tmp_path: Path, source: Path, suffix: str) -> None:
    target = tmp_path / f"b.{suffix}"
    old = os.umask(0o027)
    try:
        assert hurray("convert", source, target).status == 0
    finally:
        os.umask(old)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


class TestSourceIsTarget:
    """One file as both ends; the format is forced, since the name can have one suffix only."""

    def check(self, done: Done, path: Path) -> None:
        assert done.status == 0, done
        assert library.load(path)["a"].tobytes() == b"\x01\x02\x03\x04"

    def test_by_the_same_name(self, source: Path) -> None:
        self.check(hurray("convert", "-f", "--to", "hrry", source, source), source)

    def test_by_a_hard_link(self, tmp_path: Path, source: Path) -> None:
        link = tmp_path / "b.hrry"
        link.hardlink_to(source)
        self.check(hurray("convert", "-f", source, link), link)
        assert source.read_bytes() == A

    def test_by_a_symbolic_link(self, tmp_path: Path, source: Path) -> None:
        link = tmp_path / "b.hrry"
        link.symlink_to(source.name)
        self.check(hurray("convert", "-f", source, link), source)
        assert link.is_symlink()

    def test_in_the_same_format(self, source: Path) -> None:
        assert hurray("convert", "-f", source, source).status == 0
        assert hurray("verify", source).status == 0

    def test_hrry_onto_itself(self, tmp_path: Path) -> None:
        path = tmp_path / "a.hrry"
        library.save(path, {"a": library.Tensor(b"\x01\x02\x03\x04", library.uint8, (4,))})
        before = path.read_bytes()
        self.check(hurray("convert", "-f", path, path), path)
        assert path.read_bytes() == before

    def test_not_without_force(self, source: Path) -> None:
        failed(hurray("convert", "--to", "hrry", source, source), "the file exists")
        assert source.read_bytes() == A


def test_a_dangling_link_is_a_new_file(tmp_path: Path, source: Path) -> None:
    (tmp_path / "b.hrry").symlink_to("new.hrry")
    assert hurray("convert", source, tmp_path / "b.hrry").status == 0
    assert (tmp_path / "b.hrry").is_symlink()
    assert not (tmp_path / "new.hrry").is_symlink()


def test_sources_that_are_no_files(tmp_path: Path) -> None:
    target = tmp_path / "b.hrry"
    failed(hurray("convert", tmp_path / "none", target), "none: No such file or directory")
    failed(hurray("convert", tmp_path, target), "Is a directory")
    os.mkfifo(tmp_path / "fifo.safetensors")
    failed(hurray("convert", tmp_path / "fifo.safetensors", target), "not a regular file")
    failed(hurray("convert", "/dev/null", target), "not a regular file")
    (tmp_path / "empty").touch()
    failed(hurray("convert", tmp_path / "empty", target), "in no format that is known", "it is empty")
    (tmp_path / "empty.hrry").touch()
    failed(hurray("convert", tmp_path / "empty.hrry", tmp_path / "b.safetensors"))
    (tmp_path / "words.txt").write_text("words")
    failed(hurray("convert", tmp_path / "words.txt", target), "begins with the bytes 77 6f 72 64 73")


def test_targets_that_are_no_files(tmp_path: Path, source: Path) -> None:
    failed(hurray("convert", source, tmp_path / "no" / "b.hrry"), "no such folder")
    failed(hurray("convert", "--to", "hrry", source, tmp_path), "Is a directory")
    os.mkfifo(tmp_path / "fifo.hrry")
    failed(hurray("convert", "-f", source, tmp_path / "fifo.hrry"), "not a regular file")
    failed(
        hurray("convert", source, tmp_path / "b.unknown"),
        "no format that is known has this suffix (known: ",
        "--to says which format to write",
    )


def test_content_goes_before_suffix(tmp_path: Path, source: Path) -> None:
    assert hurray("convert", "--to", "hrry", source, tmp_path / "misnamed.safetensors").status == 0
    done = hurray("convert", tmp_path / "misnamed.safetensors", tmp_path / "back.safetensors")
    assert done.status == 0
    assert (tmp_path / "back.safetensors").read_bytes()[8:].endswith(b"\x01\x02\x03\x04")


def test_from_and_to_force_the_format(tmp_path: Path, source: Path) -> None:
    failed(hurray("convert", "--from", "hrry", source, tmp_path / "b.hrry"))
    plain = tmp_path / "plain"
    plain.write_bytes(A)
    assert hurray("convert", "--from=safetensors", "--to=hrry", plain, tmp_path / "b").status == 0
    assert library.verify(tmp_path / "b") == []


@pytest.mark.parametrize("option", ["--from", "--to"])
def test_an_unknown_format_is_wrong_usage(tmp_path: Path, source: Path, option: str) -> None:
    done = hurray("convert", option, "nope", source, tmp_path / "b.hrry")
    assert done.status == 2
    assert done.err.startswith("hurray: error: there is no format 'nope'; there are hrry, ")


def test_hrry_to_hrry_is_a_copy_of_a_good_file(tmp_path: Path, source: Path) -> None:
    first, second = tmp_path / "a.hrry", tmp_path / "b.hrry"
    assert hurray("convert", source, first).status == 0
    assert hurray("convert", "--durable", first, second).status == 0
    assert first.read_bytes() == second.read_bytes()
    broken = bytearray(first.read_bytes())
    broken[-10] ^= 1
    first.write_bytes(broken)
    assert hurray("convert", "-f", first, second).status == 1
    assert second.read_bytes() != broken


def test_hrry_to_hrry_copies_no_file_that_verify_refuses(tmp_path: Path) -> None:
    """It opens, and its descriptor is good: only a look at the scales shows that one is zero."""
    content = bytearray(single(SPECIAL["quantised"]))
    scales = 4096 + 8192
    content[scales : scales + 2] = bytes(2)
    (tmp_path / "a.hrry").write_bytes(content)
    failed(hurray("convert", tmp_path / "a.hrry", tmp_path / "b.hrry"), "Q-27")


@pytest.mark.parametrize("suffix", ["hrry", "safetensors"])
def test_who_has_the_old_file_open_keeps_it(tmp_path: Path, source: Path, suffix: str) -> None:
    target = tmp_path / f"b.{suffix}"
    target.write_bytes(b"old")
    with target.open("rb") as old:
        assert hurray("convert", "-f", source, target).status == 0
        assert old.read() == b"old"
    assert target.read_bytes() != b"old"


@pytest.mark.parametrize(
    ("blob", "extra"),
    [
        (SHARDED, "its place in a larger tensor (shard)"),
        (MEASURED, "its statistics"),
        (ON_CUDA, "its device (cuda)"),
    ],
    ids=["shard", "statistics", "device"],
)
def test_what_goes_with_a_tensor_is_not_dropped_in_silence(tmp_path: Path, blob: bytes, extra: str) -> None:
    path = tmp_path / "a.hrry"
    path.write_bytes(single(blob))
    assert library.verify(path) == []
    done = hurray("convert", path, tmp_path / "b.safetensors")
    failed(done, f"tensor 'w': safetensors has no place for {extra}", "--drop-metadata leaves it out")
    done = hurray("convert", "--drop-metadata", path, tmp_path / "b.safetensors")
    assert done.status == 0
    assert f"note: left out: tensor 'w': {extra}" in done.err


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("quantised", "it is quantised (per-block affine)"),
        ("csr", "its layout is csr"),
        ("group", "it is the head of a composite"),
    ],
)
def test_what_only_hrry_can_hold_is_refused(tmp_path: Path, kind: str, reason: str) -> None:
    path = tmp_path / "a.hrry"
    path.write_bytes(single(SPECIAL[kind]))
    assert library.verify(path) == []
    done = hurray("convert", path, tmp_path / "b.safetensors")
    failed(done, f"tensor 'w': {reason}", "safetensors has no place for it, .hrry has")
    assert leftovers(tmp_path, "a.hrry") == []
    assert hurray("convert", path, tmp_path / "c.hrry").status == 0
    assert (tmp_path / "c.hrry").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "layout",
    [library.MortonLayout((1, 1)), library.HilbertLayout(1, 2), library.TiledLayout((2, 1))],
    ids=["morton", "hilbert", "tiled"],
)
@pytest.mark.parametrize("suffix", ["safetensors", "npy"])
def test_tiles_and_curves_become_row_major(tmp_path: Path, layout: library.Layout, suffix: str) -> None:
    tensor = library.Tensor(bytes(range(4)), library.uint8, (2, 2), layout=layout)
    order = [code for row in tensor.tolist() for code in row]
    assert sorted(order) == [0, 1, 2, 3]
    assert order != [0, 1, 2, 3]
    library.save(tmp_path / "a.hrry", {"b": tensor})
    target = tmp_path / f"b.{suffix}"
    done = hurray("convert", "-n", tmp_path / "a.hrry", target)
    assert f"{layout.name} becomes" in done.out
    assert hurray("convert", tmp_path / "a.hrry", target).status == 0
    assert target.read_bytes().endswith(bytes(order))
    assert hurray("convert", target, tmp_path / "c.hrry").status == 0
    assert library.load(tmp_path / "c.hrry")["b"].tolist() == tensor.tolist()
