"""_repr_html_: what notebooks show, escaped and without anything from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, INT8, Crafted, Put, descriptor, single
from core_memory import run
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

ALLOWED = {"table", "caption", "thead", "tbody", "tr", "th", "td", "pre", "p"}


class Table(HTMLParser):
    """The cells of a table, row by row; every tag must be one of a few, opened and closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.caption = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED
        assert {name for name, _ in attrs} <= {"style", "colspan"}
        assert not any("url" in (value or "") for _, value in attrs)
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        assert self._open
        if "caption" in self._open or "p" in self._open:
            self.caption += data
        else:
            self.rows[-1][-1] += data

    @property
    def fields(self) -> dict[str, str]:
        return {row[0]: row[1] for row in self.rows}


def table(shown: Any) -> Table:
    return Table(shown._repr_html_())


def test_a_tensor() -> None:
    tensor = hurray.from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3), copy=True)
    found = table(tensor)
    assert found.caption == "hurray.Tensor"
    assert found.fields == {
        "shape": "(2, 3)",
        "dtype": "float32",
        "layout": "RowMajorLayout()",
        "device": "cpu",
        "bytes": "24 bytes",
        "buffers": f"1, aligned to {tensor.buffer_handles[0].alignment}",
        "values": str(tensor),
    }


def test_sections_are_named_where_there_are_some() -> None:
    tensor = hurray.Tensor(
        bytes(4),
        hurray.int8,
        (2, 2),
        aux_buffers=[pack("2f", 1, 2)],
        quantization=hurray.PerChannelAffine.symmetric(0, 1),
        shard=hurray.Shard((4, 4), (2, 2)),
        statistics=hurray.Statistics(value_min=1, value_max=2, value_abs_max=2),
    )
    for found in (table(tensor).fields, table(tensor.descriptor).fields):
        assert found["quantization"] == repr(tensor.quantization)
        assert found["shard"] == repr(tensor.shard)
        assert found["statistics"] == repr(tensor.statistics)
        assert found["buffers"] == "2: 4, 8 bytes"
    assert "<values not shown: quantised codes" in table(tensor).fields["values"]


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 byte"),
        (1000, "1,000 bytes"),
        (1024, "1,024 bytes (1 KiB)"),
        (3 << 19, "1,572,864 bytes (1.5 MiB)"),
    ],
)
def test_sizes_read_well(count: int, text: str) -> None:
    assert table(hurray.Tensor(bytearray(count), hurray.uint8, (count,))).fields["bytes"] == text


def test_large_values_are_summarised_and_options_hold() -> None:
    tensor = hurray.Tensor(bytearray(1 << 20), hurray.uint8, (1024, 1024))
    assert len(tensor._repr_html_()) < 3000
    with hurray.print_options(edgeitems=1):
        assert table(tensor).fields["values"] == "[[0, ..., 0],\n ...,\n [0, ..., 0]]"


@pytest.mark.parametrize("shape", [(None,), (2, None)])
def test_a_dynamic_dimension_is_never_shown_as_data(shape: tuple[int | None, ...]) -> None:
    """A tensor with a dynamic dimension MUST NOT render its buffer as data."""
    found = table(hurray.Tensor(bytes(range(64)), hurray.uint8, shape)).fields
    assert found["values"] == f"<values not shown: a dimension is dynamic, shape={shape}>"
    assert found["shape"] == str(shape)


def test_memory_elsewhere() -> None:
    device = hurray.Device("cuda", 1)
    found = table(hurray.Tensor(bytes(4), hurray.uint8, (4,), device)).fields
    assert found["device"] == repr(device)
    assert "cuda memory" in found["values"]


def test_a_descriptor() -> None:
    one = hurray.Tensor(bytes(24), hurray.float32, (2, 3)).descriptor
    found = table(one)
    assert found.caption == "hurray.Descriptor"
    assert found.fields["shape"] == "(2, 3)"
    assert found.fields["dtype"] == "float32"
    assert found.fields["byte offset"] == "0"
    assert found.fields["version"] == "1.0"
    assert found.fields["encoded"] == f"{one.encoded_len} bytes"
    assert "values" not in found.fields


# --- files -------------------------------------------------------------------------------------------------


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    tensors = {"embed": np.zeros((10, 4), np.float32), "bias": np.zeros(3, np.int8)}
    hurray.save(path, tensors, kv={"a": 1, "b": "c"})
    with hurray.open(path) as file:
        found = table(file)
        assert found.caption.startswith(f"hurray.File: 2 tensors, {path.stat().st_size:,} bytes (")
        assert found.caption.endswith(", 2 metadata keys")
        assert found.rows == [
            ["name", "shape", "dtype", "layout", "bytes"],
            ["embed", "(10, 4)", "float32", "row_major", "160"],
            ["bias", "(3,)", "int8", "row_major", "3"],
        ]
    assert table(file).caption == "closed hurray.File"


def test_an_empty_file(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {})
    with hurray.open(tmp_path / "a.hrry") as file:
        assert table(file).caption.startswith("hurray.File: 0 tensors, ")


def test_a_file_of_many_names_shows_the_first(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {f"t{number:04}": b"abc" for number in range(1234)})
    with hurray.open(tmp_path / "a.hrry") as file:
        rows = table(file).rows
    assert len(rows) == 102
    assert rows[100][0] == "t0099"
    assert rows[101] == ["and 1,134 more"]


NASTY = [
    "<script>alert(1)</script>",
    "a\"b'c",
    "&amp;",
    "</td></tr></table>",
    "<img src=x onerror=y>",
    "\0\n",
    "é🎉",
]


@pytest.mark.parametrize("name", NASTY)
def test_names_are_escaped(name: str) -> None:
    """A name is text, whatever it holds: nothing of it becomes markup."""
    with hurray.open(single(descriptor(), bytes(8), name=name.encode())) as file:
        text = file._repr_html_()
        row = Table(text).rows[1]
    assert row[0] == name
    assert "<script" not in text
    assert "<img" not in text


@given(st.text(min_size=1, max_size=20))
@settings(max_examples=60)
def test_any_name_comes_back(name: str) -> None:
    with hurray.open(single(descriptor(), bytes(8), name=name.encode("utf-8", "replace"))) as file:
        assert Table(file._repr_html_()).rows[1][0] == next(iter(file))


def test_a_private_layout_is_escaped() -> None:
    payload = pack("<QI", 7, 5) + b"<b>&'"
    tensor = hurray.load(single(descriptor(INT8, 0xF1, (2,), (2,), payload=payload), b"\1\2"))["w"]
    assert "<b>" not in tensor._repr_html_()
    assert table(tensor).fields["layout"] == repr(tensor.layout)


def test_a_broken_descriptor_is_a_row_and_no_error() -> None:
    broken = descriptor(FLOAT32, 5, (4, 4), (64,), payload=pack("<II", 1, 1))
    good = descriptor(FLOAT32, shape=(2,), sizes=(8,))
    data = Crafted((Put(b"bad", broken, (bytes(64),)), Put(b"good", good, (bytes(8),)))).build()
    with hurray.open(data) as file:
        rows = table(file).rows
    assert rows[1][0] == "bad"
    assert rows[1][1].startswith("cannot be read: ")
    assert rows[2] == ["good", "(2,)", "float32", "row_major", "8"]


def test_the_table_needs_nothing_else() -> None:
    code = """
import sys, hurray
hurray.asarray(bytearray(8))._repr_html_()
print(*sorted({"html", "json", "numpy", "IPython"} & set(sys.modules)))
"""
    assert run(code) == ""
    assert "http" not in hurray.asarray(bytearray(8))._repr_html_()
