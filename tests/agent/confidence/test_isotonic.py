"""The rising curve against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from agent.confidence.isotonic import fit_isotonic
from agent.confidence.judged import JudgedScores
from tests.agent.confidence.drawn import drawn

GRID = np.linspace(0.0, 1.0, 501)


def reference(judged: JudgedScores, low: float, high: float) -> IsotonicRegression:
    model = IsotonicRegression(y_min=low, y_max=high, out_of_bounds="clip")
    return model.fit(judged.p, judged.label.astype(float), sample_weight=judged.weights)


@pytest.mark.parametrize("decimals", [None, 2, 1])
@pytest.mark.parametrize("limits", [(0.0, 1.0), (0.01, 0.97)])
def test_knots_and_predictions_are_scikit_learns(rng, decimals, limits):
    judged = drawn(rng, 3000, decimals=decimals)
    x, y = fit_isotonic(judged, *limits)
    model = reference(judged, *limits)
    np.testing.assert_allclose(x, model.X_thresholds_, atol=1e-12)
    np.testing.assert_allclose(y, model.y_thresholds_, atol=1e-9)
    np.testing.assert_allclose(np.interp(GRID, x, y), model.predict(GRID), atol=1e-9)


def test_weights_are_used_as_scikit_learn_uses_them(rng):
    plain = drawn(rng, 500, decimals=2)
    judged = JudgedScores(plain.p, plain.label, rng.uniform(0.1, 9.0, 500))
    x, y = fit_isotonic(judged)
    np.testing.assert_allclose(np.interp(GRID, x, y), reference(judged, 0, 1).predict(GRID))


@given(
    st.lists(st.tuples(st.sampled_from(GRID[::50].tolist()), st.booleans()), min_size=1),
)
def test_the_curve_never_falls_and_keeps_the_mean(pairs):
    p, label = zip(*pairs, strict=True)
    judged = JudgedScores(p, label)
    x, y = fit_isotonic(judged)
    assert np.all(np.diff(x) > 0)
    assert np.all(np.diff(y) >= 0)
    assert np.all((y >= 0) & (y <= 1))
    assert np.interp(judged.p, x, y).mean() == pytest.approx(judged.prior, abs=1e-9)
