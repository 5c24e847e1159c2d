from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import torch

from tests.train.baselines.helpers import lines
from train.baselines.networks import SectionTransformer, make_network
from train.baselines.specialist import rows_of


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
