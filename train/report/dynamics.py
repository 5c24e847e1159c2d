"""The section about training: loss, reward, calls and more against the step."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.rendering.charts import small_multiples
from train.journal import read_metrics
from train.report.page import note, section, table

Records = Sequence[Mapping[str, Any]]
Runs = Mapping[str, Records]


@dataclass(frozen=True)
class Chapter:
    """Runs of one kind, whose metrics are drawn in the same panels."""

    title: str
    note: str
    panels: Mapping[str, str]  # metrics to draw where a run has them, and their titles
    shares: frozenset[str]  # metrics from 0 to 1, drawn on that scale
    summed_up: tuple[str, ...]  # metrics in the table, at the first and the last steps


SFT = Chapter(
    "Fine-tuning",
    "Loss is in nats per token of the agent's turns. Thick lines are running means.",
    {
        "loss": "loss",
        "held_out_loss": "held-out loss",
        "held_out_verdict_accuracy": "held-out verdicts correct",
        "learning_rate": "learning rate",
        "tokens_per_second": "tokens per second",
    },
    frozenset({"held_out_verdict_accuracy"}),
    ("loss", "held_out_loss"),
)
RL = Chapter(
    "Reinforcement",
    "Each step is one update from fresh rollouts. The reward is 1 for a correct, well-formed "
    "answer and less otherwise. A group without a signal is a question whose rollouts all got the "
    "same reward.",
    {
        "reward": "mean reward",
        "f1": "F1",
        "accuracy": "fraction correct",
        "says_yes": "fraction YES",
        "calls": "calls per rollout",
        "tokens": "tokens per rollout",
        "well_formed": "fraction well-formed",
        "answered": "fraction answered",
        "groups_alike": "groups without a signal",
        "reward_std": "spread of the reward",
        "entropy": "entropy, nats per token",
        "loss": "loss",
        "validation/f1": "validation F1",
        "validation/accuracy": "validation, fraction correct",
        "validation/calls": "validation, calls",
    },
    frozenset(
        {"f1", "accuracy", "says_yes", "well_formed", "answered", "groups_alike"}
        | {"validation/f1", "validation/accuracy"}
    ),
    ("reward", "f1", "calls", "tokens", "validation/f1"),
)
BY_TASK = "validation/f1/"


def dynamics_section(runs: Sequence[Path]) -> str:
    records = {path.resolve().name: read_metrics(path) for path in runs}
    rewarded = {name: own for name, own in records.items() if _points(own, "reward")}
    others = {name: own for name, own in records.items() if name not in rewarded}
    return "".join([*_chapter(SFT, others), *_chapter(RL, rewarded)])


def _chapter(chapter: Chapter, runs: Runs) -> Iterator[str]:
    if not runs:
        return
    panels, shares = {}, set()
    logged = {metric for own in runs.values() for record in own for metric in record}
    by_task = sorted(metric for metric in logged if metric.startswith(BY_TASK))
    titles = {metric: f"validation F1, {metric.removeprefix(BY_TASK)}" for metric in by_task}
    for metric, title in (*chapter.panels.items(), *titles.items()):
        series = {name: points for name, own in runs.items() if (points := _points(own, metric))}
        if series:
            panels[title] = series
        if metric in chapter.shares or metric in titles:
            shares.add(title)
    if not panels:
        yield section(chapter.title, note("These runs have logged no figures yet."))
        return
    shown = [metric for metric in chapter.summed_up if chapter.panels[metric] in panels]
    head = ["run", "steps", *(chapter.panels[metric] for metric in shown)]
    rows = [
        [name, str(own[-1]["step"]), *(_ends(own, metric) for metric in shown)]
        for name, own in runs.items()
        if own
    ]
    drawn = small_multiples(panels, "step", shares)
    text = f"{chapter.note} The table has means over the first and the last tenth of the steps."
    yield section(chapter.title, note(text), table(head, rows), drawn)


def _points(records: Records, metric: str) -> list[tuple[float, float]]:
    return [
        (float(record["step"]), float(record[metric]))
        for record in records
        if isinstance(record.get(metric), int | float) and math.isfinite(record[metric])
    ]


def _ends(records: Records, metric: str) -> str:
    values = [value for _, value in _points(records, metric)]
    if not values:
        return "-"
    part = max(1, len(values) // 10)
    first, last = (sum(end) / len(end) for end in (values[:part], values[-part:]))
    return f"{first:.3g} to {last:.3g}"
