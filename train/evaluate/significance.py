"""Tests whether one judge is better than another on the same candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from agent.confidence.scores import Estimate, f1_score
from agent.errors import WorkbenchError
from train.evaluate.figures import DRAWS, TAIL, UNDEFINED
from train.evaluate.judgement import Judgement, tasks_with_members

_OUTCOMES = ((True, True), (True, False), (False, True), (False, False))


@dataclass(frozen=True, kw_only=True)
class JudgeComparison:
    first: str
    second: str
    n: int
    only_first: int
    """Number of candidates on which only the first is right."""
    only_second: int
    p_value: float
    """McNemar's exact test, two-sided."""
    f1_difference: Estimate
    """Difference of the mean F1 over tasks, with a paired bootstrap interval."""


def compare(
    first: str, second: str, ours: Sequence[Judgement], theirs: Sequence[Judgement], seed: int = 0
) -> JudgeComparison:
    other = {one.key: one for one in theirs}
    pairs = [(one, other[one.key]) for one in ours if one.key in other]
    if not pairs:
        raise WorkbenchError(f"{first} and {second} have no candidate in common")
    only_first = sum(one.is_right and not two.is_right for one, two in pairs)
    only_second = sum(two.is_right and not one.is_right for one, two in pairs)
    return JudgeComparison(
        first=first,
        second=second,
        n=len(pairs),
        only_first=only_first,
        only_second=only_second,
        p_value=mcnemar(only_first, only_second),
        f1_difference=_difference(pairs, seed),
    )


def mcnemar(one: int, other: int) -> float:
    """Two-sided exact p-value of the numbers of candidates on which only one judge is right."""
    from scipy.stats import binomtest

    return float(binomtest(min(one, other), one + other).pvalue) if one + other else 1.0


def _difference(pairs: Sequence[tuple[Judgement, Judgement]], seed: int) -> Estimate:
    """Paired bootstrap within task and answer: both judges get the same candidates."""
    tasks = tasks_with_members(one for one, _ in pairs)
    if not tasks:
        return UNDEFINED
    strata: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
    for one, two in pairs:
        if one.task in tasks:
            verdicts = (one.verdict == "YES", two.verdict == "YES")
            strata.setdefault((one.task, one.answer), []).append(verdicts)
    rng = np.random.default_rng(seed)
    found = np.zeros((2, len(tasks), 2, 2))
    drawn = np.zeros((2, DRAWS, len(tasks), 2, 2))
    for (task, answer), verdict_pairs in strata.items():
        row, column = tasks.index(task), int(answer == "YES")
        yes = np.array(verdict_pairs).T
        # Drawing counts of the four pairs of verdicts equals drawing candidates, and is faster.
        kinds = np.array([int(((yes[0] == a) & (yes[1] == b)).sum()) for a, b in _OUTCOMES])
        counts = rng.multinomial(kinds.sum(), kinds / kinds.sum(), DRAWS)
        for judge in range(2):
            is_yes = np.array([kind[judge] for kind in _OUTCOMES])
            found[judge, row, column] = kinds[~is_yes].sum(), kinds[is_yes].sum()
            drawn[judge, :, row, column, 0] = counts[:, ~is_yes].sum(axis=1)
            drawn[judge, :, row, column, 1] = counts[:, is_yes].sum(axis=1)
    value, draws = (np.nan_to_num(f1_score(each)).mean(axis=-1) for each in (found, drawn))
    low, high = np.quantile(draws[0] - draws[1], [TAIL, 1.0 - TAIL])
    return Estimate(float(value[0] - value[1]), float(low), float(high))
