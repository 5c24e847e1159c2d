from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from tests.train.questions.helpers import library
from train.questions.settings import QuestionSettings
from train.questions.spectrum_questions import (
    answer_of,
    is_open,
    negatives,
    plan_of,
    questions_on_spectrum,
)
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.simulate.source import GRID, Source

TASKS = tuple(CONTAMINANTS)


def test_a_number_alone_makes_its_spectrum():
    places = (5, 17), (5, 17), (5, 18), (6, 17)
    asked = (questions_on_spectrum(QuestionSettings(), *place) for place in places)
    one, again, later, otherwise = (each.examples[0].sha256 for each in asked)
    assert one == again and one not in (later, otherwise)


def test_distortions_change_the_spectrum_alone():
    plain, bent = QuestionSettings(untouched=1.0), QuestionSettings(untouched=0.0)
    one, other = questions_on_spectrum(plain, 5, 3), questions_on_spectrum(bent, 5, 3)
    assert not one.distortions and other.distortions
    first, second = one.examples[0], other.examples[0]
    assert (first.key, first.label, first.subtype) == (second.key, second.label, second.subtype)
    assert first.sha256 != second.sha256


@pytest.mark.parametrize(("share", "expected"), [(1.0, True), (0.0, False)])
def test_the_share_of_the_library(tmp_path: Path, share: float, expected: bool):
    folder = str(library(tmp_path / "library"))
    settings = QuestionSettings(tasks=("WD",), both=0.0, library_share=share)
    found = [questions_on_spectrum(settings, 1, number, folder) for number in range(12)]
    of_wd = [each.from_library for each in found if each.examples[0].label == "WD"]
    assert of_wd and set(of_wd) == {expected}


@pytest.mark.parametrize(("even", "low", "high"), [(0.0, 0.0, 0.2), (1.0, 0.35, 0.8)])
def test_rare_kinds_may_come_as_often_as_common_ones(even: float, low: float, high: float):
    settings = QuestionSettings(tasks=("WD",), both=0.0, even=even)
    found = [questions_on_spectrum(settings, 1, number).examples[0] for number in range(120)]
    subtypes = [each.subtype for each in found if each.label == "WD"]
    assert len(subtypes) > 40
    rare = sum(kind in ("DBA", "DC", "DO", "DZ") for kind in subtypes) / len(subtypes)
    assert low <= rare <= high


def test_even_draws_leave_what_is_asked_as_it_was():
    """The same classes and surveys, and those that no task is about are the very same spectra."""
    plain, even = (
        [questions_on_spectrum(QuestionSettings(even=part), 5, number) for number in range(10)]
        for part in (0.0, 1.0)
    )
    for one, other in zip(plain, even, strict=True):
        first, second = one.examples[0], other.examples[0]
        assert (first.key, first.label) == (second.key, second.label)
        assert first.spectrum.survey == second.spectrum.survey
        if first.label not in QuestionSettings().tasks:
            assert first.sha256 == second.sha256
    assert any(one.examples[0].label not in QuestionSettings().tasks for one in plain)


def shares(asked: QuestionSettings) -> dict[tuple[str, str], float]:
    """Share of the questions by task and answer."""
    plan = plan_of(asked)
    found: dict[tuple[str, str], float] = defaultdict(float)
    for kind, odds in zip(plan.kinds, plan.odds, strict=True):
        for task in kind.tasks:
            found[task, answer_of(kind.label, task)] += odds
    total = sum(found.values())
    return {key: value / total for key, value in found.items()}


@pytest.mark.parametrize("both", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("tasks", [TASKS, ("WD",), ("A", "B", "O")])
def test_every_task_hears_yes_and_no_equally(tasks: tuple[str, ...], both: float):
    found = shares(QuestionSettings(tasks=tasks, both=both))
    assert set(found) == {(task, answer) for task in tasks for answer in ("YES", "NO")}
    assert np.allclose(list(found.values()), 0.5 / len(tasks))


def test_no_may_be_asked_more_often():
    found = shares(QuestionSettings(noes=3.0))
    for task in TASKS:
        assert found[task, "NO"] == pytest.approx(3 * found[task, "YES"])
        assert found[task, "YES"] == pytest.approx(1 / 4 / len(TASKS))


def test_no_is_mostly_of_what_contaminates():
    found = negatives("WD", 0.85)
    assert sum(found.values()) == pytest.approx(1.0) and "WD" not in found
    assert set(found) == set(LABELS) - {"WD"}
    assert sum(found[label] for label in CONTAMINANTS["WD"]) > 0.85
    assert found["A"] > found["CV"] > 5 * found["CS"]


def test_surveys_see_as_much_as_their_shares_say():
    plan = plan_of(QuestionSettings(survey="LAMOST,ATLAS:0.52"))
    assert plan.surveys == ("LAMOST", "ATLAS")
    assert plan.survey_odds.tolist() == [0.5, 0.5]


def test_its_own_task_is_asked_first_where_both_are():
    plan = plan_of(QuestionSettings())
    twice = [kind for kind in plan.kinds if len(kind.tasks) == 2]
    assert twice and all(kind.tasks[0] == kind.label for kind in twice)
    assert plan is plan_of(QuestionSettings())


@pytest.mark.parametrize(
    ("label", "subtype", "kelvin", "task", "expected"),
    [
        ("NEBULA", "nebula over A", None, "A", True),
        ("NEBULA", "nebula over A", None, "B", False),
        ("NEBULA", "compact nebula", None, "O", False),
        ("SS", "MS", None, "MG", True),
        ("SS", "MS", None, "SS", False),
        ("SS", "S", None, "MG", False),
        ("SS", "SC", None, "CS", True),
        ("CV", "quiescent", None, "WD", False),
        ("A", "A V", 10200, "B", True),
        ("A", "A V", 9000, "B", False),
        ("A", "A V", 10200, "A", False),
        ("B", "B V", 10600, "A", True),
        ("B", "B V", 30000, "O", True),
        ("O", "O", 31000, "B", True),
        ("O", "O", 40000, "B", False),
        ("F", "F dwarf", 7300, "A", True),
        ("F", "F dwarf", 6500, "A", False),
        ("SDB", "sdB", 29000, "B", False),
    ],
)
def test_where_yes_could_be_said_too(label, subtype, kelvin, task, expected):
    parameters = {} if kelvin is None else {"kelvin": kelvin}
    source = Source(label, subtype, np.ones(GRID.size), parameters=parameters)
    assert is_open(source, task) is expected
