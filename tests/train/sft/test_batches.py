from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.train.sft.samples import Ready, Samples, collator
from train.sft.batches import (
    PAD_TO,
    Batches,
    padding_share,
    plan_epoch,
    plan_run,
    positions,
    split_rows,
)
from train.sft.fast_path import ScoredTokensOnly
from train.sft.rows import ConversationRow
from train.sft.trainer import token_loss

LENGTHS = np.random.default_rng(1).integers(500, 4000, 3000).tolist()


class TestPlan:
    def test_every_row_once_an_epoch(self):
        plan = plan_epoch(LENGTHS, 16, 10**6, seed=1, epoch=0)
        assert sorted(row for batch in plan for row in batch) == list(range(3000))

    def test_keeps_to_the_budget(self):
        whole = [*LENGTHS, 50_000]
        for batch in plan_epoch(whole, 16, 20_000, seed=1, epoch=0):
            assert len(batch) <= 16
            assert len(batch) == 1 or len(batch) * max(whole[row] for row in batch) <= 20_000

    def test_little_is_padding(self):
        sorted_ones = plan_epoch(LENGTHS, 16, 10**6, seed=1, epoch=0)
        by_chance = [list(range(at, at + 16)) for at in range(0, 2992, 16)]
        assert padding_share(sorted_ones, LENGTHS) < 0.04
        assert padding_share(by_chance, LENGTHS) > 0.3

    def test_epochs_differ_and_seeds_repeat(self):
        one, two = (plan_epoch(LENGTHS, 16, 10**6, 1, epoch) for epoch in (0, 1))
        assert one != two
        assert one == plan_epoch(LENGTHS, 16, 10**6, 1, 0)
        assert one != plan_epoch(LENGTHS, 16, 10**6, 2, 0)

    def test_short_batches_do_not_come_first(self):
        plan = plan_epoch(LENGTHS, 16, 10**6, seed=1, epoch=0)
        longest = [max(LENGTHS[row] for row in batch) for batch in plan]
        assert abs(np.corrcoef(np.arange(len(longest)), longest)[0, 1]) < 0.2

    @pytest.mark.parametrize(
        ("epochs", "batches_per_step", "steps", "batches"),
        [(1.0, 1, 0, 5), (2.0, 1, 0, 10), (1.0, 4, 0, 8), (0.4, 1, 0, 2), (3.0, 2, 3, 6)],
    )
    def test_whole_steps(self, epochs: float, batches_per_step: int, steps: int, batches: int):
        plan = plan_run(
            [10] * 20, batch=4, batch_tokens=10**6, epochs=epochs,
            batches_per_step=batches_per_step, seed=0, steps=steps,
        )  # fmt: skip
        assert len(plan) == batches
        assert all(len(batch) == 4 for batch in plan)

    def test_a_single_row(self):
        plan = plan_run([9], batch=4, batch_tokens=64, epochs=1, batches_per_step=3, seed=0)
        assert plan == [[0]] * 3


class TestSplit:
    def test_no_spectrum_is_on_both_sides(self, rows: list[ConversationRow]):
        train, held = split_rows([*rows, *rows], 0.3, seed=2)
        assert len(held) == 6 and len(train) == 14
        assert not {row.group for row in train} & {row.group for row in held}
        assert split_rows(rows, 0.01, 2)[1] and not split_rows(rows, 0.0, 2)[1]


class TestCollator:
    def test_positions_are_the_models_own(self, ready: Ready):
        model, collate, rows = ready
        batch = collate(rows)
        is_there = known(batch, rows)
        kinds = (batch["input_ids"] == collate.image_token).int()
        wanted, _ = model.model.get_rope_index(
            batch["input_ids"], kinds, batch["image_grid_thw"], attention_mask=is_there
        )
        assert torch.equal(batch["position_ids"] * is_there, wanted * is_there)

    def test_the_loss_is_the_models_own(self, ready: Ready):
        """Against transformers' loss with its own mask, positions and scores at all tokens."""
        model, collate, rows = ready
        batch = collate(rows)
        with torch.no_grad():
            wanted = model(
                input_ids=batch["input_ids"], labels=batch["labels"],
                attention_mask=known(batch, rows),
                mm_token_type_ids=(batch["input_ids"] == collate.image_token).int(),
                pixel_values=batch["pixel_values"], image_grid_thw=batch["image_grid_thw"],
            ).loss  # fmt: skip
            found = ours(model, batch)
        assert torch.allclose(found, wanted, atol=2e-6), (found, wanted)

    def test_padding_changes_nothing(self, ready: Ready):
        model, collate, rows = ready
        with torch.no_grad():
            together = ours(model, collate(rows))
            apart = [ours(model, collate([row])) * row.encoded.trained for row in rows]
        count = sum(row.encoded.trained for row in rows)
        assert torch.allclose(together, torch.stack(apart).sum() / count, atol=2e-6)

    def test_half_precision_pictures(
        self, rows: list[ConversationRow], minute25: Path, samples: Samples, tmp_path: Path
    ):
        whole, half = (
            collator(minute25, tmp_path, samples, half)(rows[:1])["pixel_values"]
            for half in (False, True)
        )
        assert half.dtype is torch.bfloat16 and torch.equal(whole.bfloat16(), half)


def known(batch: dict[str, torch.Tensor], rows: list[ConversationRow]) -> torch.Tensor:
    """Where a row has tokens, as ones."""
    lengths = torch.tensor([len(row) for row in rows])
    return (torch.arange(batch["input_ids"].shape[1]) < lengths[:, None]).long()


def ours(model: Any, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    scored = ScoredTokensOnly(model)
    scored.keep = batch["keep"]
    rest = {key: value for key, value in batch.items() if key not in ("labels", "keep", "parts")}
    try:
        return token_loss(model(**rest), batch["labels"])
    finally:
        scored.keep = None


def test_positions_without_pictures():
    ids = np.array([5, 6, 7], np.int32)
    assert positions(ids, 9, (), 2).tolist() == [[0, 1, 2]] * 3


def test_batches_follow_the_plan(
    rows: list[ConversationRow], minute25: Path, samples: Samples, tmp_path: Path
):
    batches = Batches([[2], [0, 1]], rows, collator(minute25, tmp_path, samples), with_parts=True)
    assert len(batches) == 2
    assert batches[1]["input_ids"].shape[0] == 2
    parts = batches[0]["parts"][0, : len(rows[2])]
    assert parts.tolist() == rows[2].encoded.parts.tolist()


def test_batches_come_in_few_lengths(ready: Ready):
    _, collate, rows = ready
    for row in rows:
        assert collate([row])["input_ids"].shape[1] % PAD_TO == 0
