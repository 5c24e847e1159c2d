"""Parts of Qwen2.5-VL and Qwen3-VL computed faster than transformers does, with equal results.

- The patch convolution has a stride as large as its kernel: it is a matrix product.
- Attention in the vision tower runs picture by picture, a call each; pictures and windows of one
  size are one call here.
- In bfloat16 on processors attention is a few products, see `train.sft.attention`.
- Under autocast, RMS norms and embeddings give float32 that the next product rounds to bfloat16
  anyway; here they give bfloat16, so that sums and products between them move half the bytes.
- Scores over the vocabulary, and what the last layer does after its attention, are computed at the
  tokens that are trained, not at all of them.

The first two are equal up to the order of summation, the next two up to the rounding of bfloat16,
the last one exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from train.sft.attention import attend, fits, use_blocks


def quicken(model: Any) -> None:
    """Put the fast parts into a model, in place."""
    visual = model.model.visual
    projection = visual.patch_embed.proj
    projection.forward = MethodType(_as_product, projection)
    if visual.config._attn_implementation == "sdpa":
        for block in visual.blocks:
            block.attn.forward = MethodType(_attend, block.attn)
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = MethodType(_norm, module)
    model.get_input_embeddings().register_forward_hook(_as_autocast)
    if model.model.language_model.config._attn_implementation == "sdpa":
        use_blocks(model.model.language_model)


class ScoredTokensOnly:
    """Makes a model score only the tokens marked in `keep` (rows, tokens), None for all.

    The logits are then (marked tokens, vocabulary), row by row.
    """

    def __init__(self, model: Any) -> None:
        self.keep: Tensor | None = None
        model.lm_head.register_forward_pre_hook(self._pick)
        last = model.model.language_model.layers[-1].mlp
        last.forward = partial(self._where_marked, last.forward)

    def _pick(self, head: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...] | None:
        return None if self.keep is None else (inputs[0][self.keep],)

    def _where_marked(self, whole: Callable[[Tensor], Tensor], states: Tensor) -> Tensor:
        """No other token looks at what comes of the last layer."""
        if self.keep is None:
            return whole(states)
        marked = whole(states[self.keep])
        return marked.new_zeros(states.shape).masked_scatter(self.keep[..., None], marked)


def _as_product(convolution: nn.Conv3d, pixels: Tensor) -> Tensor:
    weight = convolution.weight
    return functional.linear(pixels.flatten(1), weight.flatten(1), convolution.bias)


def _as_autocast(module: nn.Module, inputs: object, embedded: Tensor) -> Tensor:
    device = embedded.device.type
    if not torch.is_autocast_enabled(device):
        return embedded
    return embedded.to(torch.get_autocast_dtype(device))


def _norm(module: Any, hidden: Tensor) -> Tensor:
    wide = hidden.float()
    scale = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + module.variance_epsilon)
    return module.weight.to(hidden.dtype) * (wide * scale).to(hidden.dtype)


def _attend(
    attention: Any,
    hidden_states: Tensor,
    cu_seqlens: Tensor,
    position_embeddings: tuple[Tensor, Tensor],
    **unused: object,
) -> Tensor:
    """`cu_seqlens`: where each picture or window begins, and the end of the last."""
    tokens = hidden_states.shape[0]
    joint = attention.qkv(hidden_states).reshape(tokens, 3, attention.num_heads, -1)
    query, key, value = joint.unbind(1)
    query, key = _rotated(query, *position_embeddings), _rotated(key, *position_embeddings)
    lengths = cu_seqlens.diff()
    order, pieces = [], []
    for length in sorted(set(lengths.tolist())):
        starts = cu_seqlens[:-1][lengths == length]
        at = (starts[:, None] + torch.arange(length, device=starts.device)).flatten()
        queries, keys, values = (_of_length(each, at, length) for each in (query, key, value))
        seen = _seen(queries, keys, values, attention.scaling)
        pieces.append(seen.transpose(1, 2).reshape(at.numel(), -1))
        order.append(at)
    joined = torch.cat(pieces)
    if len(order) > 1:
        joined = joined[torch.cat(order).argsort()]
    return attention.proj(joined)


def _seen(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
    """Of every part by all of it."""
    if fits(query, key):
        return attend(query, key, value, scale=scale, is_causal=False)
    return functional.scaled_dot_product_attention(query, key, value, scale=scale)


def _of_length(tensor: Tensor, at: Tensor, length: int) -> Tensor:
    """(tokens, heads, width) -> (pieces of that length, heads, length, width)."""
    picked = tensor if at.numel() == tensor.shape[0] else tensor[at]
    return picked.reshape(-1, length, *tensor.shape[1:]).transpose(1, 2)


def _rotated(tensor: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary positions, in float32 as the model has them."""
    wide = tensor.float()
    left, right = wide.chunk(2, dim=-1)
    turned = torch.cat((-right, left), dim=-1)
    turned = wide * cosine.unsqueeze(-2).float() + turned * sine.unsqueeze(-2).float()
    return turned.to(tensor.dtype)
