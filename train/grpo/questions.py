"""Which spectra are asked about, in which order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import WorkbenchError
from agent.protocol import SYSTEM, system_text
from train.examples import column

Row = dict[str, Any]


def read_questions(paths: Iterable[Path]) -> list[Row]:
    """Key, hash, task and answer of every example; spectra stay in their files."""
    return [row for path in paths for row in column(path, "key", "sha256", "task", "answer")]


def in_order(questions: Sequence[Row], epochs: float, seed: int) -> list[Row]:
    """The questions of all epochs, shuffled, both answers of each class equally often.

    YES and NO of a class come in pairs, so that no batch leans to one of them. The more frequent
    answer is drawn anew in every epoch.
    """
    order: list[Row] = []
    for epoch in range(math.ceil(epochs)):
        pairs = _pairs(questions, np.random.default_rng([seed, epoch]))
        share = min(1.0, epochs - epoch)
        order += [row for pair in pairs[: round(share * len(pairs))] for row in pair]
    if not order:
        raise WorkbenchError(
            "these sets hold no class with both answers: rollouts could not be told apart"
        )
    return order


def _pairs(questions: Sequence[Row], rng: np.random.Generator) -> list[tuple[Row, Row]]:
    pairs: list[tuple[Row, Row]] = []
    for task in sorted({row["task"] for row in questions}):
        asked = [row for row in questions if row["task"] == task]
        sides = [[row for row in asked if row["answer"] == answer] for answer in ("YES", "NO")]
        shuffled = [[side[place] for place in rng.permutation(len(side))] for side in sides]
        pairs += zip(*shuffled, strict=False)
    return [pairs[place] for place in rng.permutation(len(pairs))]


def as_prompts(rows: Iterable[Row], *, brief: bool = False) -> list[Row]:
    """Rows of TRL's form. The user's turn is empty: the environment fills it."""
    system = [{"type": "text", "text": SYSTEM if brief else system_text()}]
    turns = [{"role": "system", "content": system}, {"role": "user", "content": []}]
    return [{**row, "prompt": turns} for row in rows]
