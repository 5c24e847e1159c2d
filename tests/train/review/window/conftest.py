"""What every test of a window has, and a rating room on files of inspections."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent.rendering.render import Style
from agent.trajectory.trajectory import ModelRef, Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from tests.app.ui.conftest import modules_known, nothing_left, older_is_frozen, qtbot
from tests.train.review.conftest import inspected
from train.review.rating_round import open_round
from train.review.window.rating_room import RatingRoom

__all__ = ["modules_known", "nothing_left", "older_is_frozen", "qtbot"]
STAMP = Style(name="stamp", width=224, height=168)
"""Small pictures, quickly drawn."""


@dataclass(frozen=True)
class Material:
    file: Path
    trajectories: tuple[Trajectory, ...]


@pytest.fixture(scope="module")
def material(tmp_path_factory) -> Material:
    """Two spectra, each inspected by two models, with their files in the folder."""
    folder = tmp_path_factory.mktemp("rating")
    other, found = ModelRef(name="secret-three", sha256="3" * 64), []
    for record in inspected(folder, STAMP):
        replies = (*record.replies[:-1], record.replies[-1] + " ")
        found += [record, replace(record, model=other, replies=replies)]
    write_trajectories(folder / "night.jsonl", found)
    return Material(folder / "night.jsonl", tuple(found))


@pytest.fixture
def room(qtbot, material, tmp_path):
    """A rating room of Ada's, with a file of ratings of its own."""
    runner = Runner()
    rating_round = open_round([material.file], "Ada", out=tmp_path / "ada.ratings.jsonl", seed=5)
    window = RatingRoom(rating_round, runner, CurrentTheme())
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    yield window
    window.close()
    runner.close()


@pytest.fixture
def numbers(pool):
    return [case.id for case in pool.cases()]
