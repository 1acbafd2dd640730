"""Sharded checkpoints: an index and its shards, and every way in which they may disagree; in processes of their own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import hurray as library
import pytest
from cli_helpers import Done, apart, entry, safetensors_bytes


def shard(folder: Path, name: str, **tensors: bytes) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for tensor, data in tensors.items():
        header[tensor] = entry("U8", (len(data),), (at, at + len(data)))
        at += len(data)
    (folder / name).write_bytes(safetensors_bytes(header, b"".join(tensors.values())))


def index(folder: Path, weight_map: Any, **metadata: Any) -> Path:
    path = folder / "model.safetensors.index.json"
    content: dict[str, Any] = {"metadata": metadata} if metadata else {}
    path.write_text(json.dumps({**content, "weight_map": weight_map}))
    return path


def convert(folder: Path, source: Path) -> Done:
    return apart("convert", source, folder / "out.hrry")


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    shard(tmp_path, "model-1.safetensors", a=b"12", b=b"3")
    shard(tmp_path, "model-2.safetensors", c=b"4567")
    return tmp_path


GOOD = {"a": "model-1.safetensors", "b": "model-1.safetensors", "c": "model-2.safetensors"}


def test_shards_become_one_file(checkpoint: Path) -> None:
    done = convert(checkpoint, index(checkpoint, GOOD, total_size=7))
    assert done.status == 0, done
    assert not done.err, done
    with library.open(checkpoint / "out.hrry") as file:
        assert {name: file[name].tobytes() for name in file} == {"a": b"12", "b": b"3", "c": b"4567"}
        assert file.kv == {"format": "pt"}


def test_what_other_writers_say_of_the_size(checkpoint: Path) -> None:
    assert convert(checkpoint, index(checkpoint, GOOD, total_size=7.0)).status == 0
    assert apart("convert", "-f", index(checkpoint, GOOD), checkpoint / "out.hrry").status == 0


def disagreement(checkpoint: Path, weight_map: Any, **metadata: Any) -> str:
    done = convert(checkpoint, index(checkpoint, weight_map, **metadata))
    assert done.status == 1, done
    assert not (checkpoint / "out.hrry").exists(), done
    return done.err


def test_in_the_map_and_in_no_shard(checkpoint: Path) -> None:
    error = disagreement(checkpoint, {**GOOD, "d": "model-2.safetensors"})
    assert (
        "tensor 'd': the index says it is in 'model-2.safetensors', which does not hold it; no shard has it"
        in error
    )


def test_in_another_shard(checkpoint: Path) -> None:
    error = disagreement(checkpoint, {**GOOD, "a": "model-2.safetensors"})
    assert "tensor 'a': the index says it is in 'model-2.safetensors'" in error
    assert "it is in 'model-1.safetensors'" in error


def test_in_a_shard_and_not_in_the_map(checkpoint: Path) -> None:
    error = disagreement(checkpoint, {"a": GOOD["a"], "c": GOOD["c"]})
    assert "tensor 'b': it is in shard 'model-1.safetensors'; the index does not know it" in error


def test_in_two_shards(checkpoint: Path) -> None:
    shard(checkpoint, "model-2.safetensors", c=b"4567", a=b"12")
    error = disagreement(checkpoint, GOOD)
    assert "tensor 'a': it is in several shards: 'model-1.safetensors', 'model-2.safetensors'" in error


def test_a_shard_is_missing(checkpoint: Path) -> None:
    (checkpoint / "model-2.safetensors").unlink()
    error = disagreement(checkpoint, GOOD)
    assert "shard 'model-2.safetensors' cannot be read: No such file" in error


def test_a_broken_shard_is_named(checkpoint: Path) -> None:
    path = checkpoint / "model-2.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    error = disagreement(checkpoint, GOOD)
    assert (
        "tensor 'c': in shard 'model-2.safetensors': its data ends at 4; the file has 3 bytes of data"
        in error
    )


@pytest.mark.parametrize(
    "name", ["../model-1.safetensors", "/etc/passwd", "sub/x.safetensors", "..", "", "a\0b"]
)
def test_a_shard_outside_the_folder(checkpoint: Path, name: str) -> None:
    error = disagreement(checkpoint, {**GOOD, "a": name})
    assert f"shard {name!r} is no plain file name; shards lie beside their index" in error.replace(
        "\\\\", "\\"
    )


def test_a_shard_that_is_a_folder(checkpoint: Path) -> None:
    (checkpoint / "dir").mkdir()
    assert "shard 'dir' cannot be read" in disagreement(checkpoint, {**GOOD, "a": "dir"})


@pytest.mark.parametrize("claim", [8, -1, "7", 7.5, True, [7]])
def test_total_size_differs(checkpoint: Path, claim: Any) -> None:
    error = disagreement(checkpoint, GOOD, total_size=claim)
    assert f"metadata.total_size is {claim!r}; the tensors of the shards have 7 bytes" in error


def test_metadata_that_differs_is_refused(checkpoint: Path) -> None:
    header = {"__metadata__": {"format": "tf"}, "c": entry()}
    (checkpoint / "model-2.safetensors").write_bytes(safetensors_bytes(header, bytes(4)))
    assert "metadata key 'format': the shards disagree: 'pt' and 'tf'" in disagreement(checkpoint, GOOD)


def test_every_disagreement_is_listed(checkpoint: Path) -> None:
    error = disagreement(checkpoint, {"a": "model-2.safetensors", "x": "gone", "b": "../up"}, total_size=1)
    assert len(error.splitlines()) >= 4
    assert all(part in error for part in ("'gone'", "'../up'", "tensor 'a'", "tensor 'c'"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"weight_map":{"a":"s","a":"s"}}', "tensor 'a': the weight_map has this name twice"),
        ('{"weight_map":{},"weight_map":{}}', "metadata key 'weight_map': the index has this key twice"),
        ('{"weight_map":{"a":1}}', "tensor 'a': the weight_map gives no file name for it"),
        ('{"weight_map":[]}', "expected {, found '[]}'"),
        ('{"metadata":{"total_size":1}}', "the index has no weight_map"),
        ('{"weight_map":{},"metadata":7}', "the metadata of the index is no object"),
        (
            '{"weight_map":{},"metadata":{"total_size":1,"total_size":2}}',
            "the metadata of the index has a key twice",
        ),
        ('{"weight_map":{},"more":1}', "metadata key 'more': the index has a key that is not known"),
        ('{"weight_map":', "the index is not the JSON of a sharded checkpoint"),
        ("", "the index is not the JSON of a sharded checkpoint"),
        ('{"weight_map":{},"metadata":' + "[" * 9000 + "]" * 9000 + "}", "nested too deep"),
    ],
)
def test_an_index_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m.index.json"
    path.write_text(text)
    done = convert(tmp_path, path)
    assert done.status == 1
    assert message in done.err


def test_an_index_is_not_written(checkpoint: Path) -> None:
    target = checkpoint / "new.safetensors.index.json"
    done = apart("convert", checkpoint / "model-1.safetensors", target)
    assert done.status == 1
    assert not target.exists()
    assert "sharded checkpoints are not written; give the target a name that ends in .safetensors" in done.err


def test_shards_become_one_safetensors_file(checkpoint: Path) -> None:
    done = apart("convert", index(checkpoint, GOOD), checkpoint / "one.safetensors")
    assert done.status == 0, done
    assert (checkpoint / "one.safetensors").read_bytes().endswith(b"1234567")
