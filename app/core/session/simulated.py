"""Count the simulated spectra of a session; every catalogue and report states the number.

A session holds no spectra, so only those with an inspection record (or read for the report) count.
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
from app.core.session.known_answers import not_known, without_known
from app.core.session.records import Candidate
from app.core.session.session import MAX_IDS, Session

MAX_RECORDS = MAX_IDS
"""Records parsed at most: a session may hold a million, of ten thousand characters each."""
MAX_READ = 24
"""Spectra without a record that are read from their files at most."""

Known = Mapping[int, bool]
"""Whether each spectrum is simulated, by candidate id."""


@dataclass(frozen=True, kw_only=True)
class SimulatedCount:
    simulated: int
    checked: int
    candidates: int

    @property
    def words(self) -> str:
        """The count as text, empty if no spectrum was checked."""
        if not self.checked:
            return ""
        if not self.simulated:
            return f"none of the {self.checked:,} looked at"
        if self.simulated < self.checked:
            return f"{self.simulated:,} of the {self.checked:,} looked at"
        every = f"all {self.checked:,}"
        return every if self.checked >= self.candidates else f"{every} looked at"


def simulated_in(connection: Connection) -> SimulatedCount:
    """Count from the inspection records; beyond MAX_RECORDS, from an even sample of them."""
    return _count(connection, _from_records(connection))


def simulated_of(
    session: Session, known: Known, read: Callable[[Candidate], Spectrum]
) -> SimulatedCount:
    """Count from the records, the `known` spectra and a few more that are read for it."""
    with session.database.reading() as connection:
        every = {**_from_records(connection), **known}
        spread = _evenly_spaced(*_id_range(connection, candidates.c.id), MAX_READ)
        for candidate in session.candidates(without_known(connection, set(spread) - set(every))):
            with suppress(WorkbenchError, OSError):
                every[candidate.id] = read(candidate).simulated
        return _count(connection, every)


def _count(connection: Connection, known: Known) -> SimulatedCount:
    count = select(func.count()).select_from(candidates).where(not_known(candidates.c.id))
    return SimulatedCount(
        simulated=sum(known.values()),
        checked=len(known),
        candidates=connection.execute(count).scalar_one(),
    )


def _from_records(connection: Connection) -> dict[int, bool]:
    ids = _evenly_spaced(*_id_range(connection, inspections.c.id), MAX_RECORDS)
    query = select(inspections.c.candidate_id, inspections.c.record)
    wanted = inspections.c.id.in_(ids) & not_known(inspections.c.candidate_id)
    rows = connection.execute(query.where(wanted))
    return {row.candidate_id: flag for row in rows for flag in _simulated_flags(row.record)}


def _simulated_flags(record: Any) -> Iterator[bool]:
    with suppress(ValueError, TypeError, KeyError, RecursionError):  # the session may be untrusted
        yield json.loads(record)["spectrum"]["simulated"] is True


def _id_range(connection: Connection, column: Any) -> tuple[int | None, int | None]:
    # Two queries: SQLite uses the index for one of min and max, but scans the table for both.
    low, high = (connection.execute(select(end(column))).scalar() for end in (func.min, func.max))
    return low, high


def _evenly_spaced(low: int | None, high: int | None, most: int) -> list[int]:
    """At most `most` integers evenly spaced from low to high, both included."""
    if low is None or high is None:
        return []
    count = min(most, high - low + 1)
    return [low + (high - low) * i // max(count - 1, 1) for i in range(count)]
