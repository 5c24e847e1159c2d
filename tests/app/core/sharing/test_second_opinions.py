"""Second opinions are asked for where the rule is true, of the same person on all machines."""

import shutil

from sqlalchemy import select

from app.core.database.tables import assignments
from app.core.session.assignments import parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.share_out import SharePlan, assign_second_opinions, share_out
from tests.app.core.judged_sessions import inspect
from tests.app.core.sessions import made

UNSURE_ONES = SharePlan(
    people=("Ada", "Grace", "Li Wei"), second_when="confidence<=2 or disagree:agent"
)


def seconds(session):
    """Who is asked, by candidate."""
    with session.database.reading() as connection:
        query = select(assignments).where(assignments.c.reason == "second")
        return {row.candidate_id: row.reviewer_id for row in connection.execute(query)}


def own(session, number):
    with session.database.reading() as connection:
        query = select(assignments.c.candidate_id).where(assignments.c.reviewer_id == number)
        return sorted(connection.execute(query).scalars())


def test_the_rule_is_that_of_the_person_who_judged(location):
    with made(location, 30) as session:
        inspect(session, "nano", dict.fromkeys(range(1, 31), ("YES", 0.9)))
        share_out(session, UNSURE_ONES)
        mine = own(session, 1)
        session.record_verdict(mine[0], Opinion(verdict=Verdict.ACCEPT, confidence=1))
        session.record_verdict(mine[1], Opinion(verdict=Verdict.REJECT, confidence=4))
        session.record_verdict(mine[2], Opinion(verdict=Verdict.ACCEPT, confidence=4))
        session.record_verdict(mine[3], Opinion(comment="later", confidence=1))
    with open_session(location, "Grace") as session:
        theirs = own(session, 2)
        session.record_verdict(theirs[0], Opinion(verdict=Verdict.UNSURE, confidence=0))
        assert assign_second_opinions(session) == 3
        asked = seconds(session)
        assert set(asked) == {mine[0], mine[1], theirs[0]}
        assert asked[mine[0]] != 1
        assert asked[theirs[0]] != 2
        assert assign_second_opinions(session) == 0
        assert sum(part.second_left for part in parts(session)) == 3
        # Whoever is asked judges, and then it is done.
        session.record_verdict(theirs[0], Opinion(verdict=Verdict.REJECT))
        assert assign_second_opinions(session) == 0


def test_nobody_is_asked_who_has_judged_it_or_has_it_already(file_location):
    plan = SharePlan(people=("Ada", "Grace"), overlap=100.0, second_when="confidence<=2")
    with made(file_location, 10) as session:
        share_out(session, plan)
        for number in range(1, 11):
            session.record_verdict(number, Opinion(verdict=Verdict.UNSURE, confidence=0))
        assert assign_second_opinions(session) == 0


def test_all_machines_ask_the_same_person(tmp_path):
    first = tmp_path / "a.speco3"
    with made(first, 40) as session:
        share_out(session, UNSURE_ONES)
        mine = own(session, 1)
    second = tmp_path / "b.speco3"
    shutil.copy(first, second)
    for location, some in ((first, mine), (second, mine[::-1])):
        with open_session(location, "Ada") as session:
            for number in some:
                session.record_verdict(number, Opinion(verdict=Verdict.UNSURE, confidence=0))
                assign_second_opinions(session)
    with open_session(first, "Ada") as one, open_session(second, "Ada", read_only=True) as other:
        assert seconds(one) == seconds(other)
        assert len(set(seconds(one).values())) == 2
        before = seconds(one)
        assert merge(one, other).second_opinions == 0
        assert seconds(one) == before


def test_a_merge_asks_for_what_the_rule_wants_by_then(tmp_path):
    place = tmp_path / "all.speco3"
    with made(place, 20) as session:
        share_out(session, UNSURE_ONES)
        theirs = own(session, 2)
    shutil.copy(place, tmp_path / "grace.speco3")
    with open_session(tmp_path / "grace.speco3", "Grace") as session:
        session.record_verdict(theirs[0], Opinion(verdict=Verdict.UNSURE, confidence=0))
    with (
        open_session(place, "Ada") as session,
        open_session(tmp_path / "grace.speco3", "Ada", read_only=True) as other,
    ):
        assert merge(session, other).second_opinions == 1
        assert set(seconds(session)) == {theirs[0]}
