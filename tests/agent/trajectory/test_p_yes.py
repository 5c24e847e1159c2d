"""p(YES) from what engines tell, and from several runs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.trajectory.p_yes import p_from_logprobs, p_from_votes, p_yes_of, pool_runs

LOGPROB = st.floats(-1e4, 0.0)
RUN = st.tuples(st.sampled_from(["YES", "NO", None]), st.none() | st.floats(0.0, 1.0))


@pytest.mark.parametrize(("log_yes", "log_no", "p"), [
    (math.log(0.6), math.log(0.2), 0.75), (-1.0, -1.0, 0.5),
    (-5000.0, -5000.0 - math.log(3), 0.75), (0.0, -math.inf, 1.0), (-math.inf, -0.5, 0.0),
    (-9000.0, 0.0, 0.0),
])  # fmt: skip
def test_yes_against_no(log_yes, log_no, p):
    assert p_from_logprobs(log_yes, log_no) == pytest.approx(p)


@pytest.mark.parametrize("pair", [
    (math.nan, 0.0), (0.0, math.nan), (-math.inf, -math.inf), (math.inf, 0.0), (0.0, math.inf),
    (math.inf, math.inf), (-math.inf, math.inf), (-math.inf, math.nan), (5.0, -1.0),
    (-1.0, 0.02),
])  # fmt: skip
def test_what_cannot_be_read_is_none(pair):
    assert p_from_logprobs(*pair) is None


@given(LOGPROB, LOGPROB)
def test_a_probability_that_mirrors(log_yes, log_no):
    p, mirrored = p_from_logprobs(log_yes, log_no), p_from_logprobs(log_no, log_yes)
    assert 0.0 <= p <= 1.0
    assert p + mirrored == pytest.approx(1.0)
    assert p >= 0.5 if log_yes >= log_no else p <= 0.5


@pytest.mark.parametrize(("choices", "p"), [
    (None, None), ({}, None), ({"YES": math.log(0.3), "NO": math.log(0.1)}, 0.75),
    ({"YES": math.log(0.9)}, 0.9), ({"NO": math.log(0.9)}, 0.1), ({"YES": 0.001}, 1.0),
    ({"YES": 3.0}, None), ({"NO": math.nan}, None), ({"YES": math.inf}, None),
    ({"NO": -math.inf}, None),
])  # fmt: skip
def test_choices_of_an_engine(choices, p):
    assert p_yes_of(choices) == (None if p is None else pytest.approx(p))


def test_runs_are_averaged_as_probabilities_or_votes_without_those_unanswered():
    assert pool_runs([("YES", 0.9), ("YES", 0.7), ("NO", 0.2)]) == pytest.approx(0.6)
    assert pool_runs([("YES", None)]) == pytest.approx(0.75)
    assert pool_runs([("NO", None)] * 9) == pytest.approx(0.05)
    assert pool_runs([("YES", 0.95), ("NO", None)]) == pytest.approx((0.95 + 0.25) / 2)
    assert pool_runs([("YES", 0.3)]) == pytest.approx(0.3)  # and not by the word
    assert pool_runs([("YES", 0.8), (None, None)]) == 0.8
    assert pool_runs([(None, None)] * 2) is None
    assert pool_runs([]) is None


@given(st.lists(RUN, min_size=1, max_size=12))
def test_the_mean_lies_among_the_runs(runs):
    pooled = pool_runs(runs)
    if pooled is None:
        assert set(runs) == {(None, None)}
        return
    assert 0.0 <= pooled <= 1.0
    assert pool_runs(runs[::-1]) == pytest.approx(pooled)


@given(st.integers(0, 50), st.integers(0, 50))
def test_votes_are_never_certain_and_more_of_them_say_more(yes, no):
    p = p_from_votes(yes, yes + no)
    assert 0.0 < p < 1.0
    assert p_from_votes(yes + 1, yes + no + 1) > p
