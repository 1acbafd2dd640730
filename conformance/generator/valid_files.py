"""Files of file.md: every option of a writer, and what existing writers leave behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..reference.composite import Composite, Item
from ..reference.file import File, lay_out
from ..reference.file.header import HAS_CRC, HAS_KV, SORTED, Header
from ..reference.file.kv import ARRAY, BOOL, BYTES, FLOAT64, INT64, STRING, UINT64, Value
from ..reference.layouts import Coo, Csf, Csr, RowMajor
from ..reference.tensor import Tensor
from .composites import dense, nest, valid_composites
from .schemes import CASES
from .valid_tensors import quantized
from .vector import Vector

Named = tuple[str, Tensor]
TWO: list[Named] = [("weights", dense([1, 2, 3, 4], (2, 2))), ("bias", dense([1, -2, 3], (3,), "int8"))]
KV: list[tuple[str, Value]] = [
    ("string", Value(STRING, "Größe ✓")),
    ("empty string", Value(STRING, "")),
    ("int64", Value(INT64, -(2**63))),
    ("uint64", Value(UINT64, 2**64 - 1)),
    ("float64", Value(FLOAT64, 0.1)),
    ("infinity", Value(FLOAT64, float("-inf"))),
    ("true", Value(BOOL, True)),
    ("false", Value(BOOL, False)),
    ("bytes", Value(BYTES, b"\0\xff\x80")),
    ("strings", Value(ARRAY, ["a", "", "ß"], STRING)),
    ("int64s", Value(ARRAY, [1, -1], INT64)),
    ("uint64s", Value(ARRAY, [0, 2**64 - 1], UINT64)),
    ("float64s", Value(ARRAY, [0.5, -0.0], FLOAT64)),
    ("bools", Value(ARRAY, [True, False, True], BOOL)),
    ("byte strings", Value(ARRAY, [b"", b"\1\2"], BYTES)),
    ("no strings", Value(ARRAY, [], STRING)),
]


def flat(items: Sequence[Item], prefix: str = "t") -> list[Named]:
    """Tensors and heads in pre-order, each with a name of its own."""
    found: list[Named] = []

    def walk(item: Item) -> None:
        found.append((f"{prefix}{len(found)}", item.head if isinstance(item, Composite) else item))
        for member in item.members if isinstance(item, Composite) else ():
            walk(member)

    for item in items:
        walk(item)
    return found


def valid_files() -> Iterator[Vector]:
    """All of them."""
    made = {
        "plain": (lay_out(TWO), "two tensors, index with CRC"),
        "empty": (lay_out([]), "112 bytes: the smallest file"),
        "sorted-index": (
            lay_out(TWO, header=Header(SORTED | HAS_CRC)),
            "SORTED_INDEX permutes the index alone",
        ),
        "no-crc": (lay_out(TWO, header=Header(0)), "HAS_INDEX_CRC32C clear"),
        "count-hint": (lay_out(TWO, header=Header(count=2)), "tensor_count_hint known"),
        "wrong-count-hint": (lay_out(TWO, header=Header(count=77)), "the hint is never to be relied on"),
        "alignment-16384": (lay_out(TWO[:1], header=Header(alignment=16384)), "a larger alignment"),
        "first-at-128": (lay_out(TWO[:1], header=Header(first=128)), "padding before the first descriptor"),
        "minor-1": (lay_out(TWO[:1], header=Header(version=(1, 1))), "a newer container minor"),
        "kv-flag-set": (lay_out(TWO[:1], KV[:2], header=Header(HAS_KV | HAS_CRC)), "HAS_KV_METADATA set"),
        "kv-flag-clear": (lay_out(TWO[:1], KV[:2]), "KV with its flag clear, as existing writers leave it"),
        "kv-every-kind": (lay_out([], KV, header=Header(HAS_KV | HAS_CRC)), "every kind of value"),
        "kv-no-entries": (lay_out([], [], header=Header(HAS_KV | HAS_CRC)), "a KV section of no entries"),
        "names": (lay_out(_names()), "names that only their bytes tell apart"),
        "many-buffers": (
            lay_out(_many_buffers()),
            "sparse and quantized tensors, padding between their buffers",
        ),
        "composites": (lay_out(flat(_composites())), "heads and members, no padding after a head"),
        "composites-padded-heads": (
            lay_out(flat(_composites()[:1]), align_heads=True),
            "padding after a composite head, as existing writers put it",
        ),
        "composites-sorted": (
            lay_out(_reversed_names(), header=Header(SORTED | HAS_CRC)),
            "membership goes by descriptor_offset",
        ),
        "composites-nested": (lay_out(flat([nest(8)])), "eight heads"),
    }
    for name, (file, about) in made.items():
        yield Vector(f"files/{name}", "file", file.encode(), about)
    for name, items in valid_composites().items():
        if name.startswith(("overlay", "partition-")):
            yield Vector(
                f"files/composite-{name}", "file", lay_out(flat(items)).encode(), name.replace("-", " ")
            )
    yield Vector("files/ten-thousand-names", "file", ten_thousand().encode(), "10,000 empty tensors")


def ten_thousand() -> File:
    """Empty tensors take no data, and start on the alignment all the same."""
    empty = dense([], (0,), "uint8")
    return lay_out(
        [(f"layer.{number // 100:02}.tensor.{number % 100:02}", empty) for number in range(10_000)]
    )


def _names() -> list[Named]:
    one = dense([], (0,), "uint8")
    names = ["a", "A", "a/b.c", " ", "é", "e\u0301", "名前", "\U0001f980", "\0", "x" * 300]
    return [(name, one) for name in names]


def _many_buffers() -> list[Named]:
    values = range(12)
    sparse = [dense(values, (3, 4), layout=Csr(0)), dense(values, (3, 4), layout=Coo(0, 1))]
    sparse.append(dense(range(8), (2, 2, 2), layout=Csf(0, (1, 0, 2))))
    coded = [quantized(case, (2, 16), RowMajor()) for case in CASES[1:5]]
    return [(f"t{number}", one) for number, one in enumerate([*sparse, *coded, dense([], (0, 3))])]


def _composites() -> list[Item]:
    items = valid_composites()
    return [*items["partition"], *items["overlay-add"], *items["group-mixed"], dense([7], (1,))]


def _reversed_names() -> list[Named]:
    found = flat(valid_composites()["overlay-replace"])
    return [(chr(ord("z") - number), one) for number, (_, one) in enumerate(found)]
