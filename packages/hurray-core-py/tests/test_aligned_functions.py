"""aligned_functions: memory for other libraries' allocators, called here as they call it (buffers.md §2)."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import hurray
import pytest
from core_memory import run
from hypothesis import given, settings
from hypothesis import strategies as st

_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
_addresses = hurray.aligned_functions()
malloc: Any = ctypes.CFUNCTYPE(_POINTER, _POINTER, _SIZE)(_addresses[0])
calloc: Any = ctypes.CFUNCTYPE(_POINTER, _POINTER, _SIZE, _SIZE)(_addresses[1])
realloc: Any = ctypes.CFUNCTYPE(_POINTER, _POINTER, _POINTER, _SIZE)(_addresses[2])
free: Any = ctypes.CFUNCTYPE(None, _POINTER, _POINTER, _SIZE)(_addresses[3])

SIZES = [0, 1, 15, 16, 17, 63, 64, 65, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1]
PATTERN = bytes(range(251)) * 2
HUGE = [2**64 - 1, 2**64 - 64, 2**63, 2**63 - 1, 2**60]


@pytest.mark.parametrize("size", SIZES)
def test_memory_is_aligned_and_ones_own(size: int) -> None:
    """Any buffer: ≥ 64, and none for 0 bytes is NULL, which means that there is no memory."""
    given_out = [malloc(None, size) for _ in range(20)] + [calloc(None, size, 1) for _ in range(20)]
    assert all(given_out)
    assert all(address % hurray.MIN_BUFFER_ALIGNMENT == 0 for address in given_out)
    assert len(set(given_out)) == 40
    for number, address in enumerate(given_out):
        ctypes.memset(address, number, size)
    for number, address in enumerate(given_out):
        assert ctypes.string_at(address, size) == bytes([number]) * size
        free(None, address, size)


@pytest.mark.parametrize(("count", "size"), [(0, 8), (8, 0), (3, 7), (1000, 1000), (1, 1 << 22)])
def test_calloc_gives_zeros(count: int, size: int) -> None:
    for _ in range(3):
        address = calloc(None, count, size)
        assert address % 64 == 0
        assert ctypes.string_at(address, count * size) == bytes(count * size)
        ctypes.memset(address, 0xFF, count * size)
        free(None, address, 0)


@settings(deadline=None)
@given(sizes=st.lists(st.sampled_from(SIZES) | st.integers(0, 300_000), min_size=1, max_size=12))
def test_realloc_keeps_the_bytes_and_the_alignment(sizes: list[int]) -> None:
    address, before = realloc(None, None, sizes[0]), sizes[0]
    for number, size in enumerate(sizes):
        kept = ctypes.string_at(address, min(before, size)) if number else b""
        address = realloc(None, address, size)
        assert address % 64 == 0
        if number:
            assert ctypes.string_at(address, len(kept)) == kept
        ctypes.memmove(address, (PATTERN[number:] * (size // 251 + 2))[:size], size)
        before = size
    free(None, address, before)


@pytest.mark.parametrize("size", HUGE)
def test_what_does_not_fit_is_null(size: int) -> None:
    """PEERS, claims: no overflow; and what was there stays."""
    assert malloc(None, size) is None
    assert calloc(None, size, 1) is None
    assert calloc(None, 1, size) is None
    assert calloc(None, 2**32, 2**32) is None
    assert calloc(None, 2**63, 2) is None
    address = malloc(None, 5)
    ctypes.memmove(address, b"hello", 5)
    assert realloc(None, address, size) is None
    assert ctypes.string_at(address, 5) == b"hello"
    free(None, address, 5)


def test_free_takes_null_and_needs_no_size() -> None:
    free(None, None, 0)
    for size in (0, 8, 2**64 - 1):
        free(None, malloc(None, 1000), size)


def test_memory_may_be_freed_by_another_thread() -> None:
    """Without the GIL: a CFUNCTYPE lets go of it."""
    given_out: list[int] = []

    def make() -> None:
        given_out.extend(realloc(None, malloc(None, 100 + number), 5000 + number) for number in range(200))

    def drop() -> None:
        for address in list(given_out[:200]):
            given_out.remove(address)
            free(None, address, 0)

    for work in (make, make, drop, drop):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert given_out == []


def test_nothing_leaks() -> None:
    code = """
import hurray, ctypes
from core_memory import resident
import test_aligned_functions as t
def rounds(count):
    for _ in range(count):
        address = t.calloc(None, 1000, 1000)
        ctypes.memset(address, 1, 1000000)
        address = t.realloc(None, address, 3000000)
        ctypes.memset(address, 1, 3000000)
        t.free(None, t.realloc(None, address, 10), 0)
rounds(20)
before = resident()
rounds(300)
assert resident() - before < 20 << 20
print("done")
"""
    assert run(code) == "done"


def test_zeros_take_memory_where_they_are_written_to() -> None:
    code = """
import ctypes
from core_memory import resident
import test_aligned_functions as t
before = resident()
address = t.calloc(None, 1 << 30, 1)
assert resident() - before < 16 << 20
ctypes.memset(address + 12345, 1, 1)
assert ctypes.string_at(address + 12344, 3) == bytes([0, 1, 0])
print("done")
"""
    assert run(code) == "done"
