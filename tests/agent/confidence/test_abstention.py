"""The promises of the cuts, kept in simulation; and what happens where none can be made."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.abstention import (
    Abstention,
    choose_cuts,
    cut_for_precision,
    cut_for_recall,
    judged_needed,
)
from agent.confidence.judged import ConfidenceError, JudgedScores
from agent.confidence.scores import lower_limit
from tests.agent.confidence.judged_samples import sample_judged

ROUNDS = 400
SLACK = 3 * np.sqrt(0.1 * 0.9 / ROUNDS)  # three standard errors of a share of 0.1
SHARES = st.sampled_from(np.linspace(0, 1, 21).tolist())
PAIRS = st.lists(st.tuples(SHARES, st.booleans()), max_size=150)


class Field:
    """All there is, so large that its shares are the true ones."""

    def __init__(self, rng: np.random.Generator, **law: float) -> None:
        judged = sample_judged(rng, 300_000, **law)
        order = np.argsort(-judged.p)
        self.p, label = judged.p[order], judged.label[order]
        self.real, self.all = np.cumsum(label), np.arange(1, label.size + 1)

    def _accepted(self, threshold: float) -> int:
        return int(np.searchsorted(-self.p, -threshold, side="right")) - 1

    def precision(self, threshold: float) -> float:
        at = self._accepted(threshold)
        return float(self.real[at] / self.all[at]) if at >= 0 else 1.0

    def recall(self, threshold: float) -> float:
        at = self._accepted(threshold)
        return float(self.real[at] / self.real[-1]) if at >= 0 else 0.0


@pytest.mark.parametrize(("law", "n", "wanted"), [
    ({"apart": 3.0}, 300, 0.9),
    ({"apart": 2.2}, 1500, 0.9),
    ({"apart": 3.0, "decimals": 1}, 600, 0.8),
    ({"apart": 1.0, "prior": 0.5}, 1000, 0.8),
    ({"apart": 3.0, "prior": 1 / 50, "stretch": 3.0}, 2000, 0.7),
])  # fmt: skip
def test_the_promised_precision_is_kept(rng, law, n, wanted):
    field = Field(rng, **law)
    cuts = [cut_for_precision(sample_judged(rng, n, **law), wanted, 0.1) for _ in range(ROUNDS)]
    found = [cut.threshold for cut in cuts if cut.threshold is not None]
    broken = sum(field.precision(threshold) < wanted for threshold in found)
    assert broken / ROUNDS <= 0.1 + SLACK
    assert len(found) / ROUNDS > 0.5  # a promise never made is easily kept


def test_the_test_above_would_see_a_broken_promise(rng):
    """A cut by the observed precision alone, without the bound, fails far too often."""
    law = {"apart": 2.2}
    field, broken = Field(rng, **law), 0
    for _ in range(ROUNDS):
        judged = sample_judged(rng, 300, **law)
        order = np.argsort(-judged.p)
        precision = np.cumsum(judged.label[order]) / np.arange(1, 301)
        good = np.flatnonzero(precision >= 0.9)
        broken += bool(good.size) and field.precision(float(judged.p[order][good[-1]])) < 0.9
    assert broken / ROUNDS > 0.1 + 3 * SLACK


def test_more_judged_candidates_let_more_be_accepted(rng):
    law = {"apart": 3.0}
    field = Field(rng, **law)
    best = max(field.recall(t) for t in np.linspace(0.2, 0.99, 200) if field.precision(t) >= 0.9)
    kept = []
    for n in (300, 1000, 10_000):
        cuts = [cut_for_precision(sample_judged(rng, n, **law), 0.9).threshold for _ in range(40)]
        kept.append(np.mean([0.0 if cut is None else field.recall(cut) for cut in cuts]))
    assert kept[0] < kept[1] < kept[2] < best
    assert kept[2] > 0.93 * best


@pytest.mark.parametrize(("n", "wanted"), [(300, 0.9), (1500, 0.95)])
@pytest.mark.parametrize("decimals", [None, 1])
def test_the_promised_recall_is_kept(rng, n, wanted, decimals):
    law = {"apart": 2.0, "decimals": decimals}
    field = Field(rng, **law)
    cuts = [cut_for_recall(sample_judged(rng, n, **law), wanted, 0.1) for _ in range(ROUNDS)]
    assert all(cut.threshold is not None for cut in cuts if cut.n >= judged_needed(wanted))
    found = [cut.threshold for cut in cuts if cut.threshold is not None]
    broken = sum(field.recall(threshold) < wanted for threshold in found)
    assert len(found) > 0.9 * ROUNDS
    assert broken / ROUNDS <= 0.1 + SLACK
    if decimals is None:
        assert broken / ROUNDS > 0.01  # nor is it far too careful


def test_both_promises_hold_together(rng):
    law = {"apart": 3.0}
    field, broken = Field(rng, **law), 0
    for _ in range(ROUNDS):
        rule = choose_cuts(sample_judged(rng, 1200, **law), precision=0.85, recall=0.9, delta=0.1)
        low = rule.accept_from is not None and field.precision(rule.accept_from) < 0.85
        lost = rule.reject_below is not None and field.recall(rule.reject_below) < 0.9
        broken += low or lost
    assert broken / ROUNDS <= 0.1 + SLACK
    assert (rule.precision.delta, rule.recall.delta) == (0.05, 0.05)
    assert choose_cuts(sample_judged(rng, 100), recall=0.9).recall.delta == 0.1


def test_figures_of_a_cut_are_those_of_the_judged(rng):
    judged = sample_judged(rng, 1500)
    cut = cut_for_precision(judged, 0.9)
    above = judged.p >= cut.threshold
    assert cut.n == above.sum()
    assert cut.observed == pytest.approx(judged.label[above].mean())
    assert cut.bound == pytest.approx(lower_limit(int(judged.label[above].sum()), cut.n, 0.1))
    assert 0.9 <= cut.bound <= cut.observed
    recall = cut_for_recall(judged, 0.9)
    assert recall.n == judged.positives
    assert recall.observed == pytest.approx((judged.p[judged.label] >= recall.threshold).mean())
    assert 0.9 <= recall.bound <= recall.observed


@pytest.mark.parametrize(
    ("wanted", "delta", "needed"),
    [(0.9, 0.1, 22), (0.95, 0.1, 45), (0.95, 0.05, 59), (0.5, 0.4, 2)],
)
def test_how_many_must_be_judged(wanted, delta, needed):
    assert judged_needed(wanted, delta) == needed
    perfect = JudgedScores(np.linspace(0, 1, needed), np.ones(needed, dtype=bool))
    assert cut_for_precision(perfect, wanted, delta).threshold == 0.0
    fewer = perfect.where(np.arange(needed - 1))
    refused = cut_for_precision(fewer, wanted, delta)
    assert refused.threshold is None
    assert f"{needed} without a mistake" in refused.note


def test_a_promise_near_certainty_only_asks_for_more():
    assert judged_needed(1 - 1e-6, 1e-3) == pytest.approx(6_907_752, rel=1e-6)
    assert judged_needed(1 - 1e-12) == pytest.approx(2.302585e12, rel=1e-3)
    assert cut_for_precision(JudgedScores([1.0] * 50, [1] * 50), 1 - 1e-15).threshold is None


@given(st.floats(0.05, 0.99), st.floats(0.01, 0.5), st.integers(0, 5))
def test_no_fewer_would_do(wanted, delta, mistakes):
    needed = judged_needed(wanted, delta, mistakes)
    assert lower_limit(needed - mistakes, needed, delta) >= wanted - 1e-9
    if needed - 1 > mistakes:
        assert lower_limit(needed - 1 - mistakes, needed - 1, delta) < wanted + 1e-9


def test_where_the_top_is_not_good_enough_nothing_is_accepted(rng):
    judged = sample_judged(rng, 3000, apart=0.5)
    rule = choose_cuts(judged, precision=0.95)
    assert rule.accept_from is None
    assert "not enough to be sure" in rule.precision.note
    assert set(rule.counts(judged.p)) == {"accept", "ask", "reject"}
    assert rule.counts(judged.p)["ask"] == 3000


@pytest.mark.parametrize("judged", [JudgedScores([], []), JudgedScores([0.5, 0.6], [0, 0])])
def test_nothing_real_nothing_promised(judged):
    rule = choose_cuts(judged, precision=0.9, recall=0.9)
    assert (rule.accept_from, rule.reject_below) == (None, None)
    assert "0 real candidates are too few" in rule.recall.note
    assert rule.counts([0.99])["ask"] == 1


def test_a_very_good_inspector_leaves_nothing_to_ask(rng):
    judged = sample_judged(rng, 5000, 0.3, apart=8.0)
    rule = choose_cuts(judged, precision=0.9, recall=0.9)
    assert rule.reject_below <= rule.accept_from
    assert rule.counts(judged.p)["ask"] < 50


@given(PAIRS, st.floats(0.3, 0.97), st.floats(0.3, 0.97))
def test_cuts_of_any_list_are_in_order(pairs, precision, recall):
    judged = JudgedScores([p for p, _ in pairs], np.array([y for _, y in pairs], dtype=bool))
    rule = choose_cuts(judged, precision=precision, recall=recall)
    if rule.accept_from is not None:
        assert rule.precision.observed >= rule.precision.bound >= precision - 1e-9
        assert rule.counts([rule.accept_from])["accept"] == 1
    if rule.reject_below is not None:
        kept = judged.p[judged.label] >= rule.reject_below
        assert kept.mean() >= recall - 1e-9
        assert rule.counts([rule.reject_below])["reject"] == 0
    assert sum(rule.counts(judged.p).values()) == len(judged)


def test_a_person_is_asked_without_a_probability():
    rule = Abstention(0.9, 0.1)
    numbers = [0.95, 0.9, 0.5, 0.1, 0.05, np.nan]
    assert rule.counts(numbers) == {"accept": 2, "ask": 3, "reject": 1}
    assert rule.counts([0.95, 0.5, np.nan, 0.0]) == {"accept": 1, "ask": 2, "reject": 1}


def test_what_makes_no_sense_is_refused_and_too_few_say_how_many_are_needed(rng):
    judged = sample_judged(rng, 50)
    with pytest.raises(ConfidenceError, match="precision, a recall, or both"):
        choose_cuts(judged)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        cut_for_precision(judged, 1.0)
    with pytest.raises(ConfidenceError, match="between 0 and 1"):
        cut_for_recall(judged, 0.9, delta=0.0)
    judged = JudgedScores(np.linspace(0, 1, 20), [0, 1] * 10)
    assert "22 are needed" in cut_for_recall(judged, 0.9).note
