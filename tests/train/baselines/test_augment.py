from __future__ import annotations

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

import torch

from train.baselines.fit import augment


def test_augmentation_keeps_rows_apart():
    rows = torch.zeros(3, 500)
    rows[1, 250] = 100.0
    changed = augment(rows, torch.Generator().manual_seed(1))
    assert changed[0].abs().max() == 0.0
    assert abs(int(changed[1].argmax()) - 250) <= 5
