"""Which spectra are asked about, in which order."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.protocol.protocol import SYSTEM, system_text
from train.evaluate.judgement import Judgement
from train.examples import column

Row = dict[str, Any]


def read_questions(paths: Iterable[Path]) -> list[Row]:
    """Key, hash, task and answer of every example; spectra stay in their files."""
    return [row for path in paths for row in column(path, "key", "sha256", "task", "answer")]


def digest(questions: Iterable[Row]) -> str:
    """The same only for the same questions in the same order."""
    text = "\n".join(f"{row['key']} {row['sha256']}" for row in questions)
    return text_hash(text)


def doubtful(
    questions: Sequence[Row],
    judged: Iterable[Judgement],
    sure: float,
    reminders: float = 0.0,
    seed: int = 0,
) -> list[Row]:
    """Those that a judge got wrong, or right with less than `sure`; it must have judged them.

    Where all rollouts of a question are right there is nothing to learn from them, unless the
    model has come to doubt it since: of each class there are `reminders` YES for every NO, as far
    as there are so many, drawn from what was surely right.
    """
    certain: dict[str, bool] = {}
    for one in judged:
        certain[one.key] = _is_sure(one, sure) and certain.get(one.key, True)
    kept = [row for row in questions if not certain.get(row["key"], True)]
    rng = np.random.default_rng([seed, len(questions)])
    for task in sorted({row["task"] for row in kept}):
        yes, no = [
            sum(row["task"] == task and row["answer"] == answer for row in kept)
            for answer in ("YES", "NO")
        ]
        spare = [
            row
            for row in questions
            if row["task"] == task and row["answer"] == "YES" and certain.get(row["key"], False)
        ]
        wanted = max(0, round(reminders * no) - yes)
        kept += [spare[place] for place in rng.permutation(len(spare))[:wanted]]
    return kept


def _is_sure(one: Judgement, sure: float) -> bool:
    if not one.is_right or one.p_yes is None:
        return False
    return max(one.p_yes, 1.0 - one.p_yes) >= sure


def in_order(questions: Sequence[Row], epochs: float, seed: int, noes: int = 1) -> list[Row]:
    """The questions of all epochs, shuffled, `noes` with the answer NO to every YES of a class.

    They come together, so that no batch leans to one of them. The more frequent answer is drawn
    anew in every epoch. With `noes` 0 all are asked, as many of each as there are.
    """
    order: list[Row] = []
    for epoch in range(math.ceil(epochs)):
        groups = _groups(questions, np.random.default_rng([seed, epoch]), noes)
        share = min(1.0, epochs - epoch)
        order += [row for group in groups[: round(share * len(groups))] for row in group]
    if not order:
        raise WorkbenchError(
            "these sets hold no class with both answers: rollouts could not be told apart"
        )
    return order


def _groups(questions: Sequence[Row], rng: np.random.Generator, noes: int) -> list[tuple[Row, ...]]:
    groups: list[tuple[Row, ...]] = []
    for task in sorted({row["task"] for row in questions}):
        asked = [row for row in questions if row["task"] == task]
        sides = [[row for row in asked if row["answer"] == answer] for answer in ("YES", "NO")]
        yes, no = [[side[place] for place in rng.permutation(len(side))] for side in sides]
        if noes:
            groups += zip(yes, *(no[turn::noes] for turn in range(noes)), strict=False)
        elif yes and no:
            groups += [(row,) for row in asked]
    return [groups[place] for place in rng.permutation(len(groups))]


def as_prompts(rows: Iterable[Row], *, brief: bool = False) -> list[Row]:
    """Rows of TRL's form. The user's turn is empty: the environment fills it."""
    system = [{"type": "text", "text": SYSTEM if brief else system_text()}]
    turns = [{"role": "system", "content": system}, {"role": "user", "content": []}]
    return [{**row, "prompt": turns} for row in rows]
