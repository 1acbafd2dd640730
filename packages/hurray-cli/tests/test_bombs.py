"""Input that claims much and holds little costs little memory: under RLIMIT_AS, in processes of their own."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest
from cli_helpers import process, safetensors_bytes

MIB = 1 << 20
LIMIT = (
    1200 * MIB
)  # address space: the interpreter and NumPy's absence leave room for a header of 95 MiB, not for 1 GiB


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))


BIG = 95 * 10**6
# Made when they are needed: together they would fill the memory of the process that runs the tests.
BOMBS = {
    "lists in an entry": lambda: b'{"a":' + b"[" + b"[]," * (BIG // 3) + b"[]]}",
    "numbers in a shape": lambda: (
        b'{"a":{"dtype":"U8","data_offsets":[0,0],"shape":[' + b"0," * (BIG // 2) + b"0]}}"
    ),
    "objects in the metadata": lambda: b'{"__metadata__":{"k":' + b"[" + b"{}," * (BIG // 3) + b"{}]}}",
    "the same name": lambda: b"{" + b'"a":{},' * (BIG // 7) + b'"a":{}}',
    "the same metadata key": lambda: b'{"__metadata__":{' + b'"":"",' * (BIG // 6) + b'"":""}}',
    "nesting": lambda: b'{"a":' + b"[" * BIG,
    "one long name": lambda: b'{"' + b"a" * BIG + b'":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
    "blanks": lambda: b"{" + b" " * BIG,
    "a long number": lambda: b'{"a":{"dtype":"U8","data_offsets":[0,0],"shape":[' + b"9" * BIG + b"]}}",
}


@pytest.mark.parametrize("text", BOMBS.values(), ids=BOMBS)
def test_header_of_95_megabytes(tmp_path: Path, text: Callable[[], bytes]) -> None:
    source, target = tmp_path / "a.safetensors", tmp_path / "b.hrry"
    source.write_bytes(safetensors_bytes(text()))
    done = process("convert", source, target, preexec_fn=limited)
    assert done.status == 1, done.err[:500]
    assert "Traceback" not in done.err, done.err[:500]
    assert "fault" not in done.err, done.err[:500]
    assert "memory" not in done.err, done.err[:500]
    assert len(done.err) < MIB
    assert not target.exists()


def test_index_of_a_sharded_checkpoint(tmp_path: Path) -> None:
    source = tmp_path / "m.index.json"
    source.write_bytes(b'{"weight_map":{},"metadata":{"x":' + b"[" + b"[]," * (BIG // 3) + b"[]]}}")
    done = process("convert", source, tmp_path / "b.hrry", preexec_fn=limited)
    assert done.status == 1
    assert "memory" not in done.err
    assert "a value of more than 1048576 characters" in done.err


@pytest.mark.parametrize("size", [2**62, 2**40])
def test_a_tensor_larger_than_the_file(tmp_path: Path, size: int) -> None:
    source = tmp_path / "a.safetensors"
    header = {"a": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}
    source.write_bytes(safetensors_bytes(header, bytes(8)))
    done = process("convert", source, tmp_path / "b.hrry", preexec_fn=limited)
    assert done.status == 1
    assert f"its data ends at {size}; the file has 8 bytes of data" in done.err
