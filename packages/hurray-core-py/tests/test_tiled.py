"""hurray.TiledLayout (layouts.md §4; requirements: Layout Descriptor Classes)."""

from __future__ import annotations

from typing import Any

import core_files
import hurray
import pytest
from core_payloads import numbers

ORDERS = ("row_major", "col_major", "strided")


def nest(levels: int, tile: int = 1) -> hurray.TiledLayout:
    """A tiling of that many levels."""
    layout = hurray.TiledLayout([tile])
    for _ in range(levels - 1):
        layout = hurray.TiledLayout([tile], inner_layout="tiled", inner_tiled=layout)
    return layout


def test_the_parameters_and_their_defaults() -> None:
    layout = hurray.TiledLayout([2, 4])
    assert (layout.tile_shape, layout.outer_layout, layout.inner_layout) == ((2, 4), "row_major", "row_major")
    assert (layout.outer_strides, layout.inner_strides, layout.inner_tiled) == (None, None, None)
    by_name = hurray.TiledLayout(
        tile_shape=(2, 4),
        outer_layout="strided",
        inner_layout="strided",
        outer_strides=(-3, 0),
        inner_strides=(1, 2),
        inner_tiled=None,
    )
    assert (by_name.outer_strides, by_name.inner_strides) == ((-3, 0), (1, 2))
    assert by_name == hurray.TiledLayout([2, 4], "strided", "strided", [-3, 0], [1, 2], None)


def test_a_tile_may_be_tiled_again() -> None:
    """TiledLayout is recursive; the Python class is self-referential."""
    inner = hurray.TiledLayout([2, 2], "col_major", "strided", inner_strides=[1, 2])
    layout = hurray.TiledLayout([4, 4], inner_layout="tiled", inner_tiled=inner)
    assert type(layout.inner_tiled) is hurray.TiledLayout
    assert layout.inner_tiled == inner
    assert layout.inner_layout == "tiled"
    assert repr(layout) == (
        "TiledLayout(tile_shape=(4, 4), outer_layout='row_major', inner_layout='tiled', inner_tiled="
        "TiledLayout(tile_shape=(2, 2), outer_layout='col_major', inner_layout='strided', inner_strides=(1, 2)))"
    )


def test_eight_levels_and_no_more() -> None:
    """L-15; the representation is depth-aware and evaluates back at the deepest."""
    deepest = nest(8)
    assert repr(deepest).count("TiledLayout(") == 8
    assert eval(repr(deepest), vars(hurray).copy()) == deepest
    deepest.validate_against_shape([5])
    with pytest.raises(hurray.InvalidDescriptorError, match="8 levels") as caught:
        nest(9)
    assert caught.value.code == "L-15"


def test_the_wire_has_the_examples_bytes() -> None:
    """layouts.md §15: tiled [2,4] row/row."""
    payload = bytes.fromhex("02 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 01 01 00 00")
    blob = core_files.descriptor(1, 4, (6, 8), [1024], payload=payload)
    assert hurray.Descriptor.decode(blob).layout == hurray.TiledLayout([2, 4])


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ({"tile_shape": []}, "L-6", ("tile_shape", "empty")),
        ({"tile_shape": [2, 0]}, "L-14", ("tile_shape[1]", "0")),
        ({"tile_shape": [1] * 65}, "D-13", ("tile_shape", "64")),
        ({"tile_shape": [2], "outer_layout": "strided"}, "L-14", ("outer_strides", "None")),
        ({"tile_shape": [2], "inner_layout": "strided"}, "L-14", ("inner_strides", "None")),
        ({"tile_shape": [2], "inner_layout": "tiled"}, "L-14", ("inner_tiled", "None")),
        ({"tile_shape": [2], "outer_strides": [1]}, "L-14", ("outer_strides", "outer_layout='strided'")),
        ({"tile_shape": [2], "inner_strides": [1]}, "L-14", ("inner_strides", "inner_layout='strided'")),
        ({"tile_shape": [2], "inner_tiled": nest(1)}, "L-14", ("inner_tiled", "inner_layout='tiled'")),
        (
            {"tile_shape": [2, 2], "outer_layout": "strided", "outer_strides": [1]},
            "D-1",
            ("outer_strides", "1", "2"),
        ),
        (
            {"tile_shape": [2], "inner_layout": "strided", "inner_strides": [1, 1]},
            "D-1",
            ("inner_strides", "2", "1"),
        ),
        (
            {"tile_shape": [2, 2], "inner_layout": "tiled", "inner_tiled": nest(1)},
            "D-1",
            ("inner_tiled.tile_shape", "1", "2"),
        ),
        (
            {"tile_shape": [4], "inner_layout": "tiled", "inner_tiled": nest(1, 3)},
            "L-16",
            ("inner_tiled.tile_shape[0]", "3", "4"),
        ),
        ({"tile_shape": [4], "inner_layout": "strided", "inner_strides": [2]}, "L-16", ("0 to 6", "4")),
        ({"tile_shape": [4], "inner_layout": "strided", "inner_strides": [-1]}, "L-16", ("-3 to 0", "4")),
        (
            {"tile_shape": [2**64 - 1, 1], "inner_layout": "strided", "inner_strides": [2**63 - 1, 1]},
            "L-16",
            ("inner_strides",),
        ),
        ({"tile_shape": [2], "outer_layout": "tiled"}, None, ("outer_layout", "'tiled'", "'col_major'")),
        ({"tile_shape": [2], "inner_layout": "Row"}, None, ("inner_layout", "'Row'", "'tiled'")),
    ],
)
def test_what_no_tiling_says(arguments: dict[str, Any], code: str | None, words: tuple[str, ...]) -> None:
    """L-14 to L-16: errors say which argument, which value, and what would be right."""
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.TiledLayout(**arguments)
    assert caught.value.code == code
    assert [word for word in words if word not in str(caught.value)] == []


def test_nested_tiles_that_are_strided_stay_inside_their_tile() -> None:
    """L-16, which only the shape tier can tell: the tiles of a tile reach past it."""
    nested = hurray.TiledLayout([2], "strided", outer_strides=[2])
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        hurray.TiledLayout([4], inner_layout="tiled", inner_tiled=nested)
    assert caught.value.code == "L-16"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3,), TypeError, "tile_shape"),
        (([1.5],), TypeError, r"tile_shape\[0\]"),
        (([-1],), OverflowError, r"tile_shape\[0\] is -1"),
        (([2**64],), OverflowError, r"tile_shape\[0\]"),
        (([2], 1), TypeError, "outer_layout"),
        (([2], "row_major", None), TypeError, "inner_layout"),
        (([2], "strided", "row_major", [2**63]), OverflowError, r"outer_strides\[0\]"),
        (([2], "row_major", "strided", None, ["1"]), TypeError, r"inner_strides\[0\]"),
        (([2], "row_major", "tiled", None, None, hurray.RowMajorLayout()), TypeError, "inner_tiled"),
    ],
)
def test_what_is_no_argument(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        hurray.TiledLayout(*arguments)


@pytest.mark.parametrize(
    ("shape", "code"), [((), "D-1"), ((4,), "D-1"), ((4, 4, 4), "D-1"), ((6, 8), None), ((0, 5), None)]
)
def test_its_rank_is_the_tensors(shape: tuple[int, ...], code: str | None) -> None:
    """validate_against_shape MUST apply the layout's own rank and extent constraints."""
    layout = hurray.TiledLayout([2, 4])
    if code is None:
        layout.validate_against_shape(shape)
        return
    with pytest.raises(hurray.InvalidDescriptorError) as caught:
        layout.validate_against_shape(shape)
    assert caught.value.code == code


@pytest.mark.parametrize("outer", ORDERS)
@pytest.mark.parametrize("inner", ORDERS)
def test_every_pair_of_orders(outer: Any, inner: Any) -> None:
    """04-tables.md §2: the enumerations are lowercase strings."""
    arguments: dict[str, Any] = {"outer_strides": [1, 1]} if outer == "strided" else {}
    if inner == "strided":
        arguments["inner_strides"] = [1, 2]
    layout = hurray.TiledLayout([2, 2], outer, inner, **arguments)
    assert (layout.outer_layout, layout.inner_layout) == (outer, inner)
    tensor = hurray.Tensor(bytes(16), hurray.uint8, (4, 4), layout=layout)
    codes = bytes([ORDERS.index(outer) + 1, ORDERS.index(inner) + 1])
    assert tensor.descriptor.encode()[44:62] == numbers("Q", (2, 2)) + codes
