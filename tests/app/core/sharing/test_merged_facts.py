"""Assignments and known answers are merged, and a stranger cannot hide our candidates."""

from dataclasses import replace

import pytest
from sqlalchemy import func, insert, select, update

from agent.trajectory.trajectory_file import to_line
from app.core.database.tables import (
    assignments,
    candidates,
    evidence,
    inspections,
    known_answers,
    repeats,
    service_replies,
)
from app.core.errors import SessionError
from app.core.evidence.store import NewAnswer, answers, raw_reply, save_group_act
from app.core.inspections import store
from app.core.inspections.shown_opinion import show_model, shown_model
from app.core.inspections.store import add_inspection, inspections_of
from app.core.queue import page, parse_filter
from app.core.session import verdict_log
from app.core.session.assignments import parts
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.core.sharing.share_out import SharePlan, plan_of, share_out
from app.core.statistics.repeats import record_repeat, repeats_of, withdraw_repeat
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.evidence.test_curves_and_pictures import HOSTILE_PICTURES
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.session.test_rebuild import moment
from tests.app.core.sessions import change, made
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.core.sharing.merged_sessions import (
    ACCEPT,
    REJECT,
    copy_of,
    inspected,
    session_at,
    verdicts,
)
from tests.app.core.sharing.test_share_out import given
from tests.app.ui.candidates import sample_file
from tests.app.ui.judge.evidence.small_sky import picture, store_picture

PLAN = SharePlan(people=("Ada", "Grace"))


def test_the_later_word_stands_and_twice_changes_nothing(tmp_path):
    place = tmp_path / "a.speco3"
    with made(place, 12) as session:
        share_out(session, PLAN)
        before = given(session)
    other = copy_of(place, "b")
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
            assert min(known(target)) > 3 and plan_of(target) == PLAN
            assert merge(target, source).known_answers == 0
            assert len(known(target)) == 5


def test_another_session_cannot_take_candidates_out_of_our_catalogues(tmp_path):
    place = tmp_path / "a.speco3"
    made(place, 6).close()
    other = copy_of(place, "b")
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
    other = copy_of(place, "b")
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


# Inspections and repeats are merged.
def agents(session):
    names = ("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "surprise")
    with session.database.reading() as connection:
        columns = (candidates.c[name] for name in (*names, "agents_differ", "agent_members"))
        return [
            tuple(row) for row in connection.execute(select(*columns).order_by(candidates.c.id))
        ]


def test_what_agents_said(into, wider):
    inspected(into, 1, "nano", moment(10), "NO")
    inspected(into, 2, "nano", moment(30), "NO")
    inspected(into, 3, "nano", moment(30), "NO")
    inspected(wider, 1, "nano", moment(20), "YES")
    inspected(wider, 2, "nano", moment(20), "YES")
    inspected(wider, 3, "large", moment(20), "YES")
    inspected(wider, 6, "large", moment(20), "YES")
    show_model(into, None)
    assert merge(into, wider).inspections == 3
    rows = into.database.rows(select(inspections).order_by(inspections.c.id))
    assert sorted((row.candidate_id, row.model, row.at) for row in rows) == [
        (1, "nano", moment(20)), (2, "nano", moment(30)), (3, "large", moment(20)),
        (3, "nano", moment(30)), (6, "large", moment(20)),
    ]  # fmt: skip
    found = agents(into)
    assert [each[0] for each in found] == ["YES", "NO", "NO", None, None, "YES"]
    assert [each[5] for each in found] == [False, False, True, False, False, False]
    show_model(into, shown_model(into))
    assert agents(into) == found
    assert merge(into, wider).inspections == 0


def test_agents_of_one_time_agree_everywhere(tmp_path):
    """Of two inspections by one model at one time both files keep the same one."""
    with session_at(tmp_path / "a.speco3") as one, session_at(tmp_path / "b.speco3") as two:
        for session, verdict in ((one, "YES"), (two, "NO")):
            for model in ("nano", "large") if session is one else ("large", "nano"):
                inspected(session, 1, model, moment(20), verdict)
            inspected(session, 1, "third", moment(30 if session is one else 10), verdict)
            show_model(session, None)
        merge(one, two)
        merge(two, one)
        assert agents(one) == agents(two) and agents(one)[0][:3] == ("YES", 0.9, "third")
        assert [merge(one, two).inspections, merge(two, one).inspections] == [0, 0]


def test_a_record_of_an_older_file_is_the_same_as_its_compressed_one(tmp_path):
    long = replace(said(), overview_text="broad Hα " * 200)
    with session_at(tmp_path / "a.speco3") as one, session_at(tmp_path / "b.speco3") as two:
        kept = [add_inspection(session, 1, long) for session in (one, two)]
        with two.database.writing() as connection:
            plain = {"at": kept[0].at, "record": to_line(long)}
            connection.exec_driver_sql("UPDATE inspections SET at = :at, record = :record", plain)
        kinds = []
        for session in (one, two):
            with session.database.reading() as connection:
                query = "SELECT typeof(record) FROM inspections"
                kinds.append(connection.exec_driver_sql(query).scalar_one())
        assert kinds == ["blob", "text"]
        assert merge(one, two).inspections == merge(two, one).inspections == 0
        assert inspections_of(one, 1)[0].trajectory == inspections_of(two, 1)[0].trajectory == long


def test_an_older_inspection_by_another_model_is_not_shown(tmp_path, monkeypatch):
    """Whatever comes last into the file: the newest by the clock is shown, as after a merge."""
    with session_at(tmp_path / "a.speco3") as session:
        for hour, model in ((9, NANO), (8, MEASURED)):
            monkeypatch.setattr(store, "now", lambda hour=hour: moment(hour * 3600))
            add_inspection(session, 1, said(model=model))
        assert agents(session)[0][2] == NANO.name
        assert [each.trajectory.model for each in inspections_of(session, 1)] == [NANO, MEASURED]
        show_model(session, None)
        assert agents(session)[0][2] == NANO.name


def test_repeats_come_along_once_and_withdrawn_anywhere_they_are_everywhere(into, other):
    other.record_verdict(2, ACCEPT)
    record_repeat(other, 2, REJECT)
    merge(into, other)
    assert len(repeats_of(into)) == 1
    withdraw_repeat(other)
    assert merge(into, other).repeats == 0
    assert repeats_of(into) == []
    merge(other, into)
    assert repeats_of(other) == []
    other.record_verdict(2, ACCEPT)
    record_repeat(other, 2, REJECT, seconds=1.0)
    assert merge(into, other).repeats == 1
    assert merge(into, other).repeats == 0
    (repeat,) = repeats_of(into)
    assert repeat.candidate_id == 2 and repeat.reviewer == "Ben"
    assert verdicts(into) == {(2, "Ben"): "ACCEPT"}
    into.reviewer = "Ben"
    assert withdraw_repeat(into) is None


def test_repeats_of_one_time_that_differ(tmp_path, monkeypatch):
    monkeypatch.setattr(verdict_log, "now", lambda: moment(5))
    location = tmp_path / "a.speco3"
    with session_at(location) as into:
        into.record_verdict(2, ACCEPT)
    with (
        open_session(copy_of(location, "b"), "Ada") as other,
        open_session(location, "Ada") as into,
    ):
        record_repeat(into, 2, REJECT)
        record_repeat(other, 2, ACCEPT)
        assert merge(into, other).repeats == 1
        assert merge(other, into).repeats == 1
        found = [{each.second.verdict for each in repeats_of(each)} for each in (into, other)]
        assert found == [{"ACCEPT", "REJECT"}] * 2


@pytest.mark.parametrize("table", [inspections, repeats])
def test_a_time_that_is_none_is_refused(into, other, table):
    """It would count as the newest for ever."""
    other.record_verdict(2, ACCEPT)
    record_repeat(other, 2, REJECT)
    inspected(other, 1, "nano", moment(20), "YES")
    change(other, update(table).values(at="zzzz"))
    with pytest.raises(SessionError, match="damaged"):
        merge(into, other)


# Answers of services are merged: what one session lacks, by date, in any order and any number.
VSX, GAIA = all_services()["vsx"], all_services()["gaia"]
HERE = Position(ra=10.0, dec=41.0)


def found(kind):
    return answer_of([Match(values={"type": kind}, separation_arcsec=0.2)])


def asked(session, numbers, answer, second, service=VSX, content=b"reply"):
    at = f"2026-11-26T10:00:{second:02d}+00:00"
    exchange = Exchange(url="https://example.org/tap", asked_at=at, content=content)
    new = [NewAnswer(candidate_id=n, answer=answer, position=HERE) for n in numbers]
    save_group_act(session, service, new, exchange)


def told(session):
    return {
        (number, name): (each.answer, each.release, each.asked_at, each.sha256)
        for number in range(1, session.count() + 1)
        for name, each in answers(session, number).items()
    }


@pytest.fixture
def pair(tmp_path):
    """Two copies of one session of five."""
    session_at(tmp_path / "a.speco3").close()
    copy_of(tmp_path / "a.speco3", "b")
    with (
        open_session(tmp_path / "a.speco3", "Ada") as ada,
        open_session(tmp_path / "b.speco3", "Ben") as ben,
    ):
        yield ada, ben


def test_both_agree_whatever_the_order(pair):
    ada, ben = pair
    asked(ada, [1, 2], found("UG"), 1, content=b"early")
    asked(ben, [2, 3], found("RR"), 2, content=b"late")
    asked(ada, [4], answer_of([]), 3)
    asked(ben, [4], failed("busy"), 4)  # later, but no answer
    asked(ben, [5], failed("busy"), 5)
    assert merge(ada, ben).evidence == 3  # of 2, 3 and 5
    assert merge(ben, ada).evidence == 2  # of 1 and 4
    assert told(ada) == told(ben)
    seen = {key[0]: value[0].state.value for key, value in told(ada).items()}
    assert seen == {1: "found", 2: "found", 3: "found", 4: "nothing", 5: "failed"}
    assert answers(ada, 2)["vsx"].answer == found("RR")
    assert raw_reply(ada, answers(ada, 3)["vsx"].reply_id) == b"late"
    before = told(ada)
    assert merge(ada, ben).evidence == merge(ben, ada).evidence == 0
    assert told(ada) == told(ben) == before
    with ada.database.reading() as connection:
        replies = connection.execute(select(func.count()).select_from(service_replies)).scalar()
        assert replies == 4 and not connection.exec_driver_sql("PRAGMA foreign_key_check").all()


def test_the_newest_release_stands_in_both(pair):
    ada, ben = pair
    asked(ada, [1], answer_of([]), 1, GAIA)
    asked(ben, [1], found("x"), 2, GAIA.changed(release="DR4"))
    merge(ada, ben)
    merge(ben, ada)
    assert told(ada) == told(ben) and answers(ada, 1)["gaia"].release == "DR4"


def test_what_they_weigh_and_filters_follow(pair):
    ada, ben = pair
    asked(ben, [3], found("UGSS"), 1)
    heard = []
    ada.changed.connect(heard.append)
    merge(ada, ben)
    assert "evidence" in {each.aspect for each in heard}
    assert ada.candidate(3).catalogue_log_odds == 1.5
    rows = page(ada, parse_filter("vsx.type=UGSS")).rows
    assert [row.candidate.id for row in rows] == [3]


def test_candidates_that_are_new_bring_theirs(into, wider):
    asked(wider, [6], found("UG"), 1)
    assert merge(into, wider).evidence == 1
    assert answers(into, 6)["vsx"].answer == found("UG")


@pytest.mark.parametrize(
    "values",
    [{"state": "odd"}, {"asked_at": "yesterday"}, {"matches": "[1]"}, {"service": "No Name"},
     {"ra": float("inf")}, {"reason": "a" * 3000}, {"release": "a\u202eb"}],
)  # fmt: skip
def test_what_a_stranger_spoilt_is_told_and_nothing_is_merged(pair, values):
    ada, ben = pair
    asked(ben, [1], found("UG"), 1)
    change(ben, update(evidence).values(values))
    with pytest.raises(SessionError, match="damaged"):
        merge(ada, ben)
    assert told(ada) == {}


@pytest.mark.parametrize("values", [{"question": "a" * 2**23}, {"sha256": "0"}, {"content": b"x"}])
def test_a_reply_without_its_content_is_told(pair, values):
    ada, ben = pair
    asked(ben, [1], found("UG"), 1)
    change(ben, update(service_replies).values(values))
    with pytest.raises(SessionError, match="reply of a service"):
        merge(ada, ben)


@pytest.mark.parametrize(("content", "said"), HOSTILE_PICTURES)
def test_a_picture_that_no_service_would_give_is_told(pair, content, said):
    ada, ben = pair
    asked(ben, [1], found("UG"), 1, content=content)
    store_picture(ben, 2, picture())
    assert merge(ada, ben).evidence == 2
    store_picture(ben, 1, content, **said)
    with pytest.raises(SessionError, match="reply of a service"):
        merge(ada, ben)
