from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from train.sft.batches import IGNORED
from train.sft.trainer import figures, part_sums, token_loss


class TestFigures:
    labels = torch.tensor([[IGNORED, 1, 2, 0], [IGNORED, IGNORED, 2, 0]])
    parts = torch.tensor([[0, 1, 4, 5], [0, 0, 4, 5]], dtype=torch.uint8)

    def test_each_part_has_its_own_mean(self):
        logits = torch.zeros(5, 4)
        logits[1, 2] = 50.0  # the first row's verdict, sure and right
        logits[3, 1] = 50.0  # the second's, sure and wrong
        found = figures(part_sums(logits, self.labels, self.parts))
        even = float(np.log(4))
        assert found["loss_thought"] == pytest.approx(even)
        assert found["loss_verdict"] == pytest.approx(25.0)
        assert found["loss"] == pytest.approx((3 * even + 50.0) / 5)
        assert found["verdict_accuracy"] == 0.5
        assert "loss_call" not in found

    def test_adds_up_over_batches(self):
        logits = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
        whole = part_sums(logits, self.labels, self.parts)
        first = part_sums(logits[:3], self.labels[:1], self.parts[:1])
        second = part_sums(logits[3:], self.labels[1:], self.parts[1:])
        assert torch.allclose(whole, first + second)


def test_tokens_are_weighted():
    torch.manual_seed(0)
    logits, labels = torch.randn(3, 5), torch.tensor([[-100, 1, 4, 2]])
    weights = torch.tensor([1.0, 1.0, 1.0, 1.0, 8.0])
    outputs = SimpleNamespace(logits=logits)
    each = torch.nn.functional.cross_entropy(logits, torch.tensor([1, 4, 2]), reduction="none")
    assert torch.isclose(token_loss(outputs, labels), each.mean())
    expected = (each[0] + 8 * each[1] + each[2]) / 3
    assert torch.isclose(token_loss(outputs, labels, weights=weights), expected)
