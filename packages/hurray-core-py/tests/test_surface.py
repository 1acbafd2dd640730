"""The public surface, exactly (04-tables.md §1): names, signatures, members, and nothing that came by accident."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_surface import ADDED, THEIRS

CLASSES = [name for name in THEIRS.members if not name.startswith("hurray")]


def found(name: str) -> Any:
    value: Any = hurray
    for part in name.split("."):
        value = getattr(value, part)
    return value


def actual(value: Any) -> list[str]:
    """The parameters without their annotations, self as any other; what is positional by place alone has a `/`."""
    signature = inspect.signature(value)
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in signature.parameters.values()]
    inner = str(inspect.Signature(plain))[1:-1].replace("self, /", "self")
    return inner.split(", ") if inner else []


@pytest.mark.parametrize("name", THEIRS.signatures)
def test_signatures(name: str) -> None:
    """A program written for pyhurray 0.1.0 must run on this one unchanged: names, order, markers, defaults."""
    wanted, added = list(THEIRS.signatures[name]), ADDED.signatures.get(name, [])
    if added and not any(one.startswith("*") for one in wanted):
        wanted.append("*")
    # What we add is by keyword, and may be left out.
    assert all("=" in one for one in added)
    assert actual(found(name)) == [*wanted, *added]


def test_additions_are_to_signatures_that_exist() -> None:
    assert set(ADDED.signatures) <= set(THEIRS.signatures)
    assert set(ADDED.members) <= set(THEIRS.members)


@pytest.mark.parametrize("name", CLASSES)
def test_members(name: str) -> None:
    kind = getattr(hurray, name)
    wanted = {*THEIRS.members[name], *ADDED.members.get(name, [])}
    assert {member for member in dir(kind) if not member.startswith("_")} == wanted


def test_module_names() -> None:
    """Every name of the module, and no other: what is new is written down in surface_added.txt."""
    theirs, ours = THEIRS.members["hurray"], ADDED.members["hurray"]
    assert set(theirs) & set(ours) == set()
    # Submodules that somebody imported are attributes too.
    public = {name for name in dir(hurray) if not name.startswith("_")} - {"testing"}
    assert public == {*theirs, *ours}
    # `from hurray import *` brings what is used by its bare name.
    assert set(hurray.__all__) <= public | {"__version__"}


def test_element_types_and_devices() -> None:
    """Tier 1 types are module attributes, Tier 2 ones are only in hurray.dtype; hurray.device has one for each kind."""
    dtypes = THEIRS.members["hurray.dtype"]
    assert sorted(name for name in dir(hurray.dtype) if not name.startswith("_")) == dtypes
    for name in dtypes:
        one = getattr(hurray.dtype, name)
        assert (one.name, getattr(hurray, name, None) is one) == (name, one.tier == 1)
    assert len(dtypes) == 26
    devices = THEIRS.members["hurray.device"]
    assert sorted(name for name in dir(hurray.device) if not name.startswith("_")) == devices
    assert [getattr(hurray.device, name).kind for name in devices] == devices


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (hurray.InvalidDescriptorError, ValueError),
        (hurray.BufferError, ValueError),
        (hurray.CopyRequiredError, ValueError),
        (hurray.UnsupportedError, NotImplementedError),
        (hurray.FileError, OSError),
        (hurray.StreamError, OSError),
        (hurray.InternalError, RuntimeError),
    ],
)
def test_exceptions(error: type[Exception], kind: type[Exception]) -> None:
    assert error.__bases__ == (kind,)
    assert error.__module__ == "hurray"


@pytest.mark.parametrize(
    "kind",
    [
        hurray.Descriptor,
        hurray.BufferHandle,
        hurray.Dtype,
        hurray.Layout,
        hurray.PerChannelAffine,
        hurray.PerBlockAffine,
    ],
)
def test_what_is_not_constructible(kind: Any) -> None:
    for arguments in ((), (b"",), ("float32",), (0, 1), (0, 32, 1)):
        with pytest.raises(TypeError):
            kind(*arguments)


def test_classes_say_where_they_are() -> None:
    """Classes whose module is hurray, so that they pickle and read well."""
    for name in CLASSES:
        kind = getattr(hurray, name)
        assert (kind.__module__, kind.__qualname__) == ("hurray", name)


def test_arguments_by_their_names(tmp_path: Path) -> None:
    """Every one of them works as a keyword, too."""
    path = tmp_path / "a.hrry"
    tensor = hurray.Tensor(buffer=bytes(4), dtype=hurray.uint8, shape=(4,), device=hurray.device.cpu)
    hurray.save(path=path, tensors={"w": tensor}, kv={"k": 1})
    assert hurray.load(path=path, names=["w"])["w"].tolist() == [0] * 4
    assert hurray.load_kv(path=path) == {"k": 1}
    assert hurray.from_dlpack(x=tensor, device=None, copy=None).shape == (4,)
    assert hurray.asarray(obj=tensor, dtype=None, device=None, copy=None) is tensor
    assert hurray.buffer_size_bytes(dtype=hurray.bool, count=9) == 2
    assert hurray.Device(kind="cuda", device_id=1, memory_class="peer").device_id == 1
    assert hurray.StridedLayout(strides=(1,)).strides == (1,)
    assert hurray.Descriptor.decode(data=tensor.descriptor.encode()) == tensor.descriptor
    assert tensor.buffer(index=0).shape == (4,)
    assert hurray.Dtype.from_name(name="int8") is hurray.Dtype.from_tag(tag=0x10)
