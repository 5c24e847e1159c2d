"""Statistics of the reviews: agreement of raters, scores, approvals and preferred sources."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from agent.confidence.scores import wilson
from agent.ratings.rubric import CRITERIA, HIGHEST
from train.review.review_rules import ROLES, STAGES, Case, Review
from train.review.statistics import Wins, preference, spearman


def figures(cases: Iterable[Case]) -> dict[str, Any]:
    """All figures of a pool as plain values; None where there are too few reviews."""
    every = list(cases)
    given = [review for case in every for review in case.reviews]
    stages = Counter(case.stage for case in every)
    return {
        "trajectories": len(every),
        "stages": {stage: stages[stage] for stage in STAGES},
        "void_reviews": sum(len(case.void_reasons) for case in every),
        "revised": sum(any(review.replies for review in case.reviews) for case in every),
        "approvals": {role: _approvals([r for r in given if r.role == role]) for role in ROLES},
        "scores": {score: _distribution(given, score) for score in CRITERIA},
        "agreement": _agreement(every),
        "sources": _sources(every),
        "preference": preference(_wins(every)),
    }


def _wins(cases: Sequence[Case]) -> Wins:
    """Wins between sources, from one rater's scores of trajectories of one spectrum and task."""
    groups: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for case in cases:
        about = case.trajectory
        for by, total in _totals(case).items():
            groups[about.spectrum.sha256, about.task, by].setdefault(about.model.name, total)
    wins: defaultdict[tuple[str, str], float] = defaultdict(float)
    for scored in groups.values():
        for first, second in combinations(sorted(scored), 2):
            won = 0.5 + 0.5 * float(np.sign(scored[first] - scored[second]))
            wins[first, second] += won
            wins[second, first] += 1.0 - won
    return wins


def _totals(case: Case) -> dict[str, int]:
    """Sum of both scores by rater; a rater's last review counts."""
    return {review.by: review.total for review in case.reviews if review.total is not None}


def _approvals(given: Sequence[Review]) -> dict[str, Any]:
    ayes = sum(review.approve for review in given)
    low, high = wilson(ayes, len(given))
    share = ayes / len(given) if given else None
    return {"n": len(given), "approved": ayes, "share": share, "interval": [low, high]}


def _distribution(given: Sequence[Review], score: str) -> dict[str, Any]:
    """How often each score was given and the mean score, by role."""
    table: dict[str, Any] = {}
    for role in ROLES:
        values = [getattr(review, score) for review in given if review.role == role]
        known = [value for value in values if value is not None]
        counts = np.bincount(known, minlength=HIGHEST + 1).tolist() if known else []
        table[role] = {"counts": counts, "mean": float(np.mean(known)) if known else None}
    return table


def _agreement(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """Rank correlation of every two raters over the trajectories both scored."""
    pairs: dict[tuple[str, str], list[tuple[Review, Review]]] = defaultdict(list)
    for case in cases:
        scored = {review.by: review for review in case.reviews if review.total is not None}
        for first, second in combinations(sorted(scored), 2):
            pairs[first, second].append((scored[first], scored[second]))
    rows = []
    for (first, second), both in sorted(pairs.items()):
        row: dict[str, Any] = {"first": first, "second": second, "n": len(both)}
        for score in CRITERIA:
            one, other = ([getattr(pair[at], score) for pair in both] for at in (0, 1))
            row[score] = spearman(one, other)
        rows.append(row)
    return rows


def _sources(cases: Sequence[Case]) -> dict[str, Any]:
    """Number of trajectories, share approved of those decided, and mean score, by source."""
    table = {}
    for name in sorted({case.trajectory.model.name for case in cases}):
        own = [case for case in cases if case.trajectory.model.name == name]
        decided = [case for case in own if case.stage in ("approved", "rejected")]
        approved = sum(case.stage == "approved" for case in decided)
        totals = [total for case in own for total in _totals(case).values()]
        table[name] = {
            "n": len(own),
            "decided": len(decided),
            "approved": approved,
            "interval": list(wilson(approved, len(decided))),
            "mean_score": float(np.mean(totals)) / len(CRITERIA) if totals else None,
        }
    return table
