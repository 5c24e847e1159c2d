from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from tests.train.vision.conftest import SCHOOL, same_weights
from train.vision import train_tower as school
from train.vision.model import Eye
from train.vision.settings import SpeechSettings
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
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[str] = []
    watched: list[Eye] = []

    def watch(eye: Eye) -> dict[str, float]:
        watched.append(eye)
        return {"real probe": 12.5}

    monkeypatch.setattr(school, "TOLD_EVERY", 16)
    eye = teach(lessons, tmp_path, SCHOOL, 1, watch=watch, tell=told.append)
    assert watched == [eye]
    assert same_weights(eye, load_eye(tmp_path, SCHOOL))
    entry = json.loads((tmp_path / CURVE).read_text(encoding="utf-8"))
    assert entry["real probe"] == 12.5
    assert entry["pictures"] == entry["step"] * SCHOOL.batch
    axis = [float(line.split("axis ")[1].split(";")[0]) for line in told if "axis" in line]
    assert axis[-1] < 0.9 * axis[0]


def test_weights_of_another_shape_are_refused(lessons: list[Path], tmp_path: Path) -> None:
    teach(lessons, tmp_path, replace(SCHOOL, epochs=0.2), 1)
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path, replace(SCHOOL, layers=3))
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        load_eye(tmp_path / "missing", SCHOOL)


def test_an_eye_of_a_model_keeps_its_tower_while_its_heads_are_new(
    lessons: list[Path], tmp_path: Path
) -> None:
    speech = SpeechSettings(hidden_layers=1, ffn=96, heads=2)
    first = new_eye(SCHOOL)
    new_model(first, speech, SCHOOL, tmp_path / "model", 3)
    eye = eye_of_model(tmp_path / "model", SCHOOL)
    assert same_weights(first.tower, eye.tower)
    few, more = (replace(SCHOOL, epochs=0.2, warmup=warmup) for warmup in (99, 1))
    taught = teach(lessons, tmp_path / "few", few, 1, eye=eye, heads_first=True)
    assert same_weights(first.tower, taught.tower)
    again = eye_of_model(tmp_path / "model", SCHOOL)
    moved = teach(lessons, tmp_path / "more", more, 1, eye=again, heads_first=True)
    assert not same_weights(first.tower, moved.tower)
    with pytest.raises(WorkbenchError, match="no eye of this shape"):
        eye_of_model(tmp_path / "model", replace(SCHOOL, layers=3))
