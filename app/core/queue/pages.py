"""What a person sees next: pages of the queue, and the next candidate nobody has to look for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, literal, select

from app.core.database.tables import candidates, judgements
from app.core.errors import SessionError
from app.core.queue.filters import EVERYTHING, UNJUDGED, Filter, FilterError, combine
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort
from app.core.queue.walk import Plan, plan, position_of, start_of, walk
from app.core.session.records import Candidate, Judgement
from app.core.session.session import Session, candidate_of
from app.core.session.stored_opinions import judgement_of

PAGE = 50
MAX_PAGE = 1000

OF_MINE = ("candidate_id", "log_id", "verdict", "confidence", "flags", "comment", "at")
_MINE = judgements.alias("mine")


@dataclass(frozen=True, kw_only=True)
class QueueRow:
    """A candidate in the queue, with what the session's reviewer thinks of it."""

    position: QueuePosition
    candidate: Candidate
    mine: Judgement | None


@dataclass(frozen=True, kw_only=True)
class QueuePage:
    """Lines in the order of the queue, whichever way it was read.

    `end` is the place to go on from in the same direction; None: there is nothing more. A page may
    be short, or empty, and have an `end`: so many candidates were looked at in vain, ask again.
    """

    lines: tuple[QueueRow, ...]
    end: QueuePosition | None


def page(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
    limit: int = PAGE,
    backwards: bool = False,
) -> QueuePage:
    """The lines behind `after`, or before it where read backwards; None: from that end."""
    if not 0 < limit <= MAX_PAGE:
        raise FilterError(f"a page has 1 to {MAX_PAGE} lines")
    how = plan(session, tree, sort)
    start = start_of(sort, backwards) if after is None else after
    with session.database.reading() as connection:
        found = walk(connection, how, start, limit, backwards=backwards)
        lines = _lines(connection, how, session.reviewer, found.places)
    return QueuePage(lines=tuple(lines[::-1] if backwards else lines), end=found.end)


def next_unjudged(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
    wrap: bool = True,
) -> QueueRow | None:
    """The next one without a verdict of the reviewer; behind the last the first ones follow.

    None: there is none left. A filter that no index answers is searched to its end, in steps
    between which others may write.
    """
    unjudged = combine(tree, UNJUDGED)
    found = _next(session, unjudged, sort, after, backwards=False)
    if found is None and wrap and after is not None:
        found = _next(session, unjudged, sort, None, backwards=False)
    return found


def next_row(
    session: Session, tree: Filter = EVERYTHING, sort: Sort = LIST_ORDER, *, after: QueuePosition
) -> QueueRow | None:
    """The next one, judged or not."""
    return _next(session, tree, sort, after, backwards=False)


def previous_row(
    session: Session, tree: Filter = EVERYTHING, sort: Sort = LIST_ORDER, *, before: QueuePosition
) -> QueueRow | None:
    return _next(session, tree, sort, before, backwards=True)


def row_of(session: Session, candidate_id: int, sort: Sort = LIST_ORDER) -> QueueRow:
    """A candidate where it stands in an order now, whether a filter shows it or not."""
    how = plan(session, EVERYTHING, sort)
    with session.database.reading() as connection:
        place = position_of(connection, sort, candidate_id)
        if place is None:
            raise SessionError(f"there is no candidate {candidate_id}")
        return _lines(connection, how, session.reviewer, [place])[0]


def matching(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
    at_once: int = 200,
) -> Iterator[QueueRow]:
    """All lines of a filter in their order, read page by page as they are asked for.

    What changes meanwhile is seen from where the reading stands on; nothing is met twice unless
    it moves behind that place.
    """
    while True:
        found = page(session, tree, sort, after=after, limit=at_once)
        yield from found.lines
        if found.end is None:
            return
        after = found.end


def _next(
    session: Session, tree: Filter, sort: Sort, start: QueuePosition | None, *, backwards: bool
) -> QueueRow | None:
    while True:
        found = page(session, tree, sort, after=start, limit=1, backwards=backwards)
        if found.lines:
            return found.lines[0]
        if found.end is None:
            return None
        start = found.end


def _lines(
    connection: Connection, how: Plan, reviewer: str, places: Sequence[QueuePosition]
) -> list[QueueRow]:
    if not places:
        return []
    whose = (_MINE.c.candidate_id == candidates.c.id) & (_MINE.c.reviewer_id == how.asking.number)
    query = (
        select(candidates, *(_MINE.c[name] for name in OF_MINE), literal(reviewer).label("name"))
        .select_from(candidates.outerjoin(_MINE, whose))
        .where(candidates.c.id.in_([place.id for place in places]))
    )
    rows = {row.id: row for row in connection.execute(query)}
    return [_line(place, rows[place.id]) for place in places]


def _line(place: QueuePosition, row: Row[Any]) -> QueueRow:
    mine = None if row.log_id is None else judgement_of(row)
    return QueueRow(position=place, candidate=candidate_of(row), mine=mine)
