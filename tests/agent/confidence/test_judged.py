"""What is let in as judged candidates, and the odds everything is computed with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

import agent.confidence
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
    judged = JudgedScores([0.1, 0.9, 0.5, 0.6], [0, 1, 1, 1])
    assert (len(judged), judged.positives, judged.negatives) == (4, 3, 1)
    assert judged.prior == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("p", "label", "problem"),
    [
        ([0.1, np.nan], [0, 1], "from 0 to 1"),
        ([0.1, 1.1], [0, 1], "from 0 to 1"),
        ([-0.1, 1.0], [0, 1], "from 0 to 1"),
        ([0.1, 0.2], [0, 2], "true or false"),
        ([0.1, 0.2], [0.0, np.nan], "true or false"),
        ([0.1], [0, 1], "one p"),
        ([[0.1, 0.2]], [[0, 1]], "one p"),
        (["a", "b"], [0, 1], "a list of numbers"),
        ([0.1, 0.2], ["YES", "NO"], "a list of numbers"),
    ],
)
def test_anything_else_is_refused(p, label, problem):
    with pytest.raises(ConfidenceError, match=problem):
        JudgedScores(p, label)


def test_the_hash_is_of_the_candidates_not_of_their_order(rng):
    p, label = rng.random(50).round(1), rng.random(50) < 0.5
    order = rng.permutation(50)
    judged = JudgedScores(p, label)
    assert judged.where(order).sha256() == judged.sha256()
    assert JudgedScores([0.0, 0.5], [0, 1]).sha256() == JudgedScores([-0.0, 0.5], [0, 1]).sha256()


def test_the_hash_sees_every_number():
    judged = JudgedScores([0.1, 0.2], [0, 1])
    others = JudgedScores([0.1, 0.21], [0, 1]), JudgedScores([0.1, 0.2], [1, 1])
    assert len({judged.sha256(), *(one.sha256() for one in others)}) == 3


@given(st.lists(st.floats(-800.0, 800.0), min_size=1, max_size=20))
def test_sigmoid_is_scipys(log_odds):
    np.testing.assert_allclose(sigmoid(log_odds), expit(log_odds), rtol=1e-14, atol=1e-300)


@given(PROBABILITY)
def test_log_odds_are_finite_and_lead_back(p):
    assert np.isfinite(logit(p))
    assert float(sigmoid(logit(p))) == pytest.approx(p, abs=1e-11)


def test_no_module_loads_scipy_or_scikit_learn_before_it_is_needed():
    folder = Path(agent.confidence.__file__).parent
    names = ", ".join(f"agent.confidence.{path.stem}" for path in folder.glob("[a-z]*.py"))
    heavy = ("scipy", "sklearn", "torch", "transformers", "matplotlib.pyplot", "PySide6")
    code = f"import sys, {names}; print(*(m for m in {heavy!r} if m in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
