"""Figures of calibration and ranking against scikit-learn's."""

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest
from sklearn.calibration import calibration_curve

from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.reliability import (
    average_precision,
    brier_score,
    expected_calibration_error,
    reliability_curve,
    roc_auc,
)
from agent.confidence.scores import binomial_tail, lower_limit, upper_limit, wilson
from tests.agent.confidence.judged_samples import sample_judged

PAIRS = st.lists(
    st.tuples(st.floats(0, 1).map(lambda p: round(p, 3)), st.booleans()), min_size=2, max_size=80
)


def of(pairs) -> JudgedScores:
    return JudgedScores(*zip(*pairs, strict=True))


@pytest.mark.parametrize("bins", [1, 7, 10])
@pytest.mark.parametrize("decimals", [None, 3])
def test_the_curve_is_scikit_learns(rng, bins, decimals):
    judged = sample_judged(rng, 1000, stretch=2.0, decimals=decimals)
    curve = reliability_curve(judged, bins)
    share, mean_p = calibration_curve(judged.label, judged.p, n_bins=bins)
    np.testing.assert_allclose([one.share for one in curve], share)
    np.testing.assert_allclose([one.mean_p for one in curve], mean_p)


@given(PAIRS, st.integers(1, 20))
def test_bins_hold_every_candidate_once(pairs, bins):
    judged = of(pairs)
    curve = reliability_curve(judged, bins)
    assert sum(one.n for one in curve) == len(judged)
    assert sum(one.positives for one in curve) == judged.positives
    for one in curve:
        assert one.n > 0
        assert one.low <= one.share <= one.high
        assert one.left - 1e-12 <= one.mean_p <= one.right + 1e-12


def test_the_intervals_of_a_calibrated_judge_hold_its_p(rng):
    held = [
        one.low <= one.mean_p <= one.high
        for _ in range(60)
        for one in reliability_curve(sample_judged(rng, 500, 0.5, apart=1.0))
        if one.n >= 10
    ]
    assert 0.92 < np.mean(held) < 0.98


def test_calibration_error_by_hand():
    judged = JudgedScores([0.1, 0.1, 0.9, 0.9], [0, 1, 1, 1])
    assert expected_calibration_error(reliability_curve(judged)) == pytest.approx(0.25)


def test_calibration_error_of_a_known_stretch(rng):
    honest, sure = (sample_judged(rng, 50_000, 0.3, 1.5, stretch=stretch) for stretch in (1.0, 3.0))
    assert expected_calibration_error(reliability_curve(honest)) < 0.01
    assert expected_calibration_error(reliability_curve(sure)) > 0.08


@given(PAIRS)
def test_scores_are_scikit_learns(pairs):
    judged = of(pairs)
    expected = sklearn.metrics.brier_score_loss(judged.label, judged.p, labels=[False, True])
    assert brier_score(judged) == pytest.approx(expected, abs=1e-12)
    if judged.positives and judged.negatives:
        expected = sklearn.metrics.roc_auc_score(judged.label, judged.p)
        assert roc_auc(judged) == pytest.approx(expected, abs=1e-12)
        expected = sklearn.metrics.average_precision_score(judged.label, judged.p)
        assert average_precision(judged) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("prior", [0.5, 1 / 100])
def test_rankings_of_a_long_list_are_scikit_learns(rng, prior):
    judged = sample_judged(rng, 20_000, prior, apart=1.5, decimals=3)
    expected = sklearn.metrics.roc_auc_score(judged.label, judged.p)
    assert roc_auc(judged) == pytest.approx(expected, abs=1e-12)
    expected = sklearn.metrics.average_precision_score(judged.label, judged.p)
    assert average_precision(judged) == pytest.approx(expected, abs=1e-12)


def test_one_class_has_no_ranking():
    for figure in (roc_auc, average_precision):
        with pytest.raises(ConfidenceError, match="both classes"):
            figure(JudgedScores([0.1, 0.2], [1, 1]))


@pytest.mark.parametrize("figure", [reliability_curve, brier_score, roc_auc, average_precision])
def test_empty_lists_are_refused(figure):
    with pytest.raises(ConfidenceError, match="no judged candidates"):
        figure(JudgedScores([], []))


# Intervals of a share against scipy's, and against what they promise.


PARTS = st.integers(0, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(PARTS, st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_wilson_is_scipys(part, confidence):
    hits, n = part
    if n == 0:
        assert wilson(hits, n, confidence) == (0.0, 1.0)
        return
    theirs = binomtest(hits, n).proportion_ci(confidence, method="wilson")
    assert wilson(hits, n, confidence) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(PARTS, st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_one_sided_bounds_are_scipys_exact_ones(part, delta):
    hits, n = part
    if n == 0:
        assert (lower_limit(hits, n, delta), upper_limit(hits, n, delta)) == (0.0, 1.0)
        return
    theirs = binomtest(hits, n, alternative="greater").proportion_ci(1 - delta, method="exact")
    assert lower_limit(hits, n, delta) == pytest.approx(theirs.low, abs=1e-9)
    theirs = binomtest(hits, n, alternative="less").proportion_ci(1 - delta, method="exact")
    assert upper_limit(hits, n, delta) == pytest.approx(theirs.high, abs=1e-9)


@given(PARTS, st.floats(0.01, 0.99))
def test_the_tail_is_scipys(part, share):
    mistakes, n = part
    expected = binom.cdf(mistakes, n, 1.0 - share)
    assert float(binomial_tail(mistakes, n, share)) == pytest.approx(expected, abs=1e-11)


def test_the_lower_bound_fails_in_no_more_than_delta_of_samples(rng):
    hits = rng.binomial(40, 0.9, size=4000)
    bounds = {k: lower_limit(k, 40, 0.1) for k in np.unique(hits).tolist()}
    failed = np.mean([bounds[k] > 0.9 for k in hits.tolist()])
    assert 0.02 < failed <= 0.1 + 3 * np.sqrt(0.09 / 4000)


@pytest.mark.parametrize("value", [0.0, 1.0, float("nan"), -1.0])
def test_impossible_levels_are_refused(value):
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        wilson(1, 2, value)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        lower_limit(1, 2, value)
