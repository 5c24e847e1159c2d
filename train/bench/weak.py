"""The weak classifier of a class: catalogue members against random sources, on simple measurements.

It only has to find sources that look like members. No source is scored by a model trained on it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray

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
    """p(member) of every row, from a model of the folds that do not contain it.

    A row is an object. The training set has all members and a random sample of the other rows.
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
        seen, held_out = trained[fold[trained] != number], np.flatnonzero(fold == number)
        if held_out.size:
            columns = _varying_columns(numbers[seen])
            model = _fitted(numbers[np.ix_(seen, columns)], is_member[seen], seed)
            share = float(is_member[seen].mean())
            p[held_out] = rebalanced(
                model.predict_proba(numbers[np.ix_(held_out, columns)])[:, 1], share
            )
    return p


def _fitted(numbers: NDArray[np.float32], is_member: BoolArray, seed: int) -> Any:
    """Boosted trees, which need no scaling and accept missing values."""
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
    with threadpool_limits(1):  # in so small a fit, threads would mostly wait
        model.fit(numbers, is_member)
    return model


def rebalanced(p: FloatArray, share: float) -> FloatArray:
    """p of a model trained on this share of members, as if that had been one half.

    Weights in the fit would have the same effect at forty times the cost.
    """
    members, others = p / share, (1.0 - p) / (1.0 - share)
    return members / (members + others)


def _varying_columns(numbers: NDArray[np.float32]) -> IndexArray:
    """The columns with at least two values; the binning of the trees does not accept others."""
    low = np.where(np.isnan(numbers), np.inf, numbers).min(axis=0)
    high = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=0)
    return np.flatnonzero(low < high)


def _folds(is_member: BoolArray, folds: int, rng: np.random.Generator) -> IndexArray:
    """A fold for every row, with members and others in equal parts."""
    fold = np.zeros(is_member.size, dtype=np.intp)
    for which in (np.flatnonzero(is_member), np.flatnonzero(~is_member)):
        fold[rng.permutation(which)] = np.arange(which.size) % folds
    return fold
