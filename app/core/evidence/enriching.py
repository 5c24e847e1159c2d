"""Asks a catalogue about a whole list: one question for a thousand candidates.

What an upload answered is stored in one transaction when it has come, so a run that was killed
goes on where it was; what failed is asked again by the next run.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import and_, func, or_, select

from agent.web.body import never
from app.core.database.tables import candidates, evidence
from app.core.evidence import store
from app.core.evidence.positions import MOTIONS, position_of
from app.core.evidence.store import NewAnswer
from app.core.progress import Progress, silent
from app.core.session.session import Session
from app.services.catalogues.answer import Exchange, State, failed
from app.services.catalogues.service import Service
from app.services.catalogues.tap import MAX_POSITIONS, match_positions
from app.services.web.client import WebClient
from app.services.web.errors import BadReply, ServiceError, ShouldStop, TooMany

UPLOAD_S = 300.0  # In all, for one upload; services need longer for a thousand than for one.
MAX_TOO_MANY = 20
"""In a row, twice as many as lead from a thousand candidates to one: it says so of everything."""
MAX_FAILED_UPLOADS = 2  # In a row; a service that is down is not asked about the rest of the list.


@dataclass
class Tally:
    service: str
    known: int = 0  # answered by earlier runs
    found: int = 0
    nothing: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    without_position: int = 0
    not_asked: int = 0  # left for another run, since the service failed
    too_many: int = 0  # uploads in a row whose answer was too long

    def count(self, state: State, reason: str = "") -> None:
        self.found += state is State.FOUND
        self.nothing += state is State.NOTHING
        self.failed += state is State.FAILED
        if reason:
            self.reasons[reason] += 1


def in_order(services: Sequence[Service]) -> list[Service]:
    """Gaia first, as its proper motions move the positions for the others."""
    return sorted(services, key=lambda service: service.id != MOTIONS)


def enrich(
    session: Session,
    client: WebClient,
    service: Service,
    *,
    limit: int | None = None,
    progress: Progress = silent,
    should_stop: ShouldStop = never,
) -> Tally:
    """Ask about the candidates without an answer, in list order, at most `limit` of them.

    Raises Stopped; all that was answered is kept.
    """
    here = and_(
        evidence.c.candidate_id == candidates.c.id,
        evidence.c.service == service.id,
        evidence.c.release == service.release,
    )
    joined = candidates.join(evidence, here, isouter=True)
    # Not asked yet, not within this radius, or failed.
    is_missing = or_(
        evidence.c.candidate_id.is_(None),
        evidence.c.state == State.FAILED,
        evidence.c.radius_arcsec != service.radius_arcsec,
    )
    has_position = candidates.c.ra.is_not(None) & candidates.c.dec.is_not(None)
    wanted = (~is_missing, ~has_position, has_position & is_missing)
    query = select(*(func.count().filter(each) for each in wanted)).select_from(joined)
    known, without, left = map(int, session.database.rows(query)[0])
    tally = Tally(service=service.id, known=known, without_position=without)
    total = left if limit is None else min(left, limit)
    patient = replace(service, timeout_s=max(service.timeout_s, UPLOAD_S))
    done, after, faults = 0, 0, 0
    progress(done, total)
    while done < total:
        left_over = select(candidates.c.id).select_from(joined)
        left_over = left_over.where(candidates.c.id > after, has_position, is_missing)
        at_most = min(MAX_POSITIONS, total - done)
        ids = session.database.scalars(left_over.order_by(candidates.c.id).limit(at_most))
        if not ids:
            break
        is_failed = _ask_together(session, client, patient, ids, tally, should_stop)
        faults = faults + 1 if is_failed else 0
        done, after = done + len(ids), ids[-1]
        progress(done, total)
        if faults >= MAX_FAILED_UPLOADS:
            tally.not_asked = total - done
            break
    return tally


def _ask_together(
    session: Session,
    client: WebClient,
    service: Service,
    ids: Sequence[int],
    tally: Tally,
    should_stop: ShouldStop,
) -> bool:
    """Ask about some candidates and store the answers; returns whether the service failed.

    Where their answer is too long, as in a crowded field, halves of them are asked about.
    """
    known = store.answers_of(session, ids)
    found = [
        (each.id, position_of(each, known.get(each.id, {}))) for each in session.candidates(ids)
    ]
    asked = [(number, position) for number, position in found if position is not None]
    if not asked:
        tally.without_position += len(ids)
        return False
    exchange: Exchange | None = None
    try:
        if tally.too_many >= MAX_TOO_MANY:
            raise BadReply("it says of one upload after the other that its answer is too long")
        positions = [position for _, position in asked]
        answers, exchange = match_positions(service, client, positions, should_stop)
        tally.too_many = 0
    except ServiceError as error:
        tally.too_many += isinstance(error, TooMany)
        if isinstance(error, TooMany) and len(ids) > 1:
            middle = len(ids) // 2
            halves = [
                _ask_together(session, client, service, half, tally, should_stop)
                for half in (ids[:middle], ids[middle:])
            ]
            return all(halves)
        answers = [failed(str(error))] * len(asked)
    new = [
        NewAnswer(candidate_id=number, answer=answer, position=position)
        for (number, position), answer in zip(asked, answers, strict=True)
    ]
    store.save_group_act(session, service, new, exchange)
    tally.without_position += len(ids) - len(asked)
    for answer in answers:
        tally.count(answer.state, answer.reason)
    return exchange is None
