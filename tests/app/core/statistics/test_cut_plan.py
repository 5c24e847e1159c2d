"""Cut plans: numbers that add up, guarantees as sentences, and what is missing."""

import re

import numpy as np
import pytest

from agent.confidence.abstention import choose_cuts, judged_needed
from agent.confidence.calibration import fit_calibration
from agent.confidence.judged import JudgedScores
from app.core.statistics.calibration import CalibrationSample
from app.core.statistics.cut_plan import plan_cut
from tests.agent.confidence.judged_samples import sample_judged


def own(judged, unjudged=()):
    return CalibrationSample(
        model="nano", model_sha256="", judged=judged, unjudged=np.array(unjudged, dtype=float),
        unsure=0, shown=0, together=0, without_p=0,
    )  # fmt: skip


def test_work_saved_on_the_unjudged(rng):
    judged, field = sample_judged(rng, 800, prior=0.3), sample_judged(rng, 5000, prior=0.3)
    found = plan_cut(own(judged, field.p), precision=0.9, recall=0.95)
    wanted = choose_cuts(judged, precision=0.9, recall=0.95)
    assert found.abstention == wanted and found.accepted == np.sum(field.p >= wanted.accept_from)
    assert found.set_aside == np.sum(field.p < wanted.reject_below)
    assert found.accepted + found.asked + found.set_aside == found.unjudged == 5000
    assert found.missing == () and found.is_alike


def test_expected_contamination_comes_true(rng):
    judged, field = (
        sample_judged(rng, 2000, prior=0.3, stretch=2.0),
        sample_judged(rng, 50_000, prior=0.3, stretch=2.0),
    )
    found = plan_cut(own(judged, field.p), fit_calibration(judged), precision=0.9, recall=0.95)
    accept, reject = found.abstention.accept_from, found.abstention.reject_below
    false = np.sum(~field.label[field.p >= accept])
    lost = np.sum(field.label[field.p < reject])
    assert false <= found.most_false
    assert found.expected_false == pytest.approx(false, rel=0.3)
    assert found.expected_lost == pytest.approx(lost, rel=0.4)
    text = " ".join(found.words)
    assert f"at most {found.most_false:,.0f} of them false, guaranteed" in text
    assert f"about {found.expected_false:,.0f} by calibrated p(YES)" in text


def test_without_a_calibration_nothing_is_expected(rng):
    judged = sample_judged(rng, 800, prior=0.3)
    found = plan_cut(own(judged, judged.p), fit_calibration(JudgedScores([], [])), precision=0.9)
    assert (found.expected_false, found.expected_lost) == (None, None)
    told = found.most_false
    assert told == pytest.approx((1 - found.abstention.precision.bound) * found.accepted)
    assert "calibrated" not in " ".join(found.words)


def test_words_of_both_promises(rng):
    judged = sample_judged(rng, 2000, prior=0.3)
    found = plan_cut(own(judged, judged.p), precision=0.9, recall=0.95, delta=0.1)
    first, second, work = found.words
    assert re.match(
        r"From p\(YES\) 0\.\d+ on, at least 90 % are real, with 95 % certainty: of", first
    )
    assert re.match(
        r"Below p\(YES\) 0\.\d+ are at most 5 % of the real ones, with 95 % cert", second
    )
    assert work.startswith("Of the 2,000 unjudged candidates, ")


@pytest.mark.parametrize("hits", [0, 10, 21])
def test_how_many_more_for_a_precision_is_what_is_then_enough(hits):
    """From the top down, without a mistake so far."""
    p = np.linspace(0.99, 0.9, hits) if hits else np.array([])
    judged = JudgedScores([*p, *np.linspace(0.3, 0.1, 10)], [True] * hits + [False] * 10)
    unjudged = np.linspace(0.89, 0.31, 100)
    (missing,) = plan_cut(own(judged, unjudged), precision=0.9).missing
    assert missing.more == judged_needed(0.9) - hits
    assert f"Judge {missing.more} more, the highest p(YES) first." in missing.words
    for more, enough in ((missing.more - 1, False), (missing.more, True)):
        grown = JudgedScores([*judged.p, *unjudged[:more]], [*judged.label, *[True] * more])
        assert (plan_cut(own(grown), precision=0.9).abstention.accept_from is not None) == enough


def test_a_mistake_is_allowed_with_many_judged_and_none_at_the_top():
    judged = JudgedScores([0.99, 0.98, *[0.9] * 30], [True, False, *[True] * 30])
    found = plan_cut(own(judged, [0.985, 0.5]), precision=0.9)
    (missing,) = found.missing
    assert missing.more is None
    assert (
        "Of the 21 more with a p(YES) above 0.98 that it needs, only 1 can still" in missing.words
    )
    assert found.words == (missing.words,)
    assert (found.accepted, found.asked, found.set_aside) == (0, 2, 0)
    rows = [(0.999, False), *[(0.99, True)] * 10, (0.98, False), *[(0.1, False)] * 1000]
    judged = JudgedScores([p for p, _ in rows], [real for _, real in rows])
    found = plan_cut(own(judged, np.linspace(0.981, 0.99, 60)), precision=0.9)
    assert found.missing[0].more == judged_needed(0.9, mistakes=1) - 11
    assert "with at most one mistake" in found.missing[0].words
    found = plan_cut(own(JudgedScores([], []), [0.9, 0.1]), precision=0.9, recall=0.9)
    precision, recall = found.missing
    assert precision.more is None
    assert "Of the 29 more that it needs, only 2 can still be judged" in precision.words
    assert f"Judge until {recall.more} more are real" in recall.words


def test_how_many_more_for_a_recall(rng):
    judged = JudgedScores(rng.random(40), [True] * 10 + [False] * 30)
    (missing,) = plan_cut(own(judged, rng.random(500)), recall=0.95).missing
    real = judged_needed(0.95)
    assert missing.more == (real - 10) * 4
    assert f"needs {real} real ones among the judged candidates, and you have 10" in missing.words
    (missing,) = plan_cut(own(judged, rng.random(50)), recall=0.95).missing
    assert missing.more is None
    assert "would take about 140 more, and 50 can still be judged" in missing.words


def test_where_all_are_judged_nothing_is_asked_for(rng):
    found = plan_cut(own(JudgedScores(rng.random(9), [True] * 9)), precision=0.9)
    assert found.words == ("Every candidate with a p(YES) is judged: nothing is left to decide.",)


def test_the_unlike_are_told_of(rng):
    judged = sample_judged(rng, 2000, prior=0.3)
    barely = np.full(200, plan_cut(own(judged), precision=0.9).abstention.accept_from)
    found = plan_cut(own(judged, barely), precision=0.9)
    assert not found.is_alike and "at random before you rely on the cut" in found.words[-1]
    assert plan_cut(own(judged, sample_judged(rng, 2000, prior=0.3).p), precision=0.9).is_alike
