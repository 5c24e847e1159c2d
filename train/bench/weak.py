"""The weak classifier of a class: catalogue members against random sources, from cheap numbers.

It only has to find what looks like a member. No source is scored by a model that saw its object.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.spectrum import BoolArray, FloatArray
from train.bench.objects import IntArray

LEAST_POSITIVES = 8
ROUNDS, LEAVES, RATE, BINS = 60, 8, 0.1, 63


def cross_fitted(
    numbers: NDArray[np.float32],
    is_member: BoolArray,
    *,
    random_per_positive: int,
    folds: int,
    seed: int,
) -> FloatArray:
    """p(member) of every row, each from the model of the folds it is not in.

    A row is an object. Of the rows that are no members a random part is trained against.
    """
    rng = np.random.default_rng(seed)
    fold = _folds(is_member, folds, rng)
    others = np.flatnonzero(~is_member)
    count = min(others.size, random_per_positive * int(is_member.sum()))
    trained = np.concatenate(
        [np.flatnonzero(is_member), rng.choice(others, count, replace=False)]
    ).astype(np.intp)
    p = np.zeros(is_member.size)
    for number in range(folds):
        seen, asked = trained[fold[trained] != number], np.flatnonzero(fold == number)
        if asked.size:
            tells = _tells(numbers[seen])
            model = _fitted(numbers[np.ix_(seen, tells)], is_member[seen], seed)
            share = float(is_member[seen].mean())
            p[asked] = balanced(model.predict_proba(numbers[np.ix_(asked, tells)])[:, 1], share)
    return p


def _fitted(numbers: NDArray[np.float32], is_member: BoolArray, seed: int) -> Any:
    """Trees on binned numbers: they take what is missing as it is, and no scaling."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        max_iter=ROUNDS,
        max_leaf_nodes=LEAVES,
        learning_rate=RATE,
        max_bins=BINS,
        early_stopping=False,
        random_state=seed,
    )
    with threadpool_limits(1):  # so small a fit only waits for its threads
        model.fit(numbers, is_member)
    return model


def balanced(p: FloatArray, share: float) -> FloatArray:
    """p of a model that saw this share of members, as if it had seen as many as others. Weights in
    the fit would do the same, at forty times its cost."""
    members, others = p / share, (1.0 - p) / (1.0 - share)
    return members / (members + others)


def _tells(numbers: NDArray[np.float32]) -> IntArray:
    """The columns with at least two values; the trees' binning takes no others."""
    low = np.where(np.isnan(numbers), np.inf, numbers).min(axis=0)
    high = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0)
    return np.flatnonzero(low < high)


def _folds(is_member: BoolArray, folds: int, rng: np.random.Generator) -> IntArray:
    """Members and others dealt out evenly."""
    fold = np.zeros(is_member.size, dtype=np.intp)
    for which in (np.flatnonzero(is_member), np.flatnonzero(~is_member)):
        fold[rng.permutation(which)] = np.arange(which.size) % folds
    return fold
