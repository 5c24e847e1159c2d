from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from agent.errors import WorkbenchError
from tests.train.vision.conftest import SMALL
from train.vision.lessons import lesson, write_shard_of_lessons
from train.vision.shards import read_lessons


def test_shards_give_back_what_was_written(lessons: list[Path]) -> None:
    read = read_lessons(lessons)
    first = lesson(0, SMALL, 5)
    assert np.array_equal(read.picture(0), first.pictures[0])
    assert read.ranges[0] == pytest.approx(first.ranges[0], rel=1e-6)
    assert read.targets[0] == pytest.approx(first.targets[0], abs=1e-3, nan_ok=True)
    assert sum(len(set(np.load(path)["spectra"].tolist())) for path in lessons) == SMALL.spectra
    assert len(read) == len(read.kinds) == len(read.targets)


def test_a_shard_that_is_there_is_kept(lessons: list[Path]) -> None:
    before = lessons[0].stat().st_mtime_ns
    assert write_shard_of_lessons(0, lessons[0].parent, SMALL, 5, "") == lessons[0]
    assert lessons[0].stat().st_mtime_ns == before


def test_a_file_that_is_no_shard_is_named(tmp_path: Path) -> None:
    path = tmp_path / "lessons-00000.npz"
    path.write_bytes(b"PK not really")
    with pytest.raises(WorkbenchError, match=r"lessons-00000\.npz is no shard of lessons"):
        read_lessons([path])
    with pytest.raises(WorkbenchError, match="no lessons"):
        read_lessons([])
