"""print_options, set_print_options and get_print_options (04-tables.md §1)."""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextvars import copy_context
from struct import pack
from typing import Any

import hurray
import pytest
from core_files import FLOAT32, INT8, descriptor, single
from core_numpy import np
from hypothesis import given, settings
from hypothesis import strategies as st

DEFAULTS = {
    "sparse_display": "metadata",
    "threshold": 1000,
    "edgeitems": 3,
    "linewidth": 88,
    "precision": "shortest",
}
OTHERS: dict[str, Any] = {
    "sparse_display": "content",
    "threshold": 5,
    "edgeitems": 1,
    "linewidth": 40,
    "precision": 2,
}


@pytest.fixture(autouse=True)
def unchanged() -> Iterator[None]:
    assert hurray.get_print_options() == DEFAULTS
    yield
    hurray.set_print_options(**DEFAULTS)  # type: ignore[arg-type]


def csr(nnz: int = 4) -> hurray.Tensor:
    """An upper row of a matrix of ``nnz`` columns, and one entry in the last row."""
    blob = descriptor(FLOAT32, 7, (3, nnz), (4 * nnz, 8 * nnz, 32), payload=pack("<QQ", nnz, 0))
    columns = [*range(nnz - 1), 0]
    data = (pack(f"{nnz}f", *range(nnz)), pack(f"{nnz}Q", *columns), pack("4Q", 0, nnz - 1, nnz - 1, nnz))
    return hurray.load(single(blob, *data))["w"]


def test_the_signature() -> None:
    """print_options(*, sparse_display=None): keywords alone, all of them optional."""
    for function in (hurray.print_options, hurray.set_print_options):
        parameters = inspect.signature(function).parameters
        assert set(parameters) == set(DEFAULTS)
        assert all(p.kind is p.KEYWORD_ONLY and p.default is None for p in parameters.values())
    assert not inspect.signature(hurray.get_print_options).parameters


def test_a_block_changes_options_and_puts_them_back() -> None:
    with hurray.print_options(**OTHERS) as inside:
        assert inside == OTHERS == hurray.get_print_options()
    assert hurray.get_print_options() == DEFAULTS


@pytest.mark.parametrize("name", DEFAULTS)
def test_what_is_none_stays_as_it_is(name: str) -> None:
    with hurray.print_options(**{name: OTHERS[name]}):
        assert hurray.get_print_options() == {**DEFAULTS, name: OTHERS[name]}
        with hurray.print_options():
            assert hurray.get_print_options() == {**DEFAULTS, name: OTHERS[name]}
        hurray.set_print_options(**dict.fromkeys(DEFAULTS))
        assert hurray.get_print_options() == {**DEFAULTS, name: OTHERS[name]}


def test_blocks_nest_and_end_after_an_exception() -> None:
    with hurray.print_options(threshold=7):
        with pytest.raises(KeyError), hurray.print_options(threshold=8, edgeitems=2) as inside:
            _ = inside["nothing"]
        assert inside["threshold"] == 8
        assert hurray.get_print_options() == {**DEFAULTS, "threshold": 7}
    assert hurray.get_print_options() == DEFAULTS


def test_one_block_object_may_be_entered_again() -> None:
    block = hurray.print_options(precision=1)
    assert hurray.get_print_options() == DEFAULTS
    with block, hurray.print_options(precision=9), block:
        assert hurray.get_print_options()["precision"] == 1
    assert hurray.get_print_options() == DEFAULTS
    with block:
        assert hurray.get_print_options()["precision"] == 1
    assert hurray.get_print_options() == DEFAULTS


def test_what_is_set_lasts_to_the_end_of_the_block() -> None:
    hurray.set_print_options(threshold=9)
    with hurray.print_options(edgeitems=1):
        hurray.set_print_options(threshold=8)
        assert hurray.get_print_options() == {**DEFAULTS, "threshold": 8, "edgeitems": 1}
    assert hurray.get_print_options() == {**DEFAULTS, "threshold": 9}


@given(st.lists(st.tuples(st.sampled_from(sorted(DEFAULTS)), st.booleans()), max_size=6))
@settings(max_examples=50)
def test_any_nesting_comes_back(steps: list[tuple[str, bool]]) -> None:
    def nest(rest: list[tuple[str, bool]]) -> None:
        before = hurray.get_print_options()
        if rest:
            (name, fails), *more = rest
            try:
                with hurray.print_options(**{name: OTHERS[name]}):
                    assert hurray.get_print_options() == {**before, name: OTHERS[name]}
                    nest(more)
                    if fails:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pass
        assert hurray.get_print_options() == before

    nest(steps)


def test_the_answer_is_a_copy() -> None:
    hurray.get_print_options()["threshold"] = 1
    assert hurray.get_print_options() == DEFAULTS


# --- what is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [hurray.print_options, hurray.set_print_options])
@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"sparse_display": "dense"}, ValueError),
        ({"sparse_display": ""}, ValueError),
        ({"sparse_display": 1}, TypeError),
        ({"sparse_display": ["content"]}, TypeError),
        ({"threshold": -1}, ValueError),
        ({"threshold": 1.5}, TypeError),
        ({"threshold": "1"}, TypeError),
        ({"threshold": True}, TypeError),
        ({"edgeitems": 0}, ValueError),
        ({"linewidth": 0}, ValueError),
        ({"linewidth": None, "precision": -1}, ValueError),
        ({"precision": "short"}, ValueError),
        ({"precision": 2.0}, TypeError),
        ({"suppress": True}, TypeError),
    ],
    ids=str,
)
def test_unknown_options_and_values_raise(
    function: Callable[..., Any], options: dict[str, Any], error: type[Exception]
) -> None:
    """At the call, before any block is entered, and nothing is changed."""
    with pytest.raises(error, match=next(name for name in options if options[name] is not None)):
        function(**options)
    assert hurray.get_print_options() == DEFAULTS


def test_options_are_not_positional() -> None:
    for function in (hurray.print_options, hurray.set_print_options):
        with pytest.raises(TypeError):
            function("content")  # type: ignore[call-arg]


def test_ints_of_other_kinds_are_ints() -> None:
    with hurray.print_options(threshold=np.int64(4), precision=np.uint8(1)):
        assert hurray.get_print_options() == {**DEFAULTS, "threshold": 4, "precision": 1}
        assert type(hurray.get_print_options()["threshold"]) is int


# --- threads and tasks -------------------------------------------------------------------------------------


def test_another_thread_has_options_of_its_own() -> None:
    found: list[Any] = []

    def other() -> None:
        found.append(hurray.get_print_options())
        hurray.set_print_options(threshold=1)
        found.append(hurray.get_print_options()["threshold"])

    with hurray.print_options(threshold=7):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert hurray.get_print_options()["threshold"] == 7
    assert found[1] == 1
    if not getattr(sys.flags, "thread_inherit_context", 0):
        assert found[0] == DEFAULTS


def test_a_task_keeps_its_options_while_others_run() -> None:
    async def one(width: int) -> list[Any]:
        with hurray.print_options(linewidth=width):
            await asyncio.sleep(0)
            return [hurray.get_print_options()["linewidth"]]

    async def both() -> list[list[Any]]:
        return await asyncio.gather(*(one(width) for width in (30, 40, 50)))

    assert asyncio.run(both()) == [[30], [40], [50]]
    assert hurray.get_print_options() == DEFAULTS


def test_a_context_may_be_carried_elsewhere() -> None:
    with hurray.print_options(edgeitems=2):
        context = copy_context()
    assert context.run(hurray.get_print_options)["edgeitems"] == 2
    assert hurray.get_print_options() == DEFAULTS


# --- what they do ------------------------------------------------------------------------------------------


def test_threshold_and_edges() -> None:
    tensor = hurray.asarray(bytearray(range(10)))
    with hurray.print_options(threshold=9):
        assert str(tensor) == "[0, 1, 2, ..., 7, 8, 9]"
        with hurray.print_options(edgeitems=1):
            assert str(tensor) == "[0, ..., 9]"
        with hurray.print_options(edgeitems=5):
            assert str(tensor) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
        with hurray.print_options(threshold=10):
            assert str(tensor) == "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]"
    with hurray.print_options(threshold=0):
        assert str(hurray.asarray(bytearray(1))) == "[0]"


def test_linewidth() -> None:
    with hurray.print_options(linewidth=11):
        assert str(hurray.asarray(bytearray(range(6)))) == "[0, 1, 2,\n 3, 4, 5]"
    with hurray.print_options(linewidth=1):
        assert str(hurray.asarray(bytearray(range(3)))) == "[0,\n 1,\n 2]"


def test_metadata_of_a_sparse_tensor() -> None:
    tensor = csr()
    assert str(tensor) == "<4 of 12 elements stored>"
    assert repr(tensor).startswith(
        "hurray.Tensor(<4 of 12 elements stored>, shape=(3, 4), dtype=float32, layout="
    )


def test_content_of_a_sparse_tensor() -> None:
    with hurray.print_options(sparse_display="content"):
        assert str(csr()) == "{(0, 0): 0.,\n (0, 1): 1.,\n (0, 2): 2.,\n (2, 0): 3.}"
        assert repr(csr()).startswith("hurray.Tensor({(0, 0): 0.,\n               (0, 1): 1.,")
        assert str(csr(60)) == (
            "{(0,  0):  0.,\n (0,  1):  1.,\n (0,  2):  2.,\n ...,\n"
            " (0, 57): 57.,\n (0, 58): 58.,\n (2,  0): 59.}"
        )
        with hurray.print_options(threshold=3, edgeitems=1):
            assert str(csr()) == "{(0, 0): 0.,\n ...,\n (2, 0): 3.}"
    dense = hurray.asarray(bytearray(2))
    with hurray.print_options(sparse_display="content"):
        assert str(dense) == "[0, 0]"


CSF = (
    *((0, 4), (0, 1, 2, 3), (0, 1, 3, 4, 5), (1, 0, 1, 1, 0)),
    *((0, 1, 2, 3, 4, 5), (1, 0, 2, 1, 2)),
)


def sparse(
    tag: int, shape: tuple[int, ...], payload: bytes, *words: tuple[int, ...], nnz: int
) -> hurray.Tensor:
    data = [pack(f"{len(numbers)}Q", *numbers) for numbers in words]
    blob = descriptor(INT8, tag, shape, (nnz, *map(len, data)), payload=payload)
    return hurray.load(single(blob, bytes(range(1, nnz + 1)), *data))["w"]


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        # layouts.md §8's example, both ways, and §9's.
        (
            sparse(7, (4, 5), pack("<QQ", 5, 0), (0, 3, 2, 1, 4), (0, 2, 3, 5, 5), nnz=5),
            "{(0, 0): 1,\n (0, 3): 2,\n (1, 2): 3,\n (2, 1): 4,\n (2, 4): 5}",
        ),
        (
            sparse(8, (4, 5), pack("<QQ", 5, 0), (0, 2, 1, 0, 2), (0, 1, 2, 3, 4, 5), nnz=5),
            "{(0, 0): 1,\n (2, 1): 2,\n (1, 2): 3,\n (0, 3): 4,\n (2, 4): 5}",
        ),
        (
            sparse(6, (4, 5), pack("<QB7x", 2, 0), (3, 4, 0, 1), nnz=2),
            "{(3, 4): 1,\n (0, 1): 2}",
        ),
        (sparse(6, (9,), pack("<QB7x", 2, 0), (7, 3), nnz=2), "{(7,): 1,\n (3,): 2}"),
        (
            sparse(9, (2, 3, 4), pack("<Q3I8x", 5, 2, 0, 1), *CSF, nnz=5),
            "{(1, 1, 0): 1,\n (0, 0, 1): 2,\n (1, 2, 1): 3,\n (1, 1, 2): 4,\n (0, 2, 3): 5}",
        ),
        (sparse(7, (2, 2), pack("<QQ", 0, 0), (), (0, 0, 0), nnz=0), "<0 of 4 elements stored>"),
    ],
    ids=["csr", "csc", "coo", "coo of rank 1", "csf", "nothing stored"],
)
def test_coordinates_of_every_sparse_layout(tensor: hurray.Tensor, text: str) -> None:
    with hurray.print_options(sparse_display="content"):
        if tensor.layout.name != "csf" or hasattr(tensor.layout, "mode_order"):
            assert str(tensor) == text


@pytest.mark.parametrize(
    "tensor",
    [
        sparse(7, (2, 5), pack("<QQ", 3, 0), (2**64 - 1, 3, 2), (9, 9, 9), nnz=3),
        sparse(7, (2, 5), pack("<QQ", 3, 0), (0, 3, 2), (0, 0, 0), nnz=3),
        sparse(8, (2, 2), pack("<QQ", 3, 0), (7, 7, 7), (2, 1, 0), nnz=3),
        sparse(9, (2, 3, 4), pack("<Q3I8x", 2, 0, 1, 2), (0, 9), (1,), (5, 5), (0,), (7, 0), (1, 2), nnz=2),
    ],
    ids=["pointers", "empty rows", "falling", "csf"],
)
def test_indices_that_lead_nowhere_are_shown_as_such(tensor: hurray.Tensor) -> None:
    """Contents are checked on demand; showing them neither fails nor reads out of bounds."""
    with hurray.print_options(sparse_display="content"):
        assert "?" in str(tensor)
