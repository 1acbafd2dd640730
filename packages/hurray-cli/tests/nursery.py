"""Runs of the command in processes of their own, without the time that an interpreter takes to start.

A process that has everything imported, and does nothing but fork: a child for each batch of command lines that it is
sent, held to a time and to an amount of memory. A crash, a hang or a blow-up in a child shows in how it ends, and the
verdicts that it gave until then say in which run.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import sys
import tempfile
import traceback
from typing import Any

MIB = 1 << 20
SECONDS = 20  # for one run
ADDRESS_SPACE = 1024 * MIB  # what a child may map, the interpreter and its libraries included
LOST = 70  # the status of a run in which the command itself raised


def batch(runs: list[list[str]]) -> dict[str, Any]:
    """Fork, run the command lines one after the other, and tell how that ended."""
    with tempfile.TemporaryFile("w+") as verdicts:
        pid = os.fork()
        if pid == 0:
            try:
                child(runs, verdicts)
            finally:
                os._exit(0)
        _, status, usage = os.wait4(pid, 0)
        verdicts.seek(0)
        return {
            "ended": os.waitstatus_to_exitcode(status),
            "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
            "verdicts": [json.loads(line) for line in verdicts],
        }


def child(runs: list[list[str]], verdicts: Any) -> None:
    """The command lines, as the last thing that this process does."""
    # Unhandled, it ends the process wherever that is: in Python, in the library, or waiting.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        for args in runs:
            signal.alarm(SECONDS)
            status = run(args)
            signal.alarm(0)
            print(json.dumps((status, taken(out), taken(err))), file=verdicts, flush=True)


def run(args: list[str]) -> int:
    """The command; the status where it raises is one of our own, which no run of it has."""
    from hurray_cli import main

    try:
        return main(args)
    except BaseException:
        traceback.print_exc()
        return LOST
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def taken(file: Any) -> str:
    """What was written to ``file``, which is empty afterwards."""
    file.seek(0)
    text: str = file.read().decode(errors="backslashreplace")
    file.seek(0)
    file.truncate()
    return text


def warm(folder: str) -> None:
    """Import what the runs will need, by using it."""
    here, there = os.path.join(folder, "a.safetensors"), os.path.join(folder, "b.hrry")
    header = b'{"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}}'
    with open(here, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header + b"\1")
    for args in (["convert", "-q", here, there], ["verify", there], ["inspect", there], ["verify", here]):
        run(args)


def serve() -> None:
    """A line of JSON in, the command lines; a line of JSON out, the verdicts."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        warm(folder)
    gc.collect()
    gc.freeze()  # the children leave these pages alone then
    for line in sys.stdin:
        print(json.dumps(batch(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    serve()
