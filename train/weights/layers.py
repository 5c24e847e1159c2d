"""Fitting all weights on one set of draws: those of the kinds and those of the tasks."""

from __future__ import annotations

from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from agent.evidence.assessment import MAX_LOG_ODDS
from agent.evidence.kinds import Kinds, builtin_kinds
from agent.evidence.weights import TaskWeights
from agent.spectra.spectrum import FloatArray
from agent.tasks.task import Task
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.weights.draws import Draws
from train.weights.fit import Prior, fit_kinds, fit_task

N_FOLDS = 3
RIDGE = 4.0
ODDS = 5.0
"""Contaminants per member of the class in a candidate list."""
BACKGROUND = 0.1
"""Weight of a kind that is no listed contaminant, relative to the mean contaminant."""


def fit_all(
    draws: Draws, tasks: tuple[Task, ...], seed: int
) -> tuple[Kinds, dict[str, TaskWeights]]:
    """The weights of the kinds, and of every task on out-of-fold scores of the kinds.

    The steps stay those in the box: what models were taught to say are ranks among them.
    """
    kept = builtin_kinds()
    scores = out_of_fold(draws, seed, kept)
    found = {}
    start = 0
    for task in tasks:
        claims = draws.evidence[:, start : start + len(task.evidence)]
        start += len(task.evidence)
        kind = kind_log_odds(scores, task.id)
        counts = candidate_weights(draws.labels, task.id)
        intercept, kind_weight, weights = fit_task(
            claims, kind, draws.labels == task.id, counts, Prior()
        )
        named = {e.id: float(w) for e, w in zip(task.evidence, weights, strict=True)}
        found[task.id] = TaskWeights(
            intercept=intercept, kind=kind_weight, claims=MappingProxyType(named), is_fitted=True
        )
    kinds = fit_kinds(draws.values, draws.errors, draws.labels, RIDGE, LABELS, seed, kept)
    return kinds, found


def out_of_fold(draws: Draws, seed: int, kept: Kinds | None = None) -> FloatArray:
    """Scores of every spectrum from a fit without it; (spectra, labels)."""
    fold = np.random.default_rng(seed).integers(N_FOLDS, size=len(draws))
    scores = np.empty((len(draws), len(LABELS)))
    for number in range(N_FOLDS):
        rest = draws.part(fold != number)
        kinds = fit_kinds(rest.values, rest.errors, rest.labels, RIDGE, LABELS, seed, kept)
        in_fold = fold == number
        scores[in_fold] = kinds.scores(kinds.terms(draws.values[in_fold], draws.errors[in_fold]))
    return scores


def kind_log_odds(scores: FloatArray, label: str) -> FloatArray:
    index = LABELS.index(label)
    others = np.delete(scores, index, axis=1)
    odds = scores[:, index] - np.logaddexp.reduce(others, axis=1)
    return np.asarray(np.clip(odds, -MAX_LOG_ODDS, MAX_LOG_ODDS))


def candidate_weights(labels: NDArray[np.str_], task_id: str) -> FloatArray:
    """Relative frequency of each spectrum in a candidate list of the class, with a mean of 1."""
    named = CONTAMINANTS[task_id]
    background = BACKGROUND * sum(named.values()) / len(named)
    share = {label: named.get(label, background) for label in LABELS if label != task_id}
    total = sum(share.values())
    counts = np.array(
        [1.0 if label == task_id else ODDS * share[label] / total for label in labels.tolist()]
    )
    return np.asarray(counts / counts.mean())
