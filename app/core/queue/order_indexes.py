"""Indexes of the orders people use, made when one is first asked for.

An order costs nothing until then, so that a list of a million rows is imported as fast as can be;
the first page in a new order of so many takes about a second.
"""

from __future__ import annotations

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
LOCK = 0x51554555
"""PostgreSQL's advisory lock while one is made: two people may open the same queue at once."""

OF_A_FILE = "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'candidates'"
OF_A_SERVER = (
    "SELECT indexname FROM pg_indexes "
    "WHERE tablename = 'candidates' AND schemaname = ANY (current_schemas(false))"
)

_turn = threading.Lock()


@dataclass(frozen=True)
class OrderIndex:
    """`columns` and `condition` are constants and numbers of ours, never what a person typed."""

    name: str
    columns: str
    condition: str = ""

    @property
    def ddl(self) -> str:
        where = f" WHERE {self.condition}" if self.condition else ""
        return f"CREATE INDEX IF NOT EXISTS {self.name} ON candidates ({self.columns}){where}"


@dataclass(frozen=True)
class IndexScope:
    """The part of a filter that an index of an order can be of: the reviewer's unjudged ones, the
    candidates of one list."""

    unjudged_by: int | None = None
    list_number: int | None = None

    @property
    def condition(self) -> str:
        parts = []
        if self.unjudged_by is not None:
            parts.append(unjudged_sql(self.unjudged_by))
        if self.list_number is not None:
            parts.append(f"list_id = {self.list_number:d}")
        return " AND ".join(parts)

    @property
    def suffix(self) -> str:
        who = "" if self.unjudged_by is None else f"_unjudged{self.unjudged_by:d}"
        return who + ("" if self.list_number is None else f"_list{self.list_number:d}")


@dataclass(frozen=True)
class _State:
    """The indexes of an open database that are there, and those nobody need try to make again."""

    present: frozenset[str]
    tried: frozenset[str]


_states: WeakKeyDictionary[Database, _State] = WeakKeyDictionary()


def split_filter(tree: Filter, me: int | None) -> tuple[IndexScope, tuple[Filter, ...]]:
    """What an index can be of, and the conditions that are left to be looked at row by row."""
    unjudged_by: int | None = None
    list_number: int | None = None
    rest: list[Filter] = []
    for term in conjuncts(tree):
        if term == MyVerdict(None):
            unjudged_by = me
        elif isinstance(term, InList) and list_number in (None, term.number):
            list_number = term.number
        else:
            rest.append(term)
    return IndexScope(unjudged_by, list_number), tuple(rest)


def order_index(sort: Sort, narrowing: IndexScope) -> OrderIndex | None:
    """None for the list as it is: the table itself is in that order."""
    columns = "id" if sort.key == "list" else f"({sort.sql}), id"
    if sort.key == "list" and not narrowing.condition:
        return None
    return OrderIndex(f"{PREFIX}{sort.name}{narrowing.suffix}", columns, narrowing.condition)


def column_indexes(tree: Filter) -> list[OrderIndex]:
    """For ranges of columns that few filters name."""
    fields = {term.field for term in conjuncts(tree) if isinstance(term, Number)}
    return [
        OrderIndex(f"{PREFIX}column_{field}", f"{field}, id", f"{field} IS NOT NULL")
        for field in ("snr", "score")
        if field in fields
    ]


def ensure_indexes(session: Session, indexes: Iterable[OrderIndex | None]) -> frozenset[str]:
    """Make those that are not there; the names of all that are. Where they cannot be made, as on a
    full disk or for who may only read, it goes without, slower."""
    database = session.database
    wanted = [each for each in indexes if each is not None]
    state = _states.get(database)
    if state is None or any(each.name not in state.tried for each in wanted):
        with _turn:
            state = _states[database] = _with(database, wanted)
    return state.present


def _with(database: Database, wanted: Iterable[OrderIndex]) -> _State:
    state = _states.get(database)
    if state is None:
        with database.reading() as connection:
            names = _read_names(connection)
        state = _State(names, names)
    missing = [each for each in wanted if each.name not in state.tried]
    names = frozenset(each.name for each in missing)
    try:
        if missing:
            with database.writing() as connection:
                _make(connection, missing)
    except SessionError:
        return _State(state.present, state.tried | names)
    return _State(state.present | names, state.tried | names)


def drop_order_indexes(session: Session) -> None:
    """Before very many candidates are added: they are made again when they are wanted."""
    with _turn:
        with session.database.writing() as connection:
            for name in sorted(_read_names(connection)):
                connection.exec_driver_sql(f'DROP INDEX "{name}"')
        _states.pop(session.database, None)


def _make(connection: Connection, indexes: Iterable[OrderIndex]) -> None:
    is_team = connection.dialect.name == "postgresql"
    if is_team:
        connection.execute(select(func.pg_advisory_xact_lock(LOCK)))
    for each in indexes:
        connection.execute(text(each.ddl))
    if is_team:
        connection.execute(text("ANALYZE candidates"))


def _read_names(connection: Connection) -> frozenset[str]:
    catalogue = OF_A_FILE if connection.dialect.name == "sqlite" else OF_A_SERVER
    return frozenset(filter(_is_ours, connection.execute(text(catalogue)).scalars()))


def _is_ours(name: str) -> bool:
    """And may stand in a statement: a stranger's index may be called anything."""
    return name.startswith(PREFIX) and name.isascii() and name.replace("_", "").isalnum()
