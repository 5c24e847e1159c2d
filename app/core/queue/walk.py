"""Walks through a queue from a position in one direction.

A walk reads the index of the order from that position, so the rest of the queue costs nothing. A
filter without an index is checked row by row, for a limited number of rows per call.
"""

from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import CTE, ColumnElement, Connection, Select, and_, func, or_, select, union_all

from app.core.database import tables
from app.core.database.database import Database
from app.core.database.tables import assignments, candidates, judgements, raw_sql, reviewers
from app.core.queue import filters
from app.core.queue.column_values import (
    QueryContext,
    context_of,
    index_condition,
    is_of_opinion,
)
from app.core.queue.filters import EVERYTHING, And, Filter, Number, checked
from app.core.queue.learned_orders import learned_order
from app.core.queue.order_indexes import (
    IndexScope,
    column_indexes,
    ensure_indexes,
    order_index,
    split_filter,
)
from app.core.queue.own_columns import (
    HeldOrders,
    OwnOrder,
    followed_by_the_rest,
    matching_ids,
    own_order,
)
from app.core.queue.sorts import LAST_VALUE, QueuePosition, Sort
from app.core.queue.sql_conditions import COMPARISONS, assigned_reviewer, condition
from app.core.session.records import Verdict
from app.core.session.session import Session
from app.core.similar.index import index_of

ROWS_A_CALL = 20_000  # rows checked in one call if no index serves the filter
FIRST_ROWS = 2000  # a filter without a match in these rows counts as rare
# Up to this many candidates, finding and sorting all is faster than walking.
MAX_GATHERED = 400
MAX_GATHERED_LATE = 5000  # the same limit for a filter that turned out to be rare
FIRST_STRIDE = 250
GROWTH = 4

_like_orders = HeldOrders()


class WalkResult(NamedTuple):
    """The positions found by one call; `end` is where to continue, None at the end of the queue."""

    positions: list[QueuePosition]
    end: QueuePosition | None


@dataclass(frozen=True)
class Plan:
    """How this session's database will run a filter and an order."""

    tree: Filter
    sort: Sort
    context: QueryContext
    scope: IndexScope
    rest: tuple[Filter, ...]
    indexes: frozenset[str]
    database: Database
    low: float | None = None
    high: float | None = None  # limits that the filter sets on the value of the sort expression

    def within(self, start: QueuePosition, backwards: bool) -> QueuePosition:
        """The start, or the first later position where the filter can match."""
        if backwards and self.high is not None and start.value > self.high:
            return QueuePosition(self.high, LAST_VALUE)
        if not backwards and self.low is not None and start.value < self.low:
            return QueuePosition(self.low, -1)
        return start


def make_plan(session: Session, tree: Filter, sort: Sort) -> Plan:
    """Plan a query and create missing indexes."""
    checked(tree)
    context = context_of(session)
    scope, rest = split_filter(tree, context.reviewer_id)
    wanted = order_index(sort, scope)
    whole = order_index(sort, IndexScope())
    indexes = ensure_indexes(session, [whole, wanted, *column_indexes(tree)])
    if sort.is_ranked or (wanted is not None and wanted.name not in indexes):
        scope, rest = IndexScope(), (tree,)
    # The range of the sort expression in which the filter can match.
    lows, highs = [], []
    for term in rest:
        if isinstance(term, Number) and term.field == sort.key:
            value = -term.value if sort.descending else term.value
            rises = (">" in term.compare) != sort.descending
            if term.compare == "=" or rises:
                lows.append(value)
            if term.compare == "=" or not rises:
                highs.append(value)
    low, high = max(lows, default=None), min(highs, default=None)
    return Plan(tree, sort, context, scope, rest, indexes, session.database, low, high)


def walk(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, *, backwards: bool = False
) -> WalkResult:
    """The next `limit` matching positions after `start`, or before it, in walking order."""
    if plan.sort.is_ranked:
        return _walk_own(connection, plan, start, limit, backwards)
    backwards = backwards != plan.sort.is_read_backwards
    start = plan.within(start, backwards)
    if not plan.rest:
        return _read_positions(connection, steps_from(plan, start, backwards), limit)
    return _search(connection, plan, start, limit, backwards)


def start_of(sort: Sort, backwards: bool) -> QueuePosition:
    """The position before all rows in that direction."""
    return sort.last if backwards != sort.is_read_backwards else sort.first


def position_of(connection: Connection, plan: Plan, candidate_id: int) -> QueuePosition | None:
    """The current position of a candidate; None if it does not exist."""
    sort = plan.sort
    if sort.is_ranked:
        rank = order_of(connection, plan).rank(candidate_id)
        return None if rank is None else QueuePosition(rank, candidate_id)
    query = select(sort.column).select_from(candidates).where(candidates.c.id == candidate_id)
    value = connection.execute(query).scalar()
    return None if value is None else QueuePosition(value, candidate_id)


def order_of(connection: Connection, plan: Plan) -> OwnOrder:
    """The order by an own column, by likeness or as learned, from memory or made now."""
    sort = plan.sort
    if sort.key == "like":
        return like_order(plan.database, connection, sort)
    if sort.key == "learned":
        return learned_order(plan.database, connection, sort, plan.context)
    return own_order(plan.database, connection, sort.own, plan.context, descending=sort.descending)


def own_matches(connection: Connection, plan: Plan, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    if plan.tree == EVERYTHING:
        return np.ones(len(ids), dtype=bool)
    found = matching_ids(connection, ids, condition(plan.tree, plan.context))
    return np.array([number in found for number in ids.tolist()], dtype=bool)


def _walk_own(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, backwards: bool
) -> WalkResult:
    """Walk along ranks, and look up which candidates match: few of them at once where few can."""
    ids = order_of(connection, plan).ids
    step = -1 if backwards else 1
    low, high = (0, int(min(start.value, len(ids)))) if backwards else (int(start.value) + 1, None)
    ahead = np.arange(len(ids))[low:high][::step]
    few = None
    if plan.tree != EVERYTHING:
        ways = index_unions(plan.tree, plan.context, plan.indexes)
        few = gather_few(connection, ways, MAX_GATHERED_LATE)
    if few is not None:
        gathered = connection.execute(select(few.c.few_id)).scalars().all()
        ahead = ahead[np.isin(ids[ahead], np.array(gathered, dtype=np.int64))]
    found: list[QueuePosition] = []
    stride = max(FIRST_STRIDE, 2 * limit)
    seen = 0
    while seen < min(len(ahead), ROWS_A_CALL):
        ranks = ahead[seen : seen + stride]
        hits = ranks[own_matches(connection, plan, ids[ranks])][: limit - len(found)]
        found += [QueuePosition(int(rank), int(ids[rank])) for rank in hits]
        if len(found) == limit:
            return WalkResult(found, found[-1])
        seen += len(ranks)
        stride = min(stride * GROWTH, ROWS_A_CALL)
    if seen >= len(ahead):
        return WalkResult(found, None)
    return WalkResult(found, QueuePosition(int(ahead[seen - 1]), int(ids[ahead[seen - 1]])))


def _read_positions(connection: Connection, steps: list[Select[Any]], limit: int) -> WalkResult:
    found: list[QueuePosition] = []
    for step in steps:
        if len(found) < limit:
            rows = connection.execute(step.limit(limit - len(found)))
            found.extend(QueuePosition(value, number) for value, number in rows)
    return WalkResult(found, found[-1] if len(found) == limit else None)


def _search(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, backwards: bool
) -> WalkResult:
    """Find rows by gathering if few can match, otherwise by scanning."""
    ways = index_unions(_and(plan.rest), plan.context, plan.indexes)
    few = gather_few(connection, ways, MAX_GATHERED)
    if few is not None:
        return _sort_few(connection, plan, few, start, limit, backwards)
    soon = _scan(connection, plan, start, limit, backwards, FIRST_ROWS)
    if soon.end is None or len(soon.positions) == limit:
        return soon
    few = gather_few(connection, ways, MAX_GATHERED_LATE)
    if few is not None:
        return _sort_few(connection, plan, few, start, limit, backwards)
    more = limit - len(soon.positions)
    later = _scan(connection, plan, soon.end, more, backwards, ROWS_A_CALL - FIRST_ROWS)
    return WalkResult(soon.positions + later.positions, later.end)


def _scan(
    connection: Connection, plan: Plan, start: QueuePosition, limit: int, backwards: bool, rows: int
) -> WalkResult:
    """Check up to `rows` rows, in growing strides, until `limit` of them match."""
    hit = condition(_and(plan.rest), plan.context).label("hit")
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
    """Queries for rows with the start's own value, then for those beyond it.

    Each reads a single range of the index.
    """
    key, number = plan.sort.column, candidates.c.id
    rows = select(key.label("value"), number).select_from(candidates)
    if plan.scope.condition:
        rows = rows.where(raw_sql(plan.scope.condition))
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


def _sort_few(
    connection: Connection, plan: Plan, few: CTE, start: QueuePosition, limit: int, backwards: bool
) -> WalkResult:
    key, number = plan.sort.column_without_index, candidates.c.id
    if backwards:
        ahead = or_(key < start.value, and_(key == start.value, number < start.id))
        order: tuple[ColumnElement[Any], ...] = (key.desc(), number.desc())
    else:
        ahead = or_(key > start.value, and_(key == start.value, number > start.id))
        order = (key, number)
    query = (
        select(key.label("value"), number)
        .select_from(few.join(candidates, number == few.c.few_id))
        .where(condition(plan.tree, plan.context), ahead)
        .order_by(*order)
    )
    return _read_positions(connection, [query], limit)


def _and(terms: tuple[Filter, ...]) -> Filter:
    return terms[0] if len(terms) == 1 else And(terms)


def like_order(database: Database, connection: Connection, sort: Sort) -> OwnOrder:
    """That candidate, then the most alike, then those whose spectra are not known, as listed.

    It stays as it is while spectra are read, so that a person can walk along it, and is made anew
    when all have been.
    """
    index, number = index_of(database), sort.like
    last_id = connection.execute(select(func.max(candidates.c.id))).scalar() or 0

    def read() -> NDArray[np.int64]:
        alike = np.empty(0, np.int64)
        if (vector := index.vector(number)) is not None:
            alike = index.order(vector)
        if sort.examples or sort.counter_examples:
            alike = index.order_by_examples((number, *sort.examples), sort.counter_examples)
        first = np.concatenate([[number], alike[alike != number]])
        return followed_by_the_rest(connection, first.astype(np.int64))

    return _like_orders.order(database, sort, last_id, index.generation, read)


# Finds the candidates of a rare filter by an index of its own.
# They are then sorted, which is faster than searching for them along the whole order.
IndexQuery = Select[tuple[int]]
IndexUnion = tuple[IndexQuery, ...]
"""Queries of one index range each; together they return all candidates of a filter, and more."""


def gather_few(connection: Connection, ways: list[IndexUnion], at_most: int) -> CTE | None:
    """The candidate ids (`few_id`) by the first way that returns at most `at_most`, or None."""
    for queries in ways:
        every = union_all(*queries) if len(queries) > 1 else queries[0]
        some = every.limit(at_most + 1).subquery("some")
        if connection.execute(select(func.count()).select_from(some)).scalar_one() <= at_most:
            return select(some.c.few_id).distinct().cte("few").prefix_with("MATERIALIZED")
    return None


def index_unions(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> list[IndexUnion]:
    """The ways to find all candidates of a filter by index; they may return others too."""
    if isinstance(tree, filters.And):
        return [way for term in tree.terms for way in index_unions(term, context, indexes)]
    if isinstance(tree, filters.Or):
        ways = [index_unions(term, context, indexes) for term in tree.terms]
        return [tuple(chain.from_iterable(way[0] for way in ways))] if all(ways) else []
    found = _index_union(tree, context, indexes)
    return [found] if found else []


def _index_union(tree: Filter, context: QueryContext, indexes: frozenset[str]) -> IndexUnion:
    match tree:
        case filters.MyVerdict() if tree.verdict is not None:
            return _mine(context, judgements.c.verdict == tree.verdict)
        case filters.Not(filters.MyVerdict(None)):
            return _mine(context, judgements.c.verdict.in_(tuple(Verdict)))
        case filters.AnyVerdict() if tree.verdict is not None:
            by_all = judgements.c.reviewer_id.in_(select(reviewers.c.id))
            return (_judgements_where(by_all, judgements.c.verdict == tree.verdict),)
        case filters.AgentVerdict("yes" | "no"):
            return (_candidates_where(candidates.c.agent_verdict == tree.answer.upper()),)
        case filters.Flag() | filters.Has("flag"):
            return _mine(context, raw_sql(tables.FLAGGED))
        case filters.Has("comment") | filters.Words("comment"):
            return (_judgements_where(raw_sql(tables.COMMENTED)),)
        case filters.Has("fault") | filters.Words("fault"):
            return (_candidates_where(raw_sql(tables.FAULTY)),)
        case filters.Words("object", "="):
            return (_candidates_where(candidates.c.object_id == tree.text),)
        case filters.Number():
            return _range(tree, indexes)
        case filters.OwnColumnFilter() if is_of_opinion(tree.column):
            return _mine(context, raw_sql(index_condition(tree.column)))
        case filters.AssignedTo() if tree.person != filters.NOBODY:
            is_theirs = assignments.c.reviewer_id == assigned_reviewer(tree.person, context)
            return (select(assignments.c.candidate_id.label("few_id")).where(is_theirs),)
        case filters.Disagree("agents"):
            return (_candidates_where(raw_sql(tables.DIFFERING)),)
        case filters.Disagree("members"):
            return (_candidates_where(raw_sql(tables.OPPOSED)),)
        case filters.Disagree("people"):
            return (_candidates_where(raw_sql(tables.JUDGED_BY_SEVERAL)),)
        case filters.Disagree():
            # In every disagreement either the reviewer accepts or the agent says YES.
            accepted = _mine(context, judgements.c.verdict == Verdict.ACCEPT)
            return (*accepted, _candidates_where(candidates.c.agent_verdict == "YES"))
    return ()


def _range(tree: filters.Number, indexes: frozenset[str]) -> IndexUnion:
    if tree.field == "p_yes":
        column: ColumnElement[Any] = candidates.c.agent_p_yes
    elif tree.field == "id":
        column = candidates.c.id
    elif f"queue_column_{tree.field}" in indexes:
        column = candidates.c[tree.field]
    else:
        return ()
    return (_candidates_where(COMPARISONS[tree.compare](column, tree.value)),)


def _mine(context: QueryContext, condition: ColumnElement[bool]) -> IndexUnion:
    return (_judgements_where(context.is_mine, condition),)


def _judgements_where(*conditions: ColumnElement[bool]) -> IndexQuery:
    return select(judgements.c.candidate_id.label("few_id")).where(*conditions)


def _candidates_where(condition: ColumnElement[bool]) -> IndexQuery:
    return select(candidates.c.id.label("few_id")).where(condition)
