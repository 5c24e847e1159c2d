from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from typer.testing import CliRunner

from agent.models.card_file import read_card
from tests.train.vision.test_make import draw_in_threads
from train.cli import app
from train.models.model_folder import load_trainable

FEW = ("--set", "lessons.spectra=6", "--set", "lessons.per_shard=4", "--set", "lessons.windows=1")
SMALL = tuple(
    word
    for change in ("hidden=64", "ffn=96", "layers=1", "heads=2", "out=48", "batch=4")
    for word in ("--set", f"school.{change}")
)


def test_lessons_and_school(tmp_path: Path) -> None:
    run = CliRunner()
    made = run.invoke(app, ["eye", "lessons", str(tmp_path / "lessons"), "--seed", "3", *FEW])
    assert made.exit_code == 0, made.output
    assert len(list((tmp_path / "lessons").glob("lessons-*.npz"))) == 2
    given = ["--lessons", str(tmp_path / "lessons")]
    words = ["eye", "school", str(tmp_path / "eye"), *given, *SMALL]
    taught = run.invoke(app, words)
    assert taught.exit_code == 0, taught.output
    assert (tmp_path / "eye" / "eye.safetensors").is_file()
    more = run.invoke(
        app,
        ["eye", "school", str(tmp_path / "on"), *given, "--start", str(tmp_path / "eye"), *SMALL],
    )
    assert more.exit_code == 0, more.output


def test_an_eye_learns_from_fresh_lessons_and_a_model_speaks_of_what_it_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = CliRunner()
    short = (
        "--set",
        "school.minutes=0.002",
        "--set",
        "school.room=40",
        "--set",
        "lessons.windows=1",
    )
    taught = run.invoke(app, ["eye", "school", str(tmp_path / "eye"), *short, *SMALL])
    assert taught.exit_code == 0, taught.output
    draw_in_threads(monkeypatch)  # one command is enough to see that processes draw
    speech = tuple(
        word
        for change in (
            "minutes=0.002",
            "hidden_layers=1",
            "ffn=96",
            "heads=2",
            "batch=1",
            "held_out=2",
        )
        for word in ("--set", f"speech.{change}")
    )
    out = tmp_path / "speech"
    spoken = run.invoke(app, ["eye", "speak", str(tmp_path / "eye"), str(out), *speech, *SMALL])
    assert spoken.exit_code == 0, spoken.output
    card = read_card(out / "model")
    assert (card.style.numbers, card.style.brief) == (False, True)
    figures = json.loads((out / "curve.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert 0.0 <= figures["words"] <= 1.0
    start = load_trainable(out / "start").model.visual.state_dict()
    for name, weight in load_trainable(out / "model").model.visual.state_dict().items():
        assert torch.allclose(weight, start[name], atol=1e-3)  # the tower is not trained


def test_lessons_or_a_time_must_be_named(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["eye", "school", str(tmp_path / "eye")])
    assert "school.minutes" in str(result.exception)


def test_a_folder_without_lessons_is_told(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["eye", "school", str(tmp_path / "eye"), "--lessons", str(tmp_path)]
    )
    assert result.exit_code != 0
    assert "has no lessons" in str(result.exception)
