"""A session's database: a `*.speco3` file (SQLite), or PostgreSQL for a team.

Any thread may use it. One thread writes at a time; readers never wait. Committed work is on the
disk, and every database error is raised as a SessionError that says what to do.
"""

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, Table, select, text
from sqlalchemy.exc import DBAPIError

from app.core.database import error_messages, tables
from app.core.database.migrations import VERSION, migrate
from app.core.database.postgres import TeamDatabase
from app.core.database.schema_check import (
    refuse_executable_schema,
    refuse_foreign_definitions,
    refuse_incomplete,
)
from app.core.database.session_file import Mode, SessionFile
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

    def rows(self, query: Executable) -> Sequence[Any]:
        """All rows of one query."""
        with self.reading() as connection:
            return connection.execute(query).all()

    def scalars(self, query: Executable) -> list[Any]:
        """The first column of all rows of one query."""
        return [row[0] for row in self.rows(query)]

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
            self._thread.is_writing = True
            try:
                yield
            finally:
                self._thread.is_writing = False
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
                try:
                    migrate(connection, version)
                except DBAPIError as error:
                    # Of an upgrade that the server does not allow, say who can do it.
                    is_forbidden = getattr(error.orig, "sqlstate", "") == error_messages.FORBIDDEN
                    if version == 0 or not is_forbidden:
                        raise
                    raise SessionError(
                        f"{self.location} was written by an older version of this program, and "
                        "only the owner of its tables may upgrade it, once, with: "
                        f"spec-o3 {self.location}"
                    ) from error
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


def read_fact(connection: Connection, key: str) -> str | None:
    """The value of a fact about the session; None if there is none."""
    fact = tables.facts.c
    return connection.execute(select(fact.value).where(fact.key == key)).scalar()


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
