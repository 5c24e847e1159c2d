"""Rollouts of one question as one sequence: what they have in common is computed once.

The beginning, then every rollout's own part after it; parts do not see each other, and each has
the positions it would have alone. Log-probabilities and gradients are those of the rollouts one by
one. The prompt with its picture is most of what a short rollout reads, and most of the work saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from train.grpo.attention import Layout
from train.grpo.kv_cache import positions

UNSCORED = -100

Grid = tuple[int, int, int]


@dataclass(frozen=True, eq=False)
class Packed:
    """Rows of packs, blanks at their ends. `own` says, for each rollout in the order they came,
    its row, where its part begins there (with the token before its first), and how many tokens
    it has after the prompt."""

    ids: Tensor
    places: Tensor
    """(3, rows, tokens)."""
    labels: Tensor
    layouts: list[Layout]
    pictures: list[int]
    """Numbers of the pictures to be shown, in the order of their tokens."""
    own: list[tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class RolloutRow:
    """A rollout. `grids` of its pictures in order; `first` is the number of the first of them."""

    prompt: list[int]
    completion: list[int]
    grids: list[Grid]
    first: int


def pack(rows: Sequence[RolloutRow], pictures: Sequence[Tensor], config: Any) -> Packed:
    """Neighbours with the same prompt and the same pictures in it become one pack."""
    packs: list[list[RolloutRow]] = []
    for row in rows:
        if packs and _are_alike(packs[-1][0], row, pictures, config):
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
    places = torch.zeros((3, *ids.shape), dtype=torch.long)
    shown: list[int] = []
    own: list[tuple[int, int, int]] = []
    for number, (one, layout) in enumerate(zip(packs, layouts, strict=True)):
        prompt, seen = one[0].prompt, _seen_in_prompt(one[0], config)
        # the last token of the prompt stands before every part: it says the part's first token
        common, last = prompt[:-1], prompt[-1]
        ids[number, : layout.common] = torch.tensor(common)
        places[:, number, : layout.common], after = positions(
            common, one[0].grids[:seen], config, 0
        )
        shown += range(one[0].first, one[0].first + seen)
        for part, row in enumerate(one):
            start = layout.common + part * layout.size
            end = start + 1 + len(row.completion)
            ids[number, start:end] = torch.tensor([last, *row.completion])
            labels[number, start + 1 : end] = torch.tensor(row.completion)
            places[:, number, start:end], _ = positions(
                [last, *row.completion], row.grids[seen:], config, after
            )
            shown += range(row.first + seen, row.first + len(row.grids))
            own.append((number, start, len(row.completion)))
    return Packed(ids, places, labels, layouts, shown, own)


def unpack(values: Tensor, packed: Packed, width: int) -> Tensor:
    """Values of the token after each place, (rows, tokens - 1), as (rollouts, width): of the
    tokens after the prompts, 0 where there are no more."""
    return torch.stack(
        [
            pad(values[row, start : start + size], (0, width - size))
            for row, start, size in packed.own
        ]
    )


def rows_of(
    ids: Tensor, mask: Tensor, width: int, grids: Sequence[Grid], counts: Sequence[int]
) -> list[RolloutRow]:
    """Rollouts as TRL lays them out: (rollouts, tokens), `width` of them after the prompts, blanks
    before the prompts and at the ends; `counts` of their pictures."""
    rows, first = [], 0
    for tokens, real, count in zip(ids.cpu(), mask.cpu().bool(), counts, strict=True):
        rows.append(
            RolloutRow(
                prompt=tokens[:-width][real[:-width]].tolist(),
                completion=tokens[-width:][real[-width:]].tolist(),
                grids=list(grids[first : first + count]),
                first=first,
            )
        )
        first += count
    return rows


def _are_alike(one: RolloutRow, other: RolloutRow, pictures: Sequence[Tensor], config: Any) -> bool:
    """Whether they begin alike. Questions of one class differ in the picture alone."""
    seen = _seen_in_prompt(one, config)
    return (
        one.prompt == other.prompt
        and one.grids[:seen] == other.grids[:seen]
        and all(
            torch.equal(pictures[one.first + number], pictures[other.first + number])
            for number in range(seen)
        )
    )


def _seen_in_prompt(row: RolloutRow, config: Any) -> int:
    """How many of its pictures have their tokens in the prompt."""
    left = row.prompt.count(config.image_token_id)
    merged = int(config.vision_config.spatial_merge_size) ** 2
    count = 0
    while left > 0:
        left -= row.grids[count][1] * row.grids[count][2] // merged
        count += 1
    return count
