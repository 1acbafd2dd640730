"""Every example of the layouts cookbook runs as printed (requirements: 03-layouts-cookbook.txt).

The text of the examples stands here word for word; a comment behind an expression or a ``print`` is what it gives,
up to a dash or two blanks, where an explanation begins.
"""

from __future__ import annotations

import ast
import contextlib
import io
import tokenize
from typing import Any

import pytest

EXAMPLES = {
    "reading": r"""
import hurray

t = hurray.Tensor(bytes(16), hurray.float32, [4])

print(repr(t.layout))            # RowMajorLayout()
print(t.layout.name)             # row_major
print(hex(t.layout.tag))         # 0x1
print(t.layout.buffer_count)     # 1
print(t.layout.is_dense)         # True

isinstance(t.layout, hurray.RowMajorLayout)   # True
isinstance(t.layout, hurray.Layout)           # True — every layout shares a base
""",
    "csr": r"""
import struct
import hurray

# A 2x2 CSR matrix holding [[5.0, 0.0], [0.0, 7.0]].
csr = hurray.Tensor(
    struct.pack("2f", 5.0, 7.0),          # buffer 0 — values
    hurray.float32,
    [2, 2],
    aux_buffers=[
        struct.pack("2Q", 0, 1),           # buffer 1 — col_indices
        struct.pack("3Q", 0, 1, 2),        # buffer 2 — row_ptr
    ],
    layout=hurray.CsrLayout(nnz=2),
)

csr.layout == hurray.CsrLayout(nnz=2)     # True
csr.nnz                                   # 2
""",
    "evidence": r"""
try:
    hurray.Tensor(
        struct.pack("2f", 5.0, 7.0),          # two values...
        hurray.float32,
        [2, 2],
        aux_buffers=[struct.pack("8Q", *range(8))],
        layout=hurray.CooLayout(nnz=4),       # ...but the layout declares four
    )
    raise AssertionError("the values buffer holds two, not four")
except hurray.BufferError as exc:
    print(exc)   # buffer 0 (values) is 8 bytes, but this coo layout implies at least 16
""",
    "string": r"""
try:
    hurray.Tensor(bytes(16), hurray.float32, [4], layout="csr")
    raise AssertionError("a layout is an object, not a name")
except TypeError as exc:
    print(exc)   # layout must be a hurray.Layout instance
                 # (e.g. hurray.CsrLayout(nnz=4)), got str
""",
    "values": r"""
hurray.CsrLayout(nnz=4) == hurray.CsrLayout(nnz=4)     # True
hurray.CsrLayout(nnz=4) == hurray.CsrLayout(nnz=5)     # False
len({hurray.CooLayout(nnz=1), hurray.CooLayout(nnz=1)})  # 1

t.layout is t.layout                                    # False — a fresh object
t.layout == t.layout                                    # True
t.layout == "row_major"                                 # False — always
""",
    "parameters": r"""
hurray.StridedLayout([4, 1]).strides            # (4, 1)
hurray.MortonLayout([3, 3]).morton_bits         # (3, 3)
hurray.HilbertLayout(3, 2).hilbert_order        # 3
hurray.CooLayout(nnz=7, is_sorted=True).is_sorted   # True
hurray.CsfLayout(nnz=5, mode_order=[2, 0, 1]).mode_order   # (2, 0, 1)
""",
    "paged": r"""
paged = hurray.BlockPagedLayout(
    page_size=16, num_pages=64, paged_axis=0, num_seqs=2,
    kv_role="key", layer_index=3, block_table_index_type="uint32",
)
paged.kv_role                    # 'key'
paged.block_table_index_type     # 'uint32'
""",
    "overlay": r"""
overlay = hurray.CompositeLayout("overlay", member_count=3, combine_op="add")
overlay.composition_rule                            # 'overlay'
overlay.combine_op                                  # 'add'
hurray.CompositeLayout("partition", 2).combine_op    # None — it does not apply
""",
    "csf": r"""
csf = hurray.Tensor(
    struct.pack("4f", 1.0, 2.0, 3.0, 4.0),
    hurray.float32,
    [2, 3, 4],
    aux_buffers=[
        struct.pack("2Q", 0, 2),        # pos_0
        struct.pack("2Q", 0, 1),        # crd_0
        struct.pack("3Q", 0, 2, 3),     # pos_1
        struct.pack("3Q", 0, 2, 1),     # crd_1
        struct.pack("4Q", 0, 1, 2, 4),  # pos_2
        struct.pack("4Q", 1, 3, 0, 2),  # crd_2
    ],
    layout=hurray.CsfLayout(nnz=4, mode_order=[0, 1, 2]),
)

csf.buffer_count          # 7  (2 * rank + 1)
csf.buffer(6).shape       # (32,) — the leaf crd, 4 uint64 entries
csf.buffer(6).dtype       # hurray.uint8
""",
    "private": r"""
private = hurray.PrivateExtensionLayout(0xF0, extension_layout_id=7, extension_data=b"\x01")
unknown = hurray.UnknownLayout(0x0C, b"\x01\x02")

private.name == unknown.name == "extension"   # True — isinstance separates them
private.extension_layout_id                   # 7
unknown.raw_bytes                             # b'\x01\x02'
""",
    "known tag": r"""
try:
    hurray.UnknownLayout(0x07)
    raise AssertionError("0x07 is a tag this implementation knows")
except ValueError as exc:
    print(exc)   # tag 0x07 is the csr layout, not an unknown one;
                 # use hurray.CsrLayout instead
""",
    "composite": r"""
try:
    hurray.Tensor(bytes(16), hurray.float32, [4],
                  layout=hurray.CompositeLayout("group", 2))
    raise AssertionError("use hurray.Composite for a composite head")
except hurray.UnsupportedError as exc:
    print(exc)   # a composite layout cannot be given to hurray.Tensor:
                 # a composite head owns no buffers, which this class cannot represent
""",
    "round trip": r"""
values_bytes = struct.pack("4f", 1.0, 2.0, 3.0, 4.0)
col_indices_bytes = struct.pack("4Q", 0, 2, 1, 0)
row_ptr_bytes = struct.pack("4Q", 0, 2, 3, 4)

original = hurray.Tensor(
    values_bytes,
    hurray.float32,
    [3, 3],
    aux_buffers=[col_indices_bytes, row_ptr_bytes],
    layout=hurray.CsrLayout(nnz=4),
)

rebuilt = hurray.Tensor(
    values_bytes,
    original.dtype,
    list(original.shape),
    aux_buffers=[col_indices_bytes, row_ptr_bytes],
    layout=original.layout,
    quantization=original.quantization,
    statistics=original.statistics,
    shard=original.shard,
)
rebuilt.layout == original.layout    # True
""",
}
# What the decision record adds to a printed message (ADR-032 § 6, amended by ADR-036).
ADDED = {"composite": "hurray.Composite"}


def comments(source: str) -> dict[int, str]:
    """The comment of each line; one that has a line of its own goes on with the one above it."""
    found: dict[int, str] = {}
    last = 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        text = token.string.removeprefix("#").strip()
        alone = not token.line[: token.start[1]].strip()
        if alone and last and token.start[0] == last + 1:
            found[next(reversed(found))] += f" {text}"
        elif not alone:
            found[token.start[0]] = text
        last = token.start[0]
    return found


def shown(comment: str) -> str:
    """What a comment says that an expression gives, without the explanation."""
    return comment.split(" — ")[0].split("  ")[0]


def printed(node: ast.stmt, namespace: dict[str, Any]) -> str:
    """What running a statement prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Module([node], []), "cookbook", "exec"), namespace)
    return out.getvalue().rstrip("\n")


def is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def run(source: str, namespace: dict[str, Any], added: str | None) -> int:
    """Run an example, and hold what it gives against its comments; how many were held."""
    said = comments(source)
    held = 0
    for node in ast.parse(source).body:
        comment = said.get(node.end_lineno or 0)
        if isinstance(node, ast.Expr) and not is_print(node.value):
            assert comment is not None
            value = eval(compile(ast.Expression(node.value), "cookbook", "eval"), namespace)
            assert repr(value) == shown(comment)
            held += 1
            continue
        output = printed(node, namespace)
        prints = [inner.lineno for inner in ast.walk(node) if isinstance(inner, ast.Call) and is_print(inner)]
        expected = " ".join(said[line] for line in prints)
        if added is None:
            assert output == expected
        else:
            assert output.startswith(expected)
            assert added in output
        held += len(prints)
    return held


# How many comments each example has that say what it gives.
HELD = [7, 2, 1, 1, 6, 5, 2, 3, 3, 3, 1, 1, 1]


def test_every_example_runs_as_printed() -> None:
    """Every one of them must run as printed, in order; the counts keep a comment from being passed over."""
    namespace: dict[str, Any] = {}
    held = [run(source, namespace, ADDED.get(name)) for name, source in EXAMPLES.items()]
    assert held == HELD


def test_a_comment_that_is_wrong_is_seen() -> None:
    """The runner itself: a value, a printed line and a message that differ from their comments."""
    for source in (
        "1 + 1   # 3",
        "print(1)   # 2",
        "try:\n    raise ValueError('a b')\nexcept ValueError as e:\n    print(e)  # a\n              # c",
    ):
        with pytest.raises(AssertionError):
            run(source, {}, None)
