"""``-`` on the command line: a stream on stdin or stdout, with names and metadata (issue 6; docs/streams.md)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import hurray as library
import pytest
from cli_helpers import MIB, Done, command, on_terminal, process, safetensors_bytes

KV: dict[str, Any] = {"step": 3, "tags": ["a", "b"], "none": [], "raw": b"\0"}


def tensors() -> dict[str, Any]:
    part = library.Tensor(bytes(8), "float32", (2,), shard=library.Shard((2,), (0,)))
    whole = library.Composite("partition", shape=(2,), dtype="float32", members=[part])
    coo = library.sparse_coo([1.0, 2.0], [[0, 1], [2, 0]], (3, 3))
    return {
        "wei ght": library.arange(6, dtype="int32"),
        "ünder": library.Tensor(b"\x21\x03", "int4", (3,)),
        "whole": library.Composite("group", shape=(), dtype="int8", members=[whole, coo]),
        "scalar": library.asarray(2.5),
        "empty": library.zeros((0, 3)),
    }


@pytest.fixture
def source(tmp_path: Path) -> Path:
    library.save(tmp_path / "a.hrry", tensors(), kv=KV)
    return tmp_path / "a.hrry"


def piped(first: list[str | Path], then: list[str | Path], **options: Any) -> tuple[Done, int]:
    """Both commands, one into the other, and how the first one ended."""
    with subprocess.Popen(command(*first), stdout=subprocess.PIPE) as sender:
        done = process(*then, stdin=sender.stdout, **options)
        assert sender.stdout is not None
        sender.stdout.close()
        status = sender.wait(30)
    return done, status


def sent(path: Path) -> bytes:
    return subprocess.run(command("convert", path, "-"), capture_output=True, check=True, timeout=60).stdout


def received(data: bytes, *args: str | Path) -> Done:
    return process(*args, input=data)


def test_names_metadata_and_bytes_survive(source: Path, tmp_path: Path) -> None:
    done, status = piped(["convert", source, "-"], ["convert", "-", tmp_path / "b.hrry"])
    assert (done.status, status, done.err) == (0, 0, "")
    assert "5 tensors, " in done.out
    assert (tmp_path / "b.hrry").read_bytes() == source.read_bytes()


def test_another_format_arrives_as_if_converted(tmp_path: Path) -> None:
    data = bytes(range(24))
    (tmp_path / "a.safetensors").write_bytes(
        safetensors_bytes(
            {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"k": "v"}},
            data,
        )
    )
    piped(["convert", tmp_path / "a.safetensors", "-"], ["convert", "-", tmp_path / "b.hrry"])
    assert process("convert", tmp_path / "a.safetensors", tmp_path / "c.hrry").status == 0
    assert (tmp_path / "b.hrry").read_bytes() == (tmp_path / "c.hrry").read_bytes()


def test_the_stream_is_a_bare_stream_for_others(source: Path) -> None:
    """Its first item is a 1-D uint8 tensor: a .hrry file without tensors, with the names in its metadata."""
    first, *items = library.StreamReader(sent(source))
    assert (first.dtype, first.ndim) == (library.uint8, 1)
    assert library.load(first.tobytes()) == {}
    assert library.load_kv(first.tobytes()) == {**KV, "hurray.stream.names": list(tensors())}
    assert len(items) == 5
    assert items[2] == tensors()["whole"]


def test_inspect_reads_a_stream(source: Path, tmp_path: Path) -> None:
    done, status = piped(["convert", source, "-"], ["inspect", "-"])
    assert (done.status, status, done.err) == (0, 0, "")
    names = [line.split("  ")[0] or line.split()[0] for line in done.out.splitlines()[-9:]]
    assert {"wei ght", "ünder", "whole", "scalar", "empty"} <= set(names)
    assert "step = 3" in done.out
    assert "hurray.stream" not in done.out


def test_a_stream_without_names_counts_them(tmp_path: Path) -> None:
    writer = library.StreamWriter()
    for value in (library.asarray(b"HRRYFILE, but none"), library.ones(2), tensors()["whole"]):
        writer.write(value)
    writer.finish()
    assert received(writer.getvalue(), "convert", "-", tmp_path / "b.hrry").status == 0
    loaded: Any = library.load(tmp_path / "b.hrry")
    assert list(loaded) == ["0", "1", "2"]
    assert loaded["0"].tobytes() == b"HRRYFILE, but none"
    assert library.load_kv(tmp_path / "b.hrry") == {}
    assert received(b"", "convert", "-", tmp_path / "c.hrry").status == 0
    assert library.load(tmp_path / "c.hrry") == {}


def test_a_stream_that_is_cut_leaves_nothing(source: Path, tmp_path: Path) -> None:
    """Between two tensors as well, which the names tell."""
    data = sent(source)
    reader = library.StreamReader(data)
    ends, writer = [], library.StreamWriter()
    for item in reader:
        writer.write(item)
        ends.append(len(writer.getvalue()))
    assert ends[-1] == len(data)
    for cut in [*ends[:-1], 5, ends[0] + 3, len(data) - 1]:
        done = received(data[:cut], "convert", "-", tmp_path / "b.hrry")
        assert (done.status, done.out) == (1, ""), cut
        assert done.err.count("\n") == 1
        assert "stream ends" in done.err
    more = received(data + data[ends[0] : ends[1]], "convert", "-", tmp_path / "b.hrry")
    assert (more.status, "goes on after the 5 tensors" in more.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.hrry"]


def test_a_damaged_head_is_no_tensor(source: Path, tmp_path: Path) -> None:
    data = bytearray(sent(source))
    at = data.index(b"hurray.stream.names") + 40
    data[at] ^= 0xFF
    done = received(bytes(data), "convert", "-", tmp_path / "b.hrry")
    assert (done.status, done.out) == (1, "")
    assert [path.name for path in tmp_path.iterdir()] == ["a.hrry"]


def test_an_existing_target_stays_until_all_is_there(source: Path, tmp_path: Path) -> None:
    (tmp_path / "b.hrry").write_text("old")
    data = sent(source)
    refused = received(data, "convert", "-", tmp_path / "b.hrry")
    assert (refused.status, "the file exists; --force replaces it" in refused.err) == (1, True)
    assert received(data[:-1], "convert", "-f", "-", tmp_path / "b.hrry").status == 1
    assert (tmp_path / "b.hrry").read_text() == "old"
    assert received(data, "convert", "-fq", "-", tmp_path / "b.hrry") == Done(0, "", "")
    assert (tmp_path / "b.hrry").read_bytes() == source.read_bytes()


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["convert", "-", "-"], "a stream into a stream is what a pipe does"),
        (["convert", "-", "b.safetensors"], "a stream becomes a .hrry file, not safetensors"),
        (["convert", "--from=hrry", "-", "b.hrry"], "--from names formats of files"),
        (["convert", "--to=hrry", "a.hrry", "-"], "--to names formats of files"),
        (["convert", "-n", "-", "b.hrry"], "there is no dry run of one"),
        (["verify", "-"], "this needs a file"),
        (["inspect", "--descriptor", "w", "-"], "this needs a file"),
        (["inspect", "--values", "w", "-"], "this needs a file"),
    ],
)
def test_what_streams_do_not_do(tmp_path: Path, args: list[str], text: str) -> None:
    done = process(*args, cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert (done.status, done.out, text in done.err) == (2, "", True), done
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_prints_the_plan_and_sends_nothing(source: Path) -> None:
    done = process("convert", "-n", source, "-")
    assert done.status == 0
    assert done.out.splitlines()[-1].startswith("would write - ")


def test_a_terminal_is_refused(source: Path) -> None:
    status, out = on_terminal("convert", str(source), "-")
    assert (status, "stdout is a terminal" in out) == (2, True)
    status, out = on_terminal("inspect", "-")
    assert (status, "stdin is a terminal" in out) == (2, True)


def test_a_reserved_key_is_refused(tmp_path: Path) -> None:
    library.save(tmp_path / "a.hrry", {}, kv={"hurray.stream.names": ["w"]})
    done = process("convert", tmp_path / "a.hrry", "-")
    assert (done.status, done.out) == (1, "")
    assert "'hurray.stream.names' is reserved" in done.err


def test_a_reader_that_goes_away_ends_the_sender_quietly(tmp_path: Path) -> None:
    library.save(tmp_path / "a.hrry", {"w": library.zeros(1 << 20)})
    with subprocess.Popen(
        command("convert", tmp_path / "a.hrry", "-"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as sender:
        assert sender.stdout is not None
        assert sender.stderr is not None
        sender.stdout.read(100)
        sender.stdout.close()
        assert sender.stderr.read() == b""
        assert sender.wait(30) == 141


@pytest.mark.skipif(sys.platform != "linux", reason="the signal's status is the shell's")
def test_ctrl_c_while_waiting_leaves_nothing(tmp_path: Path) -> None:
    read, write = os.pipe()
    with subprocess.Popen(
        command("convert", "-", tmp_path / "b.hrry"), stdin=read, stderr=subprocess.PIPE
    ) as receiver:
        os.close(read)
        time.sleep(1)
        receiver.send_signal(signal.SIGINT)
        assert receiver.stderr is not None
        assert (receiver.stderr.read(), receiver.wait(10)) == (b"", 130)
    os.close(write)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_both_sides_hold_one_tensor(tmp_path: Path) -> None:
    """Constant memory: 16 tensors of 16 MiB go through in less than three of them, and the interpreter."""
    tensor = library.Tensor(bytearray(16 * MIB), "uint8", (16 * MIB,))
    library.save(tmp_path / "a.hrry", {f"w{at}": tensor for at in range(16)})
    # The peak of this process alone: getrusage counts that of the one that started it as well.
    code = (
        "import re, sys; from hurray_cli import main; status = main(sys.argv[1:]);"
        "peak = re.search('VmHWM: *([0-9]+)', open('/proc/self/status').read().replace('\\t', ' '));"
        "print(status, int(peak[1]) >> 10, file=sys.stderr)"
    )
    run = [sys.executable, "-c", code]
    with subprocess.Popen(
        [*run, "convert", str(tmp_path / "a.hrry"), "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as sender:
        into = subprocess.run(
            [*run, "convert", "-q", "-", str(tmp_path / "b.hrry")],
            stdin=sender.stdout,
            capture_output=True,
            check=True,
        )
        assert sender.stderr is not None
        ends = [sender.stderr.read().split(), into.stderr.split()]
    for status, peak in ends:
        assert (int(status), int(peak) < 96) == (0, True), ends
