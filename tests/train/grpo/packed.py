"""Five rollouts of two questions, on models that accept packs.

A test module takes the fixtures by importing their names, and those of the tiny models.
"""

import pytest

from tests.train.grpo.scenes import YES, Script, Stage, call, stage_of, star, with_card
from train.grpo.packing import enable_packs
from train.grpo.rollout import Rollout, roll_out

SAID = ([YES], [call(6500, 6600), YES], [call(4000, 9000), call(6500, 6600), YES])


@pytest.fixture(scope="module", params=["tiny_qwen25", "tiny_qwen3"])
def stage(request) -> Stage:
    made = stage_of(with_card(request.getfixturevalue(request.param)))
    enable_packs(made.model)
    return made


@pytest.fixture(scope="module")
def rollouts(stage: Stage) -> list[Rollout]:
    """Three of one question, two of another: the words of the prompts are the same."""
    made = [stage.rollout(star(number)) for number in (0, 0, 0, 1, 1)]
    roll_out(made, Script(stage.tokens, *SAID, SAID[1], SAID[0]), stage.pictures, 8)
    return made
