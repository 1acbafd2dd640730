"""Bad input in processes of its own: that the helper for it sees what it must see, and the installed command itself."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_helpers import MIB, Done, Server, apart, apart_each, entry, safetensors_bytes
from hrry_files import SHARDED, single

MISBEHAVING = """
import ctypes, sys, time, nursery, hurray_cli

def main(args):
    print("said", args[0])
    match args[0]:
        case "crash": ctypes.string_at(0)
        case "hang": time.sleep(60)
        case "exit": sys.exit(0)
        case "raise": raise TypeError("oops")
        case "grow": len(b"x" * int(args[1]))
        case "complain": print("thread panicked", file=sys.stderr)
        case "leave": import os; os._exit(0)
    return 0

hurray_cli.main, nursery.SECONDS, nursery.warm = main, 3, lambda folder: None
nursery.serve()
"""


@pytest.fixture(scope="module")
def misbehaving() -> Iterator[Server]:
    server = subprocess.Popen(
        [sys.executable, "-c", MISBEHAVING],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent,
    )
    yield server
    server.communicate("")


@pytest.mark.parametrize(
    ("args", "seen"),
    [
        (("crash",), "ended by signal 11 in"),
        (("hang",), "ended by signal 14 in"),
        (("leave",), "the process ended in"),
        (("exit",), "70"),
        (("raise",), "TypeError: oops"),
        (("complain",), "thread panicked"),
        (("grow", str(200 * MIB)), "bytes of memory"),
        (("grow", str(2048 * MIB)), "MemoryError"),
    ],
    ids=lambda case: case[0] if isinstance(case, tuple) else "",
)
def test_what_must_not_happen_is_seen(misbehaving: Server, args: tuple[str, ...], seen: str) -> None:
    with pytest.raises(AssertionError) as caught:
        apart_each([("good",), args, ("good",)], server=misbehaving)
    assert seen in str(caught.value)
    assert apart_each([("good",)], server=misbehaving) == [Done(0, "said good\n", "")]


def installed(*args: str | os.PathLike[str]) -> Done:
    """The script that the installation made, held to the memory that the other tests are held to."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1024 * MIB, 1024 * MIB))

    script = Path(sys.executable).with_name("hurray")
    assert script.exists(), "the distribution is installed with its script"
    done = subprocess.run(
        [script, *args], capture_output=True, text=True, check=False, timeout=60, preexec_fn=limited
    )
    return Done(done.returncode, done.stdout, done.stderr)


GOOD = safetensors_bytes({"a": entry(), "b": entry(offsets=(4, 8))}, b"12345678")
BAD = {
    "a length that lies": ("in.safetensors", (2**40).to_bytes(8, "little") + GOOD[8:]),
    "truncated": ("in.safetensors", GOOD[:-1]),
    "a flipped bit": ("in.safetensors", GOOD.replace(b'"U8"', b'"U9"', 1)),
    "an overlap": ("in.safetensors", GOOD.replace(b"[4, 8]", b"[2, 6]")),
    "a shard that is missing": ("m.index.json", json.dumps({"weight_map": {"a": "none"}}).encode()),
    "an index of .hrry that points outside": (
        "in.hrry",
        single(SHARDED)[:-56] + b"\xff" * 8 + single(SHARDED)[-48:],
    ),
    "an empty file": ("in.hrry", b""),
}


@pytest.mark.parametrize(("name", "content"), BAD.values(), ids=BAD)
def test_the_installed_command(tmp_path: Path, name: str, content: bytes) -> None:
    source, target = tmp_path / name, tmp_path / "out.hrry"
    source.write_bytes(content)
    done = installed("convert", source, target)
    assert (done.status, done.out) == (1, "")
    assert all(line.startswith("hurray: error: ") for line in done.err.splitlines())
    assert done == apart("convert", source, target)
    assert os.listdir(tmp_path) == [name]
    assert installed("verify", source).status == 1


def test_the_installed_command_on_a_good_file(tmp_path: Path) -> None:
    (tmp_path / "in.safetensors").write_bytes(GOOD)
    assert installed("convert", "-q", tmp_path / "in.safetensors", tmp_path / "out.hrry") == Done(0, "", "")
