from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import torch

from agent.errors import WorkbenchError
from tests.night import BY_NIGHT
from tests.train.baselines.helpers import KINDS, lines
from train.baselines.fit import BaselineSettings, augment, best_threshold, fit, split_held_out
from train.baselines.networks import NetworkKind, SectionTransformer, make_network
from train.baselines.specialist import rows_of

BY_DAY: tuple[NetworkKind, ...] = ("branch-cnn",)
"""The plain one learns the same line in the fixture `folder`, and test_specialist.py asks it; the
transformer takes ten seconds."""
EPOCHS: dict[NetworkKind, int] = {"plain-cnn": 4, "branch-cnn": 1, "section-transformer": 10}


class TestLearning:
    @pytest.mark.parametrize("kind", KINDS if BY_NIGHT else BY_DAY)
    def test_each_kind_learns_a_line(self, kind: NetworkKind):
        rows = rows_of(kind, lines(64))
        answers = torch.tensor([1.0 - number % 2 for number in range(64)])
        settings = BaselineSettings(epochs=EPOCHS[kind], patience=10, batch=8, lr=2e-3)
        found = fit(kind, rows, answers, settings, seed=1)
        fresh = rows_of(kind, lines(20, seed=9))
        with torch.no_grad():
            said = found.network(fresh) > 0
        right = said == torch.tensor([number % 2 == 0 for number in range(20)])
        assert int(right.sum()) >= 18

    def test_the_same_seed_learns_the_same(self):
        kind: NetworkKind = "plain-cnn"
        rows = rows_of(kind, lines(30))
        answers = torch.tensor([1.0 - number % 2 for number in range(30)])
        settings = BaselineSettings(epochs=1, batch=8)
        one, two = (fit(kind, rows, answers, settings, seed=4) for _ in range(2))
        assert torch.equal(one.logits, two.logits)

    def test_held_out_rows_are_not_trained_on(self):
        answers = torch.tensor([1.0, 0.0] * 20)
        learn, held = split_held_out(answers, 0.2, 3)
        assert not set(learn.tolist()) & set(held.tolist())
        assert sorted([*learn.tolist(), *held.tolist()]) == list(range(40))
        assert answers[held].mean() == 0.5

    def test_too_few_examples_are_refused(self):
        with pytest.raises(WorkbenchError, match="four examples"):
            split_held_out(torch.tensor([1.0, 0.0, 0.0, 0.0, 0.0]), 0.2, 0)

    def test_threshold_by_hand(self):
        p_yes = np.array([0.9, 0.8, 0.7, 0.2])
        answers = np.array([True, False, True, False])
        assert best_threshold(p_yes, answers, odds=0.5) == pytest.approx(0.45)
        assert best_threshold(p_yes, answers, odds=50.0) == pytest.approx(0.85)


def test_augmentation_keeps_rows_apart():
    rows = torch.zeros(3, 500)
    rows[1, 250] = 100.0
    changed = augment(rows, torch.Generator().manual_seed(1))
    assert changed[0].abs().max() == 0.0
    assert abs(int(changed[1].argmax()) - 250) <= 5


def test_masked_sections_are_hidden_and_filled():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = make_network("section-transformer", 1940)
    assert isinstance(network, SectionTransformer)
    rows = rows_of("section-transformer", lines(8))
    mask = network._mask(8, torch.Generator().manual_seed(0))
    assert 0.3 < mask.float().mean() < 0.4
    start = network.filling_loss(rows, torch.Generator().manual_seed(0)).item()
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3)
    for step in range(20):
        loss = network.filling_loss(rows, torch.Generator().manual_seed(step))
        optimizer.zero_grad()
        torch.autograd.backward(loss)
        optimizer.step()
    assert network.filling_loss(rows, torch.Generator().manual_seed(0)).item() < 0.8 * start
