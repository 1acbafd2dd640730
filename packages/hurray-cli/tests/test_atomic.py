"""A conversion that fails at any moment leaves the old target whole, and nothing beside it."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import hurray as library
import pytest
from cli_helpers import command, leftovers, process

MIB = 1 << 20
SIZE = 64 * MIB
OLD = b"the old file"


def sparse(path: Path, size: int = SIZE, tensors: int = 8, dtype: str = "U8") -> Path:
    """A safetensors file of zeros that takes no disk."""
    each = size // tensors
    entries = [
        f'"t{k}":{{"dtype":"{dtype}","shape":[{each}],"data_offsets":[{k * each},{k * each + each}]}}'
        for k in range(tensors)
    ]
    header = ("{" + ",".join(entries) + "}").encode()
    header += b" " * (-len(header) % 8)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + size)
    return path


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 16 MiB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16m", "none", disk], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.decode().strip()}")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("suffix", ["hrry", "safetensors", "npz"])
def test_full_disk(small_disk: Path, tmp_path: Path, suffix: str) -> None:
    source, target = sparse(tmp_path / "a.safetensors"), small_disk / f"b.{suffix}"
    target.write_bytes(OLD)
    done = process("convert", "-f", source, target)
    assert done.status == 1, done
    assert done.err == f"hurray: error: {target}: No space left on device\n"
    assert done.err.count("\n") == 1, done
    assert target.read_bytes() == OLD
    assert leftovers(small_disk, target.name) == []


@pytest.mark.parametrize("suffix", ["hrry", "safetensors"])
def test_file_size_limit(tmp_path: Path, suffix: str) -> None:
    source, target = sparse(tmp_path / "a.safetensors"), tmp_path / f"b.{suffix}"
    target.write_bytes(OLD)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16 * MIB, 16 * MIB))

    done = process("convert", "-f", source, target, preexec_fn=limit)
    assert done.status == 1, done
    assert "File too large" in done.err, done
    assert target.read_bytes() == OLD
    assert leftovers(tmp_path, source.name, target.name) == []


def interrupted(source: Path, target: Path, sent: signal.Signals, after: float) -> int:
    """Convert over an existing file and send the signal some time later; the exit status."""
    target.write_bytes(OLD)
    running = subprocess.Popen(
        command("convert", "-f", source, target), stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    time.sleep(after)
    running.send_signal(sent)
    _, err = running.communicate(timeout=60)
    # Ctrl-C may meet the interpreter before the command does.
    assert b"Traceback" not in err or sent == signal.SIGINT
    return running.returncode


def whole(source: Path, target: Path) -> bool:
    """Whether the target is the new file, whole; else it must be the old one, whole."""
    if target.read_bytes()[: len(OLD)] == OLD:
        assert target.stat().st_size == len(OLD)
        return False
    done = process("verify", target)
    assert done.status == 0, done
    assert target.stat().st_size >= SIZE
    return True


@pytest.mark.parametrize("suffix", ["hrry", "safetensors"])
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_in_the_middle(tmp_path: Path, suffix: str, sent: signal.Signals) -> None:
    source, target = sparse(tmp_path / "a.safetensors", 8 * SIZE), tmp_path / f"b.{suffix}"
    hits, after, began = 0, 0.05, time.monotonic()
    # Signals at later and later moments, until enough of them met a conversion at work.
    while hits < 4 and time.monotonic() < began + 40:
        after = after * 1.4 if after < 1.5 else 0.05
        status = interrupted(source, target, sent, after)
        new = whole(source, target)
        # A signal that comes after the rename finds the new file in place already; success must have it.
        assert new or status != 0
        hits += status != 0 and after > 0.1
        left = leftovers(tmp_path, source.name, target.name)
        # Nobody cleans up after SIGKILL: a foreign format may leave its hidden temporary, .hrry has none.
        if sent == signal.SIGKILL and suffix != "hrry":
            assert all(name.startswith(".hurray-") and name.endswith(".tmp.safetensors") for name in left)
            for name in left:
                (tmp_path / name).unlink()
        else:
            assert left == [], (after, status)
    assert hits, "the conversion was over before any signal: make it longer"


def test_ctrl_c_is_quiet(tmp_path: Path) -> None:
    source, target = sparse(tmp_path / "a.safetensors", 8 * SIZE), tmp_path / "b.hrry"
    for after in (0.3, 0.2, 0.4):
        running = subprocess.Popen(
            command("convert", source, target), stderr=subprocess.PIPE, stdout=subprocess.PIPE
        )
        time.sleep(after)
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
        if running.returncode == 130:
            assert (out, err) == (b"", b"")
            assert leftovers(tmp_path, source.name) == []
            return
        target.unlink(missing_ok=True)
    pytest.fail("no Ctrl-C met a running conversion")


READER = """
import sys, hurray
for _ in range(int(sys.argv[2])):
    with hurray.open(sys.argv[1]) as file:
        assert len(file) == 8 and bytes(memoryview(file["t7"]))[-1:] == b"\\0"
"""


def test_two_writers_and_a_reader(tmp_path: Path) -> None:
    source, target = sparse(tmp_path / "a.safetensors", 8 * MIB), tmp_path / "b.hrry"
    assert process("convert", source, target).status == 0
    reader = subprocess.Popen(
        [sys.executable, "-c", READER, os.fspath(target), "200"], stderr=subprocess.PIPE
    )
    for _ in range(4):
        writers = [subprocess.Popen(command("convert", "-qf", source, target)) for _ in range(2)]
        assert [writer.wait(60) for writer in writers] == [0, 0]
    _, err = reader.communicate(timeout=60)
    assert reader.returncode == 0, err
    assert library.verify(target) == []
    assert leftovers(tmp_path, source.name, target.name) == []


PEAK = """
import sys
from hurray_cli import main
status = main(sys.argv[1:])
peak = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")]
print(*peak, file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize("dtype", ["U8", "BOOL"])
@pytest.mark.parametrize("step", ["there", "back", "again"])
def test_memory_stays_bounded(tmp_path: Path, step: str, dtype: str) -> None:
    """One tensor much larger than the limit, in every direction."""
    first, middle = sparse(tmp_path / "a.safetensors", 256 * MIB, 1, dtype), tmp_path / "b.hrry"
    if step == "back":
        assert process("convert", first, middle).status == 0
    source = middle if step == "back" else first
    target = middle if step == "there" else tmp_path / "c.safetensors"
    args = [sys.executable, "-c", PEAK, "convert", "-q", os.fspath(source), os.fspath(target)]
    done = subprocess.run(args, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done
    assert 1024 < int(done.stderr) < 100 * 1024, f"{done.stderr} KiB"
