"""hurray.save: what it takes, what it writes, what it refuses before a byte (file.md §9; ruling 4)."""

from __future__ import annotations

import collections
import os
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import core_files as craft
import hurray
import pytest
from core_memory import aligned
from core_numpy import np


def floats(*values: float) -> hurray.Tensor:
    return hurray.Tensor(np.array(values, np.float32), hurray.float32, (len(values),))


SAMPLE = {
    "w": hurray.Tensor(np.arange(12, dtype=np.float32), hurray.float32, (3, 4)),
    "nibbles": hurray.Tensor(b"\x21\x43\x05", hurray.dtype.int4, (5,)),
    "bits": hurray.Tensor(b"\x0d\x03", hurray.bool, (10,)),
    "column": hurray.Tensor(
        np.arange(6, dtype=np.int16), hurray.int16, (2, 3), layout=hurray.ColMajorLayout()
    ),
    "empty": hurray.Tensor(b"", hurray.float64, (0, 4)),
    "scalar": hurray.Tensor(b"\1" * 16, hurray.dtype.complex128, ()),
    "brain": hurray.Tensor(b"\x80\x3f", hurray.bfloat16, (1,)),
}


class Duck(Mapping[str, hurray.Tensor]):
    """A mapping of one's own, lazy."""

    def __getitem__(self, name: str) -> hurray.Tensor:
        return SAMPLE[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SAMPLE)

    def __len__(self) -> int:
        return len(SAMPLE)


def same(one: Mapping[str, hurray.Tensor], two: Mapping[str, hurray.Tensor]) -> bool:
    def facts(tensor: hurray.Tensor) -> tuple[Any, ...]:
        return tensor.dtype, tensor.shape, tensor.layout, tensor.tobytes(), tensor.device

    return [(n, facts(t)) for n, t in one.items()] == [(n, facts(t)) for n, t in two.items()]


# --- what it takes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tensors",
    [
        SAMPLE,
        Duck(),
        types.MappingProxyType(SAMPLE),
        collections.OrderedDict(SAMPLE),
        collections.ChainMap(SAMPLE),
    ],
    ids=lambda tensors: type(tensors).__name__,
)
def test_any_mapping_is_saved_in_its_order(tensors: Any, tmp_path: Path) -> None:
    """Issue 3: save takes any Mapping."""
    hurray.save(tmp_path / "a.hrry", tensors)
    assert same(hurray.load(tmp_path / "a.hrry"), tensors)
    assert same(hurray.load(tmp_path / "a.hrry", io="read"), tensors)
    assert hurray.verify(tmp_path / "a.hrry") == []


def test_an_open_file_is_a_mapping_to_save(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", SAMPLE, kv={"k": 1})
    with hurray.open(tmp_path / "a.hrry") as file:
        hurray.save(tmp_path / "b.hrry", file, kv=file.kv)
    assert (tmp_path / "a.hrry").read_bytes() == (tmp_path / "b.hrry").read_bytes()


def test_values_are_whatever_has_a_buffer_or_dlpack(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {"a": b"abc", "b": bytearray(2), "c": memoryview(bytes(8)).cast("d")})
    loaded = hurray.load(tmp_path / "a.hrry")
    assert [(t.dtype.name, t.shape) for t in loaded.values()] == [
        ("uint8", (3,)),
        ("uint8", (2,)),
        ("float64", (1,)),
    ]


@pytest.mark.parametrize("kind", [str, os.fsencode, Path, os.path.join], ids=["str", "bytes", "Path", "join"])
def test_paths_of_every_kind(kind: Any, tmp_path: Path) -> None:
    """PEERS, files: str, bytes, os.PathLike."""
    hurray.save(kind(str(tmp_path / "ä.hrry")), {"w": floats(1)})
    assert list(hurray.load(tmp_path / "ä.hrry")) == ["w"]


def test_a_name_that_is_no_unicode_is_a_path_all_the_same(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff\xfe.hrry"
    hurray.save(name, {"w": floats(1)})
    assert list(hurray.load(os.fsdecode(name))) == ["w"]


def test_a_relative_path_is_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    hurray.save("a.hrry", {"w": floats(1)})
    assert sorted(os.listdir(tmp_path)) == ["a.hrry"]


@pytest.mark.parametrize("path", [None, 5, 2.5, object(), ["a"]])
def test_what_is_no_path_is_a_type_error(path: Any) -> None:
    with pytest.raises(TypeError):
        hurray.save(path, {})


def test_nothing_is_saved_as_a_file_of_nothing(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {})
    assert (tmp_path / "a.hrry").read_bytes() == craft.Crafted().build()


@pytest.mark.parametrize("durable", [False, True])
def test_durable_writes_the_same(durable: bool, tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", SAMPLE, durable=durable)
    hurray.save(tmp_path / "b.hrry", SAMPLE)
    assert (tmp_path / "a.hrry").read_bytes() == (tmp_path / "b.hrry").read_bytes()


def test_it_returns_nothing_and_takes_kv_by_keyword(tmp_path: Path) -> None:
    assert hurray.save(tmp_path / "a.hrry", {}) is None  # type: ignore[func-returns-value]
    with pytest.raises(TypeError):
        hurray.save(tmp_path / "a.hrry", {}, {})  # type: ignore[call-arg]


# --- what it writes ----------------------------------------------------------------------------------------


def test_the_bytes_are_those_of_the_format(tmp_path: Path) -> None:
    """file.md §3 and §9, read by a reader that knows the text alone."""
    hurray.save(tmp_path / "a.hrry", SAMPLE, kv={"k": "v"})
    data = (tmp_path / "a.hrry").read_bytes()
    parsed = craft.Parsed.of(data)
    assert (parsed.flags, parsed.alignment) == (craft.HAS_KV | craft.HAS_CRC, 4096)
    assert parsed.crc == parsed.computed
    assert parsed.hint in (len(SAMPLE), craft.ALL_ONES)
    end, covered = 64, bytearray(len(data))
    for (name, at, length, start, size, flags), tensor in zip(parsed.entries, SAMPLE.values(), strict=True):
        assert SAMPLE[name] is tensor
        assert (at, flags) == (craft.up(end, 8), 0)
        assert start == craft.up(at + length, 4096)
        assert size == tensor.buffer_handles[0].byte_size
        assert data[start : start + size] == tensor.buffer(0).tobytes()
        assert hurray.Descriptor.decode(data[at : at + length]).shape == tensor.shape
        for one, many in ((at, length), (start, size)):
            covered[one : one + many] = b"\1" * many
        end = start + size
    assert parsed.kv[0] == craft.up(end, 8)
    assert parsed.index[0] == craft.up(sum(parsed.kv), 8)
    # All padding is zero.
    assert not any(
        byte for byte, mark in zip(data[64 : parsed.kv[0]], covered[64:], strict=False) if not mark
    )
    kv_at, kv_length = parsed.kv
    assert data[kv_at : kv_at + kv_length] == craft.kv_section(craft.kv_entry(b"k", 1, b"\1\0\0\0v"))


def test_the_same_tensors_always_give_the_same_file(tmp_path: Path) -> None:
    """Whatever the addresses: a descriptor in a file declares the format's own alignment."""
    files = []
    for shift in (0, 64, 1):
        source = aligned(48, shift)
        source[:] = bytes(range(48))
        hurray.save(
            tmp_path / "a.hrry", {"w": hurray.Tensor(source, hurray.float32, (3, 4)), "e": SAMPLE["empty"]}
        )
        files.append((tmp_path / "a.hrry").read_bytes())
    hurray.save(tmp_path / "b.hrry", hurray.load(tmp_path / "a.hrry"))
    files.append((tmp_path / "b.hrry").read_bytes())
    assert len(set(files)) == 1
    assert hurray.Descriptor.decode(files[0][64:]).buffer_handles[0].alignment == 64


def test_only_the_shared_elements_matter_to_the_source(tmp_path: Path) -> None:
    """A tensor is written from its own memory: later changes of the source do not reach the file."""
    source = aligned(16)
    tensor = hurray.Tensor(source, hurray.uint8, (16,))
    hurray.save(tmp_path / "a.hrry", {"w": tensor})
    source[0] = 9
    assert hurray.load(tmp_path / "a.hrry")["w"].tolist()[0] == 0


# --- what it refuses, before a byte ------------------------------------------------------------------------


def unchanged(path: Path, call: Any, error: Any, **match: Any) -> Any:
    """``call`` raises, and folder and old file are as they were."""
    path.write_bytes(b"old content")
    before = sorted(os.listdir(path.parent))
    with pytest.raises(error, **match) as caught:
        call()
    assert path.read_bytes() == b"old content"
    assert sorted(os.listdir(path.parent)) == before
    return caught.value


BAD_NAMES: list[tuple[Any, type[Exception]]] = [
    ("", ValueError),
    ("\ud800", ValueError),
    ("a\udfffb", ValueError),
    ("x" * 65536, ValueError),
    ("é" * 32768, ValueError),
    (5, TypeError),
    (None, TypeError),
    (b"w", TypeError),
    (("w",), TypeError),
]


@pytest.mark.parametrize(("name", "error"), BAD_NAMES, ids=lambda value: repr(value)[:20])
def test_a_bad_name_is_refused_and_nothing_is_written(
    name: Any, error: type[Exception], tmp_path: Path
) -> None:
    """PEERS, files: a writer checks everything it can before its first byte."""
    path = tmp_path / "a.hrry"
    raised = unchanged(path, lambda: hurray.save(path, {"good": floats(1), name: floats(2)}), error)
    assert isinstance(raised, hurray.FileError)
    assert str(raised)


@pytest.mark.parametrize(
    "name", ["x" * 65535, "é" * 32767, "\0", " ", "a/b", "..", "日本", "a\nb"], ids=lambda n: repr(n)[:9]
)
def test_any_other_name_is_kept_as_it_is(name: str, tmp_path: Path) -> None:
    """Nothing is renamed in silence; no Unicode normalisation."""
    hurray.save(tmp_path / "a.hrry", {name: floats(1)})
    assert list(hurray.load(tmp_path / "a.hrry")) == [name]
    with hurray.open(tmp_path / "a.hrry") as file:
        assert file[name].tolist() == [1.0]


def test_names_that_differ_in_normal_form_are_two_names(tmp_path: Path) -> None:
    names = ["\u00e9", "e\u0301", "E", "e"]
    hurray.save(tmp_path / "a.hrry", {name: floats(at) for at, name in enumerate(names)})
    assert [t.tolist() for t in hurray.load(tmp_path / "a.hrry").values()] == [[0], [1], [2], [3]]


def test_two_tensors_of_one_name_are_refused(tmp_path: Path) -> None:
    """F-18; a mapping of one's own may well repeat a key."""

    class Twice(dict[str, Any]):
        def items(self) -> Any:
            return [("w", floats(1)), ("x", floats(2)), ("w", floats(3))]

    path = tmp_path / "a.hrry"
    raised = unchanged(path, lambda: hurray.save(path, Twice()), ValueError, match="w")
    assert isinstance(raised, hurray.FileError)


@pytest.mark.parametrize("value", [None, "text", [1.0, None], object(), {1: 2}])
def test_a_value_that_is_no_array_is_refused_by_its_name(value: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    unchanged(
        path, lambda: hurray.save(path, {"good": floats(1), "layer.7": value}), TypeError, match=r"layer\.7"
    )


def test_a_value_that_cannot_be_taken_is_refused_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    value = np.ones(3, ">f4").data
    unchanged(path, lambda: hurray.save(path, {"layer.7": value}), hurray.UnsupportedError, match=r"layer\.7")


@pytest.mark.parametrize("tensors", [None, 5, [("w", 1)], floats(1), "text"], ids=str)
def test_what_is_no_mapping_is_a_type_error(tensors: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    unchanged(path, lambda: hurray.save(path, tensors), TypeError, match="mapping")


def test_a_mapping_that_raises_leaves_the_old_file(tmp_path: Path) -> None:
    class Broken(Duck):
        def __getitem__(self, name: str) -> hurray.Tensor:
            if name == "empty":
                raise ZeroDivisionError("mine")
            return super().__getitem__(name)

    path = tmp_path / "a.hrry"
    unchanged(path, lambda: hurray.save(path, Broken()), ZeroDivisionError, match="mine")


@pytest.mark.parametrize("code", [0x00, 0xFF])
def test_reserved_codes_of_float8_e8m0_are_not_stored(code: int, tmp_path: Path) -> None:
    """element-types.md §4: writers must not store 0x00 and 0xFF."""
    path = tmp_path / "a.hrry"
    tensor = hurray.Tensor(bytes([127, code, 1]), hurray.dtype.float8_e8m0, (3,))
    unchanged(
        path, lambda: hurray.save(path, {"scales": tensor}), hurray.InvalidDescriptorError, match="scales"
    )
    fine = hurray.Tensor(bytes([127, 254, 1]), hurray.dtype.float8_e8m0, (3,))
    hurray.save(path, {"scales": fine})


def test_a_tensor_too_large_for_a_file_is_refused(tmp_path: Path) -> None:
    """Nothing is written that no reader could address; strides may reach far with few bytes."""
    wide = hurray.Tensor(bytes(4), hurray.float32, (2**40, 2**40), layout=hurray.StridedLayout((0, 0)))
    hurray.save(tmp_path / "a.hrry", {"w": wide})
    assert hurray.load(tmp_path / "a.hrry")["w"].shape == (2**40, 2**40)


# --- where it writes ---------------------------------------------------------------------------------------


def test_a_file_that_is_replaced_keeps_its_permission_bits(tmp_path: Path) -> None:
    path = tmp_path / "a.hrry"
    for mode in (0o600, 0o640, 0o444, 0o755):
        path.touch()
        path.chmod(mode)
        hurray.save(path, {"w": floats(1)})
        assert path.stat().st_mode & 0o7777 == mode


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_a_new_file_gets_what_the_umask_leaves(umask: int, tmp_path: Path) -> None:
    before = os.umask(umask)
    try:
        hurray.save(tmp_path / "a.hrry", {"w": floats(1)})
    finally:
        os.umask(before)
    assert (tmp_path / "a.hrry").stat().st_mode & 0o7777 == 0o666 & ~umask


def test_a_symbolic_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target, link, chain = tmp_path / "real" / "a.hrry", tmp_path / "link.hrry", tmp_path / "chain.hrry"
    link.symlink_to("real/a.hrry")
    chain.symlink_to(link)
    for path in (link, chain, link):
        hurray.save(path, {"w": floats(1)})
        assert link.is_symlink()
        assert chain.is_symlink()
        assert not target.is_symlink()
        assert list(hurray.load(target)) == ["w"]
    assert sorted(os.listdir(tmp_path)) == ["chain.hrry", "link.hrry", "real"]
    assert os.listdir(tmp_path / "real") == ["a.hrry"]


def test_a_loop_of_links_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(hurray.FileError) as caught:
        hurray.save(tmp_path / "a", {})
    assert caught.value.errno == 40  # ELOOP on Linux
    assert caught.value.filename == tmp_path / "a"


def test_a_hard_link_keeps_the_old_file(tmp_path: Path) -> None:
    """The rename replaces a name, not the bytes behind another."""
    hurray.save(tmp_path / "a.hrry", {"old": floats(1)})
    os.link(tmp_path / "a.hrry", tmp_path / "b.hrry")
    hurray.save(tmp_path / "a.hrry", {"new": floats(1)})
    assert list(hurray.load(tmp_path / "b.hrry")) == ["old"]


@pytest.mark.skipif(sys.platform != "linux", reason="names of up to 255 bytes, on Linux")
def test_the_longest_name_a_file_can_have(tmp_path: Path) -> None:
    for name in ("x" * 255, "é" * 127):
        hurray.save(tmp_path / name, {"w": floats(1)})
        hurray.save(tmp_path / name, {"w": floats(2)})
        assert hurray.load(tmp_path / name)["w"].tolist() == [2.0]
    with pytest.raises(hurray.FileError):
        hurray.save(tmp_path / ("x" * 256), {})
    assert len(os.listdir(tmp_path)) == 2
