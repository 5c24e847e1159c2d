"""Rollouts packed by question score as they do one by one, and so do their gradients."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.packed import rollouts, stage
from tests.train.grpo.scenes import Stage, packed_logits, whole_log_probs
from train.grpo.packing import RolloutRow, pack, unpack
from train.grpo.rollout import Rollout

__all__ = ["rollouts", "stage", "tiny_qwen3", "tiny_qwen25"]


def rows(stage: Stage, rollouts: list[Rollout]) -> tuple[list[RolloutRow], list[torch.Tensor]]:
    found, pictures = [], []
    for one in rollouts:
        seen = stage.pictures_of(one)
        grids = [tuple(grid) for grid in seen["image_grid_thw"].tolist()]
        found.append(RolloutRow(one.prompt, one.completion, grids, len(pictures)))
        pictures += seen["pixel_values"].split(seen["image_grid_thw"].prod(dim=1).tolist())
    return found, pictures


def log_probs(stage: Stage, rollouts: list[Rollout]) -> torch.Tensor:
    """Packed, (rollouts, tokens after the prompt)."""
    packed, logits, labels = packed_logits(stage, *rows(stage, rollouts))
    odds = logits.log_softmax(dim=2).gather(2, labels[..., None])[..., 0]
    return unpack(odds, packed, max(len(one.completion) for one in rollouts))


def test_log_odds_as_one_by_one(stage: Stage, rollouts: list[Rollout]):
    with torch.no_grad():
        found = log_probs(stage, rollouts)
    for row, one in zip(found, rollouts, strict=True):
        wanted = whole_log_probs(stage, one)
        assert torch.allclose(row[: len(wanted)], wanted, atol=3e-4)
        assert not row[len(wanted) :].any()


def test_the_prompt_is_there_once_for_each_question(stage: Stage, rollouts: list[Rollout]):
    found, pictures = rows(stage, rollouts)
    packed = pack(found, pictures, stage.model.config)
    assert [row for row, _, _ in packed.parts] == [0, 0, 0, 1, 1]
    prompt = rollouts[0].prompt_length - 1
    parts = [1 + len(one.completion) for one in rollouts]
    lengths = [prompt + 3 * max(parts[:3]), prompt + 2 * max(parts[3:])]
    assert [each.length for each in packed.layouts] == lengths
    assert packed.ids.shape == (2, max(lengths))
    assert len(packed.pictures) == 2 + 0 + 1 + 2 + 1 + 0, "two overviews, four looks"


def test_gradients_as_one_by_one(stage: Stage, rollouts: list[Rollout]):
    weights = [weight for weight in stage.model.parameters() if weight.requires_grad]
    few = rollouts[1:4]
    worth = (1.0, -0.5, 2.0)

    def gradient(total: torch.Tensor) -> torch.Tensor:
        parts = torch.autograd.grad(total, weights, allow_unused=True)
        return torch.cat([part.flatten() for part in parts if part is not None])

    packed = log_probs(stage, few)
    found = gradient(sum(row.sum() * each for row, each in zip(packed, worth, strict=True)))
    alone = sum(log_probs(stage, [one]).sum() * each for one, each in zip(few, worth, strict=True))
    wanted = gradient(alone)
    assert float((found - wanted).norm() / wanted.norm()) < 1e-4
