"""Every N-th position of a queue, so that any row of a million can be reached in one short page.

The rows stay in the database; only one position per block is kept. Each call counts blocks over a
limited number of rows, mostly inside the database.
"""

from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select

from app.core.queue.filters import EVERYTHING, And, Filter
from app.core.queue.pages import MAX_PAGE, QueueRow, page
from app.core.queue.sorts import LIST_ORDER, QueuePosition, Sort
from app.core.queue.sql_conditions import condition
from app.core.queue.walk import Plan, make_plan, order_of, own_matches, start_of, steps_from, walk
from app.core.session.session import Session

BLOCK = 128  # rows from one landmark to the next
ROWS_A_CALL = 40_000
# The first call reads few rows, so that it is fast and covers all of a short queue.
FIRST_CALL = 8 * BLOCK


class Landmarks(NamedTuple):
    """`ends` are the last positions of whole blocks; `rest` counts the rows after them.

    `end` is where the next call continues; None if the queue has ended.
    """

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
    rows: int = ROWS_A_CALL,
) -> Landmarks:
    """Landmarks from the start, or continued after a call that returned this end and `rest`."""
    plan = make_plan(session, tree, sort)
    with session.database.reading() as connection:
        if after is None:
            found = walk(connection, plan, start_of(sort, False), FIRST_CALL)
            ends = tuple(found.positions[BLOCK - 1 :: BLOCK])
            return Landmarks(ends, len(found.positions) % BLOCK, found.end)
        scan = _scan_own if sort.is_ranked else _scan
        return scan(connection, plan, after, rest, rows)


def block_rows(
    session: Session,
    tree: Filter,
    sort: Sort,
    after: QueuePosition | None,
    until: QueuePosition | None,
    limit: int = MAX_PAGE,
    *,
    with_values: bool = False,
) -> list[QueueRow]:
    """The current rows after `after` up to `until`, inclusive; None means start or end."""
    rows: list[QueueRow] = []
    last = None if until is None else order_key(sort, until)
    while len(rows) < limit:
        most = min(limit, BLOCK + 1)
        found = page(session, tree, sort, after=after, limit=most, with_values=with_values)
        inside = [
            row for row in found.rows if last is None or order_key(sort, row.position) <= last
        ]
        rows += inside
        if len(inside) < len(found.rows) or found.end is None:
            break
        if last is not None and order_key(sort, found.end) >= last:
            break
        after = found.end
    return rows[:limit]


def order_key(sort: Sort, position: QueuePosition) -> tuple[Any, int]:
    """A key that increases along the queue."""
    if not sort.is_read_backwards:
        return position.value, position.id
    if sort.key == "object":
        return (*(-ord(letter) for letter in position.value), 1), -position.id
    return -position.value, -position.id


def _scan(
    connection: Connection, plan: Plan, after: QueuePosition, rest: int, rows: int
) -> Landmarks:
    backwards = plan.sort.is_read_backwards
    after = plan.within(after, backwards)
    ends: list[QueuePosition] = []
    for step in steps_from(plan, after, backwards):
        if rows <= 0:
            break
        last = None
        for row in connection.execute(_block_end_query(plan, step.limit(rows), rest)):
            last = row
            if row.is_hit and (rest + row.hits) % BLOCK == 0:
                ends.append(QueuePosition(row.value, row.id))
        if last is not None:
            rows -= last.seen
            rest = (rest + last.hits) % BLOCK
            after = QueuePosition(last.value, last.id)
    return Landmarks(tuple(ends), rest, after if rows <= 0 else None)


def _scan_own(
    connection: Connection, plan: Plan, after: QueuePosition, rest: int, rows: int
) -> Landmarks:
    ids = order_of(connection, plan).ids
    first = int(after.value) + 1
    hits = own_matches(connection, plan, ids[first : first + rows])
    ranks = first + np.flatnonzero(hits)
    is_end = (rest + 1 + np.arange(len(ranks))) % BLOCK == 0
    ends = tuple(QueuePosition(int(rank), int(ids[rank])) for rank in ranks[is_end])
    last = first + len(hits) - 1
    end = QueuePosition(last, int(ids[last])) if last + 1 < len(ids) else None
    return Landmarks(ends, (rest + len(ranks)) % BLOCK, end)


def _block_end_query(plan: Plan, step: Select[Any], rest: int) -> Select[Any]:
    """Select the rows that end a block, and the last row of the step."""
    hit: ColumnElement[int] = sa.literal_column("1", sa.Integer)
    if plan.rest:
        hit = sa.case((condition(And(plan.rest), plan.context), 1), else_=0)
    looked = step.add_columns(hit.label("is_hit")).subquery("looked")
    is_down = plan.sort.is_read_backwards
    order = [each.desc() if is_down else each.asc() for each in (looked.c.value, looked.c.id)]
    numbered = sa.select(
        looked,
        sa.func.row_number().over(order_by=order).label("seen"),
        sa.func.sum(looked.c.is_hit).over(order_by=order).label("hits"),
        sa.func.count().over().label("total"),
    ).subquery("numbered")
    at_end = (numbered.c.is_hit == 1) & ((numbered.c.hits + rest) % BLOCK == 0)
    return (
        sa.select(numbered)
        .where(sa.or_(at_end, numbered.c.seen == numbered.c.total))
        .order_by(numbered.c.seen)
    )
