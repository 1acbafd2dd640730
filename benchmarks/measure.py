"""Clocks, memory and the page cache. Imports no NumPy: what is measured in a child must not inherit it."""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import sys
import time
import timeit
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = mmap.PAGESIZE


def times(action: Callable[[], object], runs: int) -> list[float]:
    """The seconds that each of ``runs`` calls takes; what a call returns is dropped outside the clock."""
    found = []
    for _ in range(runs):
        begin = time.perf_counter()
        kept = action()
        found.append(time.perf_counter() - begin)
        del kept
    return found


def per_call(action: Callable[[], object], runs: int = 15, calls: int = 20_000) -> list[float]:
    """The seconds of one call, averaged over ``calls``, once for each run; the loop's own cost is taken off."""
    found = []
    clock = time.perf_counter
    rounds = range(calls)
    for _ in range(runs):
        begin = clock()
        for _ in rounds:
            pass
        middle = clock()
        for _ in rounds:
            action()
        found.append((clock() - middle - (middle - begin)) / calls)
    return found


def per_statement(statement: str, names: dict[str, Any], calls: int = 20_000) -> float:
    """The seconds of one statement, averaged over ``calls`` that stand in a loop without a call around them."""
    return timeit.Timer(statement, globals=names).timeit(calls) / calls


def serve(action: Callable[[], dict[str, list[float]]], **hello: float) -> None:
    """Answer each line of the input with one run of ``action``, as a line of JSON; ``hello`` comes first."""
    print(json.dumps(hello), flush=True)
    for _ in sys.stdin:
        print(json.dumps(action()), flush=True)


def resident() -> int:
    """Bytes of this process in memory now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def reset_peak() -> None:
    """Let :func:`peak` begin anew."""
    Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """The most bytes of this process that were in memory at once since :func:`reset_peak`."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("the kernel tells no VmHWM")


def drop_cache(path: Path) -> None:
    """Take the pages of ``path`` out of the page cache, and fail if they stay."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(fd)
    share = cached_share(path)
    if share > 0.01:
        raise OSError(f"{path}: {share:.0%} of it is still in the page cache")


def cached_share(path: Path) -> float:
    """How much of a file the page cache holds, from 0 to 1."""
    libc = ctypes.CDLL(None, use_errno=True)
    size = path.stat().st_size
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), size, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE) as view,
    ):
        pages = -(-size // PAGE)
        states = (ctypes.c_ubyte * pages)()
        anchor = ctypes.c_char.from_buffer(view)
        status = libc.mincore(ctypes.c_void_p(ctypes.addressof(anchor)), ctypes.c_size_t(size), states)
        del anchor
        if status:
            raise OSError(ctypes.get_errno(), "mincore")
    return sum(state & 1 for state in bytes(states)) / pages


def child(command: list[str], environment: dict[str, str] | None = None) -> tuple[float, int]:
    """Run a command to its end: seconds, and the most bytes that it had in memory at once."""
    begin = time.perf_counter()
    pid = os.posix_spawn(command[0], command, environment if environment is not None else dict(os.environ))
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if status:
        raise OSError(f"{' '.join(command)}: status {os.waitstatus_to_exitcode(status)}")
    return seconds, usage.ru_maxrss * 1024


def numpy_environment() -> dict[str, str]:
    """The environment without what slows a current NumPy on the machines of some workplaces."""
    hidden = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
    return {name: value for name, value in os.environ.items() if name not in hidden}


Result = dict[str, Any]
