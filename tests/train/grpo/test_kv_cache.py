"""Caches that are joined and split: a conversation does not depend on its neighbours."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.grpo.packed import rollouts, stage
from tests.train.grpo.scenes import Stage
from train.grpo.kv_cache import CacheBatch, KVCache, positions
from train.grpo.rollout import Rollout

__all__ = ["rollouts", "stage", "tiny_qwen3", "tiny_qwen25"]


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
