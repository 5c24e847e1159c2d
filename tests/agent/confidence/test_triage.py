"""Who is seen first, why, and that nobody is lost."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.confidence.judged import ConfidenceError
from agent.confidence.triage import MODES, SENTENCES, Item, triage

P = st.one_of(st.none(), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.5, 1.0]))
VERDICT = st.sampled_from(["YES", "NO", None])
ITEM = st.builds(
    Item,
    key=st.integers(0, 5),
    p_yes=P,
    spread=st.one_of(st.none(), st.floats(0.0, 0.7)),
    verdict=VERDICT,
    second_p_yes=P,
    second_verdict=VERDICT,
    stopped_by=st.sampled_from([None, "answer", "turn_limit", "length", "cancelled", "error"]),
    well_formed=st.booleans(),
)
MODE = st.sampled_from(MODES)


def answered(key: str, p: float, **more: object) -> Item:
    fields = {"verdict": "YES" if p >= 0.5 else "NO", "stopped_by": "answer", **more}
    return Item(key=key, p_yes=p, **fields)


def keys(items: list[Item], mode: str, **how: float) -> list[str]:
    return [place.key for place in triage(items, mode, **how)]


NOTHING = [
    Item(key="unseen"),
    Item(key="cancelled", stopped_by="cancelled"),
    Item(key="broken", stopped_by="error"),
    Item(key="torn", stopped_by="turn_limit"),
]


def test_likely_first():
    items = [*NOTHING, answered("low", 0.1), answered("high", 0.9), Item(key="word", verdict="YES")]
    expected = ["high", "word", "low", "torn", "broken", "unseen", "cancelled"]
    assert keys(items, "likely first") == expected


def test_uncertain_first():
    items = [*NOTHING, answered("sure", 0.99), answered("even", 0.51), answered("doubt", 0.3)]
    expected = ["torn", "even", "doubt", "sure", "broken", "unseen", "cancelled"]
    assert keys(items, "uncertain first") == expected
    assert keys(items[4:], "uncertain first", cut=0.9) == ["even", "sure", "doubt"]


def test_at_a_cut_of_one_half_uncertain_means_highest_entropy(rng):
    p = rng.uniform(0.001, 0.999, 200)
    entropy = -(p * np.log(p) + (1 - p) * np.log(1 - p))
    items = [answered(str(number), float(one)) for number, one in enumerate(p)]
    expected = [str(number) for number in np.argsort(-entropy, kind="stable")]
    assert keys(items, "uncertain first") == expected


def test_disagreement_first():
    items = [
        *NOTHING,
        answered("alone", 0.9),
        answered("same", 0.9, second_p_yes=0.9),
        answered("apart", 0.9, second_p_yes=0.6),
        answered("ill", 0.9, well_formed=False),
        answered("wavers", 0.6, spread=0.4),
        answered("opposed", 0.6, second_p_yes=0.4),
        answered("far opposed", 0.9, second_p_yes=0.1),
        answered("words", 0.9, second_verdict="NO"),
    ]
    assert keys(items, "disagreement first") == [
        "far opposed",
        "words",
        "opposed",
        "wavers",
        "torn",
        "ill",
        "apart",
        "same",
        "alone",
        "broken",
        "unseen",
        "cancelled",
    ]


def test_verdicts_and_not_calibrated_numbers_say_who_is_opposed():
    """At one in 500 a calibrated p(YES) of a plain YES may be 0.1."""
    agreed = answered("agreed", 0.1, verdict="YES", second_p_yes=0.7, second_verdict="YES")
    opposed = answered("opposed", 0.1, verdict="YES", second_p_yes=0.05, second_verdict="NO")
    places = triage([agreed, opposed], "disagreement first")
    assert [(place.key, place.why) for place in places] == [
        ("opposed", "opposed"),
        ("agreed", "apart"),
    ]


def test_expected_gain_weighs_a_miss_against_a_false_one():
    items = [answered("even", 0.5), answered("faint", 0.1), answered("none", 0.001)]
    assert keys(items, "expected gain") == ["even", "faint", "none"]
    assert keys(items, "expected gain", miss_cost=9.0) == ["faint", "even", "none"]


def test_the_order_by_gain_saves_most(rng):
    """Looked at in that order, the first tenth avoids more cost than any other choice would."""
    p = rng.beta(0.3, 1.5, 500)
    items = [answered(str(number), float(one)) for number, one in enumerate(p)]
    cost = np.minimum(4.0 * p, 1.0 - p)
    seen = [int(key) for key in keys(items, "expected gain", miss_cost=4.0)[:50]]
    assert cost[seen].sum() == pytest.approx(np.sort(cost)[-50:].sum())


def test_who_came_to_no_verdict_is_taken_for_a_usual_candidate():
    items = [answered("a", 0.05), answered("b", 0.35), Item(key="torn", stopped_by="length")]
    places = triage(items, "expected gain")
    assert [place.key for place in places] == ["b", "torn", "a"]
    assert places[1].worth == pytest.approx(0.2)
    assert places[1].why == "undecided"


@given(st.lists(ITEM, max_size=40), MODE, st.floats(0.01, 0.99), st.floats(0.1, 100.0))
def test_nobody_is_lost_and_everybody_has_a_reason(items, mode, cut, miss_cost):
    places = triage(items, mode, cut=cut, miss_cost=miss_cost)
    assert Counter(place.key for place in places) == Counter(item.key for item in items)
    for place in places:
        assert place.reason
        assert "{" not in place.reason
        assert "nan" not in place.reason
        assert "\n" not in place.reason
        assert len(place.reason) < 100


@given(st.lists(ITEM, max_size=30), MODE)
def test_the_order_is_the_same_every_time_and_ties_keep_the_list(items, mode):
    numbered = [
        Item(**{name: getattr(item, name) for name in Item.__slots__} | {"key": number})
        for number, item in enumerate(items)
    ]
    once = triage(numbered, mode)
    assert once == triage(numbered, mode)
    twice = triage([one for one in numbered for _ in range(2)], mode)
    assert [place.key for place in twice] == [place.key for place in once for _ in range(2)]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_likely_first_falls(p):
    items = [answered(str(number), one) for number, one in enumerate(p)]
    values = [place.p for place in triage(items, "likely first")]
    assert values == sorted(p, reverse=True)


def test_every_reason_is_in_the_person_s_words():
    items = [
        *NOTHING,
        Item(key="word", verdict="NO"),
        answered("a", 0.931),
        answered("wavers", 0.6, spread=0.4),
        answered("opposed", 0.6, second_p_yes=0.4),
        answered("apart", 0.9, second_p_yes=0.6),
        answered("ill", 0.9, well_formed=False),
    ]
    places = [place for mode in MODES for place in triage(items, mode, miss_cost=2.0)]
    assert {place.why for place in places} == set(SENTENCES)
    told = {place.reason for place in places}
    assert "p(YES) 0.931" in told
    assert "the inspector says NO, without a probability" in told
    assert "two inspectors differ: p(YES) 0.6 and 0.4" in told
    assert "p(YES) 0.931: decided without you, it costs 0.069 errors on average" in told


@pytest.mark.parametrize(
    ("mode", "how", "told"),
    [
        ("random", {}, "no triage"),
        ("uncertain first", {"cut": 1.0}, "a cut of 1.0"),
        ("expected gain", {"miss_cost": 0.0}, "cost"),
        ("expected gain", {"miss_cost": math.nan}, "cost"),
    ],
)
def test_what_makes_no_sense_is_refused(mode, how, told):
    with pytest.raises(ConfidenceError, match=told):
        triage([], mode, **how)


@pytest.mark.parametrize(
    "wrong", [{"p_yes": math.nan}, {"second_p_yes": 2.0}, {"spread": -0.1}, {"spread": math.nan}]
)
def test_an_item_checks_itself(wrong):
    with pytest.raises(ConfidenceError):
        Item(key=1, **wrong)
