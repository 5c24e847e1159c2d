"""Turns generated in a batch are those of the engine in use, token by token."""

from itertools import compress

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.engines.base import SamplingSettings
from agent.engines.hf.engine import TransformersEngine
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.rendering.render import COMPACT
from agent.trajectory.trajectory import ModelRef
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.scenes import CV, Stage, stage, stage_of, star, whole_log_probs, with_card
from train.grpo.rollout import Limits, roll_out

__all__ = ["stage", "tiny_qwen3", "tiny_qwen25"]


@pytest.mark.parametrize("family", ["tiny_qwen25", "tiny_qwen3"])
def test_greedy_tokens_are_those_of_the_engine_in_use(family: str, request):
    """Four at once, of different length, against one conversation at a time."""
    folder = with_card(request.getfixturevalue(family))
    stage = stage_of(folder)
    limits = Limits(turn=24, rollout=400)
    examples = [star(number) for number in range(3)]
    rollouts = [stage.rollout(one, limits) for one in [examples[0], *examples]]
    roll_out(rollouts, stage.generator(), stage.pictures, 4)
    engine = TransformersEngine.load(folder, device="cpu", dtype="float32")
    short = SamplingSettings(max_new_tokens=24)
    made = ModelInspector(engine, ModelRef(name="m"), style=COMPACT, sampling=short)
    records = [run(made.inspect(one.spectrum, CV)) for one in examples]
    assert rollouts[0].conversation.ids == rollouts[1].conversation.ids
    for rollout, record in zip(rollouts[1:], records, strict=True):
        assert rollout.episode.replies == record.replies
    assert len({rollout.episode.replies for rollout in rollouts}) > 1, "all the same proves little"


class TestDrawing:
    def test_by_chance_and_the_same_again(self, stage: Stage):
        limits = Limits(turn=12, rollout=60)

        def drawn(seed: int) -> list[list[int]]:
            rollouts = [stage.rollout(star(1), limits) for _ in range(4)]
            roll_out(rollouts, stage.generator(1.0, seed), stage.pictures, 4)
            return [one.completion for one in rollouts]

        first = drawn(7)
        assert first == drawn(7) != drawn(8)
        assert len(set(map(tuple, first))) == 4

    def test_never_a_control_token(self, stage: Stage):
        rollouts = [stage.rollout(star(n), Limits(turn=60, rollout=200)) for n in range(4)]
        roll_out(rollouts, stage.generator(8.0), stage.pictures, 4)
        said = {token for one in rollouts for token in compress(one.completion, one.sampled)}
        assert len(said) > 100
        assert not said & set(stage.tokens.forbidden)
        assert stage.model.config.image_token_id in stage.tokens.forbidden

    def test_log_odds_are_the_models_own(self, stage: Stage):
        rollout = stage.rollout(star(1), Limits(turn=16, rollout=80))
        roll_out([rollout], stage.generator(1.0), stage.pictures, 4)
        wanted = whole_log_probs(stage, rollout)
        said = torch.tensor(rollout.sampled, dtype=torch.bool)
        assert torch.allclose(torch.tensor(rollout.log_probs)[said], wanted[said], atol=2e-4)
