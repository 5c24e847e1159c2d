"""The fast parts give the outputs and gradients of transformers' own."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention
from transformers import AutoModelForImageTextToText

from tests.small_models import lively_model
from tests.train.sft.samples import MINUTE
from train.models.small_model import Shape
from train.sft import fast_path
from train.sft.fast_path import (
    BLOCK_QUERIES,
    MAX_TOKENS,
    ScoredTokensOnly,
    attend,
    can_attend,
    use_fast_path,
)

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


# Block attention agrees with torch's, and is used where it is supported.
SCALE = 0.2


def drawn(tokens: int, seed: int = 1) -> list[Tensor]:
    """Query, key, value and what comes back from above, of three rows and two heads, as the layers
    hand them over: rows, heads, tokens, width, but not in that order in memory."""
    randomness = torch.Generator().manual_seed(seed)
    drawn = (torch.randn(3, tokens, 2, 32, generator=randomness) for _ in range(4))
    return [each.bfloat16().transpose(1, 2) for each in drawn]


def results(how: Any, tensors: list[Tensor], dtype: torch.dtype) -> list[Tensor]:
    """The result, and the gradients of query, key and value."""
    *sources, above = (each.to(dtype) for each in tensors)
    for each in sources:
        each.requires_grad_()
    attended = how(*sources)
    attended.backward(above)
    return [attended.detach(), *(each.grad for each in sources if each.grad is not None)]


def torchs(is_causal: bool) -> Any:
    return lambda *each: scaled_dot_product_attention(*each, scale=SCALE, is_causal=is_causal)


def error(found: Tensor, exact: Tensor) -> float:
    return float(((found - exact).pow(2).mean().sqrt() / exact.std()).detach())


@pytest.mark.parametrize("is_causal", [True, False], ids=["causal", "whole"])
@pytest.mark.parametrize("tokens", [1, 40, BLOCK_QUERIES, 2 * BLOCK_QUERIES + 37])
def test_as_near_to_float32_as_torchs_own(tokens: int, is_causal: bool):
    tensors = drawn(tokens)
    exact = results(torchs(is_causal), tensors, torch.float32)
    theirs = results(torchs(is_causal), tensors, torch.bfloat16)
    ours = results(
        lambda *each: attend(*each, scale=SCALE, is_causal=is_causal), tensors, torch.bfloat16
    )
    assert [each.shape for each in ours] == [each.shape for each in exact]
    for our, their, right in zip(ours, theirs, exact, strict=True):
        if not right.any():  # of one token alone no score matters
            # Matrix units (AMX) leave 1e-7 of rounding, in torch's own attention too.
            assert our.abs().max() <= their.abs().max()
            continue
        assert error(our, right) < max(1.5 * error(their, right), 0.006)


def test_no_token_sees_a_later_one():
    query, key, value, _ = drawn(2 * BLOCK_QUERIES + 37)
    other = [each.clone() for each in (key, value)]
    at = BLOCK_QUERIES + 5
    for each in other:
        each[:, :, at:] = 9.0
    before = attend(query, key, value, scale=SCALE, is_causal=True)
    after = attend(query, *other, scale=SCALE, is_causal=True)
    assert torch.equal(before[:, :, :at], after[:, :, :at])
    assert not torch.equal(before[:, :, at], after[:, :, at])


def test_fits_half_precision_and_equal_lengths():
    query, key, *_ = drawn(40)
    assert can_attend(query, key)
    assert not can_attend(query.float(), key.float())
    assert not can_attend(query[:, :, -1:], key)  # a word is added to what is known already
    assert not can_attend(query, key[:, :1])  # heads share their keys
    long = torch.zeros(1, 1, MAX_TOKENS + 1, 2, dtype=torch.bfloat16)
    assert not can_attend(long, long)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Mock:
    """Counts the calls of block attention in the language model."""
    counting = Mock(wraps=attend)
    monkeypatch.setattr(fast_path, "attend", counting)
    return counting


@pytest.fixture
def pair_of_attention() -> tuple[Any, Any]:
    plain = lively_model("qwen2.5-vl", Shape(**{**MINUTE.__dict__, "layers": 3}))
    fast = copy.deepcopy(plain)
    use_fast_path(fast)
    return plain, fast


WORDS = torch.arange(300)[None] % 90


def test_every_layer_attends_so_under_autocast(pair_of_attention: tuple[Any, Any], calls: Mock):
    exact = pair_of_attention[0](input_ids=WORDS).logits
    with torch.autocast("cpu", torch.bfloat16):
        found = [model(input_ids=WORDS).logits.float() for model in pair_of_attention]
    assert calls.call_count == 3
    before, after = (error(each, exact) for each in found)
    assert after < 1.6 * before


def test_left_to_torch_in_float32_and_under_a_mask(pair_of_attention: tuple[Any, Any], calls: Mock):
    plain, fast = pair_of_attention
    assert torch.allclose(fast(input_ids=WORDS).logits, plain(input_ids=WORDS).logits, atol=1e-4)
    mask = torch.ones_like(WORDS)
    mask[:, :7] = 0
    with torch.autocast("cpu", torch.bfloat16):
        exact = plain(input_ids=WORDS, attention_mask=mask).logits.float()
        found = fast(input_ids=WORDS, attention_mask=mask).logits.float()
    assert not calls.called
    assert error(found[:, 7:], exact[:, 7:]) < 0.03
