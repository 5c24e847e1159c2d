"""Faster versions of parts of Qwen2.5-VL and Qwen3-VL, with the same results as transformers.

- The stride of the patch convolution equals its kernel, so it is a matrix product.
- transformers calls the vision attention once per picture; here all pictures and windows of one
  size share a call.
- In bfloat16 on CPUs attention is a few large products, see below.
- Under autocast RMS norms and embeddings return float32, which the next product rounds to bfloat16
  anyway; here they return bfloat16, which halves the bytes moved between them.
- Logits, and the last layer after its attention, are computed only for trained tokens.

The first two agree up to the order of summation, the next two up to bfloat16 rounding, and the
last exactly.
"""

from collections.abc import Callable, Iterator
from functools import partial
from types import MethodType
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn import functional
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "blocks of queries"
# Larger blocks compute more masked scores, smaller ones give slower products.
BLOCK_QUERIES = 128
# The attention weights grow with the square of the number of tokens.
MAX_TOKENS = 2048


def use_fast_path(model: Any) -> None:
    """Replace parts of a model by their fast versions, in place."""
    use_fast_vision(model.model.visual)
    _use_fast_norms(model)
    model.get_input_embeddings().register_forward_hook(_cast_embeddings)
    language = model.model.language_model
    if language.config._attn_implementation == "sdpa":
        AttentionInterface.register(NAME, _causal)
        AttentionMaskInterface.register(NAME, sdpa_mask)
        language.config._attn_implementation = NAME


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
        scale = attention.scaling
        if can_attend(queries, keys):
            attended = attend(queries, keys, values, scale=scale, is_causal=False)
        else:
            attended = functional.scaled_dot_product_attention(queries, keys, values, scale=scale)
        pieces.append(attended.transpose(1, 2).reshape(at.numel(), -1))
        order.append(at)
    joined = torch.cat(pieces)
    if len(order) > 1:
        joined = joined[torch.cat(order).argsort()]
    return attention.proj(joined)


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


# Attention in bfloat16 on CPUs, as products of blocks of queries with their visible keys. torch's
# CPU kernel does not store attention weights and multiplies small tiles. For the narrow heads of
# a small model it takes two to three times as long as these few large products, and dominated a
# training step. This code stores the weights for the backward pass, so long rows are left to
# torch.
def can_attend(query: Tensor, key: Tensor) -> bool:
    """Whether block attention supports these tensors, both (..., tokens, width)."""
    is_half = query.dtype == key.dtype == torch.bfloat16
    same = query.shape == key.shape and query.shape[-2] <= MAX_TOKENS
    return is_half and same and query.device.type == "cpu"


def attend(query: Tensor, key: Tensor, value: Tensor, *, scale: float, is_causal: bool) -> Tensor:
    """Attention of tensors that `can_attend` accepts, all (rows, heads, tokens, width)."""
    attended = _BlockAttention.apply(query, key, value, scale, is_causal)  # type: ignore[no-untyped-call]
    return cast(Tensor, attended)


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
