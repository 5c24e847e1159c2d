"""Database indexes for sort orders, created when an order is first used.

This keeps the import of a million rows fast; the first page in a new order then takes about a
second.
"""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, func, select, text

from app.core.database.database import Database
from app.core.errors import SessionError
from app.core.queue.filters import Filter, InList, MyVerdict, Number, conjuncts
from app.core.queue.sorts import Sort
from app.core.queue.sql_conditions import unjudged_sql
from app.core.session.session import Session

PREFIX = "queue_"
# Key of PostgreSQL's advisory lock: two people may create the same index at once.
LOCK = 0x51554555

SQLITE_INDEXES = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'candidates'"
POSTGRES_INDEXES = (
    "SELECT indexname FROM pg_indexes "
    "WHERE tablename = 'candidates' AND schemaname = ANY (current_schemas(false))"
)

_lock = threading.Lock()


@dataclass(frozen=True)
class OrderIndex:
    """`columns` and `condition` consist of our own constants and numbers, never of user input."""

    name: str
    columns: str
    condition: str = ""


@dataclass(frozen=True)
class IndexScope:
    """The part of a filter that a partial index can cover: unjudged candidates, one list."""

    unjudged_by: int | None = None
    list_id: int | None = None

    @property
    def condition(self) -> str:
        parts = []
        if self.unjudged_by is not None:
            parts.append(unjudged_sql(self.unjudged_by))
        if self.list_id is not None:
            parts.append(f"list_id = {self.list_id:d}")
        return " AND ".join(parts)


@dataclass(frozen=True)
class _KnownIndexes:
    """The existing indexes of an open database, and those we need not try to create again."""

    present: frozenset[str]
    tried: frozenset[str]


_states: WeakKeyDictionary[Database, _KnownIndexes] = WeakKeyDictionary()


def split_filter(tree: Filter, reviewer_id: int | None) -> tuple[IndexScope, tuple[Filter, ...]]:
    """Split a filter into what an index can cover and the terms to be checked row by row."""
    unjudged_by: int | None = None
    list_id: int | None = None
    rest: list[Filter] = []
    for term in conjuncts(tree):
        if term == MyVerdict(None):
            unjudged_by = reviewer_id
        elif isinstance(term, InList) and list_id in (None, term.number):
            list_id = term.number
        else:
            rest.append(term)
    return IndexScope(unjudged_by, list_id), tuple(rest)


def order_index(sort: Sort, scope: IndexScope) -> OrderIndex | None:
    """The index for an order; None for that of the table and those made in memory."""
    if sort.is_ranked:
        return None
    columns = "id" if sort.key == "list" else f"({sort.sql}), id"
    if sort.key == "list" and not scope.condition:
        return None
    who = "" if scope.unjudged_by is None else f"_unjudged{scope.unjudged_by:d}"
    of_list = "" if scope.list_id is None else f"_list{scope.list_id:d}"
    return OrderIndex(f"{PREFIX}{sort.name}{who}{of_list}", columns, scope.condition)


def column_indexes(tree: Filter) -> list[OrderIndex]:
    """Indexes for number columns that only few filters use."""
    fields = {term.field for term in conjuncts(tree) if isinstance(term, Number)}
    return [
        OrderIndex(f"{PREFIX}column_{field}", f"{field}, id", f"{field} IS NOT NULL")
        for field in ("snr", "score", "p_combined")
        if field in fields
    ]


def ensure_indexes(session: Session, indexes: Iterable[OrderIndex | None]) -> frozenset[str]:
    """Create the missing indexes and return the names of all existing ones.

    If they cannot be created, on a full disk or without write access, queries are only slower.
    """
    database = session.database
    requested = [each for each in indexes if each is not None]
    state = _states.get(database)
    if state is None or any(each.name not in state.tried for each in requested):
        with _lock:
            state = _states[database] = _read_or_create(database, requested)
    return state.present


def _read_or_create(database: Database, requested: Iterable[OrderIndex]) -> _KnownIndexes:
    state = _states.get(database)
    if state is None:
        with database.reading() as connection:
            names = _read_names(connection)
        state = _KnownIndexes(names, names)
    missing = [each for each in requested if each.name not in state.tried]
    names = frozenset(each.name for each in missing)
    try:
        if missing:
            with database.writing() as connection:
                _create(connection, missing)
    except SessionError:
        return _KnownIndexes(state.present, state.tried | names)
    return _KnownIndexes(state.present | names, state.tried | names)


def drop_order_indexes(session: Session) -> None:
    """Drop the indexes before many candidates are added; they are recreated on use."""
    with _lock:
        with session.database.writing() as connection:
            for name in sorted(_read_names(connection)):
                connection.exec_driver_sql(f'DROP INDEX "{name}"')
        _states.pop(session.database, None)


def _create(connection: Connection, indexes: Iterable[OrderIndex]) -> None:
    is_team = connection.dialect.name == "postgresql"
    if is_team:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
    for each in indexes:
        where = f" WHERE {each.condition}" if each.condition else ""
        made = f"CREATE INDEX IF NOT EXISTS {each.name} ON candidates ({each.columns}){where}"
        connection.execute(text(made))
    if is_team:
        connection.execute(text("ANALYZE candidates"))


def _read_names(connection: Connection) -> frozenset[str]:
    catalogue = SQLITE_INDEXES if connection.dialect.name == "sqlite" else POSTGRES_INDEXES
    return frozenset(filter(_is_ours, connection.execute(text(catalogue)).scalars()))


def _is_ours(name: str) -> bool:
    """Whether we created it. Its name is safe in SQL; other names could contain anything."""
    return name.startswith(PREFIX) and name.isascii() and name.replace("_", "").isalnum()
