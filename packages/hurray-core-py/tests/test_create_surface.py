"""The parameters of creation (04-tables.md §1): a program written for pyhurray 0.1.0 must run on this one unchanged."""

from __future__ import annotations

import inspect
from typing import Any

import hurray
import pytest

SIGNATURES = {
    "zeros": "(shape, *, dtype=None, device=None)",
    "ones": "(shape, *, dtype=None, device=None)",
    "empty": "(shape, *, dtype=None, device=None)",
    "full": "(shape, fill_value, *, dtype=None, device=None)",
    "zeros_like": "(x, *, dtype=None, device=None)",
    "ones_like": "(x, *, dtype=None, device=None)",
    "empty_like": "(x, *, dtype=None, device=None)",
    "full_like": "(x, fill_value, *, dtype=None, device=None)",
    "arange": "(start, stop=None, step=None, *, dtype=None, device=None)",
    "linspace": "(start, stop, num, *, dtype=None, device=None, endpoint=True)",
    "eye": "(n_rows, n_cols=None, *, k=0, dtype=None, device=None)",
    "sparse_coo": "(values, indices, shape, *, copy=None)",
    "aligned_allocator": "()",
    "aligned_functions": "()",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_parameters(name: str) -> None:
    function: Any = getattr(hurray, name)
    signature = inspect.signature(function)
    assert str(signature.replace(return_annotation=inspect.Signature.empty)) == SIGNATURES[name]
    assert name in hurray.__all__
    assert function.__doc__


@pytest.mark.parametrize("name", ["float32", "int8", "bool"])
def test_a_dtype_by_its_name(name: str) -> None:
    """As every door that takes a dtype."""
    kind = hurray.Dtype.from_name(name)
    assert hurray.zeros(2, dtype=name).dtype is kind
    assert hurray.full_like(hurray.zeros(2), 1, dtype=name).dtype is kind
    assert hurray.eye(2, dtype=name).dtype is kind


def test_creation_brings_no_framework() -> None:
    """DESIGN rule 4: nothing imports NumPy until it is handed one of its objects or asked for one."""
    from core_memory import run

    code = """
import sys, hurray
hurray.zeros((2, 3)), hurray.ones(3, dtype=hurray.bool), hurray.empty(0), hurray.full(2, 0.5), hurray.arange(3)
hurray.linspace(0, 1, 3), hurray.eye(3), hurray.zeros_like(hurray.arange(3))
hurray.sparse_coo(hurray.ones(3), hurray.Tensor(bytes(24), hurray.uint64, (3, 1)), (3,))
hurray.aligned_functions()
print("numpy" in sys.modules)
"""
    assert run(code) == "False"
