"""The opinion that stands beside a candidate, and how surprising it is."""

import math
from dataclasses import replace

import pytest
from sqlalchemy import update

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.inspections.shown_opinion import show_model, shown_model, surprise
from app.core.inspections.store import add_inspection
from app.core.queue import Sort
from app.core.session.session import open_session
from tests.app.core.inspected import NANO, OTHER, agent_of, said, shown
from tests.app.core.sessions import made


def test_the_shown_model(location):
    with made(location) as session:
        add_inspection(session, 1, said("YES", 0.9, NANO))
        add_inspection(session, 1, said("NO", 0.2, OTHER))
        add_inspection(session, 2, said("NO", 0.3, OTHER))
        assert shown_model(session) is None
        show_model(session, NANO)
        assert agent_of(session) == ("YES", 0.9, "nano", "answer")
        assert agent_of(session, 2) == (None, None, "", "")
        add_inspection(session, 1, said("NO", 0.1, OTHER))  # not the one that is shown
        add_inspection(session, 3, said(None, None, NANO, "length"))
        assert agent_of(session)[0] == "YES"
        assert agent_of(session, 3) == (None, None, "nano", "length")
        assert shown(session, "agent:undecided") == [3]
    with open_session(location, "Ada") as session:
        assert shown_model(session) == replace(NANO, engine="")
        show_model(session, None)
        assert agent_of(session) == ("NO", 0.1, "nano", "answer")
        assert agent_of(session, 2)[0] == "NO"
        assert shown_model(session) is None


def test_the_most_surprising_first(location):
    with made(location, 6) as session:
        listed = {1: ("CV", None), 2: ("M dwarf", None), 3: ("", 0.9), 4: ("", 6.0), 5: ("", None)}
        with session.database.writing() as connection:
            for number, (label, score) in listed.items():
                here = candidates.c.id == number
                values = {"label": label, "score": score}
                connection.execute(update(candidates).where(here).values(values))
        for number, p_yes in enumerate([0.3, 0.6, 0.1, 0.99, 0.5], start=1):
            verdict = "YES" if p_yes > 0.5 else "NO"
            add_inspection(session, number, said(verdict, p_yes, number=number))
        assert shown(session, "", Sort("surprising", True)) == [3, 1, 2, 4, 5, 6]


CV = find_task("CV")


@pytest.mark.parametrize(("label", "score", "verdict", "p_yes", "expected"), [
    ("CV", None, "NO", 0.2, 0.8),
    (" cataclysmic VARIABLE ", 0.0, "YES", 1.0, 0.0),
    ("CV*", None, "YES", 0.9, 0.1),
    ("yes", None, "NO", 0.0, 1.0),
    ("QSO", 1.0, "YES", 0.7, 0.7),
    ("unknown", 0.25, "YES", 0.75, 0.5),
    ("", 0.0, "YES", 1.0, 1.0),
    ("", 3.0, "YES", 1.0, 1 - 1 / (1 + math.exp(-3))),
    ("", -1e9, "YES", 0.5, 0.5),
    ("", 1e9, "YES", 0.5, 0.5),
    ("", math.inf, "YES", 0.5, 0.5),
    ("", math.nan, "YES", 0.5, None),
    ("", None, "YES", 0.5, None),
    ("CV", None, None, None, None),
    ("CV", None, "YES", None, 0.25),
])  # fmt: skip
def test_how_surprising(label, score, verdict, p_yes, expected):
    found = surprise(CV, label, score, verdict, p_yes)
    assert found == (None if expected is None else pytest.approx(expected))


def test_a_damaged_choice_is_told_and_can_be_made_again(tmp_path):
    with made(tmp_path / "a.speco3") as session:
        for value in ["{", "[1]", "3", "[[1], 2, 3]", "[" * 100_000]:
            session.set_fact("shown_model", value)
            with pytest.raises(SessionError, match="Choose a model again"):
                add_inspection(session, 1, said())
            show_model(session, NANO)
            add_inspection(session, 1, said())
