"""A session's database: a `*.speco3` file (SQLite), or PostgreSQL for a team.

Any thread may use it. One thread writes at a time; readers never wait. Committed work is on the
disk, and every database error is raised as a SessionError that says what to do.
"""

from __future__ import annotations

import re
import threading
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, MetaData, Table, text
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateIndex, CreateTable

from agent.checked_toml import shown
from app.core.database import error_messages
from app.core.database.migrations import VERSION, migrate
from app.core.database.postgres import TeamDatabase
from app.core.database.session_file import Mode, SessionFile
from app.core.database.tables import metadata
from app.core.errors import ReadOnlyError, SessionError

SUFFIX = ".speco3"


class _ThreadState(threading.local):
    """What each thread does with a database; its connections are those of open blocks."""

    def __init__(self) -> None:
        self.is_writing = False
        self.connections: list[Connection] = []  # the innermost last


class Database:
    def __init__(self, location: Path | str, mode: Mode) -> None:
        self.mode = mode
        self._turn_changed = threading.Condition()
        self._writers: deque[object] = deque()
        self._thread = _ThreadState()
        self._blocks_changed = threading.Condition()
        self._open_blocks = 0
        self._is_closed = False
        self._storage: SessionFile | TeamDatabase
        if isinstance(location, Path):
            self._storage = SessionFile(location, mode)
        else:
            self._storage = TeamDatabase(location)
        self.location: Path | str = self._storage.location
        try:
            with error_messages.translate_errors(self.location):
                self._prepare()
                self._storage.after_open()
        except BaseException:
            self._storage.discard()
            raise

    @property
    def address(self) -> Path | str:
        """Where to open it again. Not to be shown: a URL may have a password."""
        return self._storage.address

    @property
    def is_read_only(self) -> bool:
        return self.mode == "read"

    @property
    def is_file(self) -> bool:
        return isinstance(self.location, Path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction: the first query fixes what the whole block sees.

        A nested block of the same thread shares the outer transaction. So do not `yield` to a
        caller from inside a block: the caller's own reads would then see old data.
        """
        if self._thread.connections:
            yield self._thread.connections[-1]
            return
        with self._block():
            if self._storage.needs_repair():
                with self._write_turn():
                    self._repair()
            with self._transaction(self._storage.readers) as connection:
                yield connection

    @contextmanager
    def writing(self, *, urgent: bool = False) -> Iterator[Connection]:
        """One transaction: all of it is on the disk when the block ends, or nothing.

        What a person waits for goes before all writers that wait, but not into the middle of one.
        """
        if self.is_read_only:
            raise ReadOnlyError(f"{self.location} is open read-only and cannot be changed")
        if self._thread.is_writing:
            raise RuntimeError("writing() blocks cannot be nested")
        with self._block(), self._write_turn(urgent=urgent):
            self._repair()
            self._storage.check_intact()
            with self._transaction(self._storage.writer) as connection:
                yield connection
            # A commit into a file that was deleted or replaced must not be reported as saved.
            self._storage.check_intact()

    def copy_to(self, path: Path) -> None:
        """Save a complete copy, even if the original file has been deleted meanwhile."""
        with self._block(), self._write_turn():
            self._storage.copy_to(path)

    def close(self) -> None:
        """Close it, once the blocks of other threads have ended."""
        if self._stop_blocks():
            self._storage.close()

    def discard(self) -> None:
        """Close it and delete a file, or tables, that this object created: no session yet."""
        if self._stop_blocks():
            self._storage.discard()

    def _stop_blocks(self) -> bool:
        with self._blocks_changed:
            if self._is_closed:
                return False
            self._is_closed = True
            mine = len(self._thread.connections)
            self._blocks_changed.wait_for(
                lambda: self._open_blocks <= mine, error_messages.BUSY_TIMEOUT_S
            )
            return True

    @contextmanager
    def _block(self) -> Iterator[None]:
        with self._blocks_changed:
            if self._is_closed:
                raise SessionError(f"{self.location} is closed")
            self._open_blocks += 1
        try:
            with error_messages.translate_errors(self.location):
                yield
        finally:
            with self._blocks_changed:
                self._open_blocks -= 1
                self._blocks_changed.notify_all()

    @contextmanager
    def _write_turn(self, *, urgent: bool = False) -> Iterator[None]:
        """Write after those who asked before: with a plain lock, busy writers could go first."""
        with self._queued(urgent=urgent):
            self._thread.is_writing = True
            try:
                yield
            finally:
                self._thread.is_writing = False

    @contextmanager
    def _queued(self, *, urgent: bool) -> Iterator[None]:
        mine = object()
        try:
            with self._turn_changed:
                # The first in the row is writing at this moment.
                self._writers.insert(1 if urgent else len(self._writers), mine)
                is_first = self._turn_changed.wait_for(
                    lambda: self._writers[0] is mine, error_messages.BUSY_TIMEOUT_S
                )
            if not is_first:
                raise SessionError(
                    f"{self.location}: another part of this program is still writing to it. "
                    "Nothing was lost. Try again"
                )
            yield
        finally:
            with self._turn_changed:
                self._writers.remove(mine)
                self._turn_changed.notify_all()

    def _repair(self) -> None:
        if self._storage.needs_repair():
            self._storage.repair()

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        mine = self._thread.connections
        with engine.connect() as connection, connection.begin():
            mine.append(connection)
            try:
                yield connection
            finally:
                mine.remove(connection)

    def _prepare(self) -> None:
        """Create or upgrade the tables if writing is allowed, and check that they are ours."""
        source = self._storage.readers if self.is_read_only else self._storage.writer
        with source.connect() as connection, connection.begin():
            version = self._storage.version(connection, is_writing=not self.is_read_only)
            self._refuse_version(version)
            refuse_executable_schema(connection, self.location)
            if version < VERSION:
                with self._named_upgrade(version):
                    migrate(connection, version)
                self._storage.set_version(connection, VERSION)
                write_facts(connection, {"tables": str(VERSION)})
            refuse_incomplete(connection, self.location)
            refuse_foreign_definitions(connection, self.location)

    def _refuse_version(self, version: int) -> None:
        if version > VERSION:
            raise SessionError(
                f"{self.location} was written by a newer version of this program (its tables have "
                f"version {version}, this one knows {VERSION}). Update Spec-o3 Workbench"
            )
        if version == 0 and self.mode != "create":
            raise SessionError(f"{self.location} holds no session yet. Create one there")
        if version < VERSION and self.is_read_only:
            raise SessionError(
                f"{self.location} was written by an older version of this program. Open it once "
                f"for writing, which upgrades it: spec-o3 {self.location}"
            )

    @contextmanager
    def _named_upgrade(self, version: int) -> Iterator[None]:
        """Of an upgrade that the server does not allow, say who can do it."""
        try:
            yield
        except DBAPIError as error:
            is_forbidden = getattr(error.orig, "sqlstate", "") == error_messages.FORBIDDEN
            if version == 0 or not is_forbidden:
                raise
            raise SessionError(
                f"{self.location} was written by an older version of this program, and only the "
                f"owner of its tables may upgrade it, once, with: spec-o3 {self.location}"
            ) from error


def write_facts(connection: Connection, facts: Mapping[str, str]) -> None:
    """Insert these facts about the session, or overwrite their values."""
    # One statement for both: on a server a colleague may insert the same key at this moment.
    statement = text(
        "INSERT INTO facts (key, value) VALUES (:key, :value) "
        "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
    )
    if facts:
        rows = [{"key": key, "value": value} for key, value in facts.items()]
        connection.execute(statement, rows)


def insert_or_update(connection: Connection, table: Table) -> Any:
    """The dialect's `insert`, which has `on_conflict_do_update`: two writers never collide."""
    # Imported here, as users of a file need not wait for the dialect of a server.
    if connection.dialect.name == "sqlite":
        from sqlalchemy.dialects import sqlite

        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql

    return postgresql.insert(table)


# Checks that a database has the tables of a session, defined as this program defines them.
# A session may come from an untrusted person. A trigger, or a view in place of a table, could make
# our queries run its author's SQL; ON DELETE CASCADE could empty the log; an index on an expression
# could make every verdict take seconds. No session needs any of it.
DATA_ONLY = ("CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ")
"""How SQLite's schema text begins for tables and plain indexes."""

Definition = tuple[str, str, str, str]  # type, name, table and SQL of an entry in SQLite's schema

ORDER_INDEX = re.compile(
    r"CREATE INDEX queue_\w+ ON candidates \("
    r"(?:[- +*/%&(),<>=.0-9]|1e300|abs|coalesce|''|CASE|WHEN|THEN|ELSE|END|IS|NOT|NULL|WHERE|AND"
    r"|id|list_id|lower|object_id|label|snr|score|ra|dec|judged_by|surprise|agents_differ|agent_members|agent_p_yes|p_combined){1,600}",
    re.ASCII,
)
"""Any of app.core.queue.order_indexes, of this version or another: arithmetic, which is quick."""

STATISTICS = {
    "sqlite_stat1": "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    "sqlite_stat4": "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
"""What the ANALYZE of another program leaves."""

MAX_SQL = 4000
COLUMNS_OF_FILE = (
    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_xinfo(t.name) c "
    "WHERE t.type = 'table' AND c.hidden = 0"
)
COLUMNS_OF_SERVER = (
    "SELECT table_name, column_name FROM information_schema.columns "
    "WHERE table_schema = ANY (current_schemas(false))"
)


def refuse_executable_schema(connection: Connection, location: Path | str) -> None:
    """Refuse views, triggers and virtual tables in a file; a server is its owner's business."""
    if connection.dialect.name != "sqlite":
        return
    # Check the SQL text, not the `type` column: SQLite runs the text, and both can be forged.
    for name, sql in connection.exec_driver_sql("SELECT name, sql FROM sqlite_schema"):
        if sql is not None and not str(sql).startswith(DATA_ONLY):
            raise SessionError(
                f"{location} contains {shown(str(name))}, which is neither a table nor an index. "
                "No session needs that, so do not trust its source"
            )


def refuse_incomplete(connection: Connection, location: Path | str) -> None:
    """Refuse a database with a missing table, or with a missing or computed column."""
    query = COLUMNS_OF_FILE if connection.dialect.name == "sqlite" else COLUMNS_OF_SERVER
    columns: dict[str, set[str]] = {}
    for name, column_name in connection.execute(text(query)):
        columns.setdefault(name, set()).add(column_name)
    for table in metadata.sorted_tables:
        missing = {column.name for column in table.columns} - columns.get(table.name, set())
        if missing:
            reason = f"its table {table.name} lacks {', '.join(sorted(missing))}"
            if table.name not in columns:
                reason = f"it lacks the table {table.name}"
            raise SessionError(f"{location} is damaged: {reason}. Open a backup")


def refuse_foreign_definitions(connection: Connection, location: Path | str) -> None:
    """Refuse a file with a table or index that is defined in another way than ours, or is extra."""
    if connection.dialect.name != "sqlite":
        return
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL"
    found = Counter(
        (str(kind), str(name), str(table), _normalized(str(sql)))
        for kind, name, table, sql in connection.exec_driver_sql(query)
        if not _is_optional(str(name), str(table), str(sql))
    )
    differing = (found - _own_definitions(metadata)) or (_own_definitions(metadata) - found)
    if differing:
        kind, name, *_ = min(differing)
        raise SessionError(
            f"{location} is not used: its {shown(kind)} {shown(name)} is not as this program makes "
            "it, so the file is damaged or was tampered with. Nothing was changed. Open a backup, "
            "or ask its sender for another copy"
        )


@lru_cache(maxsize=2)
def _own_definitions(tables: MetaData) -> Counter[Definition]:
    dialect = sqlite.dialect()
    found: Counter[Definition] = Counter()
    for table in tables.sorted_tables:
        sql = str(CreateTable(table).compile(dialect=dialect))
        found["table", table.name, table.name, _normalized(sql)] += 1
        for index in table.indexes:
            sql = str(CreateIndex(index).compile(dialect=dialect))
            found["index", str(index.name), table.name, _normalized(sql)] += 1
    return found


def _normalized(sql: str) -> str:
    """The SQL with single blanks, and the columns and constraints of a table in a fixed order.

    A migration's ALTER TABLE appends a column behind the constraints.
    """
    if len(sql) > MAX_SQL:
        return "too long"
    # Which names SQLAlchemy puts in quotes depends on its version.
    sql = re.sub(r'"(\w+)"', r"\1", " ".join(sql.split()))
    head, bracket, rest = sql.partition("(")
    inner, _, tail = rest.rpartition(")")
    if not bracket or not head.startswith("CREATE TABLE"):
        return sql
    # A comma within parentheses separates the columns of a key: keep those together.
    parts = re.split(r",(?![^()]*\))", inner)
    return f"{head}({','.join(sorted(part.strip() for part in parts))}){tail}"


def _is_optional(name: str, table: str, sql: str) -> bool:
    if len(sql) > MAX_SQL:
        return False
    if name in STATISTICS:
        return table == name and sql == STATISTICS[name]
    begins_so = sql.startswith(f"CREATE INDEX {name} ON {table} (")
    return begins_so and ORDER_INDEX.fullmatch(sql) is not None
