"""The line through the log odds against scikit-learn's fits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from agent.confidence.judged import ConfidenceError, JudgedScores, logit
from agent.confidence.platt import fit_platt, smoothed_targets
from tests.agent.confidence.judged_samples import sample_judged


def reference(judged: JudgedScores) -> tuple[float, float]:
    """A soft target is one candidate in part real and in part not."""
    low, high = smoothed_targets(judged)
    target = np.where(judged.label, high, low)
    x = np.tile(logit(judged.p), 2)[:, None]
    share = np.concatenate([target, 1 - target])
    y = np.repeat([1, 0], len(judged))
    fit = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1000)
    fit.fit(x, y, sample_weight=share)
    return float(fit.coef_[0, 0]), float(fit.intercept_[0])


@pytest.mark.parametrize(
    ("n", "prior", "stretch"),
    [(30, 0.5, 1.0), (200, 1 / 6, 2.5), (2000, 0.02, 0.4), (20_000, 1 / 6, 1.0)],
)
def test_the_fit_is_scikit_learns(rng, n, prior, stretch):
    judged = sample_judged(rng, n, prior, stretch=stretch)
    assert fit_platt(judged) == pytest.approx(reference(judged), rel=1e-5, abs=1e-6)


def test_overconfidence_is_undone(rng):
    slope, intercept = fit_platt(sample_judged(rng, 50_000, 0.3, apart=2.0, stretch=4.0))
    assert slope == pytest.approx(0.25, rel=0.04)
    assert intercept == pytest.approx(0.0, abs=0.05)


@pytest.mark.parametrize("p", [(0.0, 1.0), (0.4, 0.6), (0.5, 0.5 + 1e-5)])
def test_classes_that_do_not_overlap_stay_finite(p):
    judged = JudgedScores(np.repeat(p, 50), np.repeat([False, True], 50))
    slope, intercept = fit_platt(judged)
    assert np.isfinite([slope, intercept]).all()
    low, high = smoothed_targets(judged)
    fitted = 1 / (1 + np.exp(-(slope * logit(p) + intercept)))
    np.testing.assert_allclose(fitted, [low, high], rtol=1e-3)


def test_equal_p_gives_no_line():
    with pytest.raises(ConfidenceError, match="the same"):
        fit_platt(JudgedScores([0.4] * 30, [0, 1] * 15))


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=4, max_size=40))
def test_any_candidates_give_finite_numbers(pairs):
    p, label = zip(*pairs, strict=True)
    judged = JudgedScores(p, label)
    try:
        slope, intercept = fit_platt(judged)
    except ConfidenceError:
        assert np.ptp(logit(judged.p)) < 1e-6
        return
    assert np.isfinite([slope, intercept]).all()
