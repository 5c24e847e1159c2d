"""How training went: reward, calls, length and the rest against the step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from train.journal import read_metrics
from train.report.drawing import small_multiples
from train.report.page import note, section, table

WANTED = {
    "reward": "mean reward",
    "accuracy": "share right",
    "f1": "F1",
    "well_formed": "share well-formed",
    "answered": "share answered",
    "calls": "calls a rollout",
    "tokens": "tokens a rollout",
    "groups_alike": "groups without a signal",
    "reward_std": "spread of the reward",
    "entropy": "entropy",
    "loss": "loss",
    "held_out_loss": "held-out loss",
    "held_out_verdict_accuracy": "held-out verdicts right",
    "learning_rate": "learning rate",
    "tokens_per_second": "tokens a second",
}
"""Metrics that are drawn where a run has them, and what they are called."""

Records = Sequence[Mapping[str, Any]]


def dynamics_section(runs: Sequence[Path]) -> str:
    records = {_name(path): read_metrics(path) for path in runs}
    panels = {}
    for metric, title in WANTED.items():
        series = {name: points for name, own in records.items() if (points := _of(own, metric))}
        if series:
            panels[title] = series
    if not panels:
        return section("Training", note("These runs have logged no figures yet."))
    rows = [
        (name, str(own[-1]["step"]), *(_ends(own, metric) for metric in ("loss", "reward")))
        for name, own in records.items()
        if own
    ]
    head = ("run", "steps", "loss, first to last", "reward, first to last")
    return section("Training", table(head, rows), small_multiples(panels, "step"))


def _name(path: Path) -> str:
    return path.resolve().name


def _of(records: Records, metric: str) -> list[tuple[float, float]]:
    return [
        (float(record["step"]), float(record[metric]))
        for record in records
        if isinstance(record.get(metric), int | float)
    ]


def _ends(records: Records, metric: str) -> str:
    """Means over the first and the last tenth."""
    values = [value for _, value in _of(records, metric)]
    if not values:
        return "-"
    part = max(1, len(values) // 10)
    first, last = (sum(end) / len(end) for end in (values[:part], values[-part:]))
    return f"{first:.3g} to {last:.3g}"
