"""Merges people's ratings of inspections; of two by one person the later one counts."""

from __future__ import annotations

from sqlalchemy import Connection, select

from app.core.database.database import write_facts
from app.core.database.tables import facts
from app.core.inspections.ratings import PREFIX, rating_from
from app.core.session.session import MAX_IDS
from app.core.sharing.matching import IdMap

MAX_KEY = 300


def merge_ratings(target: Connection, source: Connection, ids: IdMap) -> int:
    """Take over new and later ratings under the numbers of the target; returns how many.

    What is no rating is left behind: unlike a verdict, nothing else depends on it.
    """
    query = select(facts).where(facts.c.key.startswith(PREFIX, autoescape=True))
    query, after, added = query.order_by(facts.c.key).limit(MAX_IDS), "", 0
    while rows := source.execute(query.where(facts.c.key > after)).all():
        given: dict[str, str] = {}
        for row in rows:
            number, _, rest = str(row.key).removeprefix(PREFIX).partition(":")
            is_number = number.isascii() and number.isdecimal() and len(number) < 19
            here_id = ids.get(int(number)) if is_number else None
            if here_id is not None and len(rest) <= MAX_KEY and rating_from(row.value):
                given[f"{PREFIX}{here_id}:{rest}"] = row.value
        there = select(facts).where(facts.c.key.in_(given))
        here = {row.key: row.value for row in target.execute(there)}
        new = {key: text for key, text in given.items() if _is_later(text, here.get(key))}
        write_facts(target, new)
        added += len(new)
        after = rows[-1].key
    return added


def _is_later(text: str, here: str | None) -> bool:
    given, known = rating_from(text), rating_from(here)
    return given is not None and (known is None or given.at > known.at)
