"""Files of trajectories with their spectra, and a rating room on them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.spectra.readers import read_numbered
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from tests.app.ui.candidates import SAMPLE
from train.review.rating_round import open_round
from train.review.window.rating_room import RatingRoom

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
    paths = sorted((SAMPLE / "spectra").glob("*/spec-9*.fits.gz"))[:2]
    found = []
    for path in paths:
        (folder / path.name).write_bytes(path.read_bytes())
        spectrum = read_numbered(str(folder / path.name), 0)
        record = run(MeasuredInspector(style=STAMP).inspect(spectrum, find_task("CV")))
        found.append(replace(record, model=ModelRef(name="secret-seven", sha256="7" * 64)))
        short = replace(
            record,
            model=ModelRef(name="secret-three", sha256="3" * 64),
            replies=(*record.replies[:-1], record.replies[-1] + " "),
        )
        found.append(short)
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
