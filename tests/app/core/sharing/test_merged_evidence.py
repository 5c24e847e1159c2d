"""Answers of services are merged: what one session lacks, by date, in any order and any number."""

import pytest
from sqlalchemy import func, select, update

from app.core.database.tables import evidence, service_replies
from app.core.errors import SessionError
from app.core.evidence.store import NewAnswer, answers, raw_reply, save_group_act
from app.core.queue import page, parse_filter
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services
from tests.app.core.sharing.merged_sessions import copy_of, session_at

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


def test_candidates_that_are_new_bring_theirs(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben", 6) as other,
    ):
        asked(other, [6], found("UG"), 1)
        assert merge(into, other).evidence == 1
        assert answers(into, 6)["vsx"].answer == found("UG")


@pytest.mark.parametrize(
    "values",
    [{"state": "odd"}, {"asked_at": "yesterday"}, {"matches": "[1]"}, {"service": "No Name"},
     {"ra": float("inf")}, {"reason": "a" * 3000}, {"release": "a\u202eb"}],
)  # fmt: skip
def test_what_a_stranger_spoilt_is_told_and_nothing_is_merged(pair, values):
    ada, ben = pair
    asked(ben, [1], found("UG"), 1)
    with ben.database.writing() as connection:
        connection.execute(update(evidence).values(values))
    with pytest.raises(SessionError, match="damaged"):
        merge(ada, ben)
    assert told(ada) == {}


def test_a_reply_without_its_content_is_told(pair):
    ada, ben = pair
    asked(ben, [1], found("UG"), 1)
    with ben.database.writing() as connection:
        connection.execute(update(service_replies).values(question="a" * 2**23))
    with pytest.raises(SessionError, match="reply of a service"):
        merge(ada, ben)
