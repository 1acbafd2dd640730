"""PyTorch's checkpoints as a format: read by its restricted unpickler, nothing in them run."""

from __future__ import annotations

import os
from pathlib import Path

import hurray
import pytest
import torch
from hurray.formats import FormatError, PlanError


class Unknown:
    """A class that no checkpoint may bring to life."""


class Hostile:
    """What runs a command when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("ran",)


def converted(path: Path, content: object, **options: bool) -> hurray.File:
    torch.save(content, path)
    target = path.with_suffix(".hrry")
    hurray.convert(path, target, overwrite=True, **options)  # type: ignore[arg-type]
    return hurray.open(target)


@pytest.mark.parametrize("suffix", [".pt", ".pth", ".bin"])
def test_nested_containers_become_dotted_names(tmp_path: Path, suffix: str) -> None:
    w = torch.arange(6.0).reshape(2, 3)
    content = {
        "model": {"w": w, "t": w.t(), "b": torch.tensor([True])},
        "epoch": 3,
        "lr": [0.1, 0.2],
        "l": [w[0], w[1]],
    }
    with converted(tmp_path / f"a{suffix}", content) as file:
        assert sorted(file) == ["l.0", "l.1", "model.b", "model.t", "model.w"]
        assert file["model.t"].tolist() == w.t().tolist()
        assert file["l.1"].tolist() == [3, 4, 5]
        assert file.kv == {"epoch": 3, "lr": [0.1, 0.2]}


def test_tied_tensors_are_stored_once_and_come_back_tied(tmp_path: Path) -> None:
    w = torch.ones(3)
    with converted(tmp_path / "a.pt", {"a": w, "b": w}) as file:
        assert list(file) == ["a"]
        assert file.kv == {"hurray.tied.b": "a"}
    hurray.convert(tmp_path / "a.hrry", tmp_path / "b.pt")
    back = torch.load(tmp_path / "b.pt", weights_only=True)
    assert back["a"].data_ptr() == back["b"].data_ptr()
    assert torch.equal(back["b"], w)


def test_unknown_globals_are_listed_and_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PlanError, match=r"test_pt\.Unknown") as caught:
        converted(tmp_path / "a.pt", {"x": Unknown(), "y": Hostile(), "w": torch.ones(1)})
    assert len(caught.value.problems) == 2
    assert not (tmp_path / "ran").exists()
    assert not (tmp_path / "a.hrry").exists()


def test_nothing_in_an_older_file_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its globals cannot be listed beforehand: PyTorch's unpickler alone stands guard."""
    monkeypatch.chdir(tmp_path)
    torch.save({"y": Hostile()}, tmp_path / "a.pt", _use_new_zipfile_serialization=False)
    with pytest.raises(PlanError, match="was not run"):
        hurray.convert(tmp_path / "a.pt", tmp_path / "b.hrry")
    assert not (tmp_path / "ran").exists()


def test_what_is_no_tensor_and_no_metadata_is_dropped_by_a_flag_alone(tmp_path: Path) -> None:
    content = {"w": torch.ones(1), "scheduler": None}
    with pytest.raises(PlanError, match="scheduler"):
        converted(tmp_path / "a.pt", content)
    with converted(tmp_path / "a.pt", content, drop_metadata=True) as file:
        assert list(file) == ["w"]


def test_names_that_fall_together_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="two entries"):
        converted(tmp_path / "a.pt", {"a.b": torch.ones(1), "a": {"b": torch.ones(1)}})


def test_the_older_kind_of_file_is_read(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt", _use_new_zipfile_serialization=False)
    report = hurray.convert(tmp_path / "a.pt", tmp_path / "a.hrry")
    assert "1.6" in report.plan.notes[0]
    assert hurray.load(tmp_path / "a.hrry")["w"].tolist() == [1, 1]


def test_a_broken_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    torch.save({"w": torch.ones(2)}, tmp_path / "a.pt")
    whole = (tmp_path / "a.pt").read_bytes()
    for size in (0, 10, 100, len(whole) // 2, len(whole) - 1):
        (tmp_path / "a.pt").write_bytes(whole[:size])
        with pytest.raises((FormatError, PlanError), match=r"a\.pt"):
            hurray.convert(tmp_path / "a.pt", tmp_path / "b.hrry")


def test_what_a_file_of_tensors_cannot_hold_is_refused(tmp_path: Path) -> None:
    hurray.save(tmp_path / "a.hrry", {"w": hurray.zeros((2,), dtype=hurray.dtype.int4)}, kv={"k": 1})
    with pytest.raises(PlanError) as caught:
        hurray.convert(tmp_path / "a.hrry", tmp_path / "a.pt")
    assert len(caught.value.problems) == 2
