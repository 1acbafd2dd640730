"""What the tests of the command share: running it, and building files that lie."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

ROOT = Path(__file__).resolve().parents[3]
MIB = 1 << 20

Server: TypeAlias = "subprocess.Popen[str]"


class Done(NamedTuple):
    """How a run of the command ended."""

    status: int
    out: str
    err: str


def hurray(*args: str | os.PathLike[str]) -> Done:
    """Run the command in this process."""
    from hurray_cli import main

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([os.fspath(arg) for arg in args])
    return Done(status, out.getvalue(), err.getvalue())


def command(*args: str | os.PathLike[str]) -> list[str]:
    """The command line of a process of its own."""
    return [sys.executable, "-m", "hurray_cli", *(os.fspath(arg) for arg in args)]


def process(*args: str | os.PathLike[str], **options: Any) -> Done:
    """Run the command in a process of its own."""
    options = {"capture_output": True, "timeout": 60, **options}
    done = subprocess.run(command(*args), check=False, **options)
    return Done(done.returncode, _text(done.stdout), _text(done.stderr))


def on_terminal(*args: str | os.PathLike[str], wait: float = 20, **environment: str) -> tuple[int, str]:
    """Run with stdout and stderr on a pseudo-terminal; the status and all that was written to it."""
    return terminal(command(*args), wait, **environment)


def terminal(args: list[str], wait: float = 20, **environment: str) -> tuple[int, str]:
    """The same of any command line."""
    master, slave = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", **environment}
    running = subprocess.Popen(args, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    out = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        out += piece
    os.close(master)
    return running.wait(wait), out.decode()


def apart(*args: str | os.PathLike[str]) -> Done:
    """Run the command in a process of its own: see :func:`apart_each`."""
    return apart_each([args])[0]


def apart_each(
    runs: Sequence[Sequence[str | os.PathLike[str]]], peak: int = 160 * MIB, *, server: Server | None = None
) -> list[Done]:
    """Run command lines in a child process, each held to 20 s, all to 1 GiB of address space and ``peak`` of memory.

    The child must live to the end, and what it says on stderr must be clean lines: no traceback, no fault, no panic.
    """
    server = server or _nursery()
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps([[os.fspath(arg) for arg in args] for args in runs]) + "\n")
    server.stdin.flush()
    reply = json.loads(server.stdout.readline())
    verdicts = [Done(*verdict) for verdict in reply["verdicts"]]
    ended = "" if reply["ended"] >= 0 else f" by signal {-reply['ended']}"
    assert len(verdicts) == len(runs), f"the process ended{ended} in: {runs[len(verdicts)]}"
    assert reply["peak"] <= peak, f"{reply['peak']} bytes of memory: {runs}"
    for args, done in zip(runs, verdicts, strict=True):
        assert done.status in (0, 1, 2), (args, done)
        for line in done.err.splitlines():
            assert line.startswith(("hurray: error: ", "hurray: note: ")), (args, done)
            assert "a fault in hurray" not in line, (args, done)
    return verdicts


@cache
def _nursery() -> Server:
    server = subprocess.Popen(
        [sys.executable, os.fspath(Path(__file__).with_name("nursery.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(server.communicate, "")
    return server


def _text(output: bytes | None) -> str:
    return (output or b"").decode(errors="backslashreplace")


def safetensors_bytes(header: Any, data: bytes = b"", *, pad: bool = True) -> bytes:
    """A file with this header: bytes and text as they are, anything else as JSON."""
    if isinstance(header, str):
        text = header.encode("utf-8", "surrogatepass")
    else:
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
    if pad:
        text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype: Any = "U8", shape: Any = (4,), offsets: Any = (0, 4)) -> dict[str, Any]:
    """The entry of one tensor in a header; the default is four bytes."""
    plain = {tuple: list}
    return {
        "dtype": dtype,
        "shape": plain.get(type(shape), lambda x: x)(shape),
        "data_offsets": plain.get(type(offsets), lambda x: x)(offsets),
    }


def leftovers(folder: Path, *expected: str) -> Sequence[str]:
    """Names in a folder that nobody put there."""
    return sorted(set(os.listdir(folder)) - set(expected))
