"""The round-trip obligation over every constructible layout x scheme x section x element type (ADR-032 § 4)."""

from __future__ import annotations

import copy
import inspect
import pickle
from math import prod
from pathlib import Path
from typing import Any

import hurray
import pytest
from core_strategies import Plan, plans, storage
from core_tensors import bare, contents, placed, same
from hypothesis import HealthCheck, event, given, settings

EXAMPLES = settings(
    max_examples=250,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def rebuilt(tensor: hurray.Tensor, **changes: Any) -> hurray.Tensor:
    """The tensor of a tensor's own parts."""
    parts: dict[str, Any] = {
        "layout": tensor.layout,
        "quantization": tensor.quantization,
        "statistics": tensor.statistics,
        "shard": tensor.shard,
        "extension_type": tensor.extension_type,
        "aux_buffers": [tensor.buffer(at) for at in range(1, tensor.buffer_count)],
    }
    return hurray.Tensor(
        tensor.buffer(0), tensor.dtype, list(tensor.shape), tensor.device, **(parts | changes)
    )


@EXAMPLES
@given(plan=plans())
def test_the_parts_of_a_tensor_make_it_again(plan: Plan) -> None:
    """Rebuilding from its layout, quantization, statistics, shard and buffers MUST give an equal descriptor."""
    event(plan.layout.name)
    tensor = plan.build()
    assert contents(tensor) == plan.buffers()
    assert (tensor.shape, tensor.dtype, tensor.layout) == (plan.shape, plan.dtype, plan.layout)
    assert tensor.extension_type == plan.extension
    for name in ("quantization", "statistics", "shard"):
        assert getattr(tensor, name) == plan.sections.get(name)
    again = rebuilt(tensor)
    assert same(tensor, again)
    shared = plan.build([placed(part) for part in plan.buffers()])
    assert rebuilt(shared).descriptor == shared.descriptor


@EXAMPLES
@given(plan=plans())
def test_a_descriptor_crosses_the_wire(plan: Plan) -> None:
    """decode(encode()) recovers an equal descriptor, and from_descriptor the tensor, in a container of one's own."""
    tensor = plan.build()
    descriptor = tensor.descriptor
    encoded = descriptor.encode()
    assert descriptor.encoded_len == len(encoded)
    unknown = isinstance(plan.layout, hurray.UnknownLayout)
    if unknown:
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.Descriptor.decode(encoded)
        read = hurray.Descriptor.decode(encoded, permissive=True)
        assert read.encode() == encoded
        read = descriptor
    else:
        read = hurray.Descriptor.decode(encoded + b"what follows")
        assert read == descriptor
    for name in (
        "quantization",
        "shard",
        "statistics",
        "extension_type",
        "layout",
        "shape",
        "dtype",
        "byte_offset",
    ):
        assert getattr(read, name) == getattr(tensor, name) == getattr(descriptor, name)
    again = hurray.Tensor.from_descriptor(read, contents(tensor))
    assert bare(again.descriptor) == bare(descriptor)
    assert contents(again) == contents(tensor)


@EXAMPLES
@given(plan=plans())
def test_it_crosses_processes_and_copies(plan: Plan) -> None:
    """Pickles by an old protocol and the newest, in band and out, copy and deepcopy."""
    tensor = plan.build()
    buffers: list[pickle.PickleBuffer] = []
    stream = pickle.dumps(tensor, 5, buffer_callback=buffers.append)
    assert len(buffers) == tensor.buffer_count
    for again in (
        pickle.loads(stream, buffers=buffers),
        pickle.loads(pickle.dumps(tensor, 2)),
        copy.copy(tensor),
        copy.deepcopy(tensor),
    ):
        assert same(tensor, again)


@EXAMPLES
@given(plan=plans())
def test_a_file_gives_back_what_it_was_given(plan: Plan, tmp_path: Path) -> None:
    """Saved and loaded, whatever the tensor is; a file holds neither dynamic dimensions nor unknown layouts."""
    tensor = plan.build()
    path = tmp_path / "t.hrry"
    refused = None in plan.shape or isinstance(plan.layout, hurray.UnknownLayout)
    if refused:
        with pytest.raises(hurray.InvalidDescriptorError):
            hurray.save(path, {"t": tensor})
        return
    hurray.save(path, {"t": tensor})
    assert hurray.verify(path) == []
    with hurray.FileWriter(tmp_path / "w.hrry") as writer:
        writer.write("t", tensor)
    assert (tmp_path / "w.hrry").read_bytes() == path.read_bytes()
    for io in ("mmap", "read"):
        loaded = hurray.load(path, io=io)["t"]
        assert bare(loaded.descriptor) == bare(tensor.descriptor)
        assert contents(loaded) == contents(tensor)
        assert same(rebuilt(loaded), loaded)


@EXAMPLES
@given(plan=plans())
def test_a_byte_less_is_too_few(plan: Plan) -> None:
    """The size tier is exact: the least buffers are enough, and one byte less in any of them is not."""
    tensor = plan.build()
    exact = range(tensor.buffer_count) if plan.sized else range(1 + len(plan.indices), tensor.buffer_count)
    for at in exact:
        parts = plan.buffers()
        if parts[at]:
            parts[at] = parts[at][:-1]
            with pytest.raises(hurray.BufferError, match=rf"buffer {at} "):
                plan.build(parts)


@EXAMPLES
@given(plan=plans())
def test_every_member_can_be_read(plan: Plan) -> None:
    """repr, str, getmembers and dir raise for no tensor; numbers of a quantised one are never shown as values."""
    tensor = plan.build()
    members = dict(inspect.getmembers(tensor))
    assert {"shape", "layout", "quantization", "nbytes"} <= members.keys()
    assert repr(tensor).startswith("hurray.Tensor(")
    assert str(tensor)
    whole = sum(map(len, plan.buffers()))
    plain = tensor.layout.is_dense and tensor.quantization is None and None not in plan.shape
    plan.stored = prod(int(extent or 0) for extent in plan.shape)
    assert tensor.nbytes == (storage(plan) if plain else whole)
    if tensor.quantization is not None:
        for refused in (tensor.tolist, tensor.tobytes):
            with pytest.raises(hurray.UnsupportedError):
                refused()
        with pytest.raises(BufferError):
            memoryview(tensor)
        with pytest.raises(BufferError):
            tensor.__dlpack__()
