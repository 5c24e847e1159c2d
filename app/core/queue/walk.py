"""Going through a queue: from a place on, in one direction, never more than so many rows at once.

A walk reads an index of the order from where it stands, so what lies behind or far ahead costs
nothing. A filter that only looking can answer is answered for a bounded number of rows a call.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import CTE, ColumnElement, Connection, Select, and_, literal_column, or_, select

from app.core.database.tables import candidates
from app.core.queue.filters import And, Filter, Number, checked
from app.core.queue.order_indexes import (
    IndexScope,
    column_indexes,
    ensure_indexes,
    order_index,
    split_filter,
)
from app.core.queue.rare_filters import gather_few, index_unions
from app.core.queue.sorts import FARTHEST, QueuePosition, Sort
from app.core.queue.sql_conditions import QueryContext, condition, raw_sql
from app.core.session.session import Session

ROWS_A_CALL = 20_000
"""Rows looked at in one call, for filters that no index answers."""
FIRST_ROWS = 2000
"""A filter that is not met within so many rows is rare."""
MAX_GATHERED = 400
"""So many are gathered and put in order faster than they are met on the way."""
MAX_GATHERED_LATE = 5000
"""So many still are where the filter turned out to be rare."""
FIRST_STRIDE = 250
GROWTH = 4


class WalkResult(NamedTuple):
    """What one call found. `end` is where to go on; None: there is nothing more that way."""

    places: list[QueuePosition]
    end: QueuePosition | None


@dataclass(frozen=True)
class Plan:
    """How a filter and an order are answered by this session's database."""

    tree: Filter
    sort: Sort
    asking: QueryContext
    narrowing: IndexScope
    rest: tuple[Filter, ...]
    indexes: frozenset[str]
    low: float | None = None
    high: float | None = None
    """What the filter says of the very number the order goes by."""

    def within(self, start: QueuePosition, backwards: bool) -> QueuePosition:
        """The start, or where the filter can first be met behind it."""
        if backwards and self.high is not None and start.value > self.high:
            return QueuePosition(self.high, FARTHEST)
        if not backwards and self.low is not None and start.value < self.low:
            return QueuePosition(self.low, -1)
        return start


def plan(session: Session, tree: Filter, sort: Sort) -> Plan:
    """Makes the indexes it needs where they are not there yet."""
    checked(tree)
    me = session.reviewer_number
    asking = QueryContext(me, session.database.is_file)
    narrowing, rest = split_filter(tree, me)
    wanted = order_index(sort, narrowing)
    whole = order_index(sort, IndexScope())
    indexes = ensure_indexes(session, [whole, wanted, *column_indexes(tree)])
    if wanted is not None and wanted.name not in indexes:
        narrowing, rest = IndexScope(), (tree,)
    low, high = _bounds(sort, rest)
    return Plan(tree, sort, asking, narrowing, rest, indexes, low, high)


def walk(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, *, backwards: bool = False
) -> WalkResult:
    """The next `limit` places behind `start`, or before it, in the order they are met."""
    backwards = backwards != plan.sort.is_read_backwards
    start = plan.within(start, backwards)
    if not plan.rest:
        return _first(connection, steps_from(plan, start, backwards), limit)
    return _search(connection, plan, start, limit, backwards)


def start_of(sort: Sort, backwards: bool) -> QueuePosition:
    """Before everything, seen in that direction."""
    return sort.last if backwards != sort.is_read_backwards else sort.first


def position_of(connection: Connection, sort: Sort, candidate_id: int) -> QueuePosition | None:
    """Where a candidate stands now; None where there is none of that number."""
    query = select(sort.column).select_from(candidates).where(candidates.c.id == candidate_id)
    value = connection.execute(query).scalar()
    return None if value is None else QueuePosition(value, candidate_id)


def _first(connection: Connection, steps: list[Select[Any]], limit: int) -> WalkResult:
    """Every row counts."""
    found: list[QueuePosition] = []
    for step in steps:
        if len(found) < limit:
            rows = connection.execute(step.limit(limit - len(found)))
            found.extend(QueuePosition(value, number) for value, number in rows)
    return WalkResult(found, found[-1] if len(found) == limit else None)


def _search(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, backwards: bool
) -> WalkResult:
    """By gathering where few can be meant, else by looking, whichever ends sooner."""
    ways = index_unions(_all(plan.rest), plan.asking, plan.indexes)
    few = gather_few(connection, ways, MAX_GATHERED)
    if few is not None:
        return _of_few(connection, plan, few, start, limit, backwards)
    soon = _look(connection, plan, start, limit, backwards, FIRST_ROWS)
    if soon.end is None or len(soon.places) == limit:
        return soon
    few = gather_few(connection, ways, MAX_GATHERED_LATE)
    if few is not None:
        return _of_few(connection, plan, few, start, limit, backwards)
    more = limit - len(soon.places)
    later = _look(connection, plan, soon.end, more, backwards, ROWS_A_CALL - FIRST_ROWS)
    return WalkResult(soon.places + later.places, later.end)


def _look(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, backwards: bool, rows: int
) -> WalkResult:
    """At no more than so many rows, in strides that grow, until enough are found."""
    hit = condition(_all(plan.rest), plan.asking).label("hit")
    found: list[QueuePosition] = []
    stride = max(FIRST_STRIDE, 2 * limit)
    while rows > 0:
        stride = min(stride, rows)
        seen = 0
        for step in steps_from(plan, start, backwards):
            query = step.add_columns(hit).limit(stride - seen)
            for value, number, is_hit in connection.execute(query) if seen < stride else ():
                seen += 1
                start = QueuePosition(value, number)
                if is_hit:
                    found.append(start)
                    if len(found) == limit:
                        return WalkResult(found, start)
        if seen < stride:
            return WalkResult(found, None)
        rows -= seen
        stride *= GROWTH
    return WalkResult(found, start)


def steps_from(plan: Plan, start: QueuePosition, backwards: bool) -> list[Select[Any]]:
    """First what is level with the start, then what lies beyond: each is one range of the index."""
    key, number = plan.sort.column, candidates.c.id
    rows = select(key.label("value"), number).select_from(candidates)
    if plan.narrowing.condition:
        rows = rows.where(raw_sql(plan.narrowing.condition))
    if plan.sort.key == "list":
        ahead = number < start.id if backwards else number > start.id
        return [rows.where(ahead).order_by(number.desc() if backwards else number)]
    level = rows.where(key == start.value)
    if backwards:
        beyond = rows.where(key < start.value, *([] if plan.low is None else [key >= plan.low]))
        return [
            level.where(number < start.id).order_by(number.desc()),
            beyond.order_by(key.desc(), number.desc()),
        ]
    beyond = rows.where(key > start.value, *([] if plan.high is None else [key <= plan.high]))
    return [level.where(number > start.id).order_by(number), beyond.order_by(key, number)]


def _of_few(
    connection: Connection, plan: Plan, few: CTE, start: QueuePosition, limit: int, backwards: bool
) -> WalkResult:
    """Gathered by an index, then put in order: the plus keeps the order's index out of it."""
    key, number = literal_column(f"+({plan.sort.sql})", plan.sort.column.type), candidates.c.id
    if backwards:
        ahead = or_(key < start.value, and_(key == start.value, number < start.id))
        order: tuple[ColumnElement[Any], ...] = (key.desc(), number.desc())
    else:
        ahead = or_(key > start.value, and_(key == start.value, number > start.id))
        order = (key, number)
    query = (
        select(key.label("value"), number)
        .select_from(few.join(candidates, number == few.c.few_id))
        .where(condition(plan.tree, plan.asking), ahead)
        .order_by(*order)
    )
    return _first(connection, [query], limit)


def _bounds(sort: Sort, rest: tuple[Filter, ...]) -> tuple[float | None, float | None]:
    """Between which values of the order's expression the filter can be met at all."""
    lows, highs = [], []
    for term in rest:
        if isinstance(term, Number) and term.field == sort.key:
            value = -term.value if sort.descending else term.value
            rises = (">" in term.compare) != sort.descending
            if term.compare == "=" or rises:
                lows.append(value)
            if term.compare == "=" or not rises:
                highs.append(value)
    return max(lows, default=None), min(highs, default=None)


def _all(terms: tuple[Filter, ...]) -> Filter:
    return terms[0] if len(terms) == 1 else And(terms)
