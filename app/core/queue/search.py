"""Jumping to a candidate by what a person knows of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select

from app.core.database.tables import MIN_TARGETID, candidates
from app.core.queue.filters import MAX_TEXT
from app.core.queue.sql_conditions import raw_sql
from app.core.session.records import Candidate
from app.core.session.session import Session

FOUND = 20
HIGHEST = "\U0010ffff"
"""Behind every text that begins the same."""
MAX_NUMBER = 2**63 - 1


def find(session: Session, text: str, limit: int = FOUND) -> list[Candidate]:
    """Candidates whose object is called so, whose number or TARGETID it is, then those whose
    object's name begins so: as it is typed, in capitals, or in small letters."""
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
    """Each reads a range of one index, in its order."""
    number = int(text) if text.isascii() and text.isdecimal() else MAX_NUMBER + 1
    name, those = candidates.c.object_id, select(candidates.c.id)
    spellings = list(dict.fromkeys([text, text.upper(), text.lower()]))
    queries = [those.where(name == each).order_by(candidates.c.id) for each in spellings]
    if MIN_TARGETID <= number <= MAX_NUMBER:
        # The second says nothing new, but is what the index is of.
        is_target = (candidates.c.row == number) & raw_sql(f'"row" >= {MIN_TARGETID}')
        queries.append(those.where(is_target).order_by(candidates.c.id))
    elif number <= MAX_NUMBER:
        queries.append(those.where(candidates.c.id == number))
    for each in spellings:
        begins_so = (name >= each) & (name < each + HIGHEST)
        queries.append(those.where(begins_so).order_by(name, candidates.c.id))
    return queries
