"""Approved inspections of a few simulated spectra, and tiny models."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.engines.chat_tokens import load_tokenizer
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
from train.sft.batches import Collator
from train.sft.pictures import PictureFolder, PictureSource
from train.sft.rows import ConversationRow, RowSettings, prepare_rows
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
    settings = Settings(
        seed=5, count=count, task=task_id, odds=(1, 1), survey="LAMOST", snr=(20, 60)
    )
    found = []
    for each in assignments(settings):
        made = simulate_spectrum(settings, each)
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
    return made_once(tmp_path_factory, "minute25", lambda at: minute_folder(at, "qwen2.5-vl"))


@pytest.fixture(scope="session")
def minute3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "minute3", lambda at: minute_folder(at, "qwen3-vl"))


def row_settings(folder: Path, sets: Path, pictures: Path, room: int = 10**8) -> RowSettings:
    found = read_folder(folder)
    source = PictureSource(PictureFolder(pictures, room), (sets,))
    return RowSettings(
        folder=folder, vision=found.vision, sizing=found.sizing, picture_source=source
    )


def rows_for(folder: Path, samples: Samples, pictures: Path) -> list[ConversationRow]:
    ready = row_settings(folder, samples.sets, pictures)
    return prepare_rows(samples.trajectories, None, ready, cutoff=10**6).rows


def collator(folder: Path, pictures: Path, samples: Samples, **more: Any) -> Collator:
    tokenizer = load_tokenizer(folder)
    return Collator(
        vision=read_folder(folder).vision,
        image_token=tokenizer.token_to_id("<|image_pad|>"),
        pad_token=tokenizer.token_to_id("<|endoftext|>"),
        picture_source=PictureSource(PictureFolder(pictures, 10**8), (samples.sets,)),
        **more,
    )


@pytest.fixture(params=["minute25", "minute3"])
def ready(
    request: pytest.FixtureRequest, samples: Samples, tmp_path: Path
) -> tuple[Any, Collator, list[ConversationRow]]:
    """A model, its collator, and three rows of different lengths."""
    folder = request.getfixturevalue(request.param)
    rows = sorted(rows_for(folder, samples, tmp_path), key=len)
    from transformers import AutoModelForImageTextToText

    model = AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True)
    return model, collator(folder, tmp_path, samples), [rows[0], rows[-1], rows[4]]
