"""State dicts and modules in files; tied tensors (ruling 15)."""

from __future__ import annotations

import os
from pathlib import Path

import hurray
import hurray_torch
import pytest
import torch


class Tied(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(50, 4)
        self.head = torch.nn.Linear(4, 50)
        self.head.weight = self.embed.weight


def test_a_state_dict_comes_back(tmp_path: Path) -> None:
    state = {
        "w": torch.arange(12.0).reshape(3, 4),
        "mask": torch.tensor([True, False]),
        "half": torch.ones(3, dtype=torch.bfloat16),
        "scalar": torch.tensor(5),
        "empty": torch.empty(0, 3),
        "grad": torch.ones(2, requires_grad=True),
        "conj": torch.tensor([1 + 2j]).conj(),
        "last": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    }
    hurray_torch.save_file(state, tmp_path / "s.hrry", {"epoch": 3})
    loaded = hurray_torch.load_file(tmp_path / "s.hrry")
    assert list(loaded) == list(state) or set(loaded) == set(state)
    for name, tensor in state.items():
        assert loaded[name].dtype == tensor.dtype
        assert torch.equal(loaded[name], tensor.detach()), name
    assert loaded["last"].stride() == state["last"].stride()
    assert hurray.load_kv(tmp_path / "s.hrry") == {"epoch": 3}


def test_tied_tensors_are_stored_once_and_tied_again(tmp_path: Path) -> None:
    path = tmp_path / "m.hrry"
    model = Tied()
    hurray_torch.save_model(model, path)
    # A reader that knows no ties sees one of the names.
    assert sorted(hurray.load(path)) == ["embed.weight", "head.bias"]
    assert hurray.load_kv(path) == {"hurray.tied.head.weight": "embed.weight"}
    state = hurray_torch.load_file(path)
    assert state["head.weight"].data_ptr() == state["embed.weight"].data_ptr()
    other = Tied()
    assert hurray_torch.load_model(other, path) == ([], [])
    assert torch.equal(other.head.weight, model.embed.weight)
    assert other.head.weight is other.embed.weight


def test_a_slice_is_stored_slice_sized(tmp_path: Path) -> None:
    big = torch.arange(1_000_000.0)
    slices = {"run": big[10:20], "steps": big[::100_000], "block": big.reshape(1000, 1000)[:3, :3]}
    hurray_torch.save_file(slices, tmp_path / "s.hrry")
    assert os.path.getsize(tmp_path / "s.hrry") < 40_000
    for name, tensor in hurray_torch.load_file(tmp_path / "s.hrry").items():
        assert torch.equal(tensor, slices[name])


def test_views_that_overlap_in_part_are_stored_each_by_itself(tmp_path: Path) -> None:
    x = torch.arange(10.0)
    hurray_torch.save_file({"a": x[:6], "b": x[4:]}, tmp_path / "s.hrry")
    loaded = hurray_torch.load_file(tmp_path / "s.hrry")
    assert hurray.load_kv(tmp_path / "s.hrry") == {}
    loaded["a"][5] = 99
    assert loaded["b"].tolist() == [4, 5, 6, 7, 8, 9]


def test_writing_to_what_was_loaded_changes_no_file(tmp_path: Path) -> None:
    """Ruling 3."""
    hurray_torch.save_file({"w": torch.zeros(4)}, tmp_path / "s.hrry")
    hurray_torch.load_file(tmp_path / "s.hrry")["w"][0] = 1
    assert hurray_torch.load_file(tmp_path / "s.hrry")["w"].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("state", "error", "text"),
    [
        ({"n": 3}, TypeError, "'n' is a builtins.int"),
        ({1: torch.ones(1)}, TypeError, "name 1"),
        ({"m": torch.empty(2, device="meta")}, hurray.UnsupportedError, "tensor 'm'"),
    ],
)
def test_what_cannot_be_saved_is_named_and_leaves_the_old_file(
    tmp_path: Path, state: dict[str, torch.Tensor], error: type[Exception], text: str
) -> None:
    path = tmp_path / "s.hrry"
    hurray_torch.save_file({"old": torch.ones(1)}, path)
    with pytest.raises(error, match=text):
        hurray_torch.save_file(state, path)
    assert list(hurray_torch.load_file(path)) == ["old"]
    assert os.listdir(tmp_path) == ["s.hrry"]


def test_reserved_metadata_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="reserved"):
        hurray_torch.save_file({"w": torch.ones(1)}, tmp_path / "s.hrry", {"hurray.x": 1})


@pytest.mark.parametrize("kv", [{"hurray.tied.b": "none"}, {"hurray.tied.a": "a"}, {"hurray.tied.b": 3}])
def test_ties_that_lead_nowhere_are_refused(tmp_path: Path, kv: dict[str, object]) -> None:
    hurray.save(tmp_path / "s.hrry", {"a": hurray.ones((1,))}, kv=kv)  # type: ignore[arg-type]
    with pytest.raises(hurray.FileError, match=r"hurray\.tied"):
        hurray_torch.load_file(tmp_path / "s.hrry")


def test_names_choose_and_a_tied_one_is_enough(tmp_path: Path) -> None:
    x = torch.ones(2)
    hurray_torch.save_file({"a": x, "b": x, "c": torch.ones(1)}, tmp_path / "s.hrry")
    assert list(hurray_torch.load_file(tmp_path / "s.hrry", names=["b"])) == ["b"]
    with pytest.raises(KeyError):
        hurray_torch.load_file(tmp_path / "s.hrry", names=["none"])


def test_strict_lists_all_names_and_leaves_the_model(tmp_path: Path) -> None:
    model = torch.nn.Linear(2, 2)
    before = model.weight.detach().clone()
    hurray_torch.save_file({"weight": torch.zeros(2, 2), "extra": torch.ones(1)}, tmp_path / "s.hrry")
    with pytest.raises(RuntimeError, match=r"missing names: 'bias'; unexpected names: 'extra'"):
        hurray_torch.load_model(model, tmp_path / "s.hrry")
    assert torch.equal(model.weight, before)
    report = hurray_torch.load_model(model, tmp_path / "s.hrry", strict=False)
    assert report == hurray_torch.LoadReport(missing=["bias"], unexpected=["extra"])
    assert torch.equal(model.weight, torch.zeros(2, 2))


def test_a_file_without_ties_loads_into_a_tied_model(tmp_path: Path) -> None:
    weights = {"head.weight": torch.ones(50, 4), "head.bias": torch.zeros(50)}
    hurray.save(tmp_path / "s.hrry", weights)
    model = Tied()
    assert hurray_torch.load_model(model, tmp_path / "s.hrry").missing == []
    assert torch.equal(model.embed.weight, torch.ones(50, 4))
