"""The list's own columns, and those of services: names, whether they hold numbers, and values."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, String, cast, func, select, union_all

from app.core.database.tables import candidates, inspections
from app.core.queue.evidence_values import PROPOSAL, EvidenceValue, names_of, parts_of
from app.core.queue.own_opinion import OpinionValue, is_of_opinion, opinion_columns
from app.core.queue.sql_conditions import OwnColumnValue, QueryContext
from app.core.session.evidence_services import session_services
from app.core.session.proposals import by_assistant
from app.core.session.session import Session, candidate_of
from app.services.catalogues.service import Service

SAMPLED = 200  # candidates from all over the list whose columns are looked at
SCANNED = 20_000  # candidates among which values are searched
MAX_COLUMNS = 200


@dataclass(frozen=True)
class OwnColumn:
    name: str
    is_number: bool


def own_columns(session: Session) -> tuple[OwnColumn, ...]:
    """The own columns of all lists of a session, in their order, from a sample of candidates.

    The sub-class and the session's own fields follow, as `mine.subclass`, those of services with
    answers, as `gaia.bp_rp`, and `assistant.proposal` if assistants have proposed anything.
    """
    number = candidates.c.id
    with session.database.reading() as connection:
        low, high = connection.execute(select(func.min(number), func.max(number))).one()
        if low is None:
            return ()
        step = max((high - low) // SAMPLED, 1)
        wanted = select(candidates).where(number.in_(range(low, high + 1, step)))
        rows = connection.execute(wanted.order_by(number).limit(2 * SAMPLED)).all()
        services = session_services(connection)
        proposed = select(inspections.c.id).where(by_assistant(inspections.c.model)).limit(1)
        has_proposals = connection.execute(proposed).scalar() is not None
    values: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in candidate_of(row).own.items():
            values.setdefault(name, []).append(value)
    listed = tuple(
        OwnColumn(name, _are_numbers(some))
        for name, some in list(values.items())[:MAX_COLUMNS]
        if name and name.isprintable()
    )
    of_services = (each for service in services.values() for each in _of_service(service))
    said = (OwnColumn(name, is_number) for name, is_number in opinion_columns(session))
    further = [*of_services, *([OwnColumn(PROPOSAL, False)] if has_proposals else [])]
    return (*listed, *said, *(each for each in further if each.name not in values))


def _of_service(service: Service) -> Iterator[OwnColumn]:
    texts = {f"{service.id}.{each.name}" for each in service.columns if each.is_text}
    for name in names_of(service):
        yield OwnColumn(name, name not in texts)


def own_values(session: Session, column: str, beginning: str, limit: int) -> tuple[str, ...]:
    """Different values of a column that begin with a text, from the first SCANNED candidates."""
    context = QueryContext(session.reviewer_number, session.database.is_file)
    value = OwnColumnValue(context)
    # A value is looked at only where the name is right: a list may have hundreds of columns.
    query_of_list = (
        select(value.text.label("text"))
        .select_from(candidates)
        .where(value.name == column, candidates.c.id <= _last_scanned(session))
    )
    queries: list[Select[Any]] = [query_of_list]
    if is_of_opinion(column):
        # A sub-class of two levels is offered by its narrower name.
        given = OpinionValue(column, is_file=context.is_file)
        queries = [select(given.text.label("text")).where(context.is_mine, given.is_there)]
    if (parts := parts_of(column)) is not None:
        said = EvidenceValue(parts, is_file=session.database.is_file)
        scanned = said.candidate_id <= _last_scanned(session)
        queries.append(select(cast(said.text, String).label("text")).where(said.is_there, scanned))
    some = union_all(*queries).subquery()
    query = (
        select(some.c.text)
        .where(some.c.text.istartswith(beginning, autoescape=True), some.c.text != "")
        .group_by(some.c.text)
        .order_by(func.count().desc(), some.c.text)
        .limit(limit)
    )
    return tuple(each for each in session.database.scalars(query) if each.isprintable())


def _last_scanned(session: Session) -> int:
    (low,) = session.database.scalars(select(func.min(candidates.c.id)))
    return SCANNED + (low or 0)


def _are_numbers(values: Iterable[Any]) -> bool:
    known = [value for value in values if value not in (None, "")]
    return bool(known) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )
