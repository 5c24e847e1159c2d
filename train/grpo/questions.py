"""Selects and orders the questions of a GRPO run."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.errors import WorkbenchError
from agent.examples.examples import column
from agent.hashing import text_hash
from train.evaluate.judgement import Judgement

Row = dict[str, Any]


def read_questions(paths: Iterable[Path]) -> list[Row]:
    """Key, hash, task and answer of every example, without its spectrum."""
    return [row for path in paths for row in column(path, "key", "sha256", "task", "answer")]


def digest(questions: Iterable[Row]) -> str:
    """A hash of the questions and their order."""
    return text_hash("\n".join(f"{row['key']} {row['sha256']}" for row in questions))


def select_uncertain(
    questions: Sequence[Row],
    judged: Iterable[Judgement],
    sure: float,
    reminders: float = 0.0,
    seed: int = 0,
) -> list[Row]:
    """The judged questions answered wrongly, or rightly with a probability below `sure`.

    If all rollouts of a question are right, there is nothing to learn from them. But the model may
    forget such questions during the run: sure YES are added until each task has `reminders` YES
    for every NO, or none are left.
    """
    is_sure: dict[str, bool] = {}
    for one in judged:
        is_sure[one.key] = _is_sure(one, sure) and is_sure.get(one.key, True)
    kept = [row for row in questions if not is_sure.get(row["key"], True)]
    rng = np.random.default_rng([seed, len(questions)])
    for task in sorted({row["task"] for row in kept}):
        answers = [row["answer"] for row in kept if row["task"] == task]
        yes, no = answers.count("YES"), answers.count("NO")
        members = (row for row in questions if (row["task"], row["answer"]) == (task, "YES"))
        spare = [row for row in members if is_sure.get(row["key"], False)]
        wanted = max(0, round(reminders * no) - yes)
        kept += [spare[index] for index in rng.permutation(len(spare))[:wanted]]
    return kept


def _is_sure(one: Judgement, sure: float) -> bool:
    if not one.is_right or one.p_yes is None:
        return False
    return max(one.p_yes, 1.0 - one.p_yes) >= sure


def training_order(questions: Sequence[Row], epochs: float, seed: int, noes: int = 1) -> list[Row]:
    """The shuffled questions of all epochs, with `noes` NO for every YES of a task.

    A YES and its NO stay together, so that no batch is biased. Every epoch draws the more frequent
    answer again. With `noes` 0 all questions are asked.
    """
    order: list[Row] = []
    for epoch in range(math.ceil(epochs)):
        groups = _groups(questions, np.random.default_rng([seed, epoch]), noes)
        share = min(1.0, epochs - epoch)
        order += [row for group in groups[: round(share * len(groups))] for row in group]
    if not order:
        raise WorkbenchError(
            "these sets have no task with both answers, so there is nothing to tell apart: add "
            "examples of the missing answer"
        )
    return order


def _groups(questions: Sequence[Row], rng: np.random.Generator, noes: int) -> list[tuple[Row, ...]]:
    groups: list[tuple[Row, ...]] = []
    for task in sorted({row["task"] for row in questions}):
        asked = [row for row in questions if row["task"] == task]
        sides = [[row for row in asked if row["answer"] == answer] for answer in ("YES", "NO")]
        yes, no = [[side[index] for index in rng.permutation(len(side))] for side in sides]
        if noes:
            groups += zip(yes, *(no[turn::noes] for turn in range(noes)), strict=False)
        elif yes and no:
            groups += [(row,) for row in asked]
    return [groups[index] for index in rng.permutation(len(groups))]


def to_prompts(rows: Iterable[Row], system_turn: str) -> list[Row]:
    """The questions as rows of TRL's dataset; the environment fills the empty user turn."""
    system = [{"type": "text", "text": system_turn}]
    turns = [{"role": "system", "content": system}, {"role": "user", "content": []}]
    return [{**row, "prompt": turns} for row in rows]
