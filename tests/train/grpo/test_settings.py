"""Settings of GRPO: the published recipe, and combinations that cannot work."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from train.grpo.settings import GrpoSettings
from train.recipe import settings


class TestSettings:
    @pytest.mark.parametrize("preset", ["3b", "7b"])
    def test_the_published_recipe(self, preset: str):
        told = settings(GrpoSettings, "grpo", preset=preset)
        assert (told.kind, told.trained) == ("full", "all")  # nothing is frozen in RL
        assert (told.lr, told.weight_decay, told.warmup) == (1e-6, 0.01, 0)
        assert (told.clip, told.dual_clip, told.temperature) == (0.2, 3.0, 1.0)
        assert (told.turn_limit, told.rollout_tokens) == (32768, 32768)
        assert told.use_vllm
        assert told.validate_every == 10 and told.held_out > 0
        assert (told.questions, told.minibatch, told.rollouts, told.epochs) == (64, 32, 8, 3.0)
        assert (told.reward, told.penalty, told.tool) == ("", 0.2, True)

    def test_small_models_are_trained_as_before(self):
        told = settings(GrpoSettings, "grpo", preset="tiny")
        assert (told.weight_decay, told.dual_clip, told.validate_every) == (0.0, 0.0, 0)
        assert told.turn_limit == told.turn_tokens > 0
        assert not told.use_vllm

    def test_a_round(self):
        told = GrpoSettings()
        assert (told.questions, told.rollouts, told.updates, told.lr) == (64, 8, 2, 1e-6)
        assert told.passes(8) == 4
        assert told.passes(1) == 32

    @pytest.mark.parametrize(
        ("wrong", "why"),
        [
            ({"questions": 10, "minibatch": 4}, "cannot be divided into minibatches of 4"),
            ({"rollouts": 1}, r"grpo\.rollouts: 1 is not between 2"),
            ({"lr": 0.0}, r"grpo\.lr"),
            ({"kind": "lora", "trained": "all"}, "LoRA adapts only the language model"),
            ({"dual_clip": 1.1}, "must be above 1 . clip, 1.2"),
            ({"turn_tokens": 3}, "neither 0 nor between 8"),
            ({"validate_every": 10}, "needs held-out questions"),
            ({"held_out": 0.1}, "needs held-out questions"),
            ({"style": "glossy"}, "'glossy' is none of: published"),
        ],
    )
    def test_refusals(self, wrong, why):
        with pytest.raises(WorkbenchError, match=why):
            GrpoSettings(**wrong)

    def test_more_devices_than_work(self):
        with pytest.raises(WorkbenchError, match="cannot be shared by 3 devices"):
            GrpoSettings(questions=2, minibatch=2, rollouts=4).passes(3)
