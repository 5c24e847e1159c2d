"""Finds candidates by name, number or TARGETID."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select

from app.core.database.tables import MIN_TARGETID, candidates
from app.core.queue.filters import MAX_TEXT
from app.core.queue.sql_conditions import raw_sql
from app.core.session.records import Candidate
from app.core.session.session import Session

MAX_FOUND = 20
LAST_CHARACTER = "\U0010ffff"  # sorts after every text with the same prefix
MAX_NUMBER = 2**63 - 1


def find(session: Session, text: str, limit: int = MAX_FOUND) -> list[Candidate]:
    """Candidates with this name, number or TARGETID, then those whose name begins with the text.

    Names are tried as typed, in capitals and in lower case, so that an index can be used.
    """
    text = "".join(each for each in text if each.isprintable()).strip()[:MAX_TEXT]
    if not text:
        return []
    found: dict[int, None] = {}
    with session.database.reading() as connection:
        for query in _queries(text):
            if len(found) < limit:
                found.update(dict.fromkeys(connection.execute(query.limit(limit)).scalars()))
    return session.candidates(list(found)[:limit])


def _queries(text: str) -> list[Select[Any]]:
    """Queries that each read one range of an index."""
    number = int(text) if text.isascii() and text.isdecimal() else MAX_NUMBER + 1
    name, query = candidates.c.object_id, select(candidates.c.id)
    spellings = list(dict.fromkeys([text, text.upper(), text.lower()]))
    queries = [query.where(name == each).order_by(candidates.c.id) for each in spellings]
    if MIN_TARGETID <= number <= MAX_NUMBER:
        # The second condition is redundant, but needed for SQLite to use the partial index.
        is_target = (candidates.c.row == number) & raw_sql(f'"row" >= {MIN_TARGETID}')
        queries.append(query.where(is_target).order_by(candidates.c.id))
    elif number <= MAX_NUMBER:
        queries.append(query.where(candidates.c.id == number))
    for each in spellings:
        has_prefix = (name >= each) & (name < each + LAST_CHARACTER)
        queries.append(query.where(has_prefix).order_by(name, candidates.c.id))
    return queries
