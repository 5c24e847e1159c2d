"""Intervals of a share against scipy's, and against what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from agent.confidence.intervals import binomial_tail, lower_limit, upper_limit, wilson
from agent.confidence.judged import ConfidenceError

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


@pytest.mark.parametrize(("hits", "n"), [(-1, 5), (6, 5), (0, -1)])
def test_impossible_shares_are_refused(hits, n):
    for bound in (wilson, lower_limit, upper_limit):
        with pytest.raises(ConfidenceError, match="not a valid proportion"):
            bound(hits, n, 0.5)


@pytest.mark.parametrize("value", [0.0, 1.0, float("nan"), -1.0])
def test_impossible_levels_are_refused(value):
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        wilson(1, 2, value)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        lower_limit(1, 2, value)
