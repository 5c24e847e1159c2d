"""The numbers of the agreement page, as rows of its figures."""

from __future__ import annotations

from app.core.session.records import Verdict
from app.ui.review.agreement_numbers import agent_rows, compute_numbers, people_rows, snr_rows
from tests.app.core.judged_sessions import say


def test_rows_of_people_and_agent(judged):
    numbers = compute_numbers(judged)
    (people,) = people_rows(numbers.statistics, "all", "repeats")
    assert (people.name, people.n) == ("Ada · Li Wei", 50)
    names = [row.name for row in agent_rows(numbers.statistics)]
    assert names == ["Ada · nano", "Li Wei · nano"]
    assert [model.figures.model for model in numbers.models] == ["nano"]
    assert numbers.models[0].calibration is None and not numbers.is_all_judged


def test_three_people_have_a_row_for_all(judged):
    say(judged, "Grace", dict.fromkeys(range(1, 11), Verdict.REJECT))
    rows = people_rows(compute_numbers(judged).statistics, "all", "repeats")
    assert rows[0].name == "all" and len(rows) == 1 + 3


def test_bins_of_s_n_are_named_in_signs(judged):
    statistics = compute_numbers(judged).statistics
    people = [row.name for row in snr_rows(statistics, "People", with_agent=False)]
    assert people and all(name.startswith("People · S/N ") for name in people)
    both = snr_rows(statistics, "People", with_agent=True)
    assert {row.tone for row in both[len(people) :]} == {"agent"}


def test_everything_is_judged(judged):
    judged_before = set(range(1, 51))
    say(judged, "Ada", dict.fromkeys(set(range(1, 61)) - judged_before, Verdict.REJECT))
    assert compute_numbers(judged).is_all_judged
