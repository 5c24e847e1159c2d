"""Orders by one of the list's own columns, kept in memory.

No index of the database can serve them: its text would hold a stranger's column name, and a session
with such an index is refused. A column never changes after the import, so each order is read once,
and that of a service's column again when the service has answered; a position in it is a rank. A
million candidates take 24 MB and some seconds.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from app.core.database.database import Database
from app.core.database.tables import candidates, inspections, judgements, raw_sql, service_replies
from app.core.queue.evidence_values import PROPOSAL, EvidenceValue, parts_of
from app.core.queue.own_opinion import OpinionValue, index_condition, is_of_opinion
from app.core.queue.sql_conditions import Condition, OwnColumnValue, QueryContext
from app.core.session.proposals import by_assistant

HELD = 4  # orders kept in memory for each open session
AT_ONCE = 1000  # candidates in one query


@dataclass(frozen=True, eq=False)
class OwnOrder:
    """Candidate ids in order: numbers, then texts, then those without a value."""

    ids: NDArray[np.int64]
    last_id: int
    last_reply: int
    """The newest reply of a service when it was read, or the round of reading spectra."""
    ranks_by_id: NDArray[np.int64] | None = None  # where whoever made it knows them

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        return np.argsort(self.ids) if self.ranks_by_id is None else self.ranks_by_id

    def rank(self, candidate_id: int) -> int | None:
        at = int(np.searchsorted(self.ids, candidate_id, sorter=self._by_id))
        if at == len(self.ids) or self.ids[self._by_id[at]] != candidate_id:
            return None
        return int(self._by_id[at])


class HeldOrders:
    """The orders of each open session that were asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._orders: WeakKeyDictionary[Database, OrderedDict[Hashable, OwnOrder]] = (
            WeakKeyDictionary()
        )

    def order(
        self,
        database: Database,
        key: Hashable,
        last_id: int,
        last_reply: int,
        read: Callable[[], NDArray[np.int64]],
    ) -> OwnOrder:
        """The order of this key; read again where it is older than the last of these."""
        with self._lock:
            held = self._orders.setdefault(database, OrderedDict())
            order = held.get(key)
            if order is None or (order.last_id, order.last_reply) != (last_id, last_reply):
                order = held[key] = OwnOrder(read(), last_id, last_reply)
            held.move_to_end(key)
            while len(held) > HELD:
                held.popitem(last=False)
        return order


_own_orders = HeldOrders()


def own_order(
    database: Database,
    connection: Connection,
    column: str,
    context: QueryContext,
    *,
    descending: bool,
) -> OwnOrder:
    """The order by a column; read again where candidates were added since.

    That by what a reviewer said is read again where they have said something of this kind since.
    """
    last_id = connection.execute(select(func.max(candidates.c.id))).scalar() or 0
    last_reply = 0
    if column == PROPOSAL:
        proposed = select(func.max(inspections.c.at), func.count())
        proposed = proposed.where(by_assistant(inspections.c.model))
        last_reply = hash(tuple(connection.execute(proposed).one()))
    elif parts_of(column) is not None:
        last_reply = connection.execute(select(func.max(service_replies.c.id))).scalar() or 0
    reviewer = 0
    if is_of_opinion(column):
        reviewer = context.reviewer_or_0
        # Changes whenever the reviewer gives or takes such a value.
        has_such = raw_sql(index_condition(column))
        given = select(func.max(judgements.c.log_id), func.count()).where(context.is_mine, has_such)
        last_reply = hash(tuple(connection.execute(given).one()))
    key, read = (column, descending, reviewer), partial(_read, connection, column, context)
    return _own_orders.order(database, key, last_id, last_reply, partial(read, descending))


def followed_by_the_rest(connection: Connection, first: NDArray[np.int64]) -> NDArray[np.int64]:
    """These candidates, then all others in list order."""
    numbers = connection.execute(select(candidates.c.id).order_by(candidates.c.id)).scalars()
    every = np.array(numbers.all(), dtype=np.int64)
    first = first[np.isin(first, every)]
    return np.concatenate([first, np.setdiff1d(every, first, assume_unique=True)])


def matching_ids(connection: Connection, ids: NDArray[np.int64], hit: Condition) -> set[int]:
    found: set[int] = set()
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE].tolist()
        query = select(candidates.c.id).where(candidates.c.id.in_(some), hit)
        found.update(connection.execute(query).scalars())
    return found


def _read(
    connection: Connection, column: str, context: QueryContext, descending: bool
) -> NDArray[np.int64]:
    numbers: list[tuple[float, int]] = []
    texts: list[tuple[str, int]] = []
    known: set[int] = set()
    for number, as_number, as_text in _rows(connection, column, context):
        if number in known:
            continue  # the list's own column counts before a service's
        known.add(number)
        if as_number is not None:
            numbers.append((float(as_number), number))
        elif as_text:
            texts.append((str(as_text).casefold(), number))
    first = [*_sorted_ids(numbers, descending), *_sorted_ids(texts, descending)]
    return followed_by_the_rest(connection, np.array(first, dtype=np.int64))


def _rows(connection: Connection, column: str, context: QueryContext) -> Iterator[Any]:
    if is_of_opinion(column):
        said = OpinionValue(column, is_file=context.is_file)
        query = select(judgements.c.candidate_id, said.number, said.text)
        mine = query.where(context.is_mine, said.is_there).order_by(judgements.c.candidate_id)
        yield from connection.execute(mine)
        return
    own = OwnColumnValue(QueryContext(None, context.is_file))
    listed = select(candidates.c.id, own.number, own.text).select_from(candidates)
    yield from connection.execute(listed.where(own.name == column).order_by(candidates.c.id))
    parts = parts_of(column)
    if parts is not None:
        value = EvidenceValue(parts, is_file=context.is_file)
        answered = select(value.candidate_id, value.number, value.text).where(value.is_there)
        yield from connection.execute(answered.order_by(value.candidate_id))


def _sorted_ids(pairs: Iterable[tuple[float | str, int]], descending: bool) -> list[int]:
    """Equal values stay in list order in both directions."""
    return [number for _, number in sorted(pairs, key=lambda pair: pair[0], reverse=descending)]
