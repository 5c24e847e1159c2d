"""Attention over a pack equals plain causal attention over each part with the prefix."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from torch.nn.functional import scaled_dot_product_attention

from train.grpo.packing import Layout, _attend


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
