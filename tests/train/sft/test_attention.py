"""Block attention agrees with torch's, and is used where it is supported."""

from __future__ import annotations

import copy
from typing import Any
from unittest.mock import Mock

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from tests.small_models import lively_model
from tests.train.sft.samples import MINUTE
from train.models.small_model import Shape
from train.sft import fast_path
from train.sft.fast_path import BLOCK_QUERIES, MAX_TOKENS, attend, can_attend, use_fast_path

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
def pair() -> tuple[Any, Any]:
    plain = lively_model("qwen2.5-vl", Shape(**{**MINUTE.__dict__, "layers": 3}))
    fast = copy.deepcopy(plain)
    use_fast_path(fast)
    return plain, fast


WORDS = torch.arange(300)[None] % 90


def test_every_layer_attends_so_under_autocast(pair: tuple[Any, Any], calls: Mock):
    exact = pair[0](input_ids=WORDS).logits
    with torch.autocast("cpu", torch.bfloat16):
        found = [model(input_ids=WORDS).logits.float() for model in pair]
    assert calls.call_count == 3
    before, after = (error(each, exact) for each in found)
    assert after < 1.6 * before


def test_left_to_torch_in_float32_and_under_a_mask(pair: tuple[Any, Any], calls: Mock):
    plain, fast = pair
    assert torch.allclose(fast(input_ids=WORDS).logits, plain(input_ids=WORDS).logits, atol=1e-4)
    mask = torch.ones_like(WORDS)
    mask[:, :7] = 0
    with torch.autocast("cpu", torch.bfloat16):
        exact = plain(input_ids=WORDS, attention_mask=mask).logits.float()
        found = fast(input_ids=WORDS, attention_mask=mask).logits.float()
    assert not calls.called
    assert error(found[:, 7:], exact[:, 7:]) < 0.03
