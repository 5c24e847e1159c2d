"""What is let in as judged candidates, and the odds everything is computed with."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from agent.confidence.judged import ConfidenceError, JudgedScores, logit, sigmoid

PROBABILITY = st.floats(0.0, 1.0)


def test_arrays_are_copied_and_cannot_be_written():
    p = np.array([0.2, 0.8])
    judged = JudgedScores(p, np.array([False, True]))
    p[0] = 0.9
    assert judged.p[0] == 0.2
    with pytest.raises(ValueError, match="read-only"):
        judged.p[0] = 0.5


def test_lists_and_ones_for_labels_will_do():
    judged = JudgedScores([0.1, 0.9, 0.5], [0, 1, 1], [1, 1, 2])
    assert (len(judged), judged.positives, judged.negatives) == (3, 2, 1)
    assert judged.prior == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("p", "label", "weight", "told"),
    [
        ([0.1, np.nan], [0, 1], None, "from 0 to 1"),
        ([0.1, 1.1], [0, 1], None, "from 0 to 1"),
        ([-0.1, 1.0], [0, 1], None, "from 0 to 1"),
        ([0.1, 0.2], [0, 2], None, "true or false"),
        ([0.1, 0.2], [0.0, np.nan], None, "true or false"),
        ([0.1], [0, 1], None, "one p"),
        ([[0.1, 0.2]], [[0, 1]], None, "one p"),
        ([0.1, 0.2], [0, 1], [1, 0], "weight"),
        ([0.1, 0.2], [0, 1], [1, np.inf], "weight"),
        (["a", "b"], [0, 1], None, "not a list of numbers"),
        ([0.1, 0.2], ["YES", "NO"], None, "not a list of numbers"),
    ],
)
def test_anything_else_is_refused(p, label, weight, told):
    with pytest.raises(ConfidenceError, match=told):
        JudgedScores(p, label, weight)


def test_the_hash_is_of_the_candidates_not_of_their_order(rng):
    p, label = rng.random(50).round(1), rng.random(50) < 0.5
    order = rng.permutation(50)
    judged = JudgedScores(p, label)
    assert judged.where(order).sha256() == judged.sha256()
    assert JudgedScores([0.0, 0.5], [0, 1]).sha256() == JudgedScores([-0.0, 0.5], [0, 1]).sha256()


def test_the_hash_sees_every_number():
    judged = JudgedScores([0.1, 0.2], [0, 1])
    others = (
        JudgedScores([0.1, 0.21], [0, 1]),
        JudgedScores([0.1, 0.2], [1, 1]),
        JudgedScores([0.1, 0.2], [0, 1], [1, 2]),
    )
    assert len({judged.sha256(), *(one.sha256() for one in others)}) == 4


@given(st.lists(st.floats(-800.0, 800.0), min_size=1, max_size=20))
def test_sigmoid_is_scipys(log_odds):
    np.testing.assert_allclose(sigmoid(log_odds), expit(log_odds), rtol=1e-14, atol=1e-300)


@given(PROBABILITY)
def test_log_odds_are_finite_and_lead_back(p):
    assert np.isfinite(logit(p))
    assert float(sigmoid(logit(p))) == pytest.approx(p, abs=1e-11)


def test_no_module_loads_scipy_or_scikit_learn_before_it_is_needed():
    modules = (
        "abstention calibration calibration_file intervals isotonic judged p_yes platt "
        "prior_shift reliability scores triage"
    )
    names = ", ".join(f"agent.confidence.{name}" for name in modules.split())
    heavy = ("scipy", "sklearn", "torch", "transformers", "matplotlib.pyplot", "PySide6")
    code = f"import sys, {names}; print(*(m for m in {heavy!r} if m in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == []
