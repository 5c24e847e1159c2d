"""Settings of GRPO: the published recipe, and combinations that cannot work."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from train.grpo.settings import GrpoSettings


class TestSettings:
    def test_a_round_of_the_published_recipe(self):
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
        ],
    )
    def test_refusals(self, wrong, why):
        with pytest.raises(WorkbenchError, match=why):
            GrpoSettings(**wrong)

    def test_more_devices_than_work(self):
        with pytest.raises(WorkbenchError, match="cannot be shared by 3 devices"):
            GrpoSettings(questions=2, minibatch=2, rollouts=4).passes(3)
