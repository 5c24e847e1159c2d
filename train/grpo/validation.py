"""Judges held-out questions greedily during a run, as the model would be judged in use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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
    groups: dict[tuple[str, str], set[str]] = {}
    for row in questions:
        groups.setdefault((row["task"], row["answer"]), set()).add(row["sha256"])
    for _, group in sorted(groups.items()):
        names = sorted(group)
        count = max(1, round(share * len(names))) - len(held.intersection(names))
        free = [name for name in names if name not in held]
        held.update(free[index] for index in rng.permutation(len(free))[: max(0, count)])
    trained = [row for row in questions if row["sha256"] not in held]
    return trained, [row for row in questions if row["sha256"] in held]


@dataclass(eq=False)
class Validator(TrainerCallback):
    """Judges the held-out questions every `every` updates; each process judges its part of them."""

    trainer: SpectrumTrainer
    questions: Sequence[Row]
    store: ExampleStore
    judge: TokenJudge
    penalty: float
    every: int
    record: Journal | None

    def on_step_end(self, args: Any, state: Any, control: Any, **unused: Any) -> None:
        if state.global_step % self.every == 0:
            figures = self._figures()
            if self.record is not None:
                self.record.log(int(state.global_step), **figures)

    def _figures(self) -> dict[str, float]:
        accelerator = self.trainer.accelerator
        rank, processes = accelerator.process_index, accelerator.num_processes
        # Every process has at least one: loading new weights into vLLM takes all of them.
        count = len(self.questions)
        own = range(rank, count, processes) if rank < count else range(rank % count, count, count)
        pictures = self.trainer.rollout_settings.pictures
        rows = (self.questions[number] for number in own)
        asked = [
            (pictures.maker(self.store[row["sha256"]]), find_task(row["task"])) for row in rows
        ]
        said = [self.judge(ids) for ids in self.trainer.judge_greedily(asked)]
        found = [
            (number, one.verdict, one.reading.is_well_formed, one.calls)
            for number, one in zip(own, said, strict=True)
        ]
        together = sorted({each[0]: each for each in gather_object(found)}.values())
        readings = [Reading(verdict, is_well_formed) for _, verdict, is_well_formed, _ in together]
        figures = validation_figures(readings, self.questions, self.penalty)
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
