"""Files that the safetensors library wrote: every bit arrives, and the way back gives the same file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hurray as library
import numpy as np
import pytest
from cli_helpers import entry, hurray, safetensors_bytes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save

DTYPES = ("?", "u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8")
# Any character but a lone surrogate: quotes, controls, separators and emoji included.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20).filter(
    lambda name: name != "__metadata__"
)


@st.composite
def arrays(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=4)))
    seed = draw(st.integers(0, 2**32 - 1))
    count = int(np.prod(shape, dtype=int)) * dtype.itemsize
    data = np.random.default_rng(seed).bytes(count)
    if dtype.kind == "b":
        return (np.frombuffer(data, "u1") & 1).astype("?").reshape(shape)
    return np.frombuffer(data, dtype).reshape(shape)


FILES = st.tuples(
    st.dictionaries(NAMES, arrays(), max_size=6),
    st.none() | st.dictionaries(TEXT.filter(bool), TEXT, min_size=1, max_size=4),
)


def there_and_back(folder: Path, content: bytes) -> bytes:
    first, middle, last = folder / "a.safetensors", folder / "b.hrry", folder / "c.safetensors"
    first.write_bytes(content)
    for source, target in ((first, middle), (middle, last)):
        done = hurray("convert", "--force", source, target)
        assert done.status == 0, done
        assert not done.err, done
    assert not library.verify(middle)
    return last.read_bytes()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(FILES)
def test_any_file_of_the_library(tmp_path: Path, file: tuple[dict[str, Any], dict[str, str] | None]) -> None:
    tensors, metadata = file
    content = save(tensors, metadata=metadata)
    assert there_and_back(tmp_path, content) == content
    with library.open(tmp_path / "b.hrry") as opened:
        assert opened.kv == (metadata or {})
        assert set(opened) == set(tensors)
        for name, array in tensors.items():
            assert opened[name].shape == array.shape
            plain = opened[name].unpack() if array.dtype == "?" else opened[name].tobytes()
            assert bytes(plain) == array.tobytes()


@pytest.mark.parametrize(
    ("code", "name", "bits"),
    [
        ("BF16", "bfloat16", 16),
        ("F8_E5M2", "float8_e5m2", 8),
        ("F8_E4M3", "float8_e4m3", 8),
        ("F8_E8M0", "float8_e8m0", 8),
        ("F4", "float4_e2m1", 4),
        ("C64", "complex64", 64),
    ],
)
def test_types_that_numpy_lacks(tmp_path: Path, code: str, name: str, bits: int) -> None:
    data = bytes(range(1, 1 + 6 * bits // 8))
    content = safetensors_bytes({"a": entry(code, (2, 3), (0, len(data)))}, data).replace(b", ", b",")
    content = safetensors_bytes(content[8:].split(b"}}")[0].replace(b": ", b":") + b"}}", data)
    assert there_and_back(tmp_path, content) == content
    tensor = library.load(tmp_path / "b.hrry")["a"]
    assert (tensor.dtype.name, tensor.shape, tensor.tobytes()) == (name, (2, 3), data)


def test_order_is_the_library_s(tmp_path: Path) -> None:
    """One tensor of each type, named against the order of the types."""
    tensors = {chr(ord("z") - k): np.zeros(3, dtype) for k, dtype in enumerate(DTYPES)}
    content = save(tensors, metadata={"b": "1", "a": "2"})
    assert there_and_back(tmp_path, content) == content


def test_a_file_in_another_order_keeps_its_values(tmp_path: Path) -> None:
    header = {"z": entry("U8", (2,), (8, 10)), "a": entry("F32", (2,), (0, 8))}
    data = bytes(range(10))
    back = there_and_back(tmp_path, safetensors_bytes(header, data))
    assert {name: array.tobytes() for name, array in load(back).items()} == {"a": data[:8], "z": data[8:]}
    assert library.open(tmp_path / "b.hrry").keys() == {"a", "z"}


def test_bools_across_the_pieces_they_are_packed_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hurray_cli.formats.safetensors.reader.PIECE", 64)
    monkeypatch.setattr("hurray_cli.formats.safetensors.writer.PIECE", 8)
    mask = np.random.default_rng(1).integers(0, 2, 1001).astype("?")
    content = save({"m": mask})
    assert there_and_back(tmp_path, content) == content
    assert bytes(library.load(tmp_path / "b.hrry")["m"].unpack()) == mask.tobytes()


@pytest.mark.parametrize("layout", ["col_major", "strided", "reversed", "broadcast", "sliced"])
@pytest.mark.parametrize("dtype", ["f4", "u2", "?"])
def test_other_orders_become_row_major(tmp_path: Path, layout: str, dtype: str) -> None:
    array = np.arange(24).reshape(4, 6).astype(dtype)
    array = {
        "col_major": np.asfortranarray(array),
        "strided": array.T[:, ::2],
        "reversed": array[::-1],
        "broadcast": np.broadcast_to(array[0], (5, 6)),
        "sliced": array[1:, 2:],
    }[layout]
    exporter: Any = array
    library.save(tmp_path / "a.hrry", {"w": library.Tensor.from_buffer(exporter)})
    done = hurray("convert", tmp_path / "a.hrry", tmp_path / "b.safetensors")
    assert done.status == 0, done
    loaded = load((tmp_path / "b.safetensors").read_bytes())["w"]
    assert loaded.tobytes() == array.tobytes()
    assert loaded.shape == array.shape


def test_metadata_of_other_kinds_is_refused_by_key(tmp_path: Path) -> None:
    source, target = tmp_path / "a.hrry", tmp_path / "b.safetensors"
    kv: dict[str, Any] = {"text": "stays", "number": 3, "bytes": b"\0", "list": ["a"]}
    library.save(source, {"w": library.Tensor(bytes(4), library.uint8, (4,))}, kv=kv)
    done = hurray("convert", source, target)
    assert done.status == 1
    assert not target.exists()
    lines = done.err.splitlines()
    assert len(lines) == 3
    for key, line in zip(("number", "bytes", "list"), lines, strict=True):
        assert f"metadata key {key!r}: its value is a" in line
        assert "--drop-metadata leaves it out" in line
    done = hurray("convert", "--drop-metadata", source, target)
    assert done.status == 0
    assert [line.split("left out: ")[1] for line in done.err.splitlines()] == [
        "metadata key 'number'",
        "metadata key 'bytes'",
        "metadata key 'list'",
    ]
    content = target.read_bytes()
    assert json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"] == {
        "text": "stays"
    }


@pytest.mark.parametrize("name", ["int4", "uint2", "float6_e2m3", "float128", "complex128"])
def test_types_that_safetensors_lacks_are_refused(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "a.hrry", tmp_path / "b.safetensors"
    dtype = library.Dtype.from_name(name)
    buffer = bytes(library.buffer_size_bytes(dtype, 4))
    library.save(
        source,
        {"good": library.Tensor(bytes(4), library.uint8, (4,)), "w": library.Tensor(buffer, dtype, (4,))},
    )
    done = hurray("convert", source, target)
    assert done.status == 1
    assert not target.exists()
    assert done.err.count("\n") == 1
    assert f"tensor 'w': safetensors has no type for {name}" in done.err


def test_odd_float4_and_a_reserved_name_are_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "a.hrry", tmp_path / "b.safetensors"
    four = library.dtype.float4_e2m1
    tensors = {
        "odd": library.Tensor(b"\x21\x03", four, (3,)),
        "__metadata__": library.Tensor(bytes(1), library.uint8, (1,)),
    }
    library.save(source, tensors)
    done = hurray("convert", source, target)
    assert done.status == 1
    assert not target.exists()
    assert "tensor 'odd': an odd number of float4_e2m1 elements" in done.err
    assert "tensor '__metadata__': safetensors keeps the name" in done.err


def test_an_empty_name_has_no_place_in_hrry(tmp_path: Path) -> None:
    (tmp_path / "a.safetensors").write_bytes(safetensors_bytes({"": entry()}, bytes(4)))
    done = hurray("convert", tmp_path / "a.safetensors", tmp_path / "b.hrry")
    assert done.status == 1
    assert "tensor '': the name is empty" in done.err
