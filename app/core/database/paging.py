"""Reads a long result page by page, in the order of a key."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, tuple_

from app.core.database.database import Database


def pages(
    source: Database | Connection,
    query: Select[Any],
    *key: ColumnElement[Any],
    at_once: int,
    after: Sequence[Any] = (),
) -> Iterator[Sequence[Row[Any]]]:
    """The rows behind `after`, by default behind 0; the query selects the columns of the key.

    Each page of a database is read by itself, so that a writer waits for one page at most.
    """
    place = key[0] if len(key) == 1 else tuple_(*key)
    names = [column.key for column in key]
    query = query.order_by(*key).limit(at_once)
    last = tuple(after) or (0,) * len(key)
    while True:
        here = query.where(place > (last[0] if len(key) == 1 else last))
        with nullcontext(source) if isinstance(source, Connection) else source.reading() as open_:
            rows = open_.execute(here).all()
        if not rows:
            return
        yield rows
        last = tuple(getattr(rows[-1], str(name)) for name in names)
