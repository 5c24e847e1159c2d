"""Which rows are trained together and in which order, and a batch of rows as tensors.

The order of a whole run is one list made from the seed, so that a run goes on after any step as if
it had never stopped. Rows of a batch are of nearly equal length: little is spent on padding, and
no row can see another, as it could where several are put into one sequence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import Dataset

from agent.engines.families import Vision
from agent.engines.patches import patches
from train.sft.pictures import Drawing
from train.sft.rows import ConversationRow

IGNORED = -100
PAD_TO = 64
"""Tokens: fewer shapes, for each of which libraries make and keep code of their own."""
POOL = 50
"""Batches whose rows are sorted by length together; between pools chance alone decides."""

Batch = dict[str, torch.Tensor]
Plan = list[list[int]]


def plan_run(
    lengths: Sequence[int],
    *,
    batch: int,
    batch_tokens: int,
    epochs: float,
    together: int,
    seed: int,
    steps: int = 0,
) -> Plan:
    """The numbers of the rows of each batch of a run, in its order.

    `together` batches make one step, over all devices; the last step is filled with batches of
    one more epoch.
    """
    whole, part = divmod(epochs, 1.0)
    plan: Plan = []
    for epoch in range(int(whole)):
        plan += plan_epoch(lengths, batch, batch_tokens, seed, epoch, together)
    more = plan_epoch(lengths, batch, batch_tokens, seed, int(whole), together)
    plan += more[: round(part * len(more))]
    wanted = -(-max(len(plan), 1) // together) * together
    if steps:
        wanted = min(wanted, steps * together)
    filling = more[round(part * len(more)) :] + more
    while len(plan) < wanted:
        plan += filling[: wanted - len(plan)]
    return plan[:wanted]


def plan_epoch(
    lengths: Sequence[int],
    batch: int,
    batch_tokens: int,
    seed: int,
    epoch: int,
    together: int = 1,
) -> Plan:
    """Every row once, in batches of rows of nearly equal length, in a random order.

    So are the `together` batches of one step: devices wait for the one with the longest.
    """
    rng = np.random.default_rng(np.random.SeedSequence((seed, epoch)))
    shuffled = rng.permutation(len(lengths))
    found: Plan = []
    for at in range(0, len(shuffled), POOL * batch):
        pool = sorted(shuffled[at : at + POOL * batch].tolist(), key=lambda row: lengths[row])
        found += _cut(pool, lengths, batch, batch_tokens)
    steps = [found[at : at + together] for at in range(0, len(found), together)]
    return [batch for number in rng.permutation(len(steps)) for batch in steps[number]]


def _cut(
    rows: Sequence[int], lengths: Sequence[int], most: int, most_tokens: int
) -> Iterator[list[int]]:
    """Rows in the order of their lengths as batches; a row over the budget is one of its own."""
    batch: list[int] = []
    for row in rows:
        if batch and (len(batch) == most or (len(batch) + 1) * lengths[row] > most_tokens):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def padding_share(plan: Plan, lengths: Sequence[int]) -> float:
    """Of all tokens computed."""
    padded = sum(len(rows) * max(lengths[row] for row in rows) for rows in plan)
    return 1.0 - sum(lengths[row] for rows in plan for row in rows) / padded if padded else 0.0


def split_rows(
    rows: Sequence[ConversationRow], share: float, seed: int
) -> tuple[list[ConversationRow], list[ConversationRow]]:
    """Rows to train on and rows held out: `share` of the spectra, at least one of two or more."""
    groups = sorted({row.group for row in rows})
    count = round(share * len(groups))
    if share > 0 and len(groups) > 1:
        count = min(max(count, 1), len(groups) - 1)
    rng = np.random.default_rng(np.random.SeedSequence((seed, 7)))
    held = {groups[number] for number in rng.permutation(len(groups))[:count]}
    return [row for row in rows if row.group not in held], [
        row for row in rows if row.group in held
    ]


@dataclass(frozen=True)
class Collator:
    """Rows as the tensors that the model takes; used in worker processes."""

    vision: Vision
    image_token: int
    pad_token: int
    drawing: Drawing
    half: bool = False
    """Pictures as bfloat16, for models that compute in it."""

    def __call__(self, rows: Sequence[ConversationRow], *, with_parts: bool = False) -> Batch:
        """`keep` marks tokens whose next one is trained; right of a row's end is padding, which
        causal attention keeps from being seen: no attention mask is needed."""
        shape = len(rows), -(-max(map(len, rows)) // PAD_TO) * PAD_TO
        ids = np.full(shape, self.pad_token, np.int64)
        parts = np.zeros(shape, np.uint8)
        places = np.zeros((3, *shape), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row.encoded.ids
            parts[number, : len(row)] = row.encoded.parts
            places[:, number, : len(row)] = positions(
                row.encoded.ids, self.image_token, row.grids, self.vision.merge
            )
        keep = np.zeros(shape, bool)
        keep[:, :-1] = parts[:, 1:] > 0
        tensors = {
            "input_ids": ids,
            "labels": np.where(parts > 0, ids, IGNORED),
            "position_ids": places,
            "keep": keep,
            **({"parts": parts} if with_parts else {}),
        }
        return {name: torch.from_numpy(value) for name, value in tensors.items()} | self._seen(rows)

    def _seen(self, rows: Sequence[ConversationRow]) -> Batch:
        cut = [
            patches(picture, self.vision)
            for row in rows
            for picture in self.drawing.pictures(row.record, row.pictures)
        ]
        if not cut:
            return {}
        pixels = torch.from_numpy(np.concatenate([each.rows for each in cut]))
        return {
            "pixel_values": pixels.bfloat16() if self.half else pixels,
            "image_grid_thw": torch.tensor([each.grid for each in cut]),
        }


def positions(
    ids: NDArray[np.int32], image_token: int, grids: Sequence[tuple[int, int]], merge: int
) -> NDArray[np.int64]:
    """Places in time, down and across of every token (3, tokens), as Qwen counts them: a picture
    takes as many places as its longer side."""
    columns, place, at = [], 0, 0
    for down, across in ((down // merge, across // merge) for down, across in grids):
        start = at + int(np.argmax(ids[at:] == image_token))
        columns.append(np.tile(np.arange(place, place + start - at), (3, 1)))
        place += start - at
        squares = np.indices((down, across)).reshape(2, -1)
        columns.append(place + np.vstack([np.zeros_like(squares[:1]), squares]))
        place += max(down, across)
        at = start + down * across
    columns.append(np.tile(np.arange(place, place + ids.size - at), (3, 1)))
    return np.hstack(columns)


class Batches(Dataset[Batch]):
    """Batch after batch of a plan. `with_parts` for figures."""

    def __init__(
        self,
        plan: Plan,
        rows: Sequence[ConversationRow],
        collator: Collator,
        *,
        with_parts: bool = False,
    ) -> None:
        self.plan, self.rows = plan, rows
        self.collator, self.with_parts = collator, with_parts

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, number: int) -> Batch:
        rows = [self.rows[row] for row in self.plan[number]]
        return self.collator(rows, with_parts=self.with_parts)


def only_one(batches: Sequence[Batch]) -> Batch:
    """A data loader's collate function: what it collects are whole batches, one at a time."""
    (batch,) = batches
    return batch
