"""Attention in bfloat16 on processors, as products of blocks of queries with the keys they see.

torch's own kernel for processors keeps no table of weights and multiplies small tiles: for heads as
narrow as a small model's it takes two to three times as long as these few large products, and was
most of a step. The tables are kept for the way back instead, so long rows are left to torch.
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
QUERIES = 128
"""In a block: more would compute more that no query sees, fewer would be less of a product."""
LONGEST = 2048
"""Tokens: a table of weights grows with their square."""


def fits(query: Tensor, key: Tensor) -> bool:
    """Both (..., tokens, width). Whether the products here are the faster way."""
    is_half = query.dtype == key.dtype == torch.bfloat16
    same = query.shape == key.shape and query.shape[-2] <= LONGEST
    return is_half and same and query.device.type == "cpu"


def attend(query: Tensor, key: Tensor, value: Tensor, *, scale: float, is_causal: bool) -> Tensor:
    """All (rows, heads, tokens, width), of tensors that `fits` approves of; so is the result."""
    attended = _Attention.apply(query, key, value, scale, is_causal)  # type: ignore[no-untyped-call]
    return cast(Tensor, attended)


def use_blocks(language_model: Any) -> None:
    """Have it attend this way where it can, and as before elsewhere."""
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
    """As transformers calls it; without a mask every token sees those before it."""
    if attention_mask is not None or dropout or scaling is None or not fits(query, key):
        return sdpa_attention_forward(
            module, query, key, value, attention_mask, dropout, scaling, **more
        )
    attended = attend(query, key, value, scale=scaling, is_causal=True)
    return attended.transpose(1, 2).contiguous(), None


class _Attention(torch.autograd.Function):
    """Softmax of products, times values, block of queries by block."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, key: Tensor, value: Tensor, scale: float, is_causal: bool
    ) -> Tensor:
        tokens = query.shape[-2]
        queries, keys, values = (each.flatten(0, 1) for each in (query * scale, key, value))
        attended, tables = torch.empty_like(queries), []
        ctx.blocks = list(_blocks(tokens, is_causal))
        later = torch.full((QUERIES, QUERIES), -torch.inf, dtype=query.dtype).triu(1)
        for first, end, seen in ctx.blocks:
            scores = torch.bmm(queries[:, first:end], keys[:, :seen].mT)
            if is_causal:
                scores[..., first:end] += later[: end - first, : end - first]
            tables.append(scores.softmax(-1))
            attended[:, first:end] = torch.bmm(tables[-1], values[:, :seen])
        ctx.save_for_backward(queries, keys, values, *tables)
        ctx.scale = scale
        return attended.view(query.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        queries, keys, values, *tables = ctx.saved_tensors
        of_attended = gradient.flatten(0, 1)
        of_queries = torch.empty_like(queries)
        # what every block adds to is kept in float32
        of_keys, of_values = (
            torch.zeros_like(each, dtype=torch.float32) for each in (keys, values)
        )
        for (first, end, seen), table in zip(ctx.blocks, tables, strict=True):
            of_block = of_attended[:, first:end]
            of_values[:, :seen] += torch.bmm(table.mT, of_block)
            of_table = torch.bmm(of_block, values[:, :seen].mT)
            of_scores = torch._softmax_backward_data(of_table, table, -1, table.dtype)
            of_queries[:, first:end] = torch.bmm(of_scores, keys[:, :seen])
            of_keys[:, :seen] += torch.bmm(of_scores.mT, queries[:, first:end])
        found = (of_queries * ctx.scale, of_keys.to(keys.dtype), of_values.to(values.dtype))
        return *(each.view(gradient.shape) for each in found), None, None


def _blocks(tokens: int, is_causal: bool) -> Iterator[tuple[int, int, int]]:
    """First query, end, and how many keys these see."""
    for first in range(0, tokens, QUERIES):
        end = min(first + QUERIES, tokens)
        yield first, end, end if is_causal else tokens
