"""Asks any service about a candidate: catalogues, light curves and pictures of the sky."""

from dataclasses import dataclass, replace

import numpy as np

from app.core.evidence import store
from app.core.evidence.positions import position_of
from app.core.evidence.store import StoredAnswer, raw_reply
from app.core.session.records import Candidate
from app.core.session.session import Session
from app.services.catalogues import light_curve
from app.services.catalogues.answer import Answer, Exchange, Match, State, answer_of, failed, now
from app.services.catalogues.dust import ask_dust
from app.services.catalogues.position import Position, separation_arcsec
from app.services.catalogues.service import CURVES, Service, all_services
from app.services.catalogues.sky_picture import SkyPicture, sky_picture, stored_picture
from app.services.catalogues.tap import match_positions
from app.services.web.client import WebClient
from app.services.web.errors import ServiceError, ShouldStop

SAME_ARCSEC = 0.1  # positions closer than this are one question
NO_POSITION = "the candidate has no position"


@dataclass(frozen=True, kw_only=True)
class Asked:
    """An answer, and what came with it where that is no row of a catalogue."""

    stored: StoredAnswer
    curves: tuple[light_curve.LightCurve, ...] = ()
    picture: SkyPicture | None = None


def ask_any(
    session: Session,
    client: WebClient,
    service: Service,
    candidate: Candidate,
    should_stop: ShouldStop,
) -> Asked:
    """What a service says about a candidate, kept in the session. Raises Stopped.

    What has been found, or not found, at this place is not asked again; what failed is.
    """
    position = position_of(candidate, store.answers(session, candidate.id))
    if position is None:
        return Asked(stored=unsaved(service, failed(NO_POSITION), None, None))
    known = store.answer_of_release(session, candidate.id, service)
    if known is not None and still_holds(known, service, position):
        kept = with_content(session, known)
        if kept.stored.answer.state is not State.FAILED:
            return kept
    exchange: Exchange | None = None
    curves: list[light_curve.LightCurve] = []
    picture: SkyPicture | None = None
    try:
        if service.kind == "tap":
            (answer,), exchange = match_positions(service, client, [position], should_stop)
        elif service.kind == "dust":
            answer, exchange = ask_dust(service, client, position, should_stop)
        elif service.kind in CURVES:
            curves, exchange = light_curve.ask_light_curves(service, client, position, should_stop)
            answer = answer_of([_series(each) for each in curves])
        else:
            picture, exchange = sky_picture(service, client, position, should_stop)
            answer = answer_of([])
            if picture is not None:
                named = ("survey", "epoch", "arcsec")
                values = {name: getattr(picture, name) for name in named}
                answer = answer_of([Match(values=values, separation_arcsec=0.0)])
    except ServiceError as error:
        answer = failed(str(error))
    if session.is_read_only:
        stored = unsaved(service, answer, exchange, position)
    else:
        stored = store.save(session, candidate.id, service, answer, exchange, position)
    return Asked(stored=stored, curves=tuple(curves), picture=picture)


def with_content(session: Session, stored: StoredAnswer) -> Asked:
    """A stored answer with its light curves or picture, read from the reply that is kept."""
    match = stored.answer.nearest
    if match is None or stored.reply_id is None:
        return Asked(stored=stored)
    service = all_services().get(stored.service)
    try:
        if service is not None and service.kind in CURVES:
            curves = _read_curves(service, stored, raw_reply(session, stored.reply_id))
            return Asked(stored=stored, curves=tuple(curves))
        if stored.service == "picture":
            picture = stored_picture(raw_reply(session, stored.reply_id), match.values)
            return Asked(stored=stored, picture=picture)
    except (ServiceError, ValueError) as error:
        return Asked(stored=replace(stored, answer=failed(str(error))))
    return Asked(stored=stored)


def _read_curves(
    service: Service, stored: StoredAnswer, content: bytes
) -> list[light_curve.LightCurve]:
    """Raises ServiceError for a damaged reply, and ValueError for a damaged position."""
    if service.kind in light_curve.KINDS:
        return light_curve.KINDS[service.kind][1](content)
    where = Position(ra=stored.ra or 0.0, dec=stored.dec or 0.0)
    asked = replace(service, radius_arcsec=stored.radius_arcsec)
    return light_curve.read_gaia_light_curves(asked, where, content)


def _series(curve: light_curve.LightCurve) -> Match:
    values: dict[str, str | float] = {
        **{"series": curve.series, "band": curve.band, "points": int(curve.mag.size)},
        "median": round(float(np.median(curve.mag)), 4),
        "amplitude": round(float(np.ptp(np.percentile(curve.mag, [5.0, 95.0]))), 4),
    }
    return Match(values=values, separation_arcsec=0.0)


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
