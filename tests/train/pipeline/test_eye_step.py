"""A chain makes the model that sees by the recipe of the one in the box."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("gguf")

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from tests.train.pipeline.test_steps import lines_of, planned
from tests.train.pipeline.test_whole import in_this_process
from tests.train.vision.test_make import SMALL, draw_in_threads
from train.pipeline.chain_commands import ChainCommands, stage_sets
from train.pipeline.settings import PipelineSettings
from train.pipeline.steps import steps
from train.vision import make


def test_it_is_made_and_judged_beside_the_other(tmp_path: Path):
    lines = lines_of(tmp_path, ("school.batch=48",), eye=True)
    expected = f"eye make {tmp_path / 'eye'} --seed 3 --workers 2 --set school.batch=48"
    assert lines["eye"].endswith(expected)
    assert f"--model eye={tmp_path / 'eye' / 'gguf'} " in lines["evaluate main"]


def test_it_is_not_made_unless_asked(tmp_path: Path):
    lines = lines_of(tmp_path)
    assert "eye" not in lines and "--model eye" not in lines["evaluate main"]
    with pytest.raises(WorkbenchError, match=r"school\.batch=4 has no effect"):
        planned(tmp_path, ("school.batch=4",))


def test_the_step_makes_a_model_that_can_be_judged_and_keeps_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    draw_in_threads(monkeypatch)
    sets = stage_sets(None, SMALL)
    asked = {"settings": PipelineSettings(eye=True), "preset": "tiny", "sets": sets}
    commands = ChainCommands(out=tmp_path, seed=1, workers=1, **asked)
    (step,) = [one for one in steps(commands) if one.name == "eye"]
    in_this_process(step)
    made = tmp_path / "eye"
    files = made / make.GGUF
    assert {path.name for path in files.iterdir()} >= {"model-f16.gguf", "mmproj-f16.gguf"}
    card = read_card(files)
    assert (card.engine, card.style.numbers) == ("gguf", False)
    eye = made / make.EYE / "eye.safetensors"
    before = eye.stat().st_mtime_ns
    shutil.rmtree(made / make.RARE)
    in_this_process(step)
    assert (made / make.RARE / "model").is_dir() and files.is_dir()
    assert eye.stat().st_mtime_ns == before
