"""Opinions of people, and the log of how they came about, as astropy Tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.core.database.tables import candidates, judgements, reviewers
from app.core.session.known_answers import known_ids, not_known
from app.core.session.records import Opinion
from app.core.session.session import Session
from app.core.session.stored_opinions import judgement_of

if TYPE_CHECKING:
    from astropy.table import Table

WHO = ("candidate_id", "object_id", "reviewer")
OPINION = ("verdict", "confidence", "flags", "comment", "at")
CONFIDENCE = "from 4 (sure) to 0 (none)"
TIME = "UTC, ISO 8601"


def verdict_table(session: Session) -> Table:
    """A row for each reviewer's present opinion of each candidate, without known answers."""
    query = (
        select(judgements, reviewers.c.name, candidates.c.object_id)
        .join(reviewers, reviewers.c.id == judgements.c.reviewer_id)
        .join(candidates, candidates.c.id == judgements.c.candidate_id)
        .where(not_known(judgements.c.candidate_id))
        .order_by(judgements.c.candidate_id, judgements.c.reviewer_id)
    )
    with session.database.reading() as connection:
        found = [(judgement_of(row), row.object_id) for row in connection.execute(query)]
    rows = [
        (each.candidate_id, object_id, each.reviewer, *_cells(each.opinion), each.at)
        for each, object_id in found
    ]
    return _table((*WHO, *OPINION), rows)


def history_table(session: Session) -> Table:
    """A row for each line of the log, oldest first, without those on known answers."""
    hidden = known_ids(session)
    rows = [
        (
            *(each.id, each.action, each.candidate_id, each.reviewer),
            *(*_cells(each.opinion), each.at, each.seconds),
        )
        for each in session.history()
        if each.candidate_id not in hidden
    ]
    return _table(("id", "action", "candidate_id", "reviewer", *OPINION, "seconds"), rows)


def _cells(opinion: Opinion) -> tuple[Any, ...]:
    verdict = None if opinion.verdict is None else str(opinion.verdict)
    return verdict, opinion.confidence, ", ".join(opinion.flags), opinion.comment


NUMBERS = {"candidate_id": int, "id": int, "confidence": int, "seconds": float}


def _table(names: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> Table:
    """The rows as a table; cells that are None are masked."""
    from astropy.table import MaskedColumn, Table  # slow to import

    about = {"confidence": CONFIDENCE, "at": TIME, "seconds": "time spent on the candidate"}
    units = {"seconds": "s"}
    made = []
    for number, name in enumerate(names):
        cells = [row[number] for row in rows]
        kind = NUMBERS.get(name, str)
        made.append(
            MaskedColumn(
                [kind() if cell is None else cell for cell in cells],
                name=name,
                dtype=kind,
                mask=[cell is None for cell in cells],
                description=about.get(name),
                unit=units.get(name),
            )
        )
    return Table(made)
