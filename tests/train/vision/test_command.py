import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any

import pytest
import torch
from typer.testing import CliRunner, Result

from agent.errors import WorkbenchError
from agent.models.card_file import read_card
from train.cli import app
from train.models.model_folder import load_trainable
from train.vision.make import read_recipe

FEW = [f"--set=lessons.{change}" for change in ("spectra=6", "per_shard=4", "windows=1")]
SHAPE = ("hidden=64", "ffn=96", "layers=1", "heads=2", "out=48", "batch=4")
SMALL = [f"--set=school.{change}" for change in SHAPE]


def eye(*words: object) -> Result:
    return CliRunner().invoke(app, ["eye", *map(str, words)])


def done(*words: object) -> None:
    result = eye(*words)
    assert result.exit_code == 0, result.output


def test_lessons_and_school(tmp_path: Path) -> None:
    done("lessons", tmp_path / "lessons", "--seed", "3", *FEW)
    assert len(list((tmp_path / "lessons").glob("lessons-*.npz"))) == 2
    given = ["--lessons", tmp_path / "lessons", *SMALL]
    done("school", tmp_path / "eye", *given)
    assert (tmp_path / "eye" / "eye.safetensors").is_file()
    done("school", tmp_path / "on", *given, "--start", tmp_path / "eye")


def test_an_eye_learns_from_fresh_lessons_and_a_model_speaks_of_what_it_sees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = ("school.minutes=0.002", "school.room=40", "lessons.windows=1")
    done("school", tmp_path / "eye", *(f"--set={change}" for change in short), *SMALL)
    draw_in_threads(monkeypatch)  # one command is enough to see that processes draw
    sizes = ("minutes=0.002", "hidden_layers=1", "ffn=96", "heads=2", "batch=1", "held_out=2")
    out = tmp_path / "speech"
    done("speak", tmp_path / "eye", out, *(f"--set=speech.{size}" for size in sizes), *SMALL)
    card = read_card(out / "model")
    assert (card.style.numbers, card.style.brief) == (False, True)
    figures = json.loads((out / "curve.jsonl").read_text(encoding="utf-8").splitlines()[-1])
    assert 0.0 <= figures["words"] <= 1.0
    start = load_trainable(out / "start").model.visual.state_dict()
    for name, weight in load_trainable(out / "model").model.visual.state_dict().items():
        assert torch.allclose(weight, start[name], atol=1e-3)  # the tower is not trained


def test_lessons_or_a_time_must_be_named(tmp_path: Path) -> None:
    assert "school.minutes" in str(eye("school", tmp_path / "eye").exception)


def test_a_folder_without_lessons_is_told(tmp_path: Path) -> None:
    result = eye("school", tmp_path / "eye", "--lessons", tmp_path)
    assert result.exit_code != 0
    assert "has no lessons" in str(result.exception)


MAKE_SMALL = tuple(
    f"{table}.{change}"
    for table, changes in {
        "lessons": ("windows=1",),
        "school": (
            "hidden=64", "ffn=96", "layers=1", "heads=2", "out=48", "batch=4", "room=40",
            "minutes=0.002",
        ),
        "speech": (
            "minutes=0.002", "hidden_layers=1", "ffn=96", "heads=2", "batch=1", "held_out=2",
        ),
        "rare_speech": ("minutes=0.002", "batch=1", "held_out=2"),
    }.items()
    for change in changes
)  # fmt: skip


class Threads(ThreadPoolExecutor):
    """Threads that get their jobs, and give their results, as processes do: pickled."""

    def __init__(self, workers: int, *others: object) -> None:
        super().__init__(workers)

    def submit(self, job: Callable[..., Any], /, *given: Any, **named: Any) -> Future[Any]:
        return super().submit(_unpickled, ForkingPickler.dumps(partial(job, *given, **named)))


def _unpickled(job: memoryview) -> Any:
    return ForkingPickler.loads(ForkingPickler.dumps(ForkingPickler.loads(job)()))


def draw_in_threads(patch: pytest.MonkeyPatch) -> None:
    """Lessons and questions without the five seconds of imports that each process takes, and no
    more of them than there must be.

    That processes draw them as well is tested in test_command.py.
    """
    patch.setattr("train.vision.train_tower.ProcessPoolExecutor", Threads)
    for name, count in {
        "train_tower.PER_JOB": 2, "train_tower.JOBS_AHEAD": 1, "train_tower.FEWEST": 2,
        "train_text.PER_JOB": 1, "train_text.FEWEST": 2,
    }.items():  # fmt: skip
        patch.setattr(f"train.vision.{name}", count)


def test_the_recipe_has_the_settings_of_the_box() -> None:
    recipe = read_recipe()
    assert (recipe.school.layers, recipe.school.ffn) == (8, 576)
    assert recipe.rare_questions.noes > recipe.questions.noes
    assert recipe.rare_questions.survey == recipe.questions.survey  # what it does not override
    assert recipe.rare_speech.lr < recipe.speech.lr


def test_a_setting_without_its_table_is_refused() -> None:
    with pytest.raises(WorkbenchError, match="name its table"):
        read_recipe(["minutes=3"])
