"""Faster versions of parts of Qwen2.5-VL and Qwen3-VL, with the same results as transformers.

- The stride of the patch convolution equals its kernel, so it is a matrix product.
- transformers calls the vision attention once per picture; here all pictures and windows of one
  size share a call.
- In bfloat16 on CPUs attention is a few large products, see `train.sft.attention`.
- Under autocast RMS norms and embeddings return float32, which the next product rounds to bfloat16
  anyway; here they return bfloat16, which halves the bytes moved between them.
- Logits, and the last layer after its attention, are computed only for trained tokens.

The first two agree up to the order of summation, the next two up to bfloat16 rounding, and the
last exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from train.sft.attention import attend, can_attend, use_block_attention


def use_fast_path(model: Any) -> None:
    """Replace parts of a model by their fast versions, in place."""
    use_fast_vision(model.model.visual)
    _use_fast_norms(model)
    model.get_input_embeddings().register_forward_hook(_cast_embeddings)
    if model.model.language_model.config._attn_implementation == "sdpa":
        use_block_attention(model.model.language_model)


def use_fast_vision(visual: Any) -> None:
    """Replace parts of a vision tower alone."""
    projection = visual.patch_embed.proj
    projection.forward = MethodType(_patches_by_matmul, projection)
    if visual.config._attn_implementation == "sdpa":
        for block in visual.blocks:
            block.attn.forward = MethodType(_attend, block.attn)
    _use_fast_norms(visual)


def _use_fast_norms(model: nn.Module) -> None:
    for module in model.modules():
        if type(module).__name__.endswith("RMSNorm"):
            module.forward = MethodType(_rms_norm, module)


class ScoredTokensOnly:
    """Restricts logits to (kept tokens, vocabulary) where `keep` (rows, tokens) is not None."""

    def __init__(self, model: Any) -> None:
        self.keep: Tensor | None = None
        model.lm_head.register_forward_pre_hook(self._select_kept)
        last = model.model.language_model.layers[-1].mlp
        last.forward = partial(self._mlp_where_kept, last.forward)

    def _select_kept(
        self, head: nn.Module, inputs: tuple[Tensor, ...]
    ) -> tuple[Tensor, ...] | None:
        return None if self.keep is None else (inputs[0][self.keep],)

    def _mlp_where_kept(self, whole: Callable[[Tensor], Tensor], states: Tensor) -> Tensor:
        # No later layer reads the other tokens, so the last layer can leave them out.
        if self.keep is None:
            return whole(states)
        kept = whole(states[self.keep])
        return kept.new_zeros(states.shape).masked_scatter(self.keep[..., None], kept)


def _patches_by_matmul(convolution: nn.Conv3d, pixels: Tensor) -> Tensor:
    weight = convolution.weight
    return functional.linear(pixels.flatten(1), weight.flatten(1), convolution.bias)


def _cast_embeddings(module: nn.Module, inputs: object, embedded: Tensor) -> Tensor:
    device = embedded.device.type
    if not torch.is_autocast_enabled(device):
        return embedded
    return embedded.to(torch.get_autocast_dtype(device))


def _rms_norm(module: Any, hidden: Tensor) -> Tensor:
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
    """Vision attention; `cu_seqlens` holds the start of each picture or window and the last end."""
    tokens = hidden_states.shape[0]
    joint = attention.qkv(hidden_states).reshape(tokens, 3, attention.num_heads, -1)
    query, key, value = joint.unbind(1)
    query, key = _rotate(query, *position_embeddings), _rotate(key, *position_embeddings)
    lengths = cu_seqlens.diff()
    order, pieces = [], []
    for length in sorted(set(lengths.tolist())):
        starts = cu_seqlens[:-1][lengths == length]
        at = (starts[:, None] + torch.arange(length, device=starts.device)).flatten()
        queries, keys, values = (_group_by_length(each, at, length) for each in (query, key, value))
        attended = _attend_within(queries, keys, values, attention.scaling)
        pieces.append(attended.transpose(1, 2).reshape(at.numel(), -1))
        order.append(at)
    joined = torch.cat(pieces)
    if len(order) > 1:
        joined = joined[torch.cat(order).argsort()]
    return attention.proj(joined)


def _attend_within(query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
    """Full attention within each piece."""
    if can_attend(query, key):
        return attend(query, key, value, scale=scale, is_causal=False)
    return functional.scaled_dot_product_attention(query, key, value, scale=scale)


def _group_by_length(tensor: Tensor, at: Tensor, length: int) -> Tensor:
    """(tokens, heads, width) -> (pieces of that length, heads, length, width)."""
    picked = tensor if at.numel() == tensor.shape[0] else tensor[at]
    return picked.reshape(-1, length, *tensor.shape[1:]).transpose(1, 2)


def _rotate(tensor: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary position embedding, in float32 like the model's."""
    wide = tensor.float()
    left, right = wide.chunk(2, dim=-1)
    rotated = torch.cat((-right, left), dim=-1)
    rotated = wide * cosine.unsqueeze(-2).float() + rotated * sine.unsqueeze(-2).float()
    return rotated.to(tensor.dtype)
