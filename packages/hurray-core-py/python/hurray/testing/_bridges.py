"""What every bridge must do, as tests that a bridge's own inherit."""

from __future__ import annotations

import builtins
import gc
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, ClassVar

import pytest

import hurray
from hurray.testing._memory import addresses, filled, pattern, resident

__all__ = ["BridgeSuite"]

THREADS = 8
REFUSALS = (hurray.UnsupportedError, builtins.BufferError)


class BridgeSuite(ABC):
    """The tests of a bridge: inherit in a class named ``Test…``, set ``name`` and ``dtypes``, write three methods.

    ``make``, ``data_of`` and ``addresses`` speak of the framework's objects without Hurray, so that a bridge which
    errs alike in both directions is found out. ``data`` is always row-major and packed as the format packs it:
    little-endian, bool eight to a byte from the least significant bit on.

    What a framework cannot have (read-only memory, memory at odd addresses) is skipped, and said to be. A bridge of
    sparse objects overrides ``tensor`` and ``tensor_data`` too, and has ``shapes`` of rank 2.
    """

    # The name that the bridge is registered under.
    name: ClassVar[str]
    # Names of the element types that the bridge declares; every other one must be refused.
    dtypes: ClassVar[tuple[str, ...]]
    # Those among them that take a copy, as bool does where a framework has a byte for each.
    copied: ClassVar[frozenset[str]] = frozenset()
    # Keywords of ``to_object``, for all tests.
    options: ClassVar[Mapping[str, Any]] = {}
    shapes: ClassVar[tuple[tuple[int, ...], ...]] = ((), (1,), (7,), (3, 4), (2, 3, 4))
    empty_shapes: ClassVar[tuple[tuple[int, ...], ...]] = ((0,), (0, 3), (2, 0, 3))
    # How often one tensor goes to the framework and back, and the bytes by which the process may grow meanwhile.
    cycles: ClassVar[int] = 100_000
    growth: ClassVar[int] = 8 << 20

    @abstractmethod
    def make(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Any:
        """A writable object of the framework with these elements, in memory aligned to 64 bytes."""

    @abstractmethod
    def data_of(self, obj: Any) -> bytes:
        """The elements of the framework's object, row-major."""

    @abstractmethod
    def addresses(self, obj: Any) -> tuple[int, ...]:
        """Where the memory of the framework's object begins, for each buffer of the tensor that it becomes."""

    def tensor(self, dtype: str, shape: tuple[int, ...], data: bytes) -> hurray.Tensor:
        """A tensor with these elements."""
        return hurray.Tensor(filled(data), dtype, shape)

    def tensor_data(self, tensor: hurray.Tensor) -> bytes:
        """The elements of a tensor, row-major."""
        return tensor.tobytes()

    def payload(self, dtype: str, shape: tuple[int, ...]) -> bytes:
        """Elements to bridge."""
        return pattern(dtype, shape)

    def read_only(self, obj: Any) -> Any:
        """``obj``, or a view of it, as read-only memory; None where the framework has no such thing."""
        return None

    def writable(self, obj: Any) -> bool:
        """Whether the framework lets the object's memory be written to."""
        return True

    def misaligned(self, dtype: str, shape: tuple[int, ...], data: bytes) -> Any:
        """As ``make``, at an address that is no multiple of 64; None where the framework has no such memory."""
        return None

    def views(self) -> Iterable[tuple[str, Any]]:
        """Further objects that must arrive whole, and a name for each: such as transposed ones."""
        return ()

    # How the tests get their arguments.

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Pytest's hook: one test for each element type."""
        if "dtype" in metafunc.fixturenames:
            metafunc.parametrize("dtype", self.dtypes)
        if "shared_dtype" in metafunc.fixturenames:
            metafunc.parametrize("shared_dtype", [name for name in self.dtypes if name not in self.copied])
        if "other_dtype" in metafunc.fixturenames:
            others = [name for name in hurray.dtype.__all__ if name not in self.dtypes]
            metafunc.parametrize("other_dtype", others)

    @property
    def bridge(self) -> hurray.bridges.Bridge:
        """The bridge, as everybody finds it."""
        return hurray.bridges.get(self.name)

    def out(self, tensor: hurray.Tensor) -> Any:
        """``tensor`` as the framework's object."""
        return tensor.to(self.name, **self.options)

    def made(self, dtype: str, shape: tuple[int, ...]) -> Any:
        """A new object of the framework."""
        return self.make(dtype, shape, self.payload(dtype, shape))

    def _check(self, tensor: hurray.Tensor, dtype: str, shape: tuple[int, ...], data: bytes) -> None:
        assert tensor.dtype is hurray.Dtype.from_name(dtype)
        assert tensor.shape == shape
        assert self.tensor_data(tensor) == data

    # The tests.

    def test_is_found_by_its_name(self) -> None:
        assert self.name in hurray.bridges.names()
        assert self.bridge.name == self.name
        assert hurray.bridges.get(self.name) is self.bridge

    def test_owns_its_own_objects_only(self) -> None:
        obj = self.made(self.dtypes[0], self.shapes[-1])
        assert self.bridge.owns(obj) is True
        assert hurray.bridges.find(obj) is self.bridge
        for other in (None, 1, 1.5, "text", b"bytes", [1], object(), type(obj), hurray.float32):
            assert self.bridge.owns(other) is False

    def test_round_trip(self, dtype: str) -> None:
        for shape in self.shapes:
            data = self.payload(dtype, shape)
            obj = self.make(dtype, shape, data)
            assert self.data_of(obj) == data, "make and data_of disagree"
            tensor = self.bridge.from_object(obj)
            self._check(tensor, dtype, shape, data)
            self._check(hurray.asarray(obj), dtype, shape, data)
            back = self.out(tensor)
            assert self.bridge.owns(back)
            assert self.data_of(back) == data
            self._check(self.bridge.from_object(back), dtype, shape, data)

    def test_round_trip_of_a_tensor(self, dtype: str) -> None:
        for shape in self.shapes:
            data = self.payload(dtype, shape)
            obj = self.out(self.tensor(dtype, shape, data))
            assert self.data_of(obj) == data
            self._check(self.bridge.from_object(obj), dtype, shape, data)

    def test_zero_size(self, dtype: str) -> None:
        for shape in self.empty_shapes:
            tensor = self.bridge.from_object(self.make(dtype, shape, b""))
            self._check(tensor, dtype, shape, b"")
            self._check(self.bridge.from_object(self.out(tensor)), dtype, shape, b"")
            self._check(self.bridge.from_object(self.out(self.tensor(dtype, shape, b""))), dtype, shape, b"")

    def test_views_arrive_whole(self) -> None:
        views = list(self.views())
        if not views:
            pytest.skip("the suite of this bridge names no views")
        for label, obj in views:
            data = self.data_of(obj)
            for copy in (None, True):
                tensor = self.bridge.from_object(obj, copy=copy)
                assert self.tensor_data(tensor) == data, label
                assert self.data_of(self.out(tensor)) == data, label

    @pytest.mark.parametrize("copy", [None, False])
    def test_shares_on_the_way_in(self, shared_dtype: str, copy: bool | None) -> None:
        """Copy on ingest MUST: what is usable as it is, is shared."""
        obj = self.made(shared_dtype, self.shapes[-1])
        tensor = self.bridge.from_object(obj, copy=copy)
        assert addresses(tensor) == self.addresses(obj)

    def test_shares_on_the_way_out(self, shared_dtype: str) -> None:
        shape = self.shapes[-1]
        tensor = self.tensor(shared_dtype, shape, self.payload(shared_dtype, shape))
        assert self.addresses(self.out(tensor)) == addresses(tensor)

    def test_copy_true_copies(self, dtype: str) -> None:
        """Copy on ingest MUST: ``copy=True`` always copies."""
        shape = self.shapes[-1]
        data = self.payload(dtype, shape)
        obj = self.make(dtype, shape, data)
        tensor = self.bridge.from_object(obj, copy=True)
        assert not set(addresses(tensor)) & set(self.addresses(obj))
        self._check(tensor, dtype, shape, data)
        assert not tensor.readonly

    def test_copy_false_refuses_what_takes_a_copy(self) -> None:
        """Copy on ingest MUST: ``copy=False`` raises where memory is not usable as it is."""
        shape = self.shapes[-1]
        objects = [(f"{name}, a copied type", self.made(name, shape)) for name in sorted(self.copied)]
        for name in self.dtypes:
            obj = self.misaligned(name, shape, self.payload(name, shape))
            if obj is not None:
                objects.append((f"{name}, misaligned", obj))
                assert self.tensor_data(self.bridge.from_object(obj)) == self.payload(name, shape)
        if not objects:
            pytest.skip("nothing of this framework takes a copy")
        for label, obj in objects:
            with pytest.raises(hurray.CopyRequiredError) as caught:
                self.bridge.from_object(obj, copy=False)
            assert str(caught.value), label

    def test_read_only_stays_so_on_the_way_in(self, shared_dtype: str) -> None:
        obj = self.made(shared_dtype, self.shapes[-1])
        assert self.bridge.from_object(obj).readonly is not self.writable(obj)
        obj = self.read_only(obj)
        if obj is None:
            pytest.skip("this framework has no read-only memory")
        tensor = self.bridge.from_object(obj, copy=False)
        assert tensor.readonly
        assert addresses(tensor) == self.addresses(obj)

    def test_read_only_is_not_written_on_the_way_out(self, shared_dtype: str) -> None:
        """Ruling 7: a framework that cannot say read-only gets a private copy."""
        shape = self.shapes[-1]
        data = self.payload(shared_dtype, shape)
        plain = self.tensor(shared_dtype, shape, data)
        parts = [
            memoryview(filled(plain.buffer(i).tobytes())).toreadonly() for i in range(plain.buffer_count)
        ]
        tensor = hurray.Tensor.from_descriptor(plain.descriptor, parts)
        assert tensor.readonly
        obj = self.out(tensor)
        assert self.data_of(obj) == data
        shared = self.addresses(obj) == addresses(tensor)
        assert not (shared and self.writable(obj)), "the framework can write to read-only memory"

    def test_a_tensor_outlives_its_source(self, dtype: str) -> None:
        """Lifetime MUST: what a tensor shares stays valid as long as it lives, and not longer."""
        shape = self.shapes[-1]
        data = self.payload(dtype, shape)
        obj = self.make(dtype, shape, data)
        watch = _watched(obj)
        tensor = self.bridge.from_object(obj)
        del obj
        gc.collect()
        noise = [self.made(dtype, shape) for _ in range(16)]
        self._check(tensor, dtype, shape, data)
        del tensor, noise
        gc.collect()
        assert watch is None or watch() is None, "the source is still alive"

    def test_an_object_outlives_its_tensor(self, dtype: str) -> None:
        """Lifetime MUST: what an object shares stays valid as long as it lives, and not longer."""
        shape = self.shapes[-1]
        data = self.payload(dtype, shape)
        tensor = self.tensor(dtype, shape, data)
        watch = weakref.ref(tensor)
        obj = self.out(tensor)
        again = self.out(tensor)
        del tensor
        gc.collect()
        noise = [filled(bytes([7]) * len(data)) for _ in range(16)]
        assert self.data_of(obj) == data
        del obj
        gc.collect()
        assert self.data_of(again) == data
        del again, noise
        gc.collect()
        assert watch() is None, "the tensor is still alive"

    def test_threads(self) -> None:
        dtype, shape = self.dtypes[0], self.shapes[-1]
        data = self.payload(dtype, shape)
        tensor = self.tensor(dtype, shape, data)
        watch = weakref.ref(tensor)
        obj = self.make(dtype, shape, data)
        _together(partial(self._there_and_back, tensor, obj, dtype, shape, data))
        del tensor
        gc.collect()
        assert watch() is None, "a thread has left a reference behind"

    def _there_and_back(
        self, tensor: hurray.Tensor, obj: Any, dtype: str, shape: tuple[int, ...], data: bytes
    ) -> None:
        for _ in range(100):
            assert self.data_of(self.out(tensor)) == data
            self._check(self.bridge.from_object(obj), dtype, shape, data)

    def test_many_times_without_growth(self) -> None:
        dtype, shape = self.dtypes[0], self.shapes[-1]
        data = self.payload(dtype, shape)
        tensor = self.tensor(dtype, shape, data)
        bridge, start = self.bridge, 0
        warm = self.cycles // 10
        for at in range(self.cycles + warm):
            if at == warm:
                gc.collect()
                start = resident()
            bridge.from_object(self.out(tensor))
        gc.collect()
        assert resident() - start < self.growth
        assert self.tensor_data(tensor) == data

    def test_other_element_types_are_refused(self, other_dtype: str) -> None:
        """Errors say what was handed over; nothing is rounded, reinterpreted or dropped in silence."""
        shape = self.shapes[-1]
        tensor = self.tensor(other_dtype, shape, pattern(other_dtype, shape))
        with pytest.raises(REFUSALS) as caught:
            self.out(tensor)
        assert other_dtype in str(caught.value)

    def test_what_is_no_plain_tensor_is_refused(self) -> None:
        for tensor, word in _odd():
            with pytest.raises(REFUSALS) as caught:
                self.out(tensor)
            assert word in str(caught.value)

    def test_foreign_objects_are_refused(self) -> None:
        for alien in (object(), None, "text"):
            with pytest.raises((TypeError, ValueError, NotImplementedError)) as caught:
                self.bridge.from_object(alien)
            assert type(alien).__name__ in str(caught.value)


def _watched(obj: Any) -> Callable[[], Any] | None:
    try:
        return weakref.ref(obj)
    except TypeError:  # not every class can be watched
        return None


def _together(work: Callable[[], None]) -> None:
    """Run ``work`` in all threads at once, and raise what any of them raises."""
    barrier = threading.Barrier(THREADS)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            barrier.wait(60)
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _odd() -> list[tuple[hurray.Tensor, str]]:
    """Tensors that no framework can take as they are, and what an error must speak of."""
    codes = bytearray(8)
    affine = hurray.PerTensorAffine(scale=0.5, zero_point=0)
    extension = hurray.ExtensionType(8)
    private = hurray.Dtype.from_tag(0xF0)
    return [
        (hurray.Tensor(codes, hurray.int8, (8,), quantization=affine), "quanti"),
        (hurray.Tensor(codes, hurray.float32, (None,)), "dynamic"),
        (hurray.Tensor(codes, private, (8,), extension_type=extension), "extension"),
    ]
