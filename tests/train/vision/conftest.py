from pathlib import Path
from typing import Any

import pytest

from train.vision.lessons import write_shard_of_lessons
from train.vision.settings import LessonSettings, SchoolSettings

SMALL = LessonSettings(spectra=42, windows=2, per_shard=21)
SCHOOL = SchoolSettings(
    hidden=64, ffn=96, layers=2, heads=2, out=48, batch=4, epochs=1.6, lr=4e-3, warmup=10,
    probe_per_kind=3,
)  # fmt: skip


@pytest.fixture(scope="session")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two shards, each with a spectrum of every kind."""
    out = tmp_path_factory.mktemp("lessons")
    return [write_shard_of_lessons(shard, out, SMALL, 5, "") for shard in range(SMALL.shards)]


def same_weights(one: Any, other: Any) -> bool:
    """Whether two modules of one shape are equal to the last bit."""
    weights = other.state_dict()
    return all((each == weights[name]).all() for name, each in one.state_dict().items())
