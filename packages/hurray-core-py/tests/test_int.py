"""Integers as arguments: a bool counts as one, as everywhere in Python and in programs written for pyhurray."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hurray
import pytest


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda one: hurray.Device("cuda", one).device_id, 1),
        (lambda one: hurray.Device(one).kind, "cuda"),
        (lambda one: hurray.Dtype.from_tag(one).name, "float16"),
        (hurray.layout_tag_kind, "named"),
        (lambda one: hurray.zeros((one, 2)).shape, (1, 2)),
        (lambda one: hurray.zeros(one).shape, (1,)),
        (lambda one: hurray.CooLayout(one).nnz, 1),
        (lambda one: hurray.ExtensionType(one).bit_width, 1),
        (lambda one: hurray.Shard((one,), (0,)).parent_shape, (1,)),
        (lambda one: hurray.Statistics(nnz=one).nnz, 1),
        (lambda one: hurray.Statistics(sparsity_ratio=one).sparsity_ratio, 1.0),
        (lambda one: hurray.PerTensorAffine(one, one).zero_point, 1),
        (lambda one: hurray.NF4(one, 64, one).axis, 1),
        (lambda one: hurray.eye(one).shape, (1, 1)),
        (lambda one: hurray.arange(one).shape, (1,)),
        (lambda one: hurray.buffer_size_bytes("float32", one), 4),
    ],
)
def test_a_bool_is_the_int_that_it_is(make: Callable[[Any], Any], value: Any) -> None:
    for one in (True, 1):
        got = make(one)
        assert (got, type(got)) == (value, type(value))
