"""Asks a service about a candidate, unless the session knows what it says."""

from __future__ import annotations

from app.core.evidence import store
from app.core.evidence.positions import position_of
from app.core.evidence.store import StoredAnswer
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues.answer import Answer, Exchange, State, failed, now
from app.services.catalogues.position import Position, separation_arcsec
from app.services.catalogues.service import Service
from app.services.catalogues.tap import match_positions
from app.services.web.client import WebClient
from app.services.web.errors import ServiceError
from app.services.web.pace import ShouldStop

SAME_ARCSEC = 0.1
"""Positions closer than this are one question."""
NO_POSITION = "the candidate has no position"


def ask_one(
    session: Session,
    client: WebClient,
    service: Service,
    candidate: Candidate,
    should_stop: ShouldStop,
) -> StoredAnswer:
    """What a catalogue says about a candidate, kept in the session. Raises Stopped.

    What has been found, or not found, at this place is not asked again; what failed is.
    """
    position = position_of(candidate, store.answers(session, candidate.id))
    if position is None:
        return unsaved(service, failed(NO_POSITION), None, None)
    known = store.answer_of_release(session, candidate.id, service)
    if known is not None and still_holds(known, service, position):
        return known
    exchange: Exchange | None = None
    try:
        (answer,), exchange = match_positions(service, client, [position], should_stop)
    except ServiceError as error:
        answer = failed(str(error))
    if session.is_read_only:
        return unsaved(service, answer, exchange, position)
    return store.save(session, candidate.id, service, answer, exchange, position)


def still_holds(known: StoredAnswer, service: Service, position: Position) -> bool:
    """Whether a stored answer is one to the same question."""
    if known.ra is None or known.dec is None or known.answer.state is State.FAILED:
        return False
    asked = Position(ra=known.ra, dec=known.dec)
    return (
        known.radius_arcsec == service.radius_arcsec
        and separation_arcsec(asked, position.at(service.epoch)) <= SAME_ARCSEC
    )


def unsaved(
    service: Service, answer: Answer, exchange: Exchange | None, position: Position | None
) -> StoredAnswer:
    at = None if position is None else position.at(service.epoch)
    return StoredAnswer(
        service=service.id,
        release=service.release,
        answer=answer,
        asked_at=now() if exchange is None else exchange.asked_at,
        url="" if exchange is None else exchange.url,
        sha256="" if exchange is None else exchange.sha256,
        ra=None if at is None else at.ra,
        dec=None if at is None else at.dec,
        radius_arcsec=service.radius_arcsec,
    )
