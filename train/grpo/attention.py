"""Attention over packs: every part attends to the shared prefix and to itself.

A mask over the whole pack would give the same numbers, but it grows with the square of the pack and
most of its products are thrown away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "packs"


@dataclass(frozen=True)
class Layout:
    """Token counts of a pack: a shared prefix, then `parts` parts padded to `size` tokens each."""

    prefix: int
    parts: int
    size: int

    @property
    def length(self) -> int:
        return self.prefix + self.parts * self.size


def enable_packs(model: Any) -> None:
    """Let the language model accept `packs`, a Layout for each row; without it nothing changes."""
    AttentionInterface.register(NAME, _attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    model.config.get_text_config()._attn_implementation = NAME


def _attend(
    module: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    packs: Sequence[Layout] | None = None,
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    """(rows, heads, tokens, width) in, (rows, tokens, heads, width) out."""
    if packs is None:
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    options.pop("is_causal", None)
    attend: Any = sdpa_attention_forward
    rows, heads, tokens, width = query.shape
    out = query.new_zeros((rows, tokens, heads, width))
    for row, pack in enumerate(packs):
        parts = [_split_pack(each[row], pack) for each in (query, key, value)]
        pieces = []
        if pack.prefix:
            first = [prefix[None] for prefix, _ in parts]
            attended = attend(module, *first, None, is_causal=True, **options)[0]
            pieces.append(attended[0])
        whole = [_with_prefix(*each) for each in parts[1:]]
        mask = torch.ones(pack.size, pack.prefix + pack.size, dtype=torch.bool, device=query.device)
        mask = mask.tril(pack.prefix)[None, None]
        attended = attend(module, parts[0][1], *whole, mask, is_causal=False, **options)[0]
        pieces.append(attended.flatten(0, 1))
        out[row, : pack.length] = torch.cat(pieces)
    return out, None


def _split_pack(states: Tensor, pack: Layout) -> tuple[Tensor, Tensor]:
    """Split (heads, tokens, width) into the prefix and (parts, heads, size, width)."""
    heads, _, width = states.shape
    prefix = states[:, : pack.prefix]
    parts = states[:, pack.prefix : pack.length]
    return prefix, parts.reshape(heads, pack.parts, pack.size, width).transpose(0, 1)


def _with_prefix(prefix: Tensor, parts: Tensor) -> Tensor:
    """(parts, heads, prefix + size, width)."""
    return torch.cat([prefix[None].expand(len(parts), -1, -1, -1), parts], dim=2)
