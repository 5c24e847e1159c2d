"""The loss of the trained tokens, in total and by part."""

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
    """Summed cross entropy, divided by the number of trained tokens in all batches of the step.

    `outputs.logits` is (trained tokens, vocabulary); `labels` (rows, tokens) is not shifted;
    `weights` (vocabulary,) are the weights of the tokens.
    """
    expected = targets(labels)
    total = cross_entropy(outputs.logits.float(), expected, weight=weights, reduction="sum")
    return total / (expected.numel() if num_items_in_batch is None else num_items_in_batch)


def targets(labels: Tensor) -> Tensor:
    """The trained tokens, in the order of the logits."""
    return labels[:, 1:][labels[:, 1:] != IGNORED]


NUM_SUMS = 2 * len(PARTS) + 2
"""Loss and count of each part, then right verdicts and all verdicts."""


def part_sums(logits: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """(NUM_SUMS,) in float64, to be added over batches and devices."""
    expected = targets(labels)
    losses = cross_entropy(logits.float(), expected, reduction="none").double()
    kind = parts[:, 1:][labels[:, 1:] != IGNORED].long() - 1
    sums = torch.zeros(NUM_SUMS, dtype=torch.float64, device=logits.device)
    sums[: len(PARTS)].index_add_(0, kind, losses)
    sums[len(PARTS) : 2 * len(PARTS)].index_add_(0, kind, torch.ones_like(losses))
    sums[-2:] = _verdicts(logits.argmax(-1) == expected, labels, parts)
    return sums


def _verdicts(is_right: Tensor, labels: Tensor, parts: Tensor) -> Tensor:
    """Number of rows with every verdict token right, and of rows with a verdict."""
    rows = (labels[:, 1:] != IGNORED).nonzero()[:, 0]
    is_verdict = (parts[:, 1:] == VERDICT)[labels[:, 1:] != IGNORED]
    with_verdict = rows[is_verdict].unique()  # type: ignore[no-untyped-call]
    wrong = rows[is_verdict & ~is_right].unique()  # type: ignore[no-untyped-call]
    counts = [with_verdict.numel() - wrong.numel(), with_verdict.numel()]
    return torch.tensor(counts, dtype=torch.float64, device=labels.device)


def figures(sums: Tensor) -> dict[str, float]:
    """Loss per token in total and by part, and the share of right verdicts, where there are any."""
    loss, count = sums[: len(PARTS)], sums[len(PARTS) : 2 * len(PARTS)]
    found = {"loss": float(loss.sum() / count.sum())}
    for number, name in enumerate(PARTS):
        if count[number]:
            found[f"loss_{name}"] = float(loss[number] / count[number])
    if sums[-1]:
        found["verdict_accuracy"] = float(sums[-2] / sums[-1])
    return found
