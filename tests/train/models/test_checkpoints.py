"""A run is resumed only with its own settings, from its newest complete checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from train.models.checkpoints import begin, complete_checkpoints, last_checkpoint, step_of

SETTINGS = {"sft": {"lr": 1e-3, "epochs": 2}, "seed": 3}


def checkpoint(out: Path, step: int, state: str | None = None) -> Path:
    folder = out / "checkpoints" / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    if state is None:
        state = json.dumps({"global_step": step})
    (folder / "trainer_state.json").write_text(state)
    return folder


class TestBegin:
    def test_a_run_begins_once(self, tmp_path: Path):
        begin(tmp_path / "run", SETTINGS, resume=False)
        with pytest.raises(WorkbenchError, match="already has a run"):
            begin(tmp_path / "run", SETTINGS, resume=False)
        begin(tmp_path / "run", SETTINGS, resume=True)

    def test_the_changed_setting_is_named(self, tmp_path: Path):
        begin(tmp_path, SETTINGS, resume=False)
        changed = {**SETTINGS, "sft": {"lr": 1e-3, "epochs": 4}}
        with pytest.raises(WorkbenchError, match=r"another sft\.epochs \(2, now 4\)"):
            begin(tmp_path, changed, resume=True)

    def test_damaged_settings(self, tmp_path: Path):
        (tmp_path / "settings.json").write_text("{")
        with pytest.raises(WorkbenchError, match="is damaged"):
            begin(tmp_path, SETTINGS, resume=True)


class TestCheckpoints:
    def test_the_newest_complete_one(self, tmp_path: Path):
        first, second = checkpoint(tmp_path, 9), checkpoint(tmp_path, 10)
        cut_off = checkpoint(tmp_path, 11, '{"global_st')
        assert complete_checkpoints(tmp_path) == [first, second]
        assert last_checkpoint(tmp_path) == second
        assert not cut_off.exists()
        assert step_of(second) == 10

    def test_none(self, tmp_path: Path):
        assert last_checkpoint(tmp_path) is None
        assert step_of(None) == 0
