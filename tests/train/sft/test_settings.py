from __future__ import annotations

import pytest

pytest.importorskip("peft")

from agent.errors import WorkbenchError
from train.recipe import PRESETS, settings
from train.sft.settings import ModelSettings, SftSettings


class TestPresets:
    def test_the_published_recipe(self):
        for preset in ("3b", "7b"):
            told = settings(SftSettings, "sft", preset=preset)
            assert (told.lr, told.warmup, told.epochs, told.batch) == (2e-5, 0.05, 5.0, 4)
            assert (told.cutoff, told.precision, told.trained) == (32768, "bf16", "language")
            assert told.kind == "full" and told.batch * told.cutoff <= told.batch_tokens
            assert (told.held_out, told.trained, told.tool) == (0.0, "language", True)
            start = settings(ModelSettings, "model", preset=preset).start
            assert start == f"Qwen/Qwen2.5-VL-{preset.upper()}-Instruct"

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_one(self, preset: str):
        settings(SftSettings, "sft", preset=preset)
        shape = settings(ModelSettings, "model", preset=preset).shape
        assert shape.hidden % shape.heads == 0

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            ("lr=0", r"sft\.lr: 0\.0 is not between 1e-09 and 1"),
            ("batch=0", r"sft\.batch"),
            ("held_out=0.9", r"sft\.held_out"),
            ("style=compct", "'compct' is none of: recorded, published"),
            ("trained=vision", "not one of language, all"),
        ],
    )
    def test_faults_are_named(self, change: str, why: str):
        with pytest.raises(WorkbenchError, match=why):
            settings(SftSettings, "sft", sets=[change])
