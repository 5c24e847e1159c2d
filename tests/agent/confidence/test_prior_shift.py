"""Other odds: exact shifts, and shares estimated without a label."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.judged import ConfidenceError, JudgedScores, sigmoid
from agent.confidence.prior_shift import estimate_prior, shift_prior
from agent.confidence.reliability import expected_calibration_error, reliability_curve

P = st.floats(0.0, 1.0)
PRIOR = st.floats(1e-4, 1 - 1e-4)


def field(rng: np.random.Generator, n: int, share: float) -> tuple[np.ndarray, np.ndarray]:
    """p(YES) of a judge that learnt at one in two, and the truth."""
    label = rng.random(n) < share
    score = rng.normal(size=n) + 3.0 * label
    return sigmoid(3.0 * score - 4.5), label


def saerens(p: np.ndarray, from_prior: float, rounds: int) -> float:
    """The EM of the paper, step by step."""
    share = from_prior
    for _ in range(rounds):
        yes = p * share / from_prior
        no = (1 - p) * (1 - share) / (1 - from_prior)
        share = float(np.mean(yes / (yes + no)))
    return share


def test_a_worked_example():
    assert shift_prior(0.9, 0.5, 1 / 500) == pytest.approx(9 / 508)


@given(P, PRIOR, PRIOR)
def test_there_and_back(p, one, other):
    assert shift_prior(shift_prior(p, one, other), other, one) == pytest.approx(p, abs=1e-7)


@given(st.lists(P, min_size=2, max_size=20), PRIOR, PRIOR)
def test_the_order_stays(p, one, other):
    shifted = shift_prior(np.sort(p), one, other)
    assert np.all((shifted >= 0) & (shifted <= 1))
    assert np.all(np.diff(shifted) >= -1e-15)
    if other <= one:
        assert np.all(shifted <= np.sort(p) + 1e-15)


def test_certainty_stays_certain():
    assert shift_prior([0.0, 1.0], 0.5, 1e-9).tolist() == [0.0, 1.0]


def test_shifted_numbers_are_calibrated_in_the_field(rng):
    p, label = field(rng, 200_000, 0.02)
    before = expected_calibration_error(reliability_curve(JudgedScores(p, label)))
    shifted = JudgedScores(shift_prior(p, 0.5, 0.02), label)
    assert before > 0.04
    assert expected_calibration_error(reliability_curve(shifted)) < 0.002


@pytest.mark.parametrize("share", [0.02, 0.2, 0.9])
def test_the_estimate_is_where_em_comes_to_rest(rng, share):
    p, _ = field(rng, 3000, share)
    assert estimate_prior(p, 0.5).share == pytest.approx(saerens(p, 0.5, 3000), rel=1e-6)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_the_interval_holds_the_truth_as_often_as_it_says(rng, confidence):
    held = 0
    for _ in range(200):
        p, _ = field(rng, 5000, 1 / 100)
        found = estimate_prior(p, 0.5, confidence)
        assert found.low <= found.share <= found.high
        held += found.low <= 1 / 100 <= found.high
    assert abs(held / 200 - confidence) < 3 * np.sqrt(confidence * (1 - confidence) / 200)


def test_one_in_five_hundred_is_found(rng):
    p, label = field(rng, 200_000, 1 / 500)
    found = estimate_prior(p, 0.5)
    assert found.share == pytest.approx(label.mean(), rel=0.15)
    assert 0.75 * found.share < found.low < found.high < 1.3 * found.share


def test_a_field_without_real_ones_is_close_to_nothing(rng):
    found = estimate_prior(field(rng, 20_000, 0.0)[0], 0.5)
    assert (found.share < 5e-4, found.low) == (True, pytest.approx(0.0, abs=1e-9))


def test_numbers_that_say_nothing_give_no_limits():
    found = estimate_prior([0.3] * 50, 0.3)
    assert (found.share, found.low, found.high) == (0.3, 0.0, 1.0)


@given(st.lists(P, min_size=1, max_size=30), PRIOR)
def test_any_field_gives_a_share_within_its_limits(p, prior):
    found = estimate_prior(p, prior)
    assert 0.0 <= found.low <= found.share <= found.high <= 1.0


@pytest.mark.parametrize("prior", [0.0, 1.0, -1.0, float("nan")])
def test_impossible_priors_are_refused(prior):
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        shift_prior(0.5, prior, 0.1)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        shift_prior(0.5, 0.1, prior)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        estimate_prior([0.5], prior)


def test_no_candidates_no_share():
    with pytest.raises(ConfidenceError, match="without candidates"):
        estimate_prior([], 0.5)
