"""Rollouts of one question as one sequence: what they have in common is computed once.

The beginning, then every rollout's own part after it; a mask keeps the parts from seeing each
other, and each part has the positions it would have alone. Log-probabilities and gradients are
those of the rollouts one by one. The prompt with its picture is most of what a short rollout
reads, so that this is the larger part of the work saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import pad

from train.grpo.memory import positions

UNSCORED = -100


@dataclass(frozen=True, eq=False)
class Packed:
    """Rows of packs, blanks at their ends. `own` says, for each rollout in the order they came,
    its row, where its part begins there (with the token before its first), and how many tokens
    it has after the prompt."""

    ids: Tensor
    places: Tensor
    """(3, rows, tokens)."""
    sees: Tensor
    """(rows, 1, tokens, tokens): which token attends to which."""
    labels: Tensor
    pictures: list[int]
    """Numbers of the pictures to be shown, in the order of their tokens."""
    own: list[tuple[int, int, int]]


@dataclass(frozen=True, eq=False)
class Row:
    """A rollout. `grids` of its pictures in order; `first` is the number of the first of them."""

    prompt: list[int]
    completion: list[int]
    grids: list[tuple[int, int, int]]
    first: int


def pack(rows: Sequence[Row], pictures: Sequence[Tensor], config: Any) -> Packed:
    """Neighbours with the same prompt and the same pictures in it become one pack."""
    packs: list[_Pack] = []
    own: list[tuple[int, int, int]] = []
    for row in rows:
        if not packs or not packs[-1].fits(row, pictures):
            packs.append(_Pack(row, config))
        own.append((len(packs) - 1, *packs[-1].add(row)))
    longest = max(len(one.ids) for one in packs)
    ids = torch.zeros((len(packs), longest), dtype=torch.long)
    labels = torch.full_like(ids, UNSCORED)
    places = torch.zeros((3, *ids.shape), dtype=torch.long)
    sees = torch.eye(longest, dtype=torch.bool).repeat(len(packs), 1, 1, 1)
    for number, one in enumerate(packs):
        size = len(one.ids)
        ids[number, :size] = torch.tensor(one.ids)
        labels[number, :size] = torch.tensor(one.labels)
        places[:, number, :size] = torch.cat(one.places, dim=1)
        sees[number, 0, :size, :size] = one.sees()
    return Packed(ids, places, sees, labels, [n for one in packs for n in one.pictures], own)


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
    ids: Tensor,
    mask: Tensor,
    width: int,
    grids: Sequence[tuple[int, int, int]],
    counts: Sequence[int],
) -> list[Row]:
    """Rollouts as TRL lays them out: (rollouts, tokens), `width` of them after the prompts, blanks
    before the prompts and at the ends; `counts` of their pictures."""
    rows, first = [], 0
    for tokens, real, count in zip(ids.cpu(), mask.cpu().bool(), counts, strict=True):
        rows.append(
            Row(
                prompt=tokens[:-width][real[:-width]].tolist(),
                completion=tokens[-width:][real[-width:]].tolist(),
                grids=list(grids[first : first + count]),
                first=first,
            )
        )
        first += count
    return rows


class _Pack:
    def __init__(self, row: Row, config: Any) -> None:
        self._config = config
        self._prompt = row.prompt
        self._seen = _pictures_in(row.prompt, row.grids, config)
        self._grids = row.grids[: self._seen]
        self.pictures = list(range(row.first, row.first + self._seen))
        # the last token of the prompt stands before every part: it says the part's first token
        places, self._position = positions(row.prompt[:-1], self._grids, config, 0)
        self.ids = row.prompt[:-1]
        self.labels = [UNSCORED] * len(self.ids)
        self.places = [places]
        self._cuts = [len(self.ids)]

    def fits(self, row: Row, pictures: Sequence[Tensor]) -> bool:
        """Questions of one class differ in the picture alone."""
        if row.prompt != self._prompt or row.grids[: self._seen] != self._grids:
            return False
        first = self.pictures[0] if self._seen else 0
        return all(
            torch.equal(pictures[first + number], pictures[row.first + number])
            for number in range(self._seen)
        )

    def add(self, row: Row) -> tuple[int, int]:
        """Where its part begins, and how many tokens it has after the prompt."""
        part = [self._prompt[-1], *row.completion]
        places, _ = positions(part, row.grids[self._seen :], self._config, self._position)
        start = len(self.ids)
        self.ids = self.ids + part
        self.labels += [UNSCORED, *row.completion]
        self.places.append(places)
        self.pictures += range(row.first + self._seen, row.first + len(row.grids))
        self._cuts.append(len(self.ids))
        return start, len(row.completion)

    def sees(self) -> Tensor:
        size, common = len(self.ids), self._cuts[0]
        part = torch.zeros(size, dtype=torch.long)
        for number, (start, end) in enumerate(pairwise(self._cuts), 1):
            part[start:end] = number
        same = part[:, None] == part[None, :]
        same[:, :common] = True
        return same.tril()


def _pictures_in(ids: Sequence[int], grids: Sequence[tuple[int, int, int]], config: Any) -> int:
    """How many of the pictures have their tokens in `ids`."""
    left = ids.count(config.image_token_id)
    merged = int(config.vision_config.spatial_merge_size) ** 2
    count = 0
    while left > 0:
        left -= grids[count][1] * grids[count][2] // merged
        count += 1
    return count
