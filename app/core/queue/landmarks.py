"""Every so manieth place of a queue, so that any row of a million is a short page away.

The list itself stays in the database: what is held is one place for each block of lines. Blocks are
counted in calls that each look at a bounded number of rows, mostly inside the database.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    case,
    func,
    literal_column,
    or_,
    select,
)

from app.core.queue.filters import EVERYTHING, And, Filter
from app.core.queue.pages import MAX_PAGE, QueueRow, page
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort
from app.core.queue.sql_conditions import condition
from app.core.queue.walk import Plan, plan, start_of, steps_from, walk
from app.core.session.session import Session

BLOCK = 128
"""Lines from one landmark to the next."""
ROWS = 40_000
"""Looked at in one call."""
FIRST = 8 * BLOCK
"""Lines of the first call: soon there, and all of a short queue."""


class Landmarks(NamedTuple):
    """`ends`: the last place of each whole block; `rest`: lines behind the last of them. `end`:
    where to go on; None: that was all."""

    ends: tuple[QueuePosition, ...]
    rest: int
    end: QueuePosition | None


def landmarks(
    session: Session,
    tree: Filter = EVERYTHING,
    sort: Sort = LIST_ORDER,
    *,
    after: QueuePosition | None = None,
    rest: int = 0,
    rows: int = ROWS,
) -> Landmarks:
    """From the start, or from where the call before ended, which left `rest` lines over."""
    how = plan(session, tree, sort)
    with session.database.reading() as connection:
        if after is None:
            return _first(connection, how)
        return _scan(connection, how, after, rest, rows)


def block_rows(
    session: Session,
    tree: Filter,
    sort: Sort,
    after: QueuePosition | None,
    until: QueuePosition | None,
    most: int = MAX_PAGE,
) -> list[QueueRow]:
    """What lies behind `after` up to and with `until`, now; None: the start, the end."""
    lines: list[QueueRow] = []
    while len(lines) < most:
        found = page(session, tree, sort, after=after, limit=min(most, BLOCK + 1))
        inside = [each for each in found.lines if until is None or not is_beyond(sort, each, until)]
        lines += inside
        is_past = until is not None and found.end is not None and _is_past(sort, found.end, until)
        if len(inside) < len(found.lines) or found.end is None or is_past:
            break
        after = found.end
    return lines[:most]


def is_beyond(sort: Sort, line: QueueRow, place: QueuePosition) -> bool:
    """Whether it stands behind that place in the order."""
    return order_key(sort, line.position) > order_key(sort, place)


def order_key(sort: Sort, place: QueuePosition) -> tuple[float, float]:
    """Rises along the queue."""
    sign = -1 if sort.is_read_backwards else 1
    return sign * place.value, sign * place.id


def _is_past(sort: Sort, place: QueuePosition, until: QueuePosition) -> bool:
    return order_key(sort, place) >= order_key(sort, until)


def _first(connection: Connection, how: Plan) -> Landmarks:
    found = walk(connection, how, start_of(how.sort, False), FIRST)
    ends = tuple(found.places[BLOCK - 1 :: BLOCK])
    return Landmarks(ends, len(found.places) % BLOCK, found.end)


def _scan(
    connection: Connection, how: Plan, after: QueuePosition, rest: int, rows: int
) -> Landmarks:
    backwards = how.sort.is_read_backwards
    after = how.within(after, backwards)
    ends: list[QueuePosition] = []
    for step in steps_from(how, after, backwards):
        if rows <= 0:
            break
        last = None
        for row in connection.execute(_marks(how, step.limit(rows), rest)):
            last = row
            if row.is_hit and (rest + row.hits) % BLOCK == 0:
                ends.append(QueuePosition(row.value, row.id))
        if last is not None:
            rows -= last.seen
            rest = (rest + last.hits) % BLOCK
            after = QueuePosition(last.value, last.id)
    return Landmarks(tuple(ends), rest, after if rows <= 0 else None)


def _marks(how: Plan, step: Select[Any], rest: int) -> Select[Any]:
    """Of the rows of a step: those at the end of a block, and the last that was looked at."""
    hit = case((condition(And(how.rest), how.asking), 1), else_=0) if how.rest else _constant("1")
    looked = step.add_columns(hit.label("is_hit")).subquery("looked")
    order = _order(how.sort, looked.c.value, looked.c.id)
    numbered = select(
        looked,
        func.row_number().over(order_by=order).label("seen"),
        func.sum(looked.c.is_hit).over(order_by=order).label("hits"),
        func.count().over().label("total"),
    ).subquery("numbered")
    at_end = (numbered.c.is_hit == 1) & ((numbered.c.hits + rest) % BLOCK == 0)
    return (
        select(numbered)
        .where(or_(at_end, numbered.c.seen == numbered.c.total))
        .order_by(numbered.c.seen)
    )


def _order(sort: Sort, *columns: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    return [each.desc() if sort.is_read_backwards else each.asc() for each in columns]


def _constant(number: str) -> ColumnElement[int]:
    return literal_column(number, Integer)
