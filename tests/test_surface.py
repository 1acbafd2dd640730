"""The public surface of ``hurray``: listed, sorted, complete, and documented."""

from __future__ import annotations

import inspect
import re
from types import ModuleType

import hurray
import pytest

# What a program written for this release may count on, by the issue that delivers it.
PROMISED = set(
    """
    BufferError BufferHandle ColMajorLayout CopyRequiredError Descriptor Device Dtype FileError FileWriter
    InternalError InvalidDescriptorError Layout MIN_BUFFER_ALIGNMENT PAGE_ALIGNMENT RowMajorLayout StreamError
    StridedLayout Tensor UnsupportedError asarray bridges buffer_size_bytes device dtype formats from_dlpack
    from_hurray from_numpy native from_scipy from_torch load load_kv open save verify
    aligned_allocator aligned_functions arange empty empty_like eye full full_like linspace ones ones_like
    sparse_coo zeros zeros_like
    bool bfloat16 float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64
""".split()  # noqa: SIM905 - one name to a line would be a page
)


def public_names() -> list[str]:
    return [name for name in dir(hurray) if not name.startswith("_")]


def order(name: str) -> tuple[int, list[str | int]]:
    """Constants, then classes, then the rest, numbers by their value: as the linter sorts them too."""
    parts = [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), parts


def test_all_is_sorted_without_duplicates() -> None:
    assert hurray.__all__ == sorted(set(hurray.__all__), key=order)


def test_all_holds_what_is_promised() -> None:
    assert len(PROMISED) > 40
    assert sorted(PROMISED - set(hurray.__all__)) == []


def test_all_is_complete_and_true() -> None:
    for name in hurray.__all__:
        assert getattr(hurray, name) is not None
    extra = [name for name in public_names() if name not in hurray.__all__]
    modules = [name for name in extra if isinstance(getattr(hurray, name), ModuleType)]
    assert sorted(set(extra) - set(modules)) == []


def test_classes_say_that_they_are_of_hurray() -> None:
    classes = [value for name in hurray.__all__ if inspect.isclass(value := getattr(hurray, name))]
    assert len(classes) > 15
    assert [cls.__qualname__ for cls in classes if cls.__module__ != "hurray"] == []


def carries_text(static: object) -> bool:
    """Whether a member of a class is more than plain data, which its class describes."""
    return callable(static) or hasattr(static, "__get__")


def documented_names() -> list[str]:
    """Every public name whose value can carry a docstring, and such members of every public class."""
    found = []
    for name in hurray.__all__:
        value = getattr(hurray, name)
        if inspect.isclass(value):
            found.append(name)
            members = {member: static for member, static in vars(value).items() if not member.startswith("_")}
            # Sorted: properties of compiled classes are in another order in every process.
            found += sorted(f"{name}.{member}" for member, static in members.items() if carries_text(static))
        elif callable(value) or isinstance(value, ModuleType):
            found.append(name)
    return found


@pytest.mark.parametrize("name", documented_names())
def test_every_public_name_is_documented(name: str) -> None:
    value: object = hurray
    for part in name.split("."):
        value = inspect.getattr_static(value, part) if inspect.isclass(value) else getattr(value, part)
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    text = getattr(value, "__doc__", None)
    assert text is not None, f"hurray.{name} has no docstring"
    assert text.strip(), f"hurray.{name} has no docstring"
