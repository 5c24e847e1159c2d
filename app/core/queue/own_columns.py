"""The list's own columns, and those of services and opinions: names, values, and orders by them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Select, String, cast, func, select, union_all

from app.core.database.database import Database
from app.core.database.tables import candidates, inspections, judgements, raw_sql, service_replies
from app.core.queue.column_values import (
    MINE,
    PROPOSAL,
    SUBCLASS,
    VELOCITY,
    Condition,
    QueryContext,
    column_values,
    context_of,
    index_condition,
    is_of_opinion,
    names_of,
    parts_of,
)
from app.core.session.evidence_services import session_services
from app.core.session.own_fields import own_fields
from app.core.session.proposals import by_assistant
from app.core.session.session import Session, candidate_of

SAMPLED = 200  # candidates from all over the list whose columns are looked at
SCANNED = 20_000  # candidates among which values are searched
MAX_COLUMNS = 200
HELD = 4  # orders kept in memory for each open session
AT_ONCE = 1000  # candidates in one query


@dataclass(frozen=True)
class OwnColumn:
    name: str
    is_number: bool


def own_columns(session: Session) -> tuple[OwnColumn, ...]:
    """The own columns of all lists of a session, in their order, from a sample of candidates.

    The sub-class and the session's own fields follow, as `mine.subclass`, those of services with
    answers, as `gaia.bp_rp`, and `assistant.proposal` if assistants have proposed anything.
    """
    number = candidates.c.id
    with session.database.reading() as connection:
        low, high = connection.execute(select(func.min(number), func.max(number))).one()
        if low is None:
            return ()
        step = max((high - low) // SAMPLED, 1)
        wanted = select(candidates).where(number.in_(range(low, high + 1, step)))
        rows = connection.execute(wanted.order_by(number).limit(2 * SAMPLED)).all()
        services = session_services(connection)
        proposed = select(inspections.c.id).where(by_assistant(inspections.c.model)).limit(1)
        has_proposals = connection.execute(proposed).scalar() is not None
    values: dict[str, list[Any]] = {}
    for row in rows:
        for name, value in candidate_of(row).own.items():
            values.setdefault(name, []).append(value)
    listed = [
        OwnColumn(name, _are_numbers(some))
        for name, some in list(values.items())[:MAX_COLUMNS]
        if name and name.isprintable()
    ]
    said = [OwnColumn(SUBCLASS, False)] if session.subclasses else []
    said.append(OwnColumn(VELOCITY, True))
    said += [OwnColumn(f"{MINE}{each.name}", each.kind == "number") for each in own_fields(session)]
    further = []
    for service in services.values():
        texts = {f"{service.id}.{each.name}" for each in service.columns if each.is_text}
        further += [OwnColumn(name, name not in texts) for name in names_of(service)]
    further += [OwnColumn(PROPOSAL, False)] if has_proposals else []
    return (*listed, *said, *(each for each in further if each.name not in values))


def own_values(session: Session, column: str, beginning: str, limit: int) -> tuple[str, ...]:
    """Different values of a column that begin with a text, from the first SCANNED candidates."""
    (low,) = session.database.scalars(select(func.min(candidates.c.id)))
    queries: list[Select[Any]] = []
    for value in column_values(column, context_of(session)):
        # A value is looked at only where the name is right: a list may have hundreds of columns.
        query = select(cast(value.text, String).label("text")).where(value.is_there)
        query = query.select_from(value.candidate_id.table)
        is_scanned = value.candidate_id <= SCANNED + (low or 0)
        queries.append(query if is_of_opinion(column) else query.where(is_scanned))
    some = union_all(*queries).subquery()
    found = (
        select(some.c.text)
        .where(some.c.text.istartswith(beginning, autoescape=True), some.c.text != "")
        .group_by(some.c.text)
        .order_by(func.count().desc(), some.c.text)
        .limit(limit)
    )
    return tuple(each for each in session.database.scalars(found) if each.isprintable())


def _are_numbers(values: list[Any]) -> bool:
    known = [value for value in values if value not in (None, "")]
    return bool(known) and all(
        isinstance(value, int | float) and not isinstance(value, bool) for value in known
    )


# Orders by such a column are kept in memory. No index of the database can serve them: its text
# would hold a stranger's column name, and a session with such an index is refused. A column never
# changes after the import, so each order is read once, and that of a service's column again when
# the service has answered; a position in it is a rank. A million candidates take 24 MB and some
# seconds.
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
    last_reply = reviewer = 0
    if column == PROPOSAL:
        proposed = select(func.max(inspections.c.at), func.count())
        proposed = proposed.where(by_assistant(inspections.c.model))
        last_reply = hash(tuple(connection.execute(proposed).one()))
    elif is_of_opinion(column):
        reviewer = context.reviewer_or_0
        # Changes whenever the reviewer gives or takes such a value.
        has_such = raw_sql(index_condition(column))
        given = select(func.max(judgements.c.log_id), func.count()).where(context.is_mine, has_such)
        last_reply = hash(tuple(connection.execute(given).one()))
    elif parts_of(column) is not None:
        last_reply = connection.execute(select(func.max(service_replies.c.id))).scalar() or 0
    read = partial(_read, connection, column, context, descending)
    return _own_orders.order(database, (column, descending, reviewer), last_id, last_reply, read)


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
    for value in column_values(column, context):
        query = select(value.candidate_id, value.number, value.text).where(value.is_there)
        query = query.select_from(value.candidate_id.table).order_by(value.candidate_id)
        for candidate, number, text in connection.execute(query):
            if candidate in known:
                continue  # the list's own column counts before a service's
            known.add(candidate)
            if number is not None:
                numbers.append((float(number), candidate))
            elif text:
                texts.append((str(text).casefold(), candidate))
    # Equal values stay in list order in both directions.
    numbers.sort(key=itemgetter(0), reverse=descending)
    texts.sort(key=itemgetter(0), reverse=descending)
    first = [candidate for _, candidate in (*numbers, *texts)]
    return followed_by_the_rest(connection, np.array(first, dtype=np.int64))
