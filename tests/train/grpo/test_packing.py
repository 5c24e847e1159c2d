"""Rollouts packed by question score as they do one by one, and so do their gradients."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.scenes import Script, Stage, stage_of, star, whole_log_probs, with_card
from tests.train.grpo.test_rollout import YES, call
from train.grpo.attention import enable_packs
from train.grpo.kv_cache import CacheBatch, KVCache, positions
from train.grpo.packing import RolloutRow, pack, unpack
from train.grpo.rollout import Rollout, roll_out

__all__ = ["tiny_qwen3", "tiny_qwen25"]

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
    found, pictures = rows(stage, rollouts)
    packed = pack(found, pictures, stage.model.config)
    grids = torch.tensor([grid for row in found for grid in row.grids])
    logits = stage.model(
        input_ids=packed.ids,
        position_ids=packed.position_ids,
        packs=packed.layouts,
        pixel_values=torch.cat([pictures[number] for number in packed.pictures]),
        image_grid_thw=grids[packed.pictures],
    ).logits
    labels = packed.labels[:, 1:].clamp(min=0)
    odds = logits[:, :-1].log_softmax(dim=2).gather(2, labels[..., None])[..., 0]
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


class TestMemory:
    def test_positions_as_transformers_counts(self, stage: Stage, rollouts: list[Rollout]):
        one = rollouts[2]
        ids = torch.tensor([one.conversation.ids])
        grids = stage.pictures_of(one)["image_grid_thw"]
        config = stage.model.config
        wanted, _ = stage.model.model.get_rope_index(
            ids, mm_token_type_ids=(ids == config.image_token_id).int(), image_grid_thw=grids
        )
        plain = [tuple(grid) for grid in grids.tolist()]
        found, after = positions(one.conversation.ids, plain, config, 0)
        assert torch.equal(found, wanted[:, 0])
        assert after == int(found.max()) + 1

    def test_read_in_pieces_beside_others(self, stage: Stage, rollouts: list[Rollout]):
        """Memories part and join; what a conversation reads does not depend on its neighbours."""
        caches = [KVCache()] * 3
        lines = [one.conversation for one in rollouts[:3]]
        seen = [[stage.pictures.patches(each) for each in line.pictures] for line in lines]
        prompt = rollouts[0].prompt_length
        steps = [(0, 1, 2), (2, 0), (1,), (0, 1)]
        read = [0, 0, 0]
        logits = {}
        with torch.no_grad():
            for number, batch in enumerate(steps):
                together = CacheBatch(stage.model, [caches[row] for row in batch])
                new, pictures = [], []
                for row in batch:
                    end = prompt + 5 * row if read[row] == 0 else read[row] + 7 + number
                    new.append(lines[row].ids[read[row] : end])
                    pictures.append(seen[row][: 1 if read[row] == 0 else 0])
                    read[row] = end
                found = together.read(new, pictures)
                for place, row in enumerate(batch):
                    caches[row], logits[row] = together.extract(place), found[place]
            for row in range(3):
                assert caches[row].length == read[row]
                alone = CacheBatch(stage.model, [KVCache()])
                wanted = alone.read([lines[row].ids[: read[row]]], [seen[row][:1]])[0]
                assert torch.allclose(logits[row], wanted, atol=3e-4)
