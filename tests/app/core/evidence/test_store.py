"""Answers are kept with their source; the newest release stands; a damaged one is told."""

import pytest
from sqlalchemy import func, select, update

from app.core.database.tables import evidence, service_replies
from app.core.errors import SessionError
from app.core.evidence.store import NewAnswer, answers, answers_of, raw_reply, save, save_group_act
from app.core.session.records import Opinion, Verdict
from app.services.catalogues.answer import ASKING, Answer, Exchange, Match, State, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services

GAIA = all_services()["gaia"]
HERE = Position(ra=10.0, dec=41.0)
FOUND = answer_of([
    Match(values={"bp_rp": 0.4, "variable": "VARIABLE", "g": None}, separation_arcsec=0.3),
    Match(values={"bp_rp": 1.2, "variable": "名", "g": 18}, separation_arcsec=1.3),
])  # fmt: skip


def reply(content=b"<VOTABLE/>"):
    return Exchange(
        url="https://example.org/tap/sync", asked_at="2026-11-26T10:00:00+00:00", content=content,
        media_type="text/xml", question="SELECT 1",
    )  # fmt: skip


def test_an_answer_comes_back_with_its_source(session):
    heard = []
    session.changed.connect(heard.append)
    exchange = reply(bytes(range(256)) * 100)
    save(session, 1, GAIA, FOUND, exchange, HERE)
    stored = answers(session, 1)["gaia"]
    assert stored.answer == FOUND and stored.release == "DR3"
    assert (stored.url, stored.asked_at) == (exchange.url, exchange.asked_at)
    assert (stored.ra, stored.dec, stored.radius_arcsec) == (10.0, 41.0, GAIA.radius_arcsec)
    assert stored.client.startswith("spec-o3-workbench/") and stored.sha256 == exchange.sha256
    assert raw_reply(session, stored.reply_id) == exchange.content
    assert [(each.aspect, each.candidate_ids) for each in heard] == [("evidence", {1})]
    assert answers(session, 2) == {}


def test_nothing_and_failed_are_kept_apart_and_a_later_answer_replaces_them(session):
    save(session, 1, GAIA, failed("the server is busy"), None, HERE)
    found = answers(session, 1)["gaia"].answer
    assert found == Answer(state=State.FAILED, reason="the server is busy")
    save(session, 1, GAIA, answer_of([]), reply(), HERE)
    assert answers(session, 1)["gaia"].answer.state is State.NOTHING
    with session.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(evidence)).scalar() == 1


def test_a_replaced_reply_is_kept_and_of_two_releases_the_one_asked_last_stands(session):
    first = save(session, 1, GAIA, FOUND, reply(b"one"), HERE)
    save(session, 1, GAIA, FOUND, reply(b"two"), HERE)
    assert raw_reply(session, first.reply_id) == b"one"
    dr4 = GAIA.changed(release="DR4")
    save(session, 1, dr4, FOUND, reply(), HERE)
    save(session, 1, GAIA, answer_of([]), reply(), HERE)
    assert answers(session, 1)["gaia"].release == "DR3"
    save(session, 1, dr4, FOUND, reply(), HERE)
    assert answers(session, 1)["gaia"].release == "DR4"


def test_many_come_in_one_exchange(session):
    new = [NewAnswer(candidate_id=n, answer=FOUND, position=HERE) for n in (1, 2, 3)]
    save_group_act(session, GAIA, new, reply())
    found = answers_of(session, [1, 2, 3, 99])
    assert sorted(found) == [1, 2, 3]
    assert {each["gaia"].reply_id for each in found.values()} == {1}


def test_all_or_none_are_stored_and_what_is_asked_now_is_no_answer(session):
    new = [NewAnswer(candidate_id=n, answer=FOUND, position=HERE) for n in (1, 12345)]
    with pytest.raises(SessionError):
        save_group_act(session, GAIA, new, reply())
    assert answers(session, 1) == {}
    with session.database.reading() as connection:
        assert connection.execute(select(service_replies.c.id)).all() == []
    with pytest.raises(ValueError, match="asking"):
        save(session, 1, GAIA, ASKING, None, HERE)


def test_damaged_matches_are_told(session):
    for matches in [
        "",
        "{",
        "{}",
        "[1]",
        "[" * 100_000,
        '[{"values":{},"separation_arcsec":"a"}]',
        '[{"values":{"a":[1]},"separation_arcsec":1}]',
        '[{"values":{"a":NaN},"separation_arcsec":1}]',
        '[{"values":{},"separation_arcsec":Infinity}]',
    ]:
        save(session, 1, GAIA, FOUND, reply(), HERE)
        with session.database.writing() as connection:
            connection.execute(update(evidence).values(matches=matches))
        with pytest.raises(SessionError, match="damaged"):
            answers(session, 1)


def test_a_reply_that_is_not_as_it_came_is_told(session):
    stored = save(session, 1, GAIA, FOUND, reply(), HERE)
    with session.database.writing() as connection:
        connection.execute(update(service_replies).values(sha256="0" * 64))
    with pytest.raises(SessionError, match="damaged"):
        raw_reply(session, stored.reply_id)
    with session.database.writing() as connection:
        connection.execute(update(service_replies).values(content=b"no zlib"))
    with pytest.raises(SessionError, match="damaged"):
        raw_reply(session, stored.reply_id)
    with pytest.raises(SessionError, match="no reply 77"):
        raw_reply(session, 77)


def test_a_verdict_tells_what_was_on_screen(session):
    save(session, 1, GAIA, FOUND, reply(), HERE)
    save(session, 1, all_services()["simbad"], failed("no connection"), None, HERE)
    on_screen = answers(session, 1)
    seen = {name: stored.shown or "-" for name, stored in on_screen.items()}
    assert seen == {"gaia": f"DR3 {on_screen['gaia'].sha256[:16]}", "simbad": "-"}
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT), evidence=seen)
    session.record_verdict(2, Opinion(verdict=Verdict.REJECT))
    first, second = session.history()
    assert first.evidence == seen and first.shown == {} and second.evidence == {}
