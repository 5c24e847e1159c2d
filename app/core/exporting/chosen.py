"""The candidates of a selection by number alone: for what is no catalogue."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from app.core.database.tables import candidates
from app.core.exporting.opinions import said_of
from app.core.exporting.selection import Which, pages, selection
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.statistics.adjudication import adjudicator_of


def chosen_ids(
    session: Session, which: Which | Iterable[int], reviewer: str | None = None
) -> array[int]:
    """Those that `export` would write, in its order."""
    found = array("q")
    adjudicator = adjudicator_of(session)
    with session.database.reading() as connection:
        chosen = selection(connection, which, reviewer)
        for rows in pages(connection, [candidates.c.id], chosen):
            ids = [row[0] for row in rows]
            if which == "accepted":
                said = said_of(connection, ids, chosen, adjudicator)
                pairs = zip(ids, said, strict=True)
                ids = [number for number, each in pairs if each.verdict == Verdict.ACCEPT]
            found.extend(ids)
    return found
