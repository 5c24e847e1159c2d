"""Approved inspections of a few simulated spectra, and models that train in a blink."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from agent.engines.families import read_folder
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from tests.small_models import make_folder
from train.examples import Example, example, write_examples
from train.models.small_model import FamilyName, Shape
from train.sft.pictures import Drawing, PictureFolder
from train.sft.rows import ConversationRow, Preparing, prepare_rows
from train.sft.settings import ModelSettings
from train.simulate.campaign import Settings, assignments
from train.simulate.production import make
from train.simulate.telescope.observation import to_spectrum

STAMP = Style(name="stamp", width=112, height=84)
"""12 tokens a picture."""
MINUTE = Shape(
    hidden=32, heads=1, kv_heads=1, layers=2, ffn=48,
    vision_hidden=16, vision_heads=1, vision_layers=2, whole_every=2, vision_ffn=24,
)  # fmt: skip
MINUTE_MODEL = ModelSettings(
    vocabulary=1024, hidden=32, heads=1, kv_heads=1, layers=1, ffn=48,
    vision_hidden=16, vision_heads=1, vision_layers=1, whole_every=1, vision_ffn=24,
)  # fmt: skip


class Samples(NamedTuple):
    approved: Path
    sets: Path
    trajectories: tuple[Trajectory, ...]
    examples: tuple[Example, ...]


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Samples:
    folder = tmp_path_factory.mktemp("samples")
    examples = tuple(one for each in ("CV", "WD") for one in _examples(each, 5))
    inspector = MeasuredInspector(style=STAMP)
    records = tuple(run(inspector.inspect(one.spectrum, find_task(one.task))) for one in examples)
    write_examples(folder / "cold.parquet", examples)
    write_trajectories(folder / "approved.jsonl", records)
    return Samples(folder / "approved.jsonl", folder / "cold.parquet", records, examples)


def _examples(task_id: str, count: int) -> list[Example]:
    settings = Settings(
        seed=5, count=count, task=task_id, odds=(1, 1), survey="LAMOST", snr=(20, 60)
    )
    found = []
    for each in assignments(settings):
        made = make(settings, each)
        spectrum = replace(
            to_spectrum(made.entry.observation), path=f"sim-{task_id}-{each.index}.fits"
        )
        answer = "YES" if each.label == task_id else "NO"
        found.append(example(spectrum, task=task_id, answer=answer, label=each.label))
    return found


def minute_folder(place: Path, family: FamilyName) -> Path:
    return make_folder(place, family, MINUTE)


@pytest.fixture(scope="session")
def minute25(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return minute_folder(tmp_path_factory.mktemp("minute25"), "qwen2.5-vl")


@pytest.fixture(scope="session")
def minute3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return minute_folder(tmp_path_factory.mktemp("minute3"), "qwen3-vl")


def preparing(folder: Path, sets: Path, pictures: Path, room: int = 10**8) -> Preparing:
    found = read_folder(folder)
    drawing = Drawing(PictureFolder(pictures, room), (sets,))
    return Preparing(folder=folder, vision=found.vision, sizing=found.sizing, drawing=drawing)


def rows_for(folder: Path, samples: Samples, pictures: Path) -> list[ConversationRow]:
    ready = preparing(folder, samples.sets, pictures)
    return prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows
