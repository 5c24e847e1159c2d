"""A list is shared out evenly, by the seed, in files and on a server."""

import shutil

import pytest
from sqlalchemy import select

from app.core.database.tables import assignments
from app.core.errors import SessionError
from app.core.queue import count, parse_filter
from app.core.session.assignments import has_assignments, parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.share_out import (
    SharePlan,
    assign_second_opinions,
    plan_of,
    share_out,
    share_out_the_rest,
)
from tests.app.core.judged_sessions import inspect, say
from tests.app.core.sessions import change, fill, made

PEOPLE = SharePlan(people=("Ada", "Grace", "Li Wei"), overlap=20.0)


def given(session):
    """People by candidate, without what was taken back."""
    found = {}
    rows = session.database.rows(select(assignments).order_by(assignments.c.reason))
    for row in rows:
        if not row.withdrawn:
            found.setdefault(row.candidate_id, []).append(row.reviewer_id)
    return found


def test_each_gets_the_same_and_some_are_given_to_two(location):
    with made(location, 100) as session:
        report = share_out(session, PEOPLE)
        assert report.to_two == 20 and sum(report.given.values()) == 120
        assert all(39 <= number <= 41 for number in report.given.values())
        people = given(session)
        assert sorted(people) == list(range(1, 101))
        assert sorted(len(set(each)) for each in people.values()) == [1] * 80 + [2] * 20
        assert [part.left for part in parts(session)] == [*report.given.values()]


def test_the_seed_alone_decides_and_a_copy_agrees(tmp_path):
    found = []
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        with made(tmp_path / f"{name}.speco3", 60) as session:
            share_out(session, SharePlan(people=("Ada", "Grace"), overlap=10.0, seed=seed))
            found.append(given(session))
    assert found[0] == found[1] != found[2]


def test_what_comes_later_is_shared_out_as_before(file_location):
    with made(file_location, 30) as session:
        share_out(session, PEOPLE)
        before = given(session)
        change(
            session,
            "INSERT INTO candidates (list_id, line, object_id, path, row, label, own,"
            " listed_path, file_sha256, fault, judged_by, agent_model, agent_stopped_by,"
            " agents_differ) SELECT 1, line + 30, 'K' || line, path || 'k', row, label, own,"
            " '', '', '', 0, '', '', 0 FROM candidates",
        )
        report = share_out_the_rest(session)
        assert sum(report.given.values()) - report.to_two == 30
        assert before.items() <= given(session).items() and plan_of(session) == PEOPLE


def test_those_who_judged_keep_what_they_judged(location):
    with made(location, 30) as session:
        say(session, "Grace", dict.fromkeys(range(1, 11), Verdict.REJECT))
        say(session, "Nobody here", dict.fromkeys(range(11, 14), Verdict.REJECT))
        assert share_out(session, SharePlan(people=("Ada", "Grace"))).left_out == 3
        assert next(part for part in parts(session) if part.reviewer == "Grace").judged == 10
        assert not {11, 12, 13} & set(given(session))


def test_anew_takes_back_only_what_is_not_judged(location):
    with made(location, 40) as session:
        share_out(session, SharePlan(people=("Ada", "Grace")))
        mine = [number for number, people in given(session).items() if people == [1]]
        say(session, "Ada", dict.fromkeys(mine[:5], Verdict.REJECT))
        report = share_out(session, SharePlan(people=("Grace", "Li Wei")), anew=True)
        assert report.withdrawn == 35
        people = given(session)
        assert sorted(people) == list(range(1, 41))
        assert {number for number, each in people.items() if 1 in each} == set(mine[:5])
        share_out(session, SharePlan(people=("Ada", "Grace")), anew=True)
        assert sum(part.assigned for part in parts(session)) == 40


def test_the_filter_shows_each_their_own(location):
    with made(location, 50) as session:
        assert not has_assignments(session)
        share_out(session, SharePlan(people=("Ada", "Grace"), overlap=20.0))
        assert has_assignments(session)
        for text, number in (
            *(("assigned:me", 30), ("assigned:Grace", 30), ("assigned:nobody", 0)),
            *(("not assigned:me", 20), ("assigned:me assigned:Grace", 10), ("assigned:x", 0)),
        ):
            assert count(session, parse_filter(text)).number == number, text
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    with open_session(location, "Grace") as session:
        assert count(session, parse_filter("assigned:me")).number == 30
    with open_session(location, "Somebody") as session:
        assert not has_assignments(session)
        assert count(session, parse_filter("assigned:me")).number == 0


def test_a_plan_that_makes_no_sense_changes_nothing(file_location):
    with made(file_location, 5) as session:
        for plan, reason in [
            (SharePlan(people=()), "1 to 60 people"),
            (SharePlan(people=("Ada", "Ada ")), "only once"),
            (SharePlan(people=("Ada", "ME")), "nobody can be called"),
            (SharePlan(people=("A\nda\x1b",)), "printable"),
            (SharePlan(people=("Ada", "B"), overlap=101.0), "0 to 100 percent"),
            (SharePlan(people=("Ada",), overlap=5.0), "at least two"),
            (SharePlan(people=("Ada", "B"), second_when="snr>>3"), "a value is missing"),
            (SharePlan(people=("Ada", "B"), second_when="nothing=3"), "unknown field"),
        ]:
            with pytest.raises(SessionError, match=reason):
                share_out(session, plan)
            assert parts(session) == () and plan_of(session) is None


def test_a_plan_from_a_stranger_is_checked(file_location):
    with fill(made(file_location, 0), 0) as session:
        for text in ("", "[]", '{"people": [1], "overlap": 0, "second_when": "", "seed": 0}'):
            session.set_fact("sharing", text)
            with pytest.raises(SessionError, match="damaged"):
                plan_of(session)


# Second opinions are asked for where the rule is true, of the same person on all machines.
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
        assert set(asked) == {mine[0], mine[1], theirs[0]} and asked[mine[0]] != 1
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
        assert seconds(one) == seconds(other) and len(set(seconds(one).values())) == 2
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
