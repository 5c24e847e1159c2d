from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from agent.errors import WorkbenchError
from train.vision import train_tower as school
from train.vision.model import Eye
from train.vision.settings import SchoolSettings, SpeechSettings
from train.vision.train_text import new_model
from train.vision.train_tower import CURVE, eye_of_model, load_eye, new_eye, rate, teach


def test_the_rate_rises_and_then_falls() -> None:
    shares = [rate(step, step / 100, 10) for step in range(100)]
    assert shares[:10] == pytest.approx([0.1 * (step + 1) for step in range(10)])
    assert shares[10:] == sorted(shares[10:], reverse=True)
    assert 0.0 < shares[-1] < 0.05


def test_an_eye_learns_and_is_read_again(
    lessons: list[Path],
    tmp_path: Path,
    small_school: SchoolSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    watched: list[Eye] = []

    def watch(eye: Eye) -> dict[str, float]:
        watched.append(eye)
        return {"real probe": 12.5}

    monkeypatch.setattr(school, "TOLD_EVERY", 16)
    eye = teach(lessons, tmp_path, small_school, 1, watch=watch, tell=told.append)
    assert watched == [eye]
    again = load_eye(tmp_path, small_school)
    for name, weight in eye.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name])
    entry = json.loads((tmp_path / CURVE).read_text(encoding="utf-8"))
    assert entry["real probe"] == 12.5
    assert entry["pictures"] == entry["step"] * small_school.batch
    axis = [float(line.split("axis ")[1].split(";")[0]) for line in told if "axis" in line]
    assert axis[-1] < 0.9 * axis[0]


def test_weights_of_another_shape_are_refused(
    lessons: list[Path], tmp_path: Path, small_school: SchoolSettings
) -> None:
    one = SchoolSettings(**{**vars(small_school), "epochs": 0.2})
    teach(lessons, tmp_path, one, 1)
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path, SchoolSettings(**{**vars(small_school), "layers": 3}))
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path / "missing", small_school)


def test_an_eye_of_a_model_keeps_its_tower_while_its_heads_are_new(
    lessons: list[Path], tmp_path: Path, small_school: SchoolSettings
) -> None:
    speech = SpeechSettings(hidden_layers=1, ffn=96, heads=2)
    first = new_eye(small_school)
    new_model(first, speech, small_school, tmp_path / "model", 3)
    eye = eye_of_model(tmp_path / "model", small_school)
    before = {name: each.clone() for name, each in eye.tower.state_dict().items()}
    for name, weight in first.tower.state_dict().items():
        assert torch.equal(weight, before[name])
    few = SchoolSettings(**{**vars(small_school), "epochs": 0.2})
    taught = teach(lessons, tmp_path / "few", replace(few, warmup=99), 1, eye=eye, heads_first=True)
    assert all(torch.equal(each, before[name]) for name, each in taught.tower.state_dict().items())
    again = eye_of_model(tmp_path / "model", small_school)
    moved = teach(
        lessons, tmp_path / "more", replace(few, warmup=1), 1, eye=again, heads_first=True
    )
    assert any(
        not torch.equal(each, before[name]) for name, each in moved.tower.state_dict().items()
    )
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        eye_of_model(tmp_path / "model", replace(small_school, layers=3))
