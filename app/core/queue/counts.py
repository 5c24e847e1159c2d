"""How many a filter shows, and where one stands among them, without counting a million."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.errors import SessionError
from app.core.queue.filters import EVERYTHING, Everything, Filter
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort
from app.core.queue.walk import place_of, plan, start_of, walk
from app.core.session.session import Session

AT_MOST = 1000


@dataclass(frozen=True)
class Count:
    """A number, or a number and more."""

    number: int
    is_exact: bool

    def __str__(self) -> str:
        return f"{self.number:,}" if self.is_exact else f"{self.number:,}+"


def count(session: Session, tree: Filter = EVERYTHING, at_most: int = AT_MOST) -> Count:
    """Of the candidates a filter shows; counted up to `at_most`, or as far as one call looks."""
    return _counted(session, tree, LIST_ORDER, None, at_most)


def position_of(
    session: Session,
    candidate_id: int,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    at_most: int = AT_MOST,
) -> Count:
    """How many of the filter stand before a candidate in the order. In the list as it is a
    candidate's number tells."""
    if sort == LIST_ORDER and isinstance(tree, Everything):
        return Count(candidate_id - 1, is_exact=True)
    with session.database.reading() as connection:
        place = place_of(connection, sort, candidate_id)
    if place is None:
        raise SessionError(f"there is no candidate {candidate_id}")
    return _counted(session, tree, sort, place, at_most)


def _counted(
    session: Session, tree: Filter, sort: Sort, before: QueuePosition | None, at_most: int
) -> Count:
    """Counted from the place towards the front, so that one near it costs little."""
    how = plan(session, tree, sort)
    backwards = before is not None
    start = start_of(sort, backwards) if before is None else before
    with session.database.reading() as connection:
        found = walk(connection, how, start, at_most + 1, backwards=backwards)
    number = min(len(found.places), at_most)
    return Count(number, is_exact=found.end is None and len(found.places) <= at_most)
