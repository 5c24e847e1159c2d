"""Attention in bfloat16 on CPUs, as products of blocks of queries with their visible keys.

torch's CPU kernel does not store attention weights and multiplies small tiles. For the narrow heads
of a small model it takes two to three times as long as these few large products, and dominated a
training step. This code stores the weights for the backward pass, so long rows are left to torch.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "blocks of queries"
# Larger blocks compute more masked scores, smaller ones give slower products.
BLOCK_QUERIES = 128
# The attention weights grow with the square of the number of tokens.
MAX_TOKENS = 2048


def can_attend(query: Tensor, key: Tensor) -> bool:
    """Whether block attention supports these tensors, both (..., tokens, width)."""
    is_half = query.dtype == key.dtype == torch.bfloat16
    same = query.shape == key.shape and query.shape[-2] <= MAX_TOKENS
    return is_half and same and query.device.type == "cpu"


def attend(query: Tensor, key: Tensor, value: Tensor, *, scale: float, is_causal: bool) -> Tensor:
    """Attention of tensors that `can_attend` accepts, all (rows, heads, tokens, width)."""
    attended = _BlockAttention.apply(query, key, value, scale, is_causal)  # type: ignore[no-untyped-call]
    return cast(Tensor, attended)


def use_block_attention(language_model: Any) -> None:
    """Make a language model use block attention where possible, and torch's elsewhere."""
    AttentionInterface.register(NAME, _causal)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    language_model.config._attn_implementation = NAME


def _causal(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """Attention function for transformers; without a mask it is causal."""
    if attention_mask is not None or dropout or scaling is None or not can_attend(query, key):
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **more
        )
    attended = attend(query, key, value, scale=scaling, is_causal=True)
    return attended.transpose(1, 2).contiguous(), None


class _BlockAttention(torch.autograd.Function):
    """Scaled dot-product attention, one block of queries at a time."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, scale: float, is_causal: bool
    ) -> Tensor:
        tokens = query.shape[-2]
        queries, keys, values = (each.flatten(0, 1) for each in (query * scale, key, value))
        attended, weights = torch.empty_like(queries), []
        ctx.blocks = list(_blocks(tokens, is_causal))
        later = torch.full((BLOCK_QUERIES, BLOCK_QUERIES), -torch.inf, dtype=query.dtype).triu(1)
        for first, end, seen in ctx.blocks:
            scores = torch.bmm(queries[:, first:end], keys[:, :seen].mT)
            if is_causal:
                scores[..., first:end] += later[: end - first, : end - first]
            weights.append(scores.softmax(-1))
            attended[:, first:end] = torch.bmm(weights[-1], values[:, :seen])
        ctx.save_for_backward(queries, keys, values, *weights)
        ctx.scale = scale
        return attended.view(query.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, *weights = ctx.saved_tensors
        d_attended = gradient.flatten(0, 1)
        d_queries = torch.empty_like(queries)
        # Every block adds to these, so they are summed in float32.
        d_keys, d_values = (torch.zeros_like(each, dtype=torch.float32) for each in (keys, values))
        for (first, end, seen), weight in zip(ctx.blocks, weights, strict=True):
            d_block = d_attended[:, first:end]
            d_values[:, :seen] += torch.bmm(weight.mT, d_block)
            d_weight = torch.bmm(d_block, values[:, :seen].mT)
            d_scores = torch._softmax_backward_data(d_weight, weight, -1, weight.dtype)
            d_queries[:, first:end] = torch.bmm(d_scores, keys[:, :seen])
            d_keys[:, :seen] += torch.bmm(d_scores.mT, queries[:, first:end])
        gradients = (d_queries * ctx.scale, d_keys.to(keys.dtype), d_values.to(values.dtype))
        return *(each.view(gradient.shape) for each in gradients), None, None


def _blocks(tokens: int, is_causal: bool) -> Iterator[tuple[int, int, int]]:
    """First query, end, and number of visible keys of each block."""
    for first in range(0, tokens, BLOCK_QUERIES):
        end = min(first + BLOCK_QUERIES, tokens)
        yield first, end, end if is_causal else tokens
