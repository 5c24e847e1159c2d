"""The fits: they find weights that are there, keep their signs, and stay near what they know."""

import numpy as np
import pytest

from agent.evidence.features import FEATURES
from agent.evidence.kinds import builtin_kinds, softmax
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.weights.fit import (
    KNOT_QUANTILES,
    LEAST_CLAIM,
    LOST,
    SWAPPED,
    Prior,
    candidate_weights,
    fit_kinds,
    fit_softmax,
    fit_task,
    kind_log_odds,
    knots_of,
    spread_within,
    with_features_lost,
)


def test_softmax_finds_the_weights_a_sample_was_drawn_from(rng):
    terms = rng.normal(size=(6000, 3))
    weights = np.array([[2.0, -1.0, -1.0], [0.0, 1.0, -1.0], [0.0, 0.0, 0.0]])
    chances = softmax(terms @ weights + np.array([0.5, 0.0, -0.5]))
    places = (rng.random((6000, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    found, intercepts = fit_softmax(terms, places, 3, ridge=0.1)
    centred = weights - weights.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found - found.mean(axis=1, keepdims=True), centred, atol=0.15)
    np.testing.assert_allclose(intercepts, [0.5, 0.0, -0.5], atol=0.15)
    shrunk, _ = fit_softmax(terms, places, 3, ridge=1e5)
    assert np.abs(shrunk).max() < 0.1


def test_knots_follow_the_known_values_and_their_tails():
    values = np.column_stack([np.linspace(0, 100, 1001), np.full(1001, np.nan), np.ones(1001)])
    values[::2, 0] = np.nan
    knots, scales = knots_of(values)
    np.testing.assert_allclose(knots[0], 100 * np.array(KNOT_QUANTILES), atol=0.5)
    assert (scales > 0).all() and knots[1].tolist() == [0.0] * len(KNOT_QUANTILES)


def test_spoilt_copies_lose_whole_features_and_take_some_from_others(rng):
    terms = np.repeat(np.arange(1.0, 401.0)[:, None], 40, axis=1)
    copy = with_features_lost(terms, 20, rng).reshape(400, 20, 2)
    assert (copy[:, :, 0] == copy[:, :, 1]).all()
    lost = (copy[:, :, 0] == 0).mean()
    other = ((copy[:, :, 0] != 0) & (copy[:, :, 0] != terms[:, :20])).mean()
    assert 0.5 * LOST < lost < 1.5 * LOST and 0.5 * SWAPPED < other < 1.5 * SWAPPED


def test_the_spread_is_that_within_a_kind_not_between(rng):
    places = np.repeat([0, 1], 500)
    values = np.column_stack(
        [100.0 * places + rng.normal(size=1000), np.full(1000, np.nan), 3.0 * rng.normal(size=1000)]
    )
    assert spread_within(values, places) == pytest.approx([1.0, 0.0, 3.0], rel=0.15)


def drawn_claims(rng, rows=4000):
    truth = rng.random(rows) < 0.3
    good = np.where(truth, 1.5, -1.5) + rng.normal(size=rows)
    misleading = -good + 0.1 * rng.normal(size=rows)
    kind = np.where(truth, 2.0, -2.0) + 2.0 * rng.normal(size=rows)
    return np.column_stack([good, misleading, np.zeros(rows)]), kind, truth


def test_claims_never_count_the_wrong_way_and_idle_ones_keep_their_weight(rng):
    claims, kind, truth = drawn_claims(rng)
    intercept, kind_weight, weights = fit_task(claims, kind, truth, np.ones(truth.size), Prior())
    assert weights[0] > 1.0 and weights[1] == pytest.approx(LEAST_CLAIM)
    assert weights[2] == pytest.approx(Prior().claim, abs=1e-3)
    said = intercept + kind_weight * kind + claims @ weights > 0
    assert (said == truth).mean() > 0.9


def test_a_strong_prior_holds_the_weights(rng):
    claims, kind, truth = drawn_claims(rng)
    prior = Prior(claim=0.5, kind=0.6, ridge=1e7)
    _, kind_weight, weights = fit_task(claims, kind, truth, np.ones(truth.size), prior)
    assert kind_weight == pytest.approx(0.6, abs=0.01)
    np.testing.assert_allclose(weights, 0.5, atol=0.01)


def test_rare_candidates_move_the_intercept(rng):
    claims, kind, truth = drawn_claims(rng)
    rare = np.where(truth, 0.05, 1.0)
    often, _, _ = fit_task(claims, kind, truth, np.ones(truth.size), Prior())
    seldom, _, _ = fit_task(claims, kind, truth, rare, Prior())
    assert seldom < often - 1.0


def test_the_steps_of_known_features_are_kept(rng):
    values = rng.normal(size=(40, len(FEATURES)))
    labels = np.array(["A", "B"] * 20)
    drawn = values, 0.1 * np.ones_like(values), labels
    made = [fit_kinds(*drawn, 4.0, ("A", "B"), 1, kept) for kept in (None, builtin_kinds())]
    assert not np.allclose(made[0].knots, builtin_kinds().knots)
    np.testing.assert_array_equal(made[1].knots, builtin_kinds().knots)
    np.testing.assert_array_equal(made[1].scales, builtin_kinds().scales)


@pytest.mark.parametrize("task_id", ["CV", "B"])
def test_candidates_are_weighed_as_in_a_list_of_one_in_six(task_id):
    labels = np.repeat(np.array(LABELS), 10)
    counts = candidate_weights(labels, task_id)
    is_class = labels == task_id
    assert counts.mean() == pytest.approx(1.0)
    assert counts[~is_class].sum() / counts[is_class].sum() == pytest.approx(5.0)
    named = sorted(CONTAMINANTS[task_id].items(), key=lambda pair: pair[1])
    rarest, commonest = named[0][0], named[-1][0]
    assert counts[labels == commonest].sum() > counts[labels == rarest].sum()
    assert (counts > 0).all()


def test_log_odds_of_a_kind_are_against_all_others():
    scores = np.zeros((2, len(LABELS)))
    scores[1, LABELS.index("WD")] = 50.0
    odds = kind_log_odds(scores, "WD")
    assert odds[0] == pytest.approx(-np.log(len(LABELS) - 1)) and odds[1] == 12.0
