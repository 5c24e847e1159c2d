from __future__ import annotations

import numpy as np
import pytest

from train.questions.plan import answer_of, is_open, negatives, plan_of
from train.questions.settings import QuestionSettings
from train.simulate.campaign import CONTAMINANTS
from train.simulate.sky import LABELS
from train.simulate.source import GRID, Source

TASKS = tuple(CONTAMINANTS)


def shares(asked: QuestionSettings) -> dict[tuple[str, str], float]:
    """Share of the questions by task and answer."""
    plan = plan_of(asked)
    found: dict[tuple[str, str], float] = {}
    for kind, odds in zip(plan.kinds, plan.odds, strict=True):
        for task in kind.tasks:
            key = task, answer_of(kind.label, task)
            found[key] = found.get(key, 0.0) + float(odds)
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
def test_where_yes_could_be_said_too(
    label: str, subtype: str, kelvin: float | None, task: str, expected: bool
):
    parameters: dict[str, float | str] = {} if kelvin is None else {"kelvin": kelvin}
    source = Source(label, subtype, np.ones(GRID.size), parameters=parameters)
    assert is_open(source, task) is expected
