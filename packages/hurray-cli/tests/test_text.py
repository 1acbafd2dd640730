"""The text helpers: escapes, units, natural order, tables."""

from __future__ import annotations

import re

import pytest
from hurray_cli import units
from hurray_cli.escape import shown
from hurray_cli.sorting import natural
from hurray_cli.table import Table, cells
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("layer.0.weight", "layer.0.weight"),
        ("naïve 模型 🦀", "naïve 模型 🦀"),
        ("back\\slash", "back\\slash"),
        ("a\nb", "a\\nb"),
        ("back\\slash\n", "back\\\\slash\\n"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\x9b31m", "\\x9b31m"),
        ("a\u202eb", "a\\u202eb"),
        ("a\u2066b\u200b", "a\\u2066b\\u200b"),
        ("\U000e0041", "\\U000e0041"),
        ("\ud800", "\\ud800"),
        ("\x7f\0", "\\x7f\\x00"),
        ("no\u00a0break", "no\\xa0break"),
    ],
)
def test_escapes(text: str, expected: str) -> None:
    assert shown(text) == expected


@given(st.text(st.characters()))
def test_what_is_shown_is_printable(text: str) -> None:
    assert shown(text).isprintable()


@given(st.text(st.characters()), st.text(st.characters()))
def test_two_names_with_escapes_never_look_alike(first: str, second: str) -> None:
    if first != second and not first.isprintable() and not second.isprintable():
        assert shown(first) != shown(second)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (90_856_960, "86.6 MiB"),
        (1 << 40, "1.0 TiB"),
        (1 << 80, "1048576.0 EiB"),
    ],
)
def test_sizes(number: int, expected: str) -> None:
    assert units.size(number) == expected


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0"), (9999, "9999"), (10_000, "10.0 k"), (22_713_728, "22.7 M"), (7 * 10**9, "7.0 B")],
)
def test_counts(number: int, expected: str) -> None:
    assert units.count(number) == expected


def test_seconds_and_plurals() -> None:
    assert [units.seconds(value) for value in (0.004, 59.99, 60, 125.4)] == [
        "0.00 s",
        "59.99 s",
        "1 min 00 s",
        "2 min 05 s",
    ]
    assert [units.plural(n, "tensor") for n in (0, 1, 1000)] == ["0 tensors", "1 tensor", "1,000 tensors"]


def test_natural_order() -> None:
    names = ["l.10.w", "l.2.w", "l.2", "l", "l.02.w", "a", "10", "9", "l.1.b", "l.b"]
    assert sorted(names, key=natural) == [
        "9",
        "10",
        "a",
        "l",
        "l.1.b",
        "l.2",
        "l.02.w",
        "l.2.w",
        "l.10.w",
        "l.b",
    ]


@given(st.lists(st.integers(0, 10**30)))
def test_natural_order_of_numbers(numbers: list[int]) -> None:
    names = [f"layer.{number}.weight" for number in numbers]
    in_order = sorted(names, key=natural)
    assert [int(re.findall("[0-9]+", name)[0]) for name in in_order] == sorted(numbers)


@given(st.lists(st.text(max_size=8), unique=True))
def test_natural_order_is_total(names: list[str]) -> None:
    assert sorted(names, key=natural) == sorted(names, key=natural)


def test_numbers_of_any_length_sort() -> None:
    assert natural("x" + "1" * 10_000) < natural("x" + "2" * 10_000)


def test_a_plain_table_lines_up_and_cuts_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(("name", "bytes"), right=("bytes",))
    table.add("模型", "1")
    table.add("n" * 90, "1,000")
    table.print()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "name" + " " * 88 + "bytes"
    assert [cells(line) for line in lines] == [97] * 3


def test_one_long_name_does_not_widen_the_other_rows(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(("name", "bytes"), right=("bytes",))
    table.add("short", "1")
    table.add("n" * 5000, "1,000")
    table.print()
    header, short, long = capsys.readouterr().out.splitlines()
    assert max(cells(header), cells(short)) < 120
    assert "n" * 5000 in long
    assert long.endswith("1,000")


def test_cells() -> None:
    assert [cells(text) for text in ("abc", "模型", "é", "e\u0301")] == [3, 4, 1, 1]
