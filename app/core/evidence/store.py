"""The answers of services about candidates, and the raw replies that they came in."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, Select, insert, select, update

from agent.program_version import DISTRIBUTION, program_version
from app.core.database.database import insert_or_update
from app.core.database.tables import evidence, service_replies
from app.core.errors import SessionError
from app.core.evidence.said_values import matches_from, matches_text
from app.core.evidence.weighing import STORED, is_weighed, update_combined
from app.core.session.evidence_services import unpacked
from app.core.session.records import Change
from app.core.session.session import MAX_IDS, Session
from app.core.session.stored_opinions import damaged, have_type
from app.services.catalogues.answer import Answer, Exchange, State, now
from app.services.catalogues.position import Position
from app.services.catalogues.service import Service

KEY = ("candidate_id", "service", "release")
HASH_SHOWN = 16
LEVEL = 6


@dataclass(frozen=True, kw_only=True)
class StoredAnswer:
    service: str
    release: str
    answer: Answer
    asked_at: str  # UTC, ISO 8601
    url: str = ""
    reply_id: int | None = None  # None where there was no reply
    sha256: str = ""  # hash of the reply
    ra: float | None
    dec: float | None  # Degrees; where it was asked, in the year of the catalogue.
    radius_arcsec: float
    client: str = ""

    @property
    def shown(self) -> str:
        """What a log entry says of it, once it has been on screen with a verdict."""
        return f"{self.release} {self.sha256[:HASH_SHOWN]}".strip()


@dataclass(frozen=True, kw_only=True)
class NewAnswer:
    """An answer about one candidate, to be stored, and the position that was asked."""

    candidate_id: int
    answer: Answer
    position: Position


def answers(session: Session, candidate_id: int) -> dict[str, StoredAnswer]:
    """The newest answer of each service about a candidate, by the service's id."""
    return answers_of(session, [candidate_id]).get(candidate_id, {})


def answers_of(
    session: Session, candidate_ids: Sequence[int]
) -> dict[int, dict[str, StoredAnswer]]:
    """`answers` of many candidates; those without one are left out."""
    found: dict[int, dict[str, StoredAnswer]] = {}
    with session.database.reading() as connection:
        for start in range(0, len(candidate_ids), MAX_IDS):
            here = evidence.c.candidate_id.in_(candidate_ids[start : start + MAX_IDS])
            for row in connection.execute(_query().where(here, evidence.c.is_newest)):
                found.setdefault(row.candidate_id, {})[row.service] = _answer_of(row)
    return found


def answer_of_release(session: Session, candidate_id: int, service: Service) -> StoredAnswer | None:
    query = _query().where(
        evidence.c.candidate_id == candidate_id,
        evidence.c.service == service.id,
        evidence.c.release == service.release,
    )
    with session.database.reading() as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else _answer_of(row)


def save(
    session: Session,
    candidate_id: int,
    service: Service,
    answer: Answer,
    exchange: Exchange | None,
    position: Position,
) -> StoredAnswer:
    """Store an answer in place of the former one of this release; the former reply is kept."""
    new = NewAnswer(candidate_id=candidate_id, answer=answer, position=position)
    save_group_act(session, service, [new], exchange)
    found = answer_of_release(session, candidate_id, service)
    assert found is not None
    return found


def save_group_act(
    session: Session, service: Service, new: Iterable[NewAnswer], exchange: Exchange | None
) -> None:
    """Store the answers that came in one exchange, in one transaction: all of them or none."""
    ids: set[int] = set()
    with session.database.writing() as connection:
        reply = None if exchange is None else _save_reply(connection, exchange)
        asked_at = now() if exchange is None else exchange.asked_at
        rows = (_values(service, each, reply, asked_at) for each in new)
        while page := list(islice(rows, MAX_IDS)):
            here = [row["candidate_id"] for row in page]
            older = evidence.c.candidate_id.in_(here) & (evidence.c.service == service.id)
            connection.execute(update(evidence).where(older).values(is_newest=False))
            statement = insert_or_update(connection, evidence)
            news = {name: statement.excluded[name] for name in page[0] if name not in KEY}
            statement = statement.on_conflict_do_update(index_elements=KEY, set_=news)
            connection.execute(statement, page)
            ids.update(here)
        if is_weighed(session.task, service.id):
            update_combined(connection, session.task, ids)
    if ids:
        session.changed.emit(Change(aspect="evidence", candidate_ids=frozenset(ids)))


def raw_reply(session: Session, reply_id: int) -> bytes:
    """What a service sent, byte by byte."""
    query = select(service_replies.c.content, service_replies.c.sha256)
    with session.database.reading() as connection:
        row = connection.execute(query.where(service_replies.c.id == reply_id)).one_or_none()
    if row is None:
        raise SessionError(f"there is no reply {reply_id} in the session")
    return unpacked(row.content, row.sha256)


@cache
def client_name() -> str:
    """Which program asked; kept with each answer. Looking up a version takes milliseconds."""
    return f"{DISTRIBUTION}/{program_version()}"


def _save_reply(connection: Connection, exchange: Exchange) -> int:
    said = ("url", "question", "asked_at", "media_type", "sha256")
    values = {name: getattr(exchange, name) for name in said}
    values["content"] = zlib.compress(exchange.content, LEVEL)
    made = insert(service_replies).values(values).returning(service_replies.c.id)
    return int(connection.execute(made).scalar_one())


def _values(
    service: Service, new: NewAnswer, reply_id: int | None, asked_at: str
) -> dict[str, Any]:
    if new.answer.state not in STORED:
        raise ValueError(f"a question that is {new.answer.state} has no answer to store")
    at = new.position.at(service.epoch)
    return {
        "candidate_id": new.candidate_id,
        "service": service.id,
        "release": service.release,
        "state": str(new.answer.state),
        "asked_at": asked_at,
        "ra": at.ra,
        "dec": at.dec,
        "radius_arcsec": service.radius_arcsec,
        "client": client_name(),
        "matches": matches_text(new.answer.matches),
        "reason": new.answer.reason,
        "reply_id": reply_id,
        "is_newest": True,
    }


def _query() -> Select[Any]:
    return select(evidence, service_replies.c.url, service_replies.c.sha256).join(
        service_replies, service_replies.c.id == evidence.c.reply_id, isouter=True
    )


def _answer_of(row: Row[Any]) -> StoredAnswer:
    words = row.service, row.release, row.state, row.asked_at, row.client, row.reason
    if not have_type(str, *words) or row.state not in STORED:
        raise damaged(f"the evidence about candidate {row.candidate_id}")
    kept = ("service", "release", "asked_at", "reply_id", "ra", "dec", "radius_arcsec", "client")
    return StoredAnswer(
        answer=Answer(state=State(row.state), matches=matches_from(row.matches), reason=row.reason),
        url=row.url or "",
        sha256=row.sha256 or "",
        **{name: getattr(row, name) for name in kept},
    )
