"""The figures of studies whose readers are known, because they were simulated or written down."""

import math
from dataclasses import replace

import numpy as np
import pytest

from app.core.study.figures import (
    effect,
    gwet_ac2,
    jackknife,
    krippendorff_alpha,
    least_wrong,
    share,
    sign_test,
    study_figures,
)
from app.core.study.readings import Readings
from app.core.study.simulation import Readers, power, simulated
from tests.night import BY_NIGHT

DESIGNS = ["split", "crossover", "unaided-first"]
STUDIES = 500 if BY_NIGHT else 150
BIASES = (0.0, 0.03, 0.07, 0.15) if BY_NIGHT else (0.0, 0.07)
LEEWAY = 2.6 * math.sqrt(0.05 * 0.95 / STUDIES)
"""So far from 95 % is what one of a hundred honest runs of so many studies shows by chance."""


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("bias", BIASES)
def test_intervals_hold_what_was_planted_and_nothing_is_found_where_nothing_was(design, bias):
    readers = Readers(bias=bias, agent_right=0.8)
    found = power(200, 4, design, readers, studies=STUDIES, seed=1)
    assert found.covered.value >= 0.95 - LEEWAY
    if bias == 0.0:
        assert found.found.value <= 0.05 + LEEWAY
    else:  # neither so wide that they hold anything
        assert found.covered.value <= 0.95 + LEEWAY
        assert found.half_width < 0.15


def test_a_larger_bias_is_found_more_often():
    few, many = (
        power(200, 4, "unaided-first", Readers(bias=bias, agent_right=0.8), studies=100)
        for bias in (0.03, 0.15)
    )
    assert few.found.value < 0.5 and many.found.value > 0.95


def readings(rows, member, agent, design="unaided-first") -> Readings:
    """Of one person, from rows of candidate, arm and verdict: 0 unaided, 2 with the agent."""
    candidate, arm, verdict = np.array(rows).T
    count, size = len(rows), len(member)
    return Readings(
        design=design, people=("Ada",), person=np.zeros(count, int), candidate=candidate, arm=arm,
        verdict=verdict, seconds=np.full(count, 8.0),
        minute=np.arange(count, dtype=float), is_member=np.array(member, float),
        agent_yes=np.array(agent, float), p_yes=np.where(np.array(agent) == 1, 0.95, 0.3),
        snr=np.full(size, 20.0), class_name=("CV",) * size, deviating={},
    )  # fmt: skip


def test_the_table_of_overturned_verdicts_counts_each_pair_once():
    accept, reject, unsure = 0, 1, 2
    member, agent = [1, 1, 0, 0, np.nan], [1, 0, 1, 0, 1]
    rows = [(0, 0, reject), (0, 2, accept)]  # wrong, then right with an agent that is right
    rows += [(1, 0, accept), (1, 2, reject)]  # overturned: the agent is wrong
    rows += [(2, 0, reject), (2, 2, reject)]  # not overturned
    rows += [(3, 0, unsure), (3, 2, unsure), (4, 0, accept), (4, 2, accept)]
    found = study_figures(readings(rows, member, agent))
    tables = {(each.agent_is_wrong, each.agent_is_sure): each.counts for each in found.overturned}
    assert tables == {
        (True, True): ((1, 0, 0), (0, 0, 0), (0, 0, 0)),
        (True, False): ((0, 1, 0), (0, 0, 0), (0, 0, 0)),
        (False, True): ((0, 0, 0), (1, 0, 0), (0, 0, 0)),
        (False, False): ((0, 0, 0), (0, 0, 0), (0, 0, 1)),
    }
    assert found.bias.estimate.value == 0.5 and found.bias.p == 1.0
    aided = next(each for each in found.arms if each.arm == "advice" and not each.some)
    assert (aided.completeness.value, aided.purity.value) == (0.5, 1.0)
    assert (aided.n, aided.wrong.value, aided.unsure.value) == (5, 0.25, 0.2)
    # p(YES) is 0.95 or 0.3: below 0.1 and above 0.9 the agent decides the former alone.
    at = {each.cut: (each.left, each.wrong.value) for each in found.cuts}
    assert at[0.0] == (1.0, 0.25) and at[0.1] == (0.5, 0.5) and at[0.5] == (0.0, 0.5)
    assert least_wrong(found.cuts).cut == 0.0


def test_people_who_always_follow_and_who_shun_the_agent():
    rows = [row for number in range(20) for row in ((number, 0, 0), (number, 2, 1))]
    always = readings(rows, [1] * 20, [0] * 20, design="crossover")
    assert effect(always, when_wrong=True).estimate.value == 1.0
    assert effect(always, when_wrong=True).p < 0.001
    assert effect(always, when_wrong=False).estimate.value is None  # it is never right
    away = replace(always, verdict=1 - always.verdict, agent_yes=np.ones(20))
    assert effect(away, when_wrong=False).estimate.value == 1.0


def test_fatigue_that_was_planted_is_found():
    rng = np.random.default_rng(2)
    tired = simulated(400, 4, "split", Readers(fatigue=0.15), rng)
    fresh = simulated(400, 4, "split", Readers(), rng)
    found = study_figures(tired).fatigue
    assert found.wrong_per_hour.p < 0.05 and found.wrong_per_hour.estimate.low > 0.0
    assert [start for start, *_ in found.bins] == [15.0 * number for number in range(6)]
    assert study_figures(fresh).fatigue.wrong_per_hour.p > 0.05


def test_time_and_agreement_are_those_of_the_readers():
    rng = np.random.default_rng(3)
    made = simulated(150, 4, "crossover", Readers(reliance=0.9), rng)
    aided = made.arm == 2
    slower = replace(made, seconds=np.where(aided, 1.5, 1.0) * made.seconds)
    found = study_figures(slower)
    assert found.time_ratio.low < 1.5 < found.time_ratio.high
    assert found.time_ratio.high - found.time_ratio.low < 0.3
    unaided, with_it = found.agreement
    assert (unaided.arm, with_it.arm) == ("unaided", "advice")
    assert with_it.alpha.value > unaided.alpha.value


def test_votes_count_as_much_as_their_people_are_right():
    """One who is nearly always right beside two who guess; then a table by hand."""
    rng = np.random.default_rng(4)
    guessing = simulated(300, 3, "unaided-first", Readers(skill=0.5, spread=0.1, unsure=0.0), rng)
    right = np.where(guessing.is_member == 1.0, 0, 1)[guessing.candidate]
    is_expert = (guessing.person == 0) & (rng.random(right.size) < 0.95)
    found = study_figures(replace(guessing, verdict=np.where(is_expert, right, guessing.verdict)))
    unaided = found.together[0]
    assert (unaided.arm, unaided.candidates) == ("unaided", 300)
    assert unaided.weighted.value < 0.06 < 0.2 < unaided.majority.value < unaided.one.value
    alike = study_figures(guessing).together[0]
    assert abs(alike.weighted.value - alike.majority.value) < 0.05
    accept, reject, unsure = 0, 1, 2
    votes = [(accept, reject), (accept, accept), (reject, reject), (accept, unsure)]
    rows = [(who, at, vote) for at, pair in enumerate(votes) for who, vote in enumerate(pair)]
    two = replace(
        readings([(at, 0, vote) for _, at, vote in rows], [1, 1, 1, 1], [1, 1, 1, 1]),
        people=("Ada", "Ben"), person=np.array([who for who, *_ in rows]),
    )  # fmt: skip
    (both,) = study_figures(two).together
    # Candidate by candidate: a tie, right, wrong; the last has one vote and is left out.
    assert both.candidates == 3
    assert (both.one.value, both.majority.value) == (0.5, 0.5)
    assert both.weighted.value == pytest.approx(1 / 3)  # Ada is right more often


def counted(*judges: str):
    """Verdicts of several people in columns; a dot where one has not judged."""
    words = sorted({letter for row in judges for letter in row} - {"."})
    columns = zip(*judges, strict=True)
    return np.array([[column.count(word) for word in words] for column in columns], float)


def test_coefficients_of_a_table_from_the_literature():
    """Krippendorff (2011) for alpha, Gwet (2014) for AC1, which is AC2 without likeness."""
    found = counted(
        "12332141 2...".replace(" ", ""),
        "1233224125.3",
        ".3332342251.",
        "123324412 51.".replace(" ", ""),
    )
    assert krippendorff_alpha(found).value == pytest.approx(0.743, abs=0.0005)
    assert gwet_ac2(found, np.eye(5)).value == pytest.approx(0.77544, abs=0.00001)


def test_estimates_of_too_little_say_nothing():
    assert share(np.zeros(0), np.zeros(0)).value is None
    assert jackknife(np.ones((2, 1)), lambda sums: sums[..., 0])[0].value is None
    assert krippendorff_alpha(np.array([[1.0, 0.0]])).value is None
    assert sign_test(0, 0) == 1.0 and sign_test(6, 0) == pytest.approx(0.03125)


def test_readings_of_the_same_candidate_that_are_alike_widen_the_interval():
    alike = share(np.array([4.0, 0.0] * 20), np.full(40, 4.0))
    mixed = share(np.full(40, 2.0), np.full(40, 4.0))
    assert alike.value == mixed.value == 0.5
    assert alike.high - alike.low > 1.8 * (mixed.high - mixed.low)
