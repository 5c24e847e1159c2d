"""How many of a session's spectra are simulated: what every catalogue and report must say.

A session holds no spectra, so it is those that somebody has looked at: an agent's record tells.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, select

from agent.errors import WorkbenchError
from agent.spectra.spectrum import Spectrum
from app.core.database.tables import candidates, inspections
from app.core.session.records import Candidate
from app.core.session.session import MAX_IDS, Session

MOST_RECORDS = MAX_IDS
"""That are looked into: a session may hold a million, of ten thousand characters each."""
MOST_READ = 24
"""Spectra of those of which no record tells."""

Known = Mapping[int, bool]
"""By candidate."""


@dataclass(frozen=True, kw_only=True)
class Simulated:
    found: int
    looked_at: int
    candidates: int

    @property
    def words(self) -> str:
        """How many, of how many; empty: not known."""
        if not self.looked_at:
            return ""
        if not self.found:
            return f"none of the {self.looked_at:,} looked at"
        if self.found < self.looked_at:
            return f"{self.found:,} of the {self.looked_at:,} looked at"
        every = f"all {self.looked_at:,}"
        return every if self.looked_at >= self.candidates else f"{every} looked at"


def simulated_in(connection: Connection) -> Simulated:
    """As the agents' records tell; of very many, some from the first to the last."""
    return _counted(connection, _recorded(connection))


def simulated_of(
    session: Session, known: Known, read: Callable[[Candidate], Spectrum]
) -> Simulated:
    """The same and by the spectra themselves: `known`, and a few more from first to last."""
    with session.database.reading() as connection:
        every = {**_recorded(connection), **known}
        spread = _spread(*_ends(connection, candidates.c.id), MOST_READ)
        for candidate in session.candidates(set(spread) - set(every)):
            with suppress(WorkbenchError, OSError):
                every[candidate.id] = read(candidate).simulated
        return _counted(connection, every)


def _counted(connection: Connection, known: Known) -> Simulated:
    count = select(func.count()).select_from(candidates)
    return Simulated(
        found=sum(known.values()),
        looked_at=len(known),
        candidates=connection.execute(count).scalar_one(),
    )


def _recorded(connection: Connection) -> dict[int, bool]:
    ids = _spread(*_ends(connection, inspections.c.id), MOST_RECORDS)
    query = select(inspections.c.candidate_id, inspections.c.record)
    rows = connection.execute(query.where(inspections.c.id.in_(ids)))
    return {row.candidate_id: told for row in rows for told in _told(row.record)}


def _told(record: Any) -> Iterator[bool]:
    with suppress(ValueError, TypeError, KeyError, RecursionError):  # a stranger's may be anything
        yield json.loads(record)["spectrum"]["simulated"] is True


def _ends(connection: Connection, column: Any) -> tuple[int | None, int | None]:
    # Two questions: SQLite leaps to either end, but asked for both it reads all.
    low, high = (connection.execute(select(end(column))).scalar() for end in (func.min, func.max))
    return low, high


def _spread(low: int | None, high: int | None, most: int) -> list[int]:
    """Numbers from the first to the last, no more than so many."""
    if low is None or high is None:
        return []
    count = min(most, high - low + 1)
    return [low + (high - low) * at // max(count - 1, 1) for at in range(count)]
