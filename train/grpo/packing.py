"""Packs the rollouts of one question into one sequence, so that their prompt is computed once.

A pack is the prompt, then a part for each rollout. Parts do not attend to each other, and each has
the positions it would have alone: log-probabilities and gradients equal those of separate rollouts.
The prompt with its picture is most of the tokens of a short rollout, and so most of the work saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

from train.grpo.generate import positions

UNSCORED = -100

Grid = tuple[int, int, int]

NAME = "packs"


@dataclass(frozen=True, eq=False)
class Packed:
    """Packs as rows, padded at their ends.

    `parts` has, for each rollout in the given order, its row, the index in that row of the token
    before its first one, and the number of its tokens after the prompt.
    """

    ids: Tensor
    position_ids: Tensor  # (3, rows, tokens)
    labels: Tensor
    layouts: list[Layout]
    pictures: list[int]  # indices of the pictures, in the order of their tokens
    parts: list[tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class RolloutRow:
    """One rollout, with the grids of its pictures; `first` is the index of its first picture."""

    prompt: list[int]
    completion: list[int]
    grids: list[Grid]
    first: int


def pack(rows: Sequence[RolloutRow], pictures: Sequence[Tensor], config: Any) -> Packed:
    """Make one pack of neighbouring rollouts with the same prompt and pictures."""
    packs: list[list[RolloutRow]] = []
    for row in rows:
        if packs and _share_prompt(packs[-1][0], row, pictures, config):
            packs[-1].append(row)
        else:
            packs.append([row])
    layouts = [
        Layout(len(one[0].prompt) - 1, len(one), 1 + max(len(row.completion) for row in one))
        for one in packs
    ]
    longest = max(layout.length for layout in layouts)
    ids = torch.zeros((len(packs), longest), dtype=torch.long)
    labels = torch.full_like(ids, UNSCORED)
    position_ids = torch.zeros((3, *ids.shape), dtype=torch.long)
    shown: list[int] = []
    parts: list[tuple[int, int, int]] = []
    for number, (one, layout) in enumerate(zip(packs, layouts, strict=True)):
        prompt, in_prompt = one[0].prompt, _count_prompt_pictures(one[0], config)
        # The last token of the prompt is repeated before every part, to predict its first token.
        prefix, last = prompt[:-1], prompt[-1]
        ids[number, : layout.prefix] = torch.tensor(prefix)
        places, after = positions(prefix, one[0].grids[:in_prompt], config, 0)
        position_ids[:, number, : layout.prefix] = places
        shown += range(one[0].first, one[0].first + in_prompt)
        for part, row in enumerate(one):
            start = layout.prefix + part * layout.size
            end = start + 1 + len(row.completion)
            tokens = [last, *row.completion]
            ids[number, start:end] = torch.tensor(tokens)
            labels[number, start + 1 : end] = torch.tensor(row.completion)
            places, _ = positions(tokens, row.grids[in_prompt:], config, after)
            position_ids[:, number, start:end] = places
            shown += range(row.first + in_prompt, row.first + len(row.grids))
            parts.append((number, start, len(row.completion)))
    return Packed(ids, position_ids, labels, layouts, shown, parts)


def unpack(values: Tensor, packed: Packed, width: int) -> Tensor:
    """Turn values of the next token, (rows, tokens - 1), into (rollouts, width).

    The result has the tokens after the prompts, padded with 0.
    """
    cut = ((values[row, start : start + size], width - size) for row, start, size in packed.parts)
    return torch.stack([pad(part, (0, missing)) for part, missing in cut])


def split_rollouts(
    ids: Tensor, mask: Tensor, width: int, grids: Sequence[Grid], counts: Sequence[int]
) -> list[RolloutRow]:
    """Split TRL's batch, (rollouts, tokens), into its rollouts.

    The last `width` tokens of each row come after the prompt; prompts are padded on the left and
    completions on the right. `counts` are the numbers of pictures of the rollouts.
    """
    rows, first = [], 0
    for tokens, real, count in zip(ids.cpu(), mask.cpu().bool(), counts, strict=True):
        prompt = tokens[:-width][real[:-width]].tolist()
        completion = tokens[-width:][real[-width:]].tolist()
        own = list(grids[first : first + count])
        rows.append(RolloutRow(prompt=prompt, completion=completion, grids=own, first=first))
        first += count
    return rows


def _share_prompt(
    one: RolloutRow, other: RolloutRow, pictures: Sequence[Tensor], config: Any
) -> bool:
    # Questions of one task have the same text: only their pictures differ.
    in_prompt = _count_prompt_pictures(one, config)
    return (
        one.prompt == other.prompt
        and one.grids[:in_prompt] == other.grids[:in_prompt]
        and all(
            torch.equal(pictures[one.first + number], pictures[other.first + number])
            for number in range(in_prompt)
        )
    )


def _count_prompt_pictures(row: RolloutRow, config: Any) -> int:
    """The number of pictures whose tokens are in the prompt."""
    left = row.prompt.count(config.image_token_id)
    merged = int(config.vision_config.spatial_merge_size) ** 2
    count = 0
    while left > 0:
        left -= row.grids[count][1] * row.grids[count][2] // merged
        count += 1
    return count


# Attention over packs: every part attends to the shared prefix and to itself. A mask over the
# whole pack would give the same numbers, but it grows with the square of the pack and most of its
# products are thrown away.
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
        # Each part with the prefix before it, (parts, heads, prefix + size, width).
        whole = [
            torch.cat([prefix[None].expand(len(own), -1, -1, -1), own], dim=2)
            for prefix, own in parts[1:]
        ]
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
