"""How many candidates match a filter, counted up to a limit."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.queue.filters import EVERYTHING, Filter
from app.core.queue.sorts import LIST_ORDER
from app.core.queue.walk import make_plan, start_of, walk
from app.core.session.session import Session

AT_MOST = 1000


@dataclass(frozen=True)
class Count:
    """An exact number, or a lower bound."""

    number: int
    is_exact: bool

    def __str__(self) -> str:
        return f"{self.number:,}" if self.is_exact else f"{self.number:,}+"


def count(session: Session, tree: Filter = EVERYTHING, at_most: int = AT_MOST) -> Count:
    """Count the matching candidates up to `at_most`, or as far as one walk looks."""
    plan = make_plan(session, tree, LIST_ORDER)
    with session.database.reading() as connection:
        found = walk(connection, plan, start_of(LIST_ORDER, False), at_most + 1)
    number = min(len(found.positions), at_most)
    return Count(number, is_exact=found.end is None and len(found.positions) <= at_most)
