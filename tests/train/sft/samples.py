"""Approved inspections of a few simulated spectra, and tiny models."""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.engines.families import read_folder
from agent.examples.examples import Example, example, write_examples
from agent.inspection.inspector import run
from agent.inspection.measured_inspector import MeasuredInspector
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import write_trajectories
from tests.made_once import made_once
from tests.small_models import make_folder
from train.models.small_model import FamilyName, Shape
from train.sft.batches import Collator, collator_of
from train.sft.rows import ConversationRow, PictureFolder, PictureSource, RowSettings, prepare_rows
from train.sft.settings import ModelSettings
from train.simulate.campaign import Settings, assignments
from train.simulate.production import simulate_spectrum
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
    about: dict[str, Any] = {"odds": (1, 1), "survey": "LAMOST", "snr": (20, 60)}
    settings = Settings(seed=5, count=count, task=task_id, **about)
    found = []
    for each in assignments(settings):
        spectrum = to_spectrum(simulate_spectrum(settings, each).entry.observation)
        named = replace(spectrum, path=f"sim-{task_id}-{each.index}.fits")
        answer = "YES" if each.label == task_id else "NO"
        found.append(example(named, task=task_id, answer=answer, label=each.label))
    return found


def minute_folder(place: Path, family: FamilyName) -> Path:
    return make_folder(place, family, MINUTE)


@pytest.fixture(scope="session")
def minute25(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "minute25", lambda at: minute_folder(at, "qwen2.5-vl"))


@pytest.fixture(scope="session")
def minute3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "minute3", lambda at: minute_folder(at, "qwen3-vl"))


def row_settings(folder: Path, sets: Path, pictures: Path, room: int = 10**8) -> RowSettings:
    found = read_folder(folder)
    return RowSettings(folder, found.vision, found.sizing, picture_source(pictures, sets, room))


def picture_source(pictures: Path, sets: Path, room: int = 10**8) -> PictureSource:
    return PictureSource(PictureFolder(pictures, room), (sets,))


@pytest.fixture
def making(minute25: Path, samples: Samples, tmp_path: Path) -> RowSettings:
    return row_settings(minute25, samples.sets, tmp_path)


def rows_for(folder: Path, samples: Samples, pictures: Path) -> list[ConversationRow]:
    ready = row_settings(folder, samples.sets, pictures)
    return prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows


@pytest.fixture
def rows(minute25: Path, samples: Samples, tmp_path: Path) -> list[ConversationRow]:
    return rows_for(minute25, samples, tmp_path)


def collator(folder: Path, pictures: Path, samples: Samples, half: bool = False) -> Collator:
    return collator_of(read_folder(folder), picture_source(pictures, samples.sets), half=half)


Ready = tuple[Any, Collator, list[ConversationRow]]
"""A model, its collator, and three rows of different lengths."""


@pytest.fixture(params=["minute25", "minute3"])
def ready(request: pytest.FixtureRequest, samples: Samples, tmp_path: Path) -> Ready:
    folder = request.getfixturevalue(request.param)
    rows = sorted(rows_for(folder, samples, tmp_path), key=len)
    from transformers import AutoModelForImageTextToText

    model = AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True)
    return model, collator(folder, tmp_path, samples), [rows[0], rows[-1], rows[4]]
