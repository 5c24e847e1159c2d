"""What is left to each person, their hours and the time by confidence."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, update

from app.core.database.tables import known_answers, log
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.share_out import share_out
from app.core.sharing.share_plan import SharePlan
from app.core.statistics.pace import ProgressCounter
from app.core.statistics.summary import statistics, to_plain
from tests.app.core.judged_sessions import say
from tests.app.core.sessions import made

A, R, U = Verdict


@pytest.fixture
def session(file_location):
    with made(file_location, 40) as opened:
        yield opened


def judged_at(session, at, verdict, seconds=None, confidence=None):
    """The next candidate, judged at that time."""
    number = 1 + sum(1 for _ in session.history())
    opinion = Opinion(verdict=verdict, confidence=confidence)
    entry = session.record_verdict(number, opinion, seconds=seconds)
    with session.database.writing() as connection:
        connection.execute(update(log).where(log.c.id == entry.id).values(at=at))


def test_pace_and_accept_rate_by_the_hour(session):
    for minute, verdict in enumerate((A, R, R, U)):
        judged_at(session, f"2026-01-01T22:{10 + minute}:00.000+00:00", verdict, seconds=4.0)
    for minute in range(3):
        judged_at(session, f"2026-01-02T01:{minute}0:00.000+00:00", A, seconds=2.0 + minute)
    (ada,) = statistics(session).working
    assert [(each.hour, each.decisions, each.typical_s) for each in ada.hours] == [
        ("2026-01-01T22", 4, 4.0),
        ("2026-01-02T01", 3, 3.0),
    ]
    assert ada.hours[0].accepted.value == 1 / 3
    assert ada.hours[1].accepted.value == 1.0
    assert ada.accepted.value == 4 / 6
    assert (ada.assigned, ada.left, ada.second_left) == (None, 33, 0)
    assert ada.left_s == pytest.approx(33 * (4 * 4.0 + 9.0) / 7)


def test_time_by_confidence(session):
    for minute, (confidence, seconds) in enumerate(
        ((4, 2.0), (4, 4.0), (1, 20.0), (1, 22.0), (None, 3.0))
    ):
        at = f"2026-01-01T22:0{minute}:00.000+00:00"
        judged_at(session, at, A, seconds=seconds, confidence=confidence)
    (ada,) = statistics(session).working
    found = [(each.confidence, each.decisions, each.typical_s) for each in ada.confidences]
    assert found == [(4, 2, 3.0), (1, 2, 21.0), (None, 1, None)]


def test_known_answers_take_time_but_are_not_accepted_objects(session):
    row = {"candidate_id": 1, "is_member": True, "class_name": "CV", "simulated": True}
    with session.database.writing() as connection:
        connection.execute(insert(known_answers).values(**row, source="x"))
    judged_at(session, "2026-01-01T22:00:00.000+00:00", A, seconds=1.0)
    judged_at(session, "2026-01-01T22:01:00.000+00:00", R, seconds=1.0)
    found = statistics(session)
    (ada,) = found.working
    assert ada.hours[0].decisions == 2
    assert ada.hours[0].accepted.value == 0.0
    assert found.counts.candidates == 39
    assert ada.left == 38


def test_of_what_is_assigned_also_to_who_has_not_begun(session):
    share_out(session, SharePlan(people=("Ada", "Grace"), overlap=10.0))
    with session.database.reading() as connection:
        query = "SELECT candidate_id FROM assignments WHERE reviewer_id = 1"
        mine = connection.exec_driver_sql(query).scalars().all()
    others = next(number for number in range(1, 41) if number not in mine)
    say(session, "Ada", dict.fromkeys([*mine[:3], others], R))
    ada, grace = statistics(session).working
    assert (ada.assigned, ada.left) == (22, 19)
    assert (grace.assigned, grace.left, grace.left_s) == (22, 22, None)
    assert to_plain(statistics(session))["working"][1]["reviewer"] == "Grace"


def test_the_progress_line_counts_what_is_theirs(location):
    with made(location, 40) as session:
        counter = ProgressCounter(session)
        assert counter.progress().total == 40
        share_out(session, SharePlan(people=("Ada", "Grace")))
        with session.database.reading() as connection:
            query = "SELECT candidate_id FROM assignments WHERE reviewer_id = 1"
            mine = connection.exec_driver_sql(query).scalars().all()
        others = [number for number in range(1, 41) if number not in mine]
        assert (counter.progress().total, counter.progress().done) == (20, 0)
        for number in (mine[0], others[0], mine[1]):
            session.record_verdict(number, Opinion(verdict=R))
        assert (counter.progress().done, counter.progress().left) == (2, 18)
        session.undo()
        session.undo()
        assert counter.progress().done == 1
        assert ProgressCounter(session).progress() == counter.progress()
    with open_session(location, "Somebody") as session:
        assert ProgressCounter(session).progress().total == 40
