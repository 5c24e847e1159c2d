"""The fast parts give the outputs and gradients of transformers' own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForImageTextToText

from tests.small_models import lively_model
from tests.train.sft.samples import MINUTE
from train.models.small_model import Shape
from train.sft.fast_path import ScoredTokensOnly, use_fast_path

GRIDS = torch.tensor([[1, 6, 8], [1, 12, 18], [1, 6, 8]])
"""Two sizes of picture; the larger one has windows of four sizes."""


def batch(model: Any) -> dict[str, torch.Tensor]:
    randomness = torch.Generator().manual_seed(1)
    patch = model.config.vision_config.patch_size
    image = model.config.image_token_id
    ids: list[int] = [7, 8]
    for down, across in GRIDS[:, 1:].tolist():
        ids += [image] * (down * across // 4) + [9, 10]
    pixels = torch.randn(int(GRIDS.prod(1).sum()), 3 * 2 * patch**2, generator=randomness)
    return {
        "input_ids": torch.tensor([ids]),
        "mm_token_type_ids": torch.tensor([[int(number == image) for number in ids]]),
        "pixel_values": pixels,
        "image_grid_thw": GRIDS,
    }


@pytest.fixture(params=["minute25", "minute3", "whole pictures"])
def pair(request: pytest.FixtureRequest) -> tuple[Any, Any]:
    """A model, and the same one with the fast path."""
    if request.param == "whole pictures":
        shape = Shape(**{**MINUTE.__dict__, "whole_every": 1})
        plain = lively_model("qwen2.5-vl", shape)
    else:
        folder: Path = request.getfixturevalue(request.param)
        plain = AutoModelForImageTextToText.from_pretrained(folder, local_files_only=True)
    plain.train()
    fast = copy.deepcopy(plain)
    use_fast_path(fast)
    return plain, fast


def same_gradients(plain: Any, fast: Any) -> None:
    gradients = dict(fast.named_parameters())
    for name, weight in plain.named_parameters():
        wanted, found = weight.grad, gradients[name].grad
        assert torch.allclose(found, wanted, rtol=1e-3, atol=1e-4 * float(wanted.abs().max())), name


def test_equal_in_float32(pair: tuple[Any, Any]):
    plain, fast = pair
    outputs = [model(**batch(model)).logits for model in pair]
    assert torch.allclose(*outputs, atol=2e-5 * float(outputs[0].detach().abs().max()))
    for logits in outputs:
        logits.pow(2).mean().backward()
    same_gradients(plain, fast)


def test_as_near_to_float32_as_before_under_autocast(pair: tuple[Any, Any]):
    plain, _ = pair
    exact = plain(**batch(plain)).logits
    with torch.autocast("cpu", torch.bfloat16):
        before, after = (model(**batch(model)).logits.float() for model in pair)
    error_before, error_after = ((one - exact).pow(2).mean().sqrt() for one in (before, after))
    assert error_after < 1.6 * error_before
    assert error_after < 0.05 * exact.std()


def test_moves_half_the_bytes_under_autocast(pair: tuple[Any, Any]):
    _, fast = pair
    seen = []
    layer = fast.model.language_model.layers[-1]
    layer.register_forward_hook(lambda module, inputs, output: seen.append(output.dtype))
    with torch.autocast("cpu", torch.bfloat16):
        fast(**batch(fast))
    assert seen == [torch.bfloat16]


def test_scores_only_what_is_marked(pair: tuple[Any, Any]):
    _, fast = pair
    plain = copy.deepcopy(fast)
    scored = ScoredTokensOnly(fast)
    whole = plain(**batch(plain)).logits
    marked = torch.zeros(whole.shape[:2], dtype=torch.bool)
    marked[0, [3, 20, -1]] = True
    scored.keep = marked
    told = fast(**batch(fast)).logits
    assert torch.allclose(told, whole[marked], atol=1e-6)

    for model, logits in ((plain, whole[marked]), (fast, told)):
        model.zero_grad()
        logits.pow(2).mean().backward()
    same_gradients(plain, fast)

    scored.keep = None
    assert torch.equal(fast(**batch(fast)).logits, whole)


def test_the_last_layers_other_tokens_are_not_computed(pair: tuple[Any, Any]):
    _, fast = pair
    scored, seen = ScoredTokensOnly(fast), []
    layers = fast.model.language_model.layers
    for layer in (layers[0], layers[-1]):
        layer.mlp.act_fn.register_forward_hook(lambda *found: seen.append(found[-1].shape[:-1]))
    tokens = fast(**batch(fast)).logits.shape[:2]
    scored.keep = torch.zeros(tokens, dtype=torch.bool)
    scored.keep[0, [3, 20, -1]] = True
    seen.clear()
    fast(**batch(fast))
    assert seen == [tokens, (3,)]
