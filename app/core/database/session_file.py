"""Where a session of one's own lives: a `*.speco3` file (SQLite).

What is committed is on the disk: WAL with synchronous FULL. Here is how the file is kept the one
that was opened, whatever others do to it meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4
from weakref import WeakSet

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from app.core.database import error_messages
from app.core.database.file_lock import SessionLock
from app.core.database.file_opening import (
    APPLICATION_ID,
    connect,
    connect_read_only,
    file_size,
    refuse_foreign_log,
    refuse_other_files,
    run_pragma,
    side_file,
)
from app.core.errors import SessionError

MAX_READERS = 32
SUFFIXES_BESIDE = ("-wal", "-shm")
WRITING = ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON")

Mode = Literal["create", "write", "read"]
Identity = tuple[int, int]


class SessionFile:
    """An open session file: one connection that writes, more that read.

    All but `readers` and `needs_mending` is for one thread at a time.
    """

    def __init__(self, path: Path, mode: Mode) -> None:
        self.location = path
        self._mode = mode
        self._hold: SessionLock | None = None
        self._is_ours = False
        self._identity: Identity | None = None
        self._beside: list[Identity | None] = []
        self._size = 0
        try:
            # A link is followed now: SQLite names what lies beside the file after the real one.
            self._path = Path(os.path.realpath(path))
            with error_messages.translate_errors(path):
                self._make() if mode == "create" else self._find()
        except (OSError, ValueError) as error:
            self._let_go(is_unwanted=True)
            reason = error.strerror if isinstance(error, OSError) else "that is no file's name"
            raise SessionError(f"{path} cannot be opened: {reason}") from error
        except BaseException:
            self._let_go(is_unwanted=True)
            raise
        self.writer = _engine(self._writing_connection, "BEGIN IMMEDIATE", poolclass=StaticPool)
        self.readers = _engine(
            self._reading_connection,
            "BEGIN",
            poolclass=QueuePool,
            pool_size=3,
            max_overflow=MAX_READERS - 3,
            pool_timeout=error_messages.BUSY_TIMEOUT_S,
            pool_use_lifo=True,
        )

    def version(self, connection: Connection, *, is_writing: bool) -> int:
        """Of the tables there, 0 for none."""
        found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found <= 0 and self._mode != "create":
            raise SessionError(f"{self.location} was never finished: delete it and make it again")
        return found

    def set_version(self, connection: Connection, version: int) -> None:
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")

    def opened(self) -> None:
        """Remember which file this is, now that everything that belongs to it is there."""
        try:
            about = self._path.stat()
        except OSError as error:
            raise SessionError(f"{self.location} was moved or deleted at once") from error
        self._identity = (about.st_dev, about.st_ino)
        self._size = about.st_size
        self._beside = self._look_beside()

    def check(self) -> None:
        """Refuse to write to a file that has lost its name, or its end."""
        if told := self._what_became_of_it():
            self._bring_home("PASSIVE")
            raise SessionError(f"{self.location} {told}. Nothing more is written to it")

    def needs_mending(self) -> bool:
        """Whether somebody took away what belongs beside the file. Any thread may ask."""
        return os.name != "nt" and self._look_beside() != self._beside

    def mend(self) -> None:
        """Bring home what the log beside the file held, and begin anew.

        What went on into a log without a name would be lost with this program.
        """
        self.check()
        if self._mode != "read" and not self._bring_home("TRUNCATE"):
            raise SessionError(
                f"{self.location}: its {side_file(self._path, '-wal').name} was deleted while it was "
                "open, and somebody still reads. Nothing was lost: try again"
            )
        self.writer.dispose()
        self.readers.dispose()
        source = self.readers if self._mode == "read" else self.writer
        with source.connect() as connection, connection.begin():
            connection.exec_driver_sql("PRAGMA user_version").all()
        self.opened()

    def copy_to(self, path: Path) -> None:
        """A whole copy under another name, even where the file has lost its own."""
        if path.exists():
            raise SessionError(f"{path} is there already: choose another name")
        draft = path.with_name(f".{path.name}.{uuid4().hex[:8]}.part")
        pooled = (self.readers if self._mode == "read" else self.writer).raw_connection()
        try:
            with closing(sqlite3.connect(draft)) as target:
                _driver(pooled).backup(target)
            draft.replace(path)
        except OSError as error:
            raise SessionError(f"{path} could not be written: {error.strerror}") from error
        finally:
            pooled.close()
            with suppress(OSError):
                draft.unlink()

    def close(self) -> None:
        if self._mode != "read":
            self._bring_home("TRUNCATE", patience_s=0)
        self._end(is_unwanted=False)

    def discard(self) -> None:
        """Close it, and where it was made by us take it away again."""
        self._end(is_unwanted=True)

    def _end(self, *, is_unwanted: bool) -> None:
        self.readers.dispose()
        self.writer.dispose()
        self._let_go(is_unwanted=is_unwanted)

    def _let_go(self, *, is_unwanted: bool) -> None:
        if is_unwanted and self._is_ours:
            for suffix in ("", *SUFFIXES_BESIDE):
                with suppress(OSError):
                    side_file(self._path, suffix).unlink()
        if self._hold is not None:
            self._hold.release()
            self._hold = None

    def _make(self) -> None:
        there = f"{self.location} is there already: open it, or choose another name"
        if self._path.exists():
            raise SessionError(there)
        if not self._path.parent.is_dir():
            raise SessionError(f"{self._path.parent} is not a folder; make it first")
        left = side_file(self._path, "-wal")
        if file_size(left):
            raise SessionError(f"{left} is of a session that is gone: move it away first")
        self._hold = SessionLock(self._path)
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except FileExistsError as error:
            raise SessionError(there) from error
        self._is_ours = True
        with closing(connect(self._path, "rw")) as connection:
            # Before there is a WAL: from there it would not reach the header for a while.
            run_pragma(connection, f"application_id = {APPLICATION_ID}")

    def _find(self) -> None:
        if not self._path.is_file():
            raise SessionError(f"{self.location} is not there, or is no file")
        refuse_other_files(self._path, self.location)
        if self._mode == "write":
            if not os.access(self._path, os.W_OK):
                raise SessionError(
                    f"{self.location} cannot be written: open it read-only, or see to its rights"
                )
            if self._path.stat().st_nlink > 1:  # what lies beside it goes by name
                raise SessionError(
                    f"{self.location} is one file with another of another name (a hard link), and "
                    "neither would know what the other keeps: open a copy of it"
                )
            self._hold = SessionLock(self._path)
            refuse_foreign_log(self._path, self.location)

    def _writing_connection(self) -> sqlite3.Connection:
        return self._same(connect(self._path, "rw"), WRITING)

    def _reading_connection(self) -> sqlite3.Connection:
        if self._mode == "read":
            return self._same(connect_read_only(self._path, self.location), ())
        return self._same(connect(self._path, "rw"), ("query_only = ON",))

    def _same(self, connection: sqlite3.Connection, pragmas: tuple[str, ...]) -> sqlite3.Connection:
        """The connection, if it is to the file that was opened first."""
        try:
            if self._identity is not None and (told := self._what_became_of_it()):
                raise SessionError(f"{self.location} {told}")
            for pragma in pragmas:
                run_pragma(connection, pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    def _what_became_of_it(self) -> str:
        """Nothing, or what has happened to the file while it was open."""
        if os.name == "nt":  # no open file is deleted or replaced there
            return ""
        try:
            about = self._path.stat()
        except OSError:
            return "has been moved or deleted while it was open: put it back, or save a copy now"
        if (about.st_dev, about.st_ino) != self._identity:
            return "has been replaced by another file while it was open: save a copy now"
        if about.st_size < self._size:
            return "has been cut short by another program while it was open: open a backup"
        self._size = about.st_size
        return ""

    def _bring_home(self, how: str, patience_s: float | None = None) -> bool:
        """Let the file itself hold all that the log beside it does. Whether that went well."""
        try:
            pooled = self.writer.raw_connection()
            try:
                connection = _driver(pooled)
                if patience_s is not None:
                    run_pragma(connection, f"busy_timeout = {round(patience_s * 1000)}")
                is_busy = run_pragma(connection, f"wal_checkpoint({how})")
            finally:
                pooled.close()
        except (sqlite3.Error, SQLAlchemyError, SessionError):
            return False
        return not is_busy

    def _look_beside(self) -> list[Identity | None]:
        found: list[Identity | None] = []
        for suffix in SUFFIXES_BESIDE:
            try:
                about = side_file(self._path, suffix).stat()
            except OSError:
                found.append(None)
            else:
                found.append((about.st_dev, about.st_ino))
        return found


def _engine(connect: Any, begin: str, **pool: Any) -> Engine:
    engine = create_engine("sqlite://", creator=connect, **pool)
    error_messages.translate_driver_errors(engine)

    # The driver begins by itself only before some statements; we say when, and lock at once.
    @event.listens_for(engine, "begin")
    def begin_at_once(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    # A result that somebody keeps, and has not read to its end, would hold SQLite to the state of
    # its time, for all that read later by the same connection.
    @event.listens_for(engine, "after_cursor_execute")
    def note(connection: Connection, cursor: Any, *_: Any) -> None:
        connection.info.setdefault("cursors", WeakSet()).add(cursor)

    @event.listens_for(engine, "checkin")
    def end_all(_connection: Any, record: Any) -> None:
        for cursor in list(record.info.pop("cursors", ())):
            cursor.close()

    return engine


def _driver(pooled: Any) -> sqlite3.Connection:
    connection = pooled.driver_connection
    assert isinstance(connection, sqlite3.Connection)
    return connection
