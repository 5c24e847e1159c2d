"""Settings of a file and of `--set` name their stage; unknown stages are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from train.pipeline.chain_commands import STAGES, stage_of, stage_sets
from train.recipe import PRESETS, preset_tables


def test_set_overrides_it(config: Path):
    sets = stage_sets(config, ("grpo.rounds=5",))
    assert [text for text in sets if stage_of(text) == "grpo"] == ["grpo.rounds=3", "grpo.rounds=5"]


def test_an_unknown_table_is_named(config: Path):
    config.write_text("[gpro]\nrounds = 3\n")
    with pytest.raises(WorkbenchError, match=r'"gpro\.rounds=3" .*did you mean "grpo"'):
        stage_sets(config, ())


@pytest.mark.parametrize("text", ["rounds=3", "gpro.rounds=3", "rounds", "lr=0.1"])
def test_settings_of_no_stage_are_refused(text: str):
    with pytest.raises(WorkbenchError, match="belongs to no stage"):
        stage_sets(None, (text,))


@pytest.mark.parametrize("preset", PRESETS)
def test_every_table_of_a_preset_is_a_stage(preset: str):
    assert set(preset_tables(preset)) <= set(STAGES)
