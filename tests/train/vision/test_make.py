from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import Any

import pytest

from agent.errors import WorkbenchError
from train.vision.make import read_recipe

SMALL = tuple(
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
    patch.setattr("train.vision.pool.ProcessPoolExecutor", Threads)
    for name, count in {
        "pool.PER_JOB": 2, "pool.JOBS_AHEAD": 1, "train_tower.FEWEST": 2,
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
