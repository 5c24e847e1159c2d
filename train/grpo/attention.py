"""Attention over packs: every part sees what all have in common, and itself.

A mask over the whole pack would say the same, but most of what it computes it throws away, and it
grows with the square of the pack.
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
    """A pack: tokens in common, then `parts` parts of `size` tokens, blanks at their ends."""

    common: int
    parts: int
    size: int

    @property
    def length(self) -> int:
        return self.common + self.parts * self.size


def take_packs(model: Any) -> None:
    """Let the language model take `packs`, a Layout for each row; without, nothing changes."""
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
        parts = [_of_pack(each[row], pack) for each in (query, key, value)]
        pieces = []
        if pack.common:
            first = [common[None] for common, _ in parts]
            seen = attend(module, *first, None, is_causal=True, **options)[0]
            pieces.append(seen[0])
        whole = [_with_common(*each) for each in parts[1:]]
        mask = torch.ones(pack.size, pack.common + pack.size, dtype=torch.bool, device=query.device)
        mask = mask.tril(pack.common)[None, None]
        seen = attend(module, parts[0][1], *whole, mask, is_causal=False, **options)[0]
        pieces.append(seen.flatten(0, 1))
        out[row, : pack.length] = torch.cat(pieces)
    return out, None


def _of_pack(states: Tensor, pack: Layout) -> tuple[Tensor, Tensor]:
    """(heads, tokens, width) as what is common, and (parts, heads, size, width)."""
    heads, _, width = states.shape
    common = states[:, : pack.common]
    own = states[:, pack.common : pack.length]
    return common, own.reshape(heads, pack.parts, pack.size, width).transpose(0, 1)


def _with_common(common: Tensor, own: Tensor) -> Tensor:
    """(parts, heads, common + size, width)."""
    return torch.cat([common[None].expand(len(own), -1, -1, -1), own], dim=2)
