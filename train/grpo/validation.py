"""Judges held-out questions greedily during a run, as the model would be judged in use."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
from accelerate.utils import gather_object
from transformers import TrainerCallback

from agent.examples.examples import ExampleStore
from agent.protocol.reply import Verdict
from agent.tasks.catalogue import find_task
from train.grpo.judging import TokenJudge, f1_of
from train.grpo.questions import Row
from train.grpo.trainer import SpectrumTrainer
from train.journal import Journal
from train.reward import Reading

PREFIX = "validation/"


def hold_out(questions: Sequence[Row], share: float, seed: int) -> tuple[list[Row], list[Row]]:
    """The questions to train on, and those held out: a share of each task's YES and NO.

    All questions about a spectrum are on the same side.
    """
    if not share:
        return list(questions), []
    rng = np.random.default_rng([seed, 6])
    held: set[str] = set()
    for task, answer in sorted({(row["task"], row["answer"]) for row in questions}):
        names = sorted(
            {row["sha256"] for row in questions if (row["task"], row["answer"]) == (task, answer)}
        )
        count = max(1, round(share * len(names))) - len(held.intersection(names))
        free = [name for name in names if name not in held]
        held.update(free[index] for index in rng.permutation(len(free))[: max(0, count)])
    return (
        [row for row in questions if row["sha256"] not in held],
        [row for row in questions if row["sha256"] in held],
    )


class Validator(TrainerCallback):
    """Judges the held-out questions every `every` updates; each process judges its part of them."""

    def __init__(
        self,
        trainer: SpectrumTrainer,
        questions: Sequence[Row],
        store: ExampleStore,
        *,
        judge: TokenJudge,
        penalty: float,
        every: int,
        record: Journal | None,
    ) -> None:
        self._trainer = trainer
        self._questions = questions
        self._store = store
        self._judge = judge
        self._penalty = penalty
        self._every = every
        self._record = record

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if state.global_step % self._every == 0:
            figures = self._figures()
            if self._record is not None:
                self._record.log(int(state.global_step), **figures)

    def _figures(self) -> dict[str, float]:
        accelerator = self._trainer.accelerator
        rank, processes = accelerator.process_index, accelerator.num_processes
        # Every process has at least one: loading new weights into vLLM takes all of them.
        count = len(self._questions)
        own = range(rank, count, processes) if rank < count else range(rank % count, count, count)
        asked = [
            (
                self._trainer.rollout_settings.pictures.maker(
                    self._store[self._questions[number]["sha256"]]
                ),
                find_task(self._questions[number]["task"]),
            )
            for number in own
        ]
        said = [self._judge(ids) for ids in self._trainer.judge_greedily(asked)]
        found = [
            (number, one.verdict, one.reading.is_well_formed, one.calls)
            for number, one in zip(own, said, strict=True)
        ]
        together = sorted({each[0]: each for each in gather_object(found)}.values())
        readings = [Reading(verdict, is_well_formed) for _, verdict, is_well_formed, _ in together]
        figures = validation_figures(readings, self._questions, self._penalty)
        return figures | {f"{PREFIX}calls": fmean(calls for *_, calls in together)}


def validation_figures(
    readings: Sequence[Reading], questions: Sequence[Row], penalty: float
) -> dict[str, float]:
    """Reward, accuracy, form and F1; `f1` is the mean over the tasks that have a member."""
    answers: list[Verdict] = [row["answer"] for row in questions]
    tasks = [row["task"] for row in questions]
    scores = {}
    for task in sorted(set(tasks)):
        actual = [answer == "YES" for answer, of in zip(answers, tasks, strict=True) if of == task]
        said = [one.verdict == "YES" for one, of in zip(readings, tasks, strict=True) if of == task]
        if any(actual):
            scores[f"{PREFIX}f1/{task}"] = f1_of(said, actual)
    pairs = list(zip(readings, answers, strict=True))
    figures = {
        "reward": fmean(one.reward(answer, penalty) for one, answer in pairs),
        "accuracy": fmean(one.verdict == answer for one, answer in pairs),
        "answered": fmean(one.verdict is not None for one in readings),
        "well_formed": fmean(one.is_well_formed for one in readings),
    }
    if scores:
        figures["f1"] = fmean(scores.values())
    return {f"{PREFIX}{name}": value for name, value in figures.items()} | scores
