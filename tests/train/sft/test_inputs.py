from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.rendering.render import PUBLISHED, STYLES
from agent.trajectory.trajectory_file import write_trajectories
from tests.train.sft.samples import Samples
from train.sft.inputs import read_inputs


def test_pictures_of_several_styles(samples: Samples, tmp_path: Path):
    first, second = samples.trajectories[:2]
    mixed = [first, replace(second, style=PUBLISHED.to_table())]
    write_trajectories(tmp_path / "mixed.jsonl", mixed)
    with pytest.raises(WorkbenchError, match="several picture styles"):
        read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "recorded")
    chosen = read_inputs([tmp_path / "mixed.jsonl"], [samples.sets], "compact")
    assert chosen.style == STYLES["compact"]


def test_nothing_to_read(samples: Samples, tmp_path: Path):
    (tmp_path / "none.jsonl").touch()
    with pytest.raises(WorkbenchError, match="no trajectory in"):
        read_inputs([tmp_path / "none.jsonl"], [samples.sets], "recorded")
    with pytest.raises(WorkbenchError, match="name the sets with them, --sets"):
        read_inputs([samples.approved], [], "recorded")
