"""The loss of the tokens that are trained, and how it falls apart by what they belong to."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from train.sft.batches import IGNORED
from train.sft.encoding import PARTS, VERDICT


def token_loss(
    outputs: Any,
    labels: Tensor,
    num_items_in_batch: Tensor | int | None = None,
    weights: Tensor | None = None,
) -> Tensor:
    """Summed over the tokens and divided by how many there are in all batches of the step.

    `outputs.logits` (trained tokens, vocabulary); `labels` (rows, tokens), not shifted. `weights`
    (vocabulary,) is how much each token counts.
    """
    wanted = targets(labels)
    total = cross_entropy(outputs.logits.float(), wanted, weight=weights, reduction="sum")
    return total / (wanted.numel() if num_items_in_batch is None else num_items_in_batch)


def targets(labels: Tensor) -> Tensor:
    """The trained tokens in the order of their logits."""
    return labels[:, 1:][labels[:, 1:] != IGNORED]


SUMS = 2 * len(PARTS) + 2
"""Loss and count of each part, then verdicts right and verdicts."""


def part_sums(logits: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """(SUMS,) in float64, to be added up over batches and devices."""
    wanted = targets(labels)
    losses = cross_entropy(logits.float(), wanted, reduction="none").double()
    kind = parts[:, 1:][labels[:, 1:] != IGNORED].long() - 1
    sums = torch.zeros(SUMS, dtype=torch.float64, device=logits.device)
    sums[: len(PARTS)].index_add_(0, kind, losses)
    sums[len(PARTS) : 2 * len(PARTS)].index_add_(0, kind, torch.ones_like(losses))
    sums[-2:] = _verdicts(logits.argmax(-1) == wanted, labels, parts)
    return sums


def _verdicts(is_right: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """How many rows would have got every token of their verdict right, and how many have one."""
    of_row = (labels[:, 1:] != IGNORED).nonzero()[:, 0]
    is_verdict = (parts[:, 1:] == VERDICT)[labels[:, 1:] != IGNORED]
    having = of_row[is_verdict].unique()  # type: ignore[no-untyped-call]
    missed = of_row[is_verdict & ~is_right].unique()  # type: ignore[no-untyped-call]
    counts = [having.numel() - missed.numel(), having.numel()]
    return torch.tensor(counts, dtype=torch.float64, device=labels.device)


def figures(sums: Tensor) -> dict[str, float]:
    """Loss a token in all and by part, and the share of right verdicts; only what there was."""
    loss, count = sums[: len(PARTS)], sums[len(PARTS) : 2 * len(PARTS)]
    found = {"loss": float(loss.sum() / count.sum())}
    for number, name in enumerate(PARTS):
        if count[number]:
            found[f"loss_{name}"] = float(loss[number] / count[number])
    if sums[-1]:
        found["verdict_accuracy"] = float(sums[-2] / sums[-1])
    return found
