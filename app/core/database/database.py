"""A session's database: a `*.speco3` file (SQLite), or a PostgreSQL URL for a team.

Any thread may use it. Writers take turns, readers wait for nobody. What is committed is on the
disk, and every error of the database comes out as a SessionError that says what to do.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, text

from app.core.database import error_messages
from app.core.database.migrations import VERSION, migrate
from app.core.database.postgres import TeamDatabase
from app.core.database.schema_check import refuse_executable_schema, refuse_incomplete
from app.core.database.session_file import Mode, SessionFile
from app.core.errors import ReadOnlyError, SessionError

SUFFIX = ".speco3"


class Database:
    """One open session database."""

    def __init__(self, place: Path | str, mode: Mode) -> None:
        self.mode = mode
        self._turn = threading.Lock()
        self._threads = threading.local()
        self._quiet = threading.Condition()
        self._blocks = 0
        self._is_closed = False
        self._home: SessionFile | TeamDatabase
        if isinstance(place, Path):
            self._home = SessionFile(place, mode)
        else:
            self._home = TeamDatabase(place)
        self.location: Path | str = self._home.location
        try:
            with error_messages.translate_errors(self.location):
                self._prepare()
                self._home.opened()
        except BaseException:
            self._home.discard()
            raise

    @property
    def is_read_only(self) -> bool:
        return self.mode == "read"

    @property
    def is_file(self) -> bool:
        return isinstance(self.location, Path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A view of the database that does not change while the block runs, once it was looked at.

        A block within another, of this thread, has the other's view. So do not yield to a caller
        from within: what that reads next would be of then.
        """
        if mine := self._mine():
            yield mine[-1]
            return
        with self._block():
            if self._home.needs_mending():
                with self._own_turn():
                    self._mend()
            with self._transaction(self._home.readers) as connection:
                yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One unit of work: all of it is on the disk when the block ends, or none."""
        if self.is_read_only:
            raise ReadOnlyError(f"{self.location} is open read-only: nothing can be changed")
        if getattr(self._threads, "is_writing", False):
            raise RuntimeError("a writing() block within another: one unit of work has one block")
        with self._block(), self._own_turn():
            self._mend()
            self._home.check()
            with self._transaction(self._home.writer) as connection:
                yield connection
            # Nobody is told that something is kept which went to a file without a name.
            self._home.check()

    def copy_to(self, path: Path) -> None:
        """A whole copy as another file, even where this one was deleted meanwhile."""
        with self._block(), self._own_turn():
            self._home.copy_to(path)

    def close(self) -> None:
        """Waits for what other threads are about to finish."""
        if self._end():
            self._home.close()

    def discard(self) -> None:
        """Close it, and take a file that this object made away again: it is no session yet."""
        if self._end():
            self._home.discard()

    def _end(self) -> bool:
        with self._quiet:
            if self._is_closed:
                return False
            self._is_closed = True
            mine = len(self._mine())
            self._quiet.wait_for(lambda: self._blocks <= mine, error_messages.BUSY_TIMEOUT_S)
            return True

    @contextmanager
    def _block(self) -> Iterator[None]:
        with self._quiet:
            if self._is_closed:
                raise SessionError(f"{self.location} is closed")
            self._blocks += 1
        try:
            with error_messages.translate_errors(self.location):
                yield
        finally:
            with self._quiet:
                self._blocks -= 1
                self._quiet.notify_all()

    @contextmanager
    def _own_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=error_messages.BUSY_TIMEOUT_S):
            raise SessionError(
                f"{self.location}: another part of this program is still writing to it. "
                "Nothing was lost: try again"
            )
        self._threads.is_writing = True
        try:
            yield
        finally:
            self._threads.is_writing = False
            self._turn.release()

    def _mend(self) -> None:
        if self._home.needs_mending():
            self._home.mend()

    @contextmanager
    def _transaction(self, engine: Engine) -> Iterator[Connection]:
        mine = self._mine()
        with engine.connect() as connection, connection.begin():
            mine.append(connection)
            try:
                yield connection
            finally:
                mine.remove(connection)

    def _mine(self) -> list[Connection]:
        """The connections that this thread's blocks are using, the innermost last."""
        if not hasattr(self._threads, "connections"):
            self._threads.connections = []
        found: list[Connection] = self._threads.connections
        return found

    def _prepare(self) -> None:
        """Make or upgrade the tables where we may, and see that they are a session's."""
        source = self._home.readers if self.is_read_only else self._home.writer
        with source.connect() as connection, connection.begin():
            version = self._home.version(connection, is_writing=not self.is_read_only)
            self._refuse_version(version)
            refuse_executable_schema(connection, self.location)
            if version < VERSION:
                migrate(connection, version)
                self._home.set_version(connection, VERSION)
                write_facts(connection, {"tables": str(VERSION)})
            refuse_incomplete(connection, self.location)

    def _refuse_version(self, version: int) -> None:
        if version > VERSION:
            raise SessionError(
                f"{self.location} was written by a newer program (tables {version}, this one "
                f"knows {VERSION}): update Spec-o3 Workbench"
            )
        if version == 0 and self.mode != "create":
            raise SessionError(f"{self.location} holds no session yet: make one there")
        if version < VERSION and self.is_read_only:
            raise SessionError(
                f"{self.location} is of an older program: open it once to write, so that it "
                "is brought up to date"
            )


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
