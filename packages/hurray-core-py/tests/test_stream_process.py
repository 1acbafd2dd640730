"""Streams and processes: signals, forks, claims under a memory limit, pages that are shared."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import hurray
import pytest

SMALL = hurray.asarray(b"abc")


INTERRUPTED = """
import os, signal, socket, sys, threading, time
import hurray
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may have been ignored by the parent
if sys.argv[2] == "pipe":
    number, into = os.pipe()
    read, write = open(number, "rb", buffering=0), open(into, "wb", buffering=0)
else:
    read, write = socket.socketpair()
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
started = time.monotonic()
try:
    if sys.argv[1] == "read":
        next(hurray.StreamReader(read))
    else:
        hurray.StreamWriter(write).write(hurray.zeros(64 << 20, dtype=hurray.uint8))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("what", ["read", "write"])
@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_ctrl_c_ends_a_blocked_call(what: str, kind: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, what, kind],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "interrupted\n", done.stderr


def test_a_stream_stays_with_the_process_that_opened_it() -> None:
    read, write = socket.socketpair()
    with read, write:
        reader, writer = hurray.StreamReader(read), hurray.StreamWriter(write)
        child = os.fork()
        if child == 0:
            signal.alarm(10)  # a call that is not refused would wait for ever
            refused = 0
            for call in (lambda: next(reader), lambda: writer.write(SMALL)):
                try:
                    call()
                except hurray.StreamError:
                    refused += 1
            reader.close()
            writer.finish()
            os._exit(refused)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        writer.write(SMALL)
        assert next(reader).tobytes() == b"abc"


CLAIMED = """
import resource, sys
import hurray
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
t = hurray.Tensor(b"x", hurray.uint8, (1,)).descriptor.encode()
claim = int(sys.argv[1])
at = 20
data = bytearray(t)
data[20:28] = claim.to_bytes(8, "little")
data[37:45] = claim.to_bytes(8, "little")
try:
    next(hurray.StreamReader(bytes(data) + bytes(3 << 20)))
except hurray.StreamError as error:
    print(error.code)
"""


@pytest.mark.parametrize("claim", [2**32, 2**40, 2**62])
def test_a_claim_allocates_nothing(claim: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CLAIMED, str(claim)], check=False, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "S-1\n", done.stderr


SHARED = """
import sys
import hurray
t = hurray.load(sys.argv[1])["w"]
sum(memoryview(t).cast("B")[::4096])
with open("/proc/self/smaps_rollup") as rollup:
    kinds = dict(line.split(":") for line in rollup if ":" in line)
print(kinds["Pss"].split()[0], kinds["Rss"].split()[0], flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="no /dev/shm here")
def test_processes_share_the_pages_of_a_file_in_memory() -> None:
    with tempfile.NamedTemporaryFile(dir="/dev/shm", suffix=".hrry") as file:
        hurray.save(file.name, {"w": hurray.zeros(64 << 20, dtype=hurray.uint8)})
        command = [sys.executable, "-c", SHARED, file.name]
        many: list[subprocess.Popen[bytes]] = []
        try:
            # The second counts its pages when the first has touched its own, and holds them.
            for _ in range(2):
                many.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
                said = many[-1].stdout
                assert said
                pss, rss = map(int, said.readline().split())
        finally:
            for process in many:
                process.communicate()
        assert rss - pss > 24 << 10  # KiB: the file's pages, halved between two
