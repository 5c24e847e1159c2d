"""The opinion that stands beside a candidate, and how surprising it is."""

import math
from dataclasses import replace

import pytest
from sqlalchemy import update

from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef
from app.core.database.tables import candidates
from app.core.errors import SessionError
from app.core.inspections import ratings
from app.core.inspections.shown_opinion import show_model, shown_model, surprise
from app.core.inspections.store import add_inspection
from app.core.queue import Sort
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.statistics.summary import statistics
from tests.app.core.inspected import MEASURED, NANO, OTHER, PANEL, agent_of, panel_said, said, shown
from tests.app.core.sessions import made
from tests.app.ui.judge.agent.trajectories import record
from train.review.session_file import SessionReader


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
        assert agent_of(session, 2)[0] == "NO" and shown_model(session) is None


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


def test_where_members_of_the_panel_contradict_each_other(location):
    with made(location, 5) as session:
        for number, pair in enumerate([("NO", "YES"), ("YES", "YES"), ("YES", "NO")], start=1):
            add_inspection(session, number, panel_said(*pair, number))
        add_inspection(session, 4, said("YES", 0.5, number=4))
        members = lambda: [session.candidate(n).agent_members for n in (1, 2, 3, 4)]  # noqa: E731
        opposed = ["nano NO, measured YES", "", "nano YES, measured NO", ""]
        assert members() == opposed and shown(session, "disagree:members") == [1, 3]
        assert shown(session, "", Sort("uncertain", True)) == [1, 3, 4, 2, 5]
        assert statistics(session).counts.members_disagree == 2
        show_model(session, MEASURED)
        assert members() == [""] * 4 and shown(session, "disagree:members") == []
        assert shown(session, "disagree:agents") == [1, 3]
        show_model(session, PANEL)
        assert members() == opposed
        show_model(session, None)
        add_inspection(session, 1, panel_said("YES", "YES"))
        assert members()[0] == ""
        add_inspection(session, 1, panel_said(None, "NO"))
        assert members()[0] == "nano no verdict, measured NO"


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


# Ratings in a session: one for each person and inspection; low ones come first.
def inspected(session, number, verdict="YES", **changes):
    """Store an inspection of one candidate with this verdict."""
    one = record(verdict=verdict, replies=(f"{number} {verdict}",), **changes)
    add_inspection(session, number, one)
    return one


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 8) as opened:
        yield opened


def test_each_person_has_one_that_is_replaced_and_taken_back(session):
    one = inspected(session, 1)
    heard = []
    session.changed.connect(lambda change: heard.append((change.aspect, change.candidate_ids)))
    assert ratings.rate(session, 1, one, 3).overall == 3
    assert ratings.rate(session, 1, one, 5).overall == 5
    assert [each.overall for _, each in ratings.all_ratings(session)] == [5]
    assert ratings.rate(session, 1, one, 5) is None and ratings.rating_of(session, 1, one) is None
    assert list(ratings.all_ratings(session)) == []
    assert heard == [("rating", frozenset({1}))] * 3
    ratings.rate(session, 1, one, 1)
    session.reviewer = "Grace: the first"
    assert ratings.rating_of(session, 1, one) is None
    ratings.rate(session, 1, one, 4)
    found = {each.by: each.overall for _, each in ratings.all_ratings(session)}
    assert found == {"Ada": 1, "Grace: the first": 4}


def test_low_ratings_come_first_then_contradicted_verdicts(session):
    accept, reject = (Opinion(verdict=each) for each in (Verdict.ACCEPT, Verdict.REJECT))
    inspections = {number: inspected(session, number) for number in range(1, 7)}
    inspected(session, 7, "NO")
    for number, score in ((1, 2), (2, 5), (3, 0), (4, 3), (5, 5)):
        ratings.rate(session, number, inspections[number], score)
    for number in (1, 3, 4):
        session.record_verdict(number, accept)
    session.record_verdict(5, reject)  # rated 5, but contradicted
    session.record_verdict(6, reject)
    session.record_verdict(7, accept)
    found = ratings.agent_faults(session)
    assert [(each.candidate_id, each.score, each.agent, each.person) for each in found] == [
        (3, 0, "YES", Verdict.ACCEPT), (1, 2, "YES", Verdict.ACCEPT), (5, 5, "YES", Verdict.REJECT),
        (6, None, "YES", Verdict.REJECT), (7, None, "NO", Verdict.ACCEPT),
    ]  # fmt: skip
    assert {each.model for each in found} == {"spec-o3-7b"}


def test_facts_that_are_no_ratings_are_left_out(session):
    ratings.rate(session, 1, inspected(session, 1), 1)
    good = next(iter(ratings.all_ratings(session)))[1]
    for key, value in (
        ("1:x:Ada", "{"), ("1:y:Ada", '{"kind": "rating"}'), ("1:z:Ada", ""),
        ("-1:x:Ada", ratings.rating_text(good)), ("one:x:Ada", ratings.rating_text(good)),
        ("999:x:Ada", ratings.rating_text(good)),
    ):  # fmt: skip
        session.set_fact(ratings.PREFIX + key, value)
    assert [number for number, _ in ratings.all_ratings(session)] == [1, 999]
    assert [each.candidate_id for each in ratings.agent_faults(session)] == [1]
    assert ratings.rating_from("[" * 9999) is None and ratings.rating_from(None) is None


def test_a_read_only_session_refuses(tmp_path):
    with made(tmp_path / "a.speco3", 2) as session:
        one = inspected(session, 1)
    reading = open_session(tmp_path / "a.speco3", "Ada", read_only=True)
    with reading as session, pytest.raises(SessionError):
        ratings.rate(session, 1, one, 4)


def test_a_rating_needs_a_name(tmp_path):
    with made(tmp_path / "a.speco3", 2) as session:
        one = inspected(session, 1, model=ModelRef(name="m"))
        session.reviewer = ""
        with pytest.raises(SessionError, match="needs your name"):
            ratings.rate(session, 1, one, 4)


def test_training_reads_them_from_a_file_and_from_a_server(location):
    """While the session is open, as the window has it."""
    with made(location, 4) as session:
        one, other = inspected(session, 1), inspected(session, 2)
        ratings.rate(session, 1, one, 2)
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
        ratings.rate(session, 2, other, 5)
        reader = SessionReader(str(location))
        (found,) = reader.inspections()
    assert found.trajectory == one and found.answer == "NO" and found.lowest == 2
    assert reader.left_out == {"without a verdict by a person": 1}
