"""The combined p(YES) of a candidate follows the answers and the inspections; p(YES) stays."""

import math
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, update

from agent.trajectory.p_yes import combined_p
from app.core.database.tables import evidence, inspections
from app.core.errors import SessionError
from app.core.evidence.combining import update_combined
from app.core.evidence.store import NewAnswer, save, save_together
from app.core.inspections.shown_opinion import show_model, update_agent_columns
from app.core.queue import page, parse_filter, parse_sort
from app.services.catalogues.answer import Exchange, Match, answer_of, failed
from app.services.catalogues.position import Position
from app.services.catalogues.service import all_services

VSX, GAIA = all_services()["vsx"], all_services()["gaia"]
HERE = Position(ra=10.0, dec=41.0)


def found(kind):
    return answer_of([Match(values={"type": kind}, separation_arcsec=0.2)])


def reply():
    return Exchange(url="https://example.org", asked_at=datetime.now(UTC).isoformat(), content=b"x")


def inspected(session, number, p_yes):
    about = {"candidate_id": number, "model": "m", "model_sha256": f"{p_yes}", "verdict": "YES",
             "at": f"2026-01-01T00:00:0{int(9 * p_yes)}.000+00:00", "p_yes": p_yes,
             "stopped_by": "answer", "well_formed": True, "record": "{}"}  # fmt: skip
    with session.database.writing() as connection:
        connection.execute(insert(inspections).values(about))
        update_agent_columns(connection, number, session.task)


def p_of(session, number):
    each = session.candidate(number)
    return each.agent_p_yes, each.catalogue_log_odds, each.p_combined


def test_it_follows_answers_and_inspections_in_any_order(session):
    assert p_of(session, 1) == (None, None, None)
    save(session, 1, VSX, found("UGSU"), reply(), HERE)
    assert p_of(session, 1) == (None, 1.5, None)
    inspected(session, 1, 0.6)
    expected = 1.0 / (1.0 + math.exp(-(math.log(0.6 / 0.4) + 1.5)))
    assert p_of(session, 1) == (0.6, 1.5, pytest.approx(expected))
    inspected(session, 2, 0.6)
    assert p_of(session, 2) == (0.6, None, 0.6)
    save(session, 2, VSX, failed("busy"), None, HERE)
    assert p_of(session, 2) == (0.6, None, 0.6)
    save(session, 2, VSX, found("RRAB"), reply(), HERE)
    assert p_of(session, 2)[2] < 0.6 and p_of(session, 2)[0] == 0.6
    save(session, 2, VSX, failed("busy"), None, HERE)  # of the same release: it stands no more
    assert p_of(session, 2) == (0.6, None, 0.6)
    inspected(session, 1, 0.9)
    show_model(session, None)
    assert p_of(session, 1)[2] == pytest.approx(combined_p(0.9, 1.5))


def test_filters_and_orders_go_by_it(session):
    for number, p_yes in ((1, 0.5), (2, 0.7), (3, 0.6)):
        inspected(session, number, p_yes)
    new = [NewAnswer(candidate_id=1, answer=found("UG"), position=HERE),
           NewAnswer(candidate_id=2, answer=found("RR"), position=HERE)]  # fmt: skip
    save_together(session, VSX, new, reply())
    rows = page(session, sort=parse_sort("p_combined")).rows
    assert [row.candidate.id for row in rows] == [1, 3, 2]
    tree = parse_filter("p_combined>0.55 p_yes<0.65")
    assert {row.candidate.id for row in page(session, tree).rows} == {1, 3}
    rows = page(session, parse_filter("p_combined<0.9"), parse_sort("p_combined:up")).rows
    assert [row.candidate.id for row in rows] == [2, 3, 1]


def test_a_service_that_no_claim_needs_changes_nothing(session):
    inspected(session, 1, 0.5)
    twomass = all_services()["twomass"]
    save(session, 1, twomass, answer_of([Match(values={"j": 1.0}, separation_arcsec=0)]), reply(),
         HERE)  # fmt: skip
    assert p_of(session, 1) == (0.5, None, 0.5)


def test_a_sure_model_can_still_be_moved():
    assert combined_p(1.0, -2.0) < 1.0 and combined_p(0.0, 2.0) > 0.0
    assert combined_p(None, 2.0) is None and combined_p(0.3, None) == 0.3


def test_a_strangers_state_is_told(session):
    save(session, 1, VSX, found("UG"), reply(), HERE)
    with session.database.writing() as connection:
        connection.execute(update(evidence).values(state="odd"))
    with (
        pytest.raises(SessionError, match="evidence about candidate 1"),
        session.database.writing() as connection,
    ):
        update_combined(connection, session.task, [1])
    assert session.candidate(1).catalogue_log_odds == 1.5
