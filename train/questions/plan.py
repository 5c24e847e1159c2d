"""The tasks that are asked about each class, with a fixed ratio of YES and NO for every task.

A spectrum of a class with a task is asked its own task (YES), one that it contaminates (NO), or
both; any other spectrum is asked one task (NO).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from agent.protocol.reply import Verdict
from train.questions.settings import QuestionSettings
from train.simulate.campaign import CONTAMINANTS
from train.simulate.campaign import Settings as Campaign
from train.simulate.sky import LABELS
from train.simulate.source import Rng, Source

TEMPERATURES = {"A": (7400.0, 10400.0), "B": (10400.0, 30500.0), "O": (30500.0, np.inf)}
"""Limits of the classes of hot stars, kelvin."""
NEAR = 0.04
"""Relative distance in temperature from a limit within which the class is ambiguous."""
BETWEEN = {("SS", "MS"): "MG", ("SS", "SC"): "CS"}
"""Subtypes that also belong to a second class."""


@dataclass(frozen=True)
class AskedClass:
    """A class and the tasks asked about one spectrum of it."""

    label: str
    tasks: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Plan:
    """Kinds of spectra and surveys, with their odds."""

    kinds: tuple[AskedClass, ...]
    odds: NDArray[np.float64]
    surveys: tuple[str, ...]
    survey_odds: NDArray[np.float64]

    def draw(self, rng: Rng) -> tuple[AskedClass, str]:
        kind = self.kinds[int(rng.choice(len(self.kinds), p=self.odds))]
        return kind, self.surveys[int(rng.choice(len(self.surveys), p=self.survey_odds))]


def answer_of(label: str, task: str) -> Verdict:
    return "YES" if label == task else "NO"


@lru_cache(maxsize=8)
def plan_of(settings: QuestionSettings) -> Plan:
    odds: dict[AskedClass, float] = {}
    noes = {task: negatives(task, settings.hard) for task in settings.tasks}
    for label in LABELS:
        asked = {task: settings.noes * noes[task].get(label, 0.0) for task in settings.tasks}
        total = sum(asked.values())
        own = 1.0 if label in settings.tasks else 0.0
        both = min(settings.both * own, own / total) if total else 0.0
        if own:
            odds[AskedClass(label, (label,))] = own - both * total
        for task, share in asked.items():
            if share:
                odds[AskedClass(label, (task,))] = (1.0 - both) * share
                odds[AskedClass(label, (label, task))] = both * share
    kinds = tuple(kind for kind, share in odds.items() if share > 0)
    shares = np.array([odds[kind] for kind in kinds])
    seen_by = Campaign(seed=0, count=1, survey=settings.survey).shares
    survey_shares = np.array(list(seen_by.values()))
    return Plan(kinds, shares / shares.sum(), tuple(seen_by), survey_shares / survey_shares.sum())


def negatives(task: str, hard_share: float) -> dict[str, float]:
    """Share of each class among the NO of a task, `hard_share` of them hard negatives."""
    weights = CONTAMINANTS[task]
    others = [label for label in LABELS if label != task]
    shares = {label: (1.0 - hard_share) / len(others) for label in others}
    for label, weight in weights.items():
        shares[label] += hard_share * weight / sum(weights.values())
    return shares


def is_open(source: Source, task: str) -> bool:
    """Whether YES is a defensible answer although the source has another label."""
    if source.label == task:
        return False
    if source.label == "NEBULA":
        return source.subtype == f"nebula over {task}"
    if BETWEEN.get((source.label, source.subtype)) == task:
        return True
    kelvin = source.parameters.get("kelvin")
    if source.label not in ("F", *TEMPERATURES) or task not in TEMPERATURES or kelvin is None:
        return False
    low, high = TEMPERATURES[task]
    return low * (1.0 - NEAR) < float(kelvin) < high * (1.0 + NEAR)
