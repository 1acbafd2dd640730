"""hurray.Statistics (04-tables.md §1; descriptor.md §6.3)."""

from __future__ import annotations

import pickle
import struct
from fractions import Fraction
from typing import Any

import hurray
import pytest
from core_files import STATISTICS, descriptor
from core_values import check_closed, check_travels, check_value
from hypothesis import given
from hypothesis import strategies as st

# Bit of the mask -> the fields that it makes valid.
GROUPS = {
    0: ("nnz",),
    1: ("sparsity_ratio",),
    2: ("value_min", "value_max", "value_abs_max"),
    3: ("value_mean", "value_stddev"),
    4: ("nm_n", "nm_m"),
    5: ("has_nan", "has_inf"),
}
FIELDS = [name for names in GROUPS.values() for name in names]
FULL: dict[str, Any] = {
    "nnz": 2**64 - 1,
    "sparsity_ratio": 0.25,
    "value_min": -1.5,
    "value_max": 2.0,
    "value_abs_max": 2.0,
    "value_mean": 0.1,
    "value_stddev": 1e-300,
    "nm_n": 2,
    "nm_m": 4,
    "has_nan": False,
    "has_inf": True,
}


def section(**changes: Any) -> bytes:
    """The 72 bytes of descriptor.md §6.3."""
    fields = {"mask": 0x3F, **dict.fromkeys(FIELDS, 0), **changes}
    values = [fields[name] for name in FIELDS]
    return struct.pack("<IIQ6d4B4x", fields["mask"], 0, *values)


def decoded(**changes: Any) -> hurray.Statistics:
    data = descriptor(sections=section(**changes), flags=STATISTICS)
    found = hurray.Descriptor.decode(data)
    assert found.encode() == data
    assert found.statistics is not None
    return found.statistics


@pytest.mark.parametrize("mask", range(64))
def test_every_choice_of_groups(mask: int) -> None:
    """All None by default; computed_mask tells what is known."""
    known = {name: FULL[name] for bit, names in GROUPS.items() if mask >> bit & 1 for name in names}
    one = hurray.Statistics(**known)
    assert one.computed_mask == mask
    assert {name: getattr(one, name) for name in FIELDS} == {name: known.get(name) for name in FIELDS}
    assert one == decoded(mask=mask, **known)
    others = [hurray.Statistics()] if mask else []
    check_value(one, hurray.Statistics(**known), others, hashable=False)


@pytest.mark.parametrize("name", FIELDS)
def test_each_field_counts(name: str) -> None:
    other = {**FULL, name: 1 if name in ("nnz", "nm_n") else 0.75 if isinstance(FULL[name], float) else 5}
    if isinstance(FULL[name], bool):
        other[name] = not FULL[name]
    assert hurray.Statistics(**other) != hurray.Statistics(**FULL)
    check_value(
        hurray.Statistics(**FULL), hurray.Statistics(**FULL), [hurray.Statistics(**other)], hashable=False
    )


@pytest.mark.parametrize("names", [names for names in GROUPS.values() if len(names) > 1], ids=" ".join)
def test_a_group_is_whole_or_not_there(names: tuple[str, ...]) -> None:
    """descriptor.md §6.3: one mask bit covers them all."""
    for missing in names:
        given_ones = {name: FULL[name] for name in names if name != missing}
        with pytest.raises(
            hurray.InvalidDescriptorError, match=f"together or not at all.*{missing} is missing"
        ):
            hurray.Statistics(**given_ones)


@given(st.tuples(*[st.floats()] * 4), st.floats(min_value=0) | st.just(float("nan")), st.floats(0, 1))
def test_floats_are_kept_to_the_bit(floats: tuple[float, ...], deviation: float, ratio: float) -> None:
    """The format stores float64: nothing is rounded, a NaN equals itself so that a round trip is equality."""
    low, high, most, mean = floats
    values: dict[str, Any] = {"value_min": low, "value_max": high, "value_abs_max": most, "value_mean": mean}
    one = hurray.Statistics(sparsity_ratio=ratio, value_stddev=deviation, **values)
    for name, value in (*values.items(), ("value_stddev", deviation), ("sparsity_ratio", ratio)):
        assert struct.pack("<d", getattr(one, name)) == struct.pack("<d", value)
    check_value(
        one, hurray.Statistics(sparsity_ratio=ratio, value_stddev=deviation, **values), [], hashable=False
    )


def test_signed_zeros_are_equal_as_numbers_are() -> None:
    assert hurray.Statistics(sparsity_ratio=0.0) == hurray.Statistics(sparsity_ratio=-0.0)


@pytest.mark.parametrize("value", [2**53 + 1, 10**20 + 1, Fraction(1, 3)])
def test_a_number_that_would_be_rounded_is_refused(value: Any) -> None:
    """Nothing is rounded in silence; the error says how to do it aloud."""
    with pytest.raises(hurray.InvalidDescriptorError, match=r"value_mean is .*float\(value_mean\) rounds it"):
        hurray.Statistics(value_mean=value, value_stddev=0)
    assert hurray.Statistics(value_mean=float(value), value_stddev=0).value_mean == float(value)


@pytest.mark.parametrize("value", [2**53, -3, 10**22, Fraction(3, 4)])
def test_a_number_that_is_a_float64_is_taken(value: Any) -> None:
    assert hurray.Statistics(value_mean=value, value_stddev=0).value_mean == value


@pytest.mark.parametrize(
    ("given_ones", "error", "text"),
    [
        ({"sparsity_ratio": 1.5}, hurray.InvalidDescriptorError, "sparsity_ratio is 1.5"),
        ({"sparsity_ratio": -1e-9}, hurray.InvalidDescriptorError, "sparsity_ratio"),
        ({"sparsity_ratio": float("nan")}, hurray.InvalidDescriptorError, "sparsity_ratio"),
        ({"value_mean": 0, "value_stddev": -1.0}, hurray.InvalidDescriptorError, "value_stddev is -1.0"),
        ({"nm_n": 3, "nm_m": 2}, hurray.InvalidDescriptorError, "nm_n is 3 and nm_m 2"),
        ({"nnz": -1}, OverflowError, "nnz is -1"),
        ({"nnz": 2**64}, OverflowError, "nnz is 18446744073709551616"),
        ({"nnz": 1.0}, TypeError, "nnz is an int"),
        ({"nm_n": 256, "nm_m": 2}, OverflowError, "nm_n is 256"),
        ({"nm_n": 2, "nm_m": 256}, OverflowError, "nm_m is 256"),
        ({"sparsity_ratio": "0.5"}, TypeError, "sparsity_ratio is a real number, got str"),
        ({"sparsity_ratio": 1j}, TypeError, "sparsity_ratio is a real number, got complex"),
        ({"value_mean": 10**400, "value_stddev": 0}, OverflowError, "value_mean"),
        ({"has_nan": 1, "has_inf": False}, TypeError, "has_nan is a bool, got int"),
        ({"has_nan": True, "has_inf": "no"}, TypeError, "has_inf is a bool, got str"),
    ],
)
def test_what_a_writer_may_not_say(given_ones: dict[str, Any], error: type[Exception], text: str) -> None:
    """descriptor.md §8: a careful codec enforces these when it writes."""
    with pytest.raises(error, match=text):
        hurray.Statistics(**given_ones)


def test_arguments_have_names_alone() -> None:
    with pytest.raises(TypeError):
        hurray.Statistics(5)  # type: ignore[call-arg]


def test_what_a_reader_takes_is_kept_whatever_it_says() -> None:
    """A field whose mask bit is clear is unknown whatever its bytes say, and is written back."""
    hidden = decoded(mask=1, nnz=2, value_mean=5.0, nm_n=9, nm_m=1, sparsity_ratio=7.0)
    assert hidden == hurray.Statistics(nnz=2)
    assert repr(hidden) == "Statistics(nnz=2)"
    odd = decoded(mask=0x1A, sparsity_ratio=7.0, value_stddev=-1.0, nm_n=9, nm_m=1)
    assert (odd.sparsity_ratio, odd.value_stddev, odd.nm_n, odd.nm_m) == (7.0, -1.0, 9, 1)
    for one in (hidden, odd):
        check_travels(one)
        check_closed(one)


def test_hidden_bytes_survive_a_rebuild_and_a_pickle() -> None:
    """Rebuilding a tensor from another's statistics MUST produce an equal descriptor."""
    data = descriptor(sections=section(mask=1, nnz=2, value_mean=5.0), flags=STATISTICS)
    found = hurray.Descriptor.decode(data).statistics
    for one in (found, pickle.loads(pickle.dumps(found))):
        rebuilt = hurray.Tensor(bytearray(8), hurray.float32, (2,), statistics=one)
        assert rebuilt.descriptor.encode()[-72:] == data[-72:]
