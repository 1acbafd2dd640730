"""Flags and words as arguments: refused with the argument's name, what was given, what would be right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import hurray
import pytest

T = hurray.asarray([5])
FLAGS: list[tuple[str, Callable[[Any, Path], Any]]] = [
    ("check", lambda value, path: hurray.save(path, {}, check=value)),
    ("durable", lambda value, path: hurray.save(path, {}, durable=value)),
    ("check", lambda value, path: hurray.FileWriter(path, check=value)),
    ("durable", lambda value, path: hurray.FileWriter(path, durable=value)),
    ("writable", lambda value, path: hurray.open(path, writable=value)),
    ("permissive", lambda value, path: hurray.Descriptor.decode(b"", permissive=value)),
    ("endpoint", lambda value, path: hurray.linspace(0, 1, 2, endpoint=value)),
    ("is_sorted", lambda value, path: hurray.CooLayout(1, value)),
    ("has_nan", lambda value, path: hurray.Statistics(has_nan=value, has_inf=False)),
    *[
        (name, lambda value, path, name=name: hurray.ExtensionType(8, **{name: value}))
        for name in ("is_float", "is_signed", "has_nan", "has_inf")
    ],
]
COPIES: list[Callable[[Any], Any]] = [
    lambda value: hurray.asarray(b"a", copy=value),
    lambda value: hurray.asarray([1], copy=value),
    lambda value: hurray.from_dlpack(T, copy=value),
    lambda value: hurray.Tensor.from_buffer(b"a", copy=value),
    lambda value: hurray.Tensor.from_descriptor(T.descriptor, [T.buffer(0)], copy=value),
    lambda value: hurray.sparse_coo([1.0], [[0]], (2,), copy=value),
]
WORDS: list[tuple[str, Callable[[Any, Path], Any]]] = [
    ("io", lambda value, path: hurray.load(path, io=value)),
    ("io", lambda value, path: hurray.open(path, io=value)),
    ("name", lambda value, path: T.to(value)),
    ("name", lambda value, path: hurray.Dtype.from_name(value)),
]


@pytest.mark.parametrize(("name", "call"), FLAGS)
@pytest.mark.parametrize("value", [1, "yes", [True]])
def test_a_flag_is_a_bool(name: str, call: Callable[[Any, Path], Any], value: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=rf"^{name} is a bool, got {type(value).__name__}"):
        call(value, tmp_path / "a.hrry")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("call", COPIES)
@pytest.mark.parametrize("value", [0, 1, "no", 1.0])
def test_copy_is_none_or_a_bool(call: Callable[[Any], Any], value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^copy is None, True or False, got {type(value).__name__}"):
        call(value)


@pytest.mark.parametrize("call", COPIES)
def test_copy_true_and_none_are_taken(call: Callable[[Any], Any]) -> None:
    assert call(None) is not None
    assert call(True) is not None


@pytest.mark.parametrize(("name", "call"), WORDS)
@pytest.mark.parametrize("value", [3, None, b"mmap"])
def test_a_word_is_a_string(name: str, call: Callable[[Any, Path], Any], value: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=rf"^{name} is a string, got (int|None|bytes)"):
        call(value, tmp_path / "a.hrry")
