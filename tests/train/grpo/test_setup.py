"""The trainer is built from our settings, and a round of ours is a round of TRL's."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("trl")
pytest.importorskip("peft")

from tests.train.grpo.training import trainer_of
from train.grpo.settings import GrpoSettings
from train.grpo.setup import make_config


def test_a_round_of_the_config(tmp_path: Path) -> None:
    settings = GrpoSettings(
        questions=4, minibatch=2, rollouts=4, microbatch=4, rounds=3, save_every=2, clip=0.3,
        weight_decay=0.01, dual_clip=3.0, turn_tokens=0,
    )  # fmt: skip
    config = make_config(settings, tmp_path, [7, 9], seed=5)
    assert config.gradient_accumulation_steps == 2
    assert config.steps_per_generation == 4
    assert (config.max_steps, config.save_steps, config.logging_steps) == (6, 4, 2)
    assert (config.epsilon, config.beta, config.seed) == (0.3, 0.0, 5)
    assert (config.weight_decay, config.delta) == (0.01, 3.0)
    assert config.generation_kwargs["max_new_tokens"] == settings.rollout_tokens
    assert config.shuffle_dataset is False
    assert config.generation_kwargs["suppress_tokens"] == [7, 9]


def test_what_is_off_is_off(tmp_path: Path) -> None:
    config = make_config(GrpoSettings(microbatch=4), tmp_path, [], seed=0)
    assert (config.weight_decay, config.delta) == (0.0, None)
    assert config.generation_kwargs["max_new_tokens"] == 1024


@pytest.mark.parametrize("trained", ["language", "all"])
def test_the_vision_tower_is_trained_only_on_request(trained: str, toy: Path, tmp_path: Path):
    trainer = trainer_of(toy, tmp_path, trained=trained)
    tower, language = trainer.model.model.visual, trainer.model.model.language_model
    assert {each.requires_grad for each in tower.parameters()} == {trained == "all"}
    assert {each.requires_grad for each in language.parameters()} == {True}
