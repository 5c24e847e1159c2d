"""Rollouts packed by question score as they do one by one, and so do their gradients."""

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from torch.nn.functional import scaled_dot_product_attention

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.packed import rollouts, stage
from tests.train.grpo.scenes import Stage, packed_logits, whole_log_probs
from train.grpo.generate import CacheBatch, KVCache, positions
from train.grpo.packing import Layout, RolloutRow, _attend, pack, unpack
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


# Caches that are joined and split: a conversation does not depend on its neighbours.
class TestCaches:
    def test_positions_as_transformers_counts(self, stage: Stage, rollouts: list[Rollout]):
        one = rollouts[2]
        ids = torch.tensor([one.conversation.ids])
        grids = stage.pictures_of(one)["image_grid_thw"]
        config = stage.model.config
        kinds, index = (ids == config.image_token_id).int(), stage.model.model.get_rope_index
        wanted, _ = index(ids, mm_token_type_ids=kinds, image_grid_thw=grids)
        plain = [tuple(grid) for grid in grids.tolist()]
        found, after = positions(one.conversation.ids, plain, config, 0)
        assert torch.equal(found, wanted[:, 0])
        assert after == int(found.max()) + 1

    def test_read_in_pieces_beside_others(self, stage: Stage, rollouts: list[Rollout]):
        caches = [KVCache()] * 3
        conversations = [one.conversation for one in rollouts[:3]]
        seen = [[stage.pictures.patches(each) for each in one.pictures] for one in conversations]
        prompt = rollouts[0].prompt_length
        steps = [(0, 1, 2), (2, 0), (1,), (0, 1)]
        read = [0, 0, 0]
        logits = {}
        with torch.no_grad():
            for number, batch in enumerate(steps):
                joined = CacheBatch(stage.model, [caches[row] for row in batch])
                new, pictures = [], []
                for row in batch:
                    end = prompt + 5 * row if read[row] == 0 else read[row] + 7 + number
                    new.append(conversations[row].ids[read[row] : end])
                    pictures.append(seen[row][: 1 if read[row] == 0 else 0])
                    read[row] = end
                found = joined.read(new, pictures)
                for index, row in enumerate(batch):
                    caches[row], logits[row] = joined.extract(index), found[index]
            for row in range(3):
                assert caches[row].length == read[row]
                alone = CacheBatch(stage.model, [KVCache()])
                wanted = alone.read([conversations[row].ids[: read[row]]], [seen[row][:1]])[0]
                assert torch.allclose(logits[row], wanted, atol=3e-4)


# Attention over a pack equals plain causal attention over each part with the prefix.
@pytest.mark.parametrize("prefix", [0, 5])
def test_parts_do_not_see_each_other(prefix: int) -> None:
    pack, padding = Layout(prefix, parts=3, size=4), 2
    random = torch.Generator().manual_seed(1)
    query, key, value = torch.randn(3, 1, 2, pack.length + padding, 8, generator=random)
    module = SimpleNamespace(num_key_value_groups=1, is_causal=True)
    found, _ = _attend(module, query, key, value, None, [pack])
    assert found.shape == (1, pack.length + padding, 2, 8)
    assert not found[:, pack.length :].any()
    for part in range(pack.parts):
        start = prefix + part * pack.size
        tokens = [*range(prefix), *range(start, start + pack.size)]
        seen = (each[:, :, tokens] for each in (query, key, value))
        alone = scaled_dot_product_attention(*seen, is_causal=True)
        assert torch.allclose(found[:, tokens], alone.transpose(1, 2), atol=1e-6)
