"""What a filter can be about in this session: the flags people set, and the lists' own columns."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from app.core.database.tables import FLAGGED, judgements, lists
from app.core.queue.conditions import plain
from app.core.queue.filters import MAX_TEXT
from app.core.session.session import Session

KINDS = ("int", "float", "bool", "str")


@dataclass(frozen=True)
class ListColumnInUse:
    """A further column of a list, for `own.NAME`. `kind`: int, float, bool or str."""

    name: str
    kind: str
    unit: str = ""


def flags_in_use(session: Session) -> Mapping[str, int]:
    """Every flag that somebody has set, and on how many opinions; the most used first."""
    query = (
        select(judgements.c.flags, func.count()).where(plain(FLAGGED)).group_by(judgements.c.flags)
    )
    counts: Counter[str] = Counter()
    with session.database.reading() as connection:
        for text, count in connection.execute(query):
            for flag in dict.fromkeys(_words(_parsed(text))):
                counts[flag] += count
    return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def own_columns(session: Session) -> tuple[ListColumnInUse, ...]:
    """Of all lists, in their order; of the same name, once. Columns with a role are no own ones."""
    found: dict[str, ListColumnInUse] = {}
    with session.database.reading() as connection:
        rows = connection.execute(select(lists.c.roles, lists.c.columns).order_by(lists.c.id)).all()
    for row in rows:
        roles, columns = _parsed(row.roles), _parsed(row.columns)
        used = set(_words(list(roles.values()))) if isinstance(roles, dict) else set()
        for entry in columns if isinstance(columns, list) else ():
            column = _column(entry)
            if column is not None and column.name not in used:
                found.setdefault(column.name, column)
    return tuple(found.values())


def _column(entry: object) -> ListColumnInUse | None:
    """None for what no filter can name: a stranger's session may hold anything."""
    if not isinstance(entry, dict):
        return None
    name, kind, unit = (entry.get(key, "") for key in ("name", "type", "unit"))
    if not isinstance(name, str) or not (0 < len(name) <= MAX_TEXT and name.isprintable()):
        return None
    return ListColumnInUse(
        name, kind if kind in KINDS else "str", unit if isinstance(unit, str) else ""
    )


def _words(some: object) -> list[str]:
    return [each for each in some if isinstance(each, str)] if isinstance(some, list) else []


def _parsed(text: object) -> object:
    try:
        return json.loads(str(text))
    except (ValueError, RecursionError):
        return None
