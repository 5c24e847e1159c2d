"""Plans the batches of a run, and turns the rows of a batch into tensors.

The seed fixes the order of the whole run, so a run can resume after any step. The rows of a batch
have nearly equal lengths, which wastes little on padding and needs no packing of several rows into
one sequence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

from agent.engines.chat_tokens import load_tokenizer
from agent.engines.families import ModelFolder, Vision
from agent.engines.patches import ImagePatches, patches, positions
from agent.errors import WorkbenchError
from agent.protocol.protocol import END_OF_TEXT, IMAGE_TOKEN
from train.sft.rows import ConversationRow, PictureSource

IGNORED = -100
# Tokens. Libraries compile and cache code for every shape, so there should be few.
PAD_TO = 64
SORTED_BATCHES = 50  # number of batches whose rows are sorted by length together

Batch = dict[str, torch.Tensor]
Plan = list[list[int]]


def plan_run(
    lengths: Sequence[int],
    *,
    batch: int,
    batch_tokens: int,
    epochs: float,
    batches_per_step: int,
    seed: int,
    steps: int = 0,
) -> Plan:
    """The row numbers of each batch of a run, in order.

    `batches_per_step` counts the batches of all devices. Batches of one more epoch fill the last
    step.
    """
    whole, part = divmod(epochs, 1.0)
    plan: Plan = []
    for epoch in range(int(whole)):
        plan += plan_epoch(lengths, batch, batch_tokens, seed, epoch, batches_per_step)
    more = plan_epoch(lengths, batch, batch_tokens, seed, int(whole), batches_per_step)
    plan += more[: round(part * len(more))]
    wanted = -(-max(len(plan), 1) // batches_per_step) * batches_per_step
    if steps:
        wanted = min(wanted, steps * batches_per_step)
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
    batches_per_step: int = 1,
) -> Plan:
    """Every row once, in random batches; row lengths are similar within a batch and a step."""
    rng = np.random.default_rng(np.random.SeedSequence((seed, epoch)))
    shuffled = rng.permutation(len(lengths))
    plan: Plan = []
    size = SORTED_BATCHES * batch
    for at in range(0, len(shuffled), size):
        pool = sorted(shuffled[at : at + size].tolist(), key=lambda row: lengths[row])
        plan += _batch_rows(pool, lengths, batch, batch_tokens)
    steps = [plan[at : at + batches_per_step] for at in range(0, len(plan), batches_per_step)]
    return [batch for number in rng.permutation(len(steps)) for batch in steps[number]]


def _batch_rows(
    rows: Sequence[int], lengths: Sequence[int], max_rows: int, max_tokens: int
) -> Iterator[list[int]]:
    """Batches of rows sorted by length; a row over the budget is a batch of its own."""
    batch: list[int] = []
    for row in rows:
        if batch and (len(batch) == max_rows or (len(batch) + 1) * lengths[row] > max_tokens):
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def padding_share(plan: Plan, lengths: Sequence[int]) -> float:
    """Fraction of all computed tokens that is padding."""
    padded = sum(len(rows) * max(lengths[row] for row in rows) for rows in plan)
    return 1.0 - sum(lengths[row] for rows in plan for row in rows) / padded if padded else 0.0


def split_rows(
    rows: Sequence[ConversationRow], share: float, seed: int
) -> tuple[list[ConversationRow], list[ConversationRow]]:
    """Training rows and held-out rows; `share` of the spectra, and at least one, is held out."""
    groups = sorted({row.group for row in rows})
    count = round(share * len(groups))
    if share > 0 and len(groups) > 1:
        count = min(max(count, 1), len(groups) - 1)
    rng = np.random.default_rng(np.random.SeedSequence((seed, 7)))
    held = {groups[number] for number in rng.permutation(len(groups))[:count]}
    trained = [row for row in rows if row.group not in held]
    return trained, [row for row in rows if row.group in held]


@dataclass(frozen=True)
class Collator:
    """Turns rows into the model's input tensors; runs in worker processes."""

    vision: Vision
    image_token: int
    pad_token: int
    picture_source: PictureSource
    half: bool = False  # whether pictures are bfloat16, for models that compute in it

    def __call__(self, rows: Sequence[ConversationRow], *, with_parts: bool = False) -> Batch:
        """A batch of rows; `keep` marks tokens whose next token is trained."""
        # Padding is right of each row, where causal attention hides it: no mask is needed.
        shape = len(rows), -(-max(map(len, rows)) // PAD_TO) * PAD_TO
        ids = np.full(shape, self.pad_token, np.int64)
        parts = np.zeros(shape, np.uint8)
        position_ids = np.zeros((3, *shape), np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row.encoded.ids
            parts[number, : len(row)] = row.encoded.parts
            position_ids[:, number, : len(row)] = positions(
                row.encoded.ids, self.image_token, row.grids, self.vision.merge
            )
        keep = np.zeros(shape, bool)
        keep[:, :-1] = parts[:, 1:] > 0
        tensors = {
            "input_ids": ids,
            "labels": np.where(parts > 0, ids, IGNORED),
            "position_ids": position_ids,
            "keep": keep,
            **({"parts": parts} if with_parts else {}),
        }
        batch = {name: torch.from_numpy(value) for name, value in tensors.items()}
        return batch | self._pixels(rows)

    def _pixels(self, rows: Sequence[ConversationRow]) -> Batch:
        drawn = (self.picture_source.pictures(row.record, row.pictures) for row in rows)
        pixels = pixels_of([patches(each, self.vision) for pictures in drawn for each in pictures])
        if pixels and self.half:
            pixels["pixel_values"] = pixels["pixel_values"].bfloat16()
        return pixels


def pixels_of(pictures: Sequence[ImagePatches]) -> Batch:
    """The tensors in which a model reads pictures, if there are any."""
    if not pictures:
        return {}
    rows = torch.from_numpy(np.concatenate([each.rows for each in pictures]))
    return {"pixel_values": rows, "image_grid_thw": torch.tensor([each.grid for each in pictures])}


def collator_of(folder: ModelFolder, source: PictureSource, *, half: bool) -> Collator:
    tokenizer = load_tokenizer(folder.path)
    image, padding = (token_id(tokenizer, name) for name in (IMAGE_TOKEN, END_OF_TEXT))
    return Collator(folder.vision, image, padding, source, half)


def token_id(tokenizer: Any, name: str) -> int:
    number = tokenizer.token_to_id(name)
    if number is None:
        raise WorkbenchError(f"the model's tokenizer has no {name}: it is not a Qwen tokenizer")
    return int(number)


@dataclass(frozen=True, eq=False)
class Batches(Dataset[Batch]):
    """The batches of a plan; `with_parts` adds the parts needed for figures."""

    plan: Plan
    rows: Sequence[ConversationRow]
    collator: Collator
    with_parts: bool = False

    def __len__(self) -> int:
        return len(self.plan)

    def __getitem__(self, number: int) -> Batch:
        rows = [self.rows[row] for row in self.plan[number]]
        return self.collator(rows, with_parts=self.with_parts)


def only_one(batches: Sequence[Batch]) -> Batch:
    """Collate function of a data loader whose items are whole batches."""
    (batch,) = batches
    return batch
