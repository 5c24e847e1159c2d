"""Assignments and known answers are merged, and a stranger cannot hide our candidates."""

import shutil

import pytest
from sqlalchemy import insert, update

from app.core.database.tables import assignments, known_answers
from app.core.errors import SessionError
from app.core.session.assignments import parts
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.share_out import SharePlan, plan_of, share_out
from tests.app.core.sessions import made
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.core.sharing.test_share_out import given
from tests.app.ui.candidates import sample_file

PLAN = SharePlan(people=("Ada", "Grace"))


def copied(place, name):
    return shutil.copy(place, place.with_name(f"{name}.speco3"))


def test_the_later_word_stands_and_twice_changes_nothing(tmp_path):
    place = tmp_path / "a.speco3"
    with made(place, 12) as session:
        share_out(session, PLAN)
        before = given(session)
    other = copied(place, "b")
    with open_session(place, "Ada") as session:
        share_out(session, SharePlan(people=("Li Wei",)), anew=True)
        anew = given(session)
        with open_session(other, "Ada", read_only=True) as old:
            assert merge(session, old).assignments == 0
        assert given(session) == anew != before
    with open_session(other, "Ada") as old, open_session(place, "Ada", read_only=True) as session:
        assert merge(old, session).assignments == 24
        assert merge(old, session).assignments == 0
        assert [(part.reviewer, part.assigned) for part in parts(old)] == [("Li Wei", 12)]
        assert plan_of(old) == PLAN


def test_known_answers_come_with_their_candidates(tmp_path, location):
    (tmp_path / "source").mkdir()
    with open_session(sample_file(tmp_path / "source", LIST), "Ada") as source:
        hide(source)
        share_out(source, PLAN)
        sources = sorted(each.source for each in known(source).values())
        with made(location, 3) as target:
            report = merge(target, source)
            assert (report.candidates, report.known_answers) == (LIST + 5, 5)
            assert sorted(each.source for each in known(target).values()) == sources
            assert min(known(target)) > 3
            assert plan_of(target) == PLAN
            assert merge(target, source).known_answers == 0
            assert len(known(target)) == 5


def test_another_session_cannot_take_candidates_out_of_our_catalogues(tmp_path):
    place = tmp_path / "a.speco3"
    made(place, 6).close()
    other = copied(place, "b")
    with open_session(other, "Eve") as session, session.database.writing() as connection:
        row = {"is_member": True, "class_name": "CV", "simulated": False, "source": "x"}
        rows = [{"candidate_id": number, **row} for number in range(1, 7)]
        connection.execute(insert(known_answers), rows)
    with open_session(place, "Ada") as session, open_session(other, "Ada", read_only=True) as eve:
        assert merge(session, eve).known_answers == 0
        assert known(session) == {}


@pytest.mark.parametrize(
    "spoilt", [{"reason": "because"}, {"at": "yesterday"}, {"reason": 3}, {"withdrawn": 7}]
)
def test_a_spoilt_assignment_is_refused(tmp_path, spoilt):
    place = tmp_path / "a.speco3"
    with made(place, 6) as session:
        share_out(session, PLAN)
    other = copied(place, "b")
    with open_session(other, "Eve") as session, session.database.writing() as connection:
        values = {key: value for key, value in spoilt.items() if key != "withdrawn"}
        if values:
            connection.execute(update(assignments).values(values))
        else:
            connection.exec_driver_sql("UPDATE assignments SET withdrawn = 7")
    with (
        open_session(place, "Ada") as session,
        open_session(other, "Ada", read_only=True) as eve,
        pytest.raises(SessionError, match="damaged"),
    ):
        merge(session, eve)
