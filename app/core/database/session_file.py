"""The storage of a personal session: a `*.speco3` file (SQLite).

WAL with synchronous FULL makes sure that committed data is on the disk. The class also notices
when other programs move, replace or truncate the file while it is open.
"""

import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal
from weakref import WeakSet

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from agent.atomic_file import atomic_path
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
from app.core.errors import SessionError, disk_errors

MAX_READERS = 32
SIDE_SUFFIXES = ("-wal", "-shm")
WRITER_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON")

Mode = Literal["create", "write", "read"]
Identity = tuple[int, int]


class SessionFile:
    """An open session file: one connection for writing and several for reading.

    Only `readers` and `needs_repair` may be used by several threads at once.
    """

    def __init__(self, path: Path, mode: Mode) -> None:
        self.location = path
        self._mode = mode
        self._lock: SessionLock | None = None
        self._was_created = False
        self._identity: Identity | None = None
        self._side_identities: list[Identity | None] = []
        self._size = 0
        try:
            # Resolve links now: SQLite names the -wal and -shm files after the real file.
            self._path = Path(os.path.realpath(path))
            with error_messages.translate_errors(path):
                self._create() if mode == "create" else self._open()
        except (OSError, ValueError) as error:
            self._release(is_unwanted=True)
            reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
            raise SessionError(f"{path} cannot be opened: {reason}") from error
        except BaseException:
            self._release(is_unwanted=True)
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

    @property
    def address(self) -> Path:
        return self.location

    def version(self, connection: Connection, *, is_writing: bool) -> int:
        """Version of the tables, 0 for none."""
        found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found > 0 or self._mode == "create":
            return found
        # Creation writes the version last; without one, advise to delete only what is empty.
        tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema").scalar_one()
        if tables:
            raise SessionError(
                f"{self.location} is damaged: its version number is missing, but it may hold "
                "verdicts. Keep it, and open a backup or ask for a copy"
            )
        raise SessionError(
            f"{self.location} is incomplete: its creation was interrupted. Delete it"
        )

    def set_version(self, connection: Connection, version: int) -> None:
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")

    def after_open(self) -> None:
        """Remember the file's identity, now that its side files exist too."""
        try:
            stat = self._path.stat()
        except OSError as error:
            raise SessionError(
                f"{self.location} was moved or deleted while it was opened"
            ) from error
        self._identity = (stat.st_dev, stat.st_ino)
        self._size = stat.st_size
        self._side_identities = self._read_side_identities()

    def check_intact(self) -> None:
        """Refuse to write to a file that was moved, deleted, replaced or truncated."""
        if change := self._external_change():
            self._checkpoint("PASSIVE")
            raise SessionError(f"{self.location} {change}. No more changes are written to it")

    def needs_repair(self) -> bool:
        """Whether the -wal or -shm file was deleted or replaced, or the file cut short.

        For any thread.
        """
        if os.name == "nt":
            return False
        return self._is_cut_short() or self._read_side_identities() != self._side_identities

    def _is_cut_short(self) -> bool:
        """Of which nobody would hear while what is read is still in memory."""
        known = self._size  # before the look at the file, which another thread may let grow
        with suppress(OSError):  # moved or deleted: what is open can still be read
            stat = self._path.stat()
            return (stat.st_dev, stat.st_ino) == self._identity and stat.st_size < known
        return False

    def repair(self) -> None:
        """Copy the deleted WAL's content into the file and reconnect.

        Further commits into the deleted WAL would be lost when this program ends.
        """
        self.check_intact()
        if self._mode != "read" and not self._checkpoint("TRUNCATE"):
            raise SessionError(
                f"{self.location}: its {side_file(self._path, '-wal').name} was deleted while "
                "it was open, and another program is still reading it. Nothing was lost. Try again"
            )
        self.writer.dispose()
        self.readers.dispose()
        source = self.readers if self._mode == "read" else self.writer
        with source.connect() as connection, connection.begin():
            connection.exec_driver_sql("PRAGMA user_version").all()
        self.after_open()

    def copy_to(self, path: Path) -> None:
        """Save a complete copy, even if the file itself was deleted."""
        if path.exists():
            raise SessionError(f"{path} already exists. Choose another name")
        engine = self.readers if self._mode == "read" else self.writer
        with (
            closing(engine.raw_connection()) as pooled,
            disk_errors(path),
            atomic_path(path) as part,
            closing(sqlite3.connect(part)) as target,
        ):
            _driver_connection(pooled).backup(target)

    def close(self) -> None:
        if self._mode != "read":
            self._checkpoint("TRUNCATE", patience_s=0)
        self._end(is_unwanted=False)

    def discard(self) -> None:
        """Close it, and delete the file if this object created it."""
        self._end(is_unwanted=True)

    def _end(self, *, is_unwanted: bool) -> None:
        self.readers.dispose()
        self.writer.dispose()
        self._release(is_unwanted=is_unwanted)

    def _release(self, *, is_unwanted: bool) -> None:
        if is_unwanted and self._was_created:
            for suffix in ("", *SIDE_SUFFIXES):
                with suppress(OSError):
                    side_file(self._path, suffix).unlink()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _create(self) -> None:
        exists = f"{self.location} already exists. Open it or choose another name"
        if self._path.exists():
            raise SessionError(exists)
        if not self._path.parent.is_dir():
            raise SessionError(f"{self._path.parent} is not a folder. Create it first")
        old_log = side_file(self._path, "-wal")
        if file_size(old_log):
            raise SessionError(f"{old_log} belongs to a session that is gone. Move it away first")
        self._lock = SessionLock(self._path)
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except FileExistsError as error:
            raise SessionError(exists) from error
        self._was_created = True
        with closing(connect(self._path, "rw")) as connection:
            # Before WAL mode: otherwise the id would stay in the WAL until the next checkpoint.
            run_pragma(connection, f"application_id = {APPLICATION_ID}")

    def _open(self) -> None:
        if not self._path.is_file():
            raise SessionError(f"{self.location} does not exist or is not a file")
        refuse_other_files(self._path, self.location)
        if self._mode == "write":
            if not os.access(self._path, os.W_OK):
                raise SessionError(
                    f"{self.location} is not writable. Open it read-only or change its permissions"
                )
            if self._path.stat().st_nlink > 1:  # the -wal file depends on the name
                raise SessionError(
                    f"{self.location} has a second name (a hard link), and changes made under one "
                    "name could be lost under the other. Open a copy of it"
                )
            self._lock = SessionLock(self._path)
            refuse_foreign_log(self._path, self.location)

    def _writing_connection(self) -> sqlite3.Connection:
        return self._checked(connect(self._path, "rw"), WRITER_PRAGMAS)

    def _reading_connection(self) -> sqlite3.Connection:
        if self._mode == "read":
            return self._checked(connect_read_only(self._path, self.location), ())
        return self._checked(connect(self._path, "rw"), ("query_only = ON",))

    def _checked(
        self, connection: sqlite3.Connection, pragmas: tuple[str, ...]
    ) -> sqlite3.Connection:
        """Set up a new connection, after a check that the file is still the same one."""
        try:
            if self._identity is not None and (change := self._external_change()):
                raise SessionError(f"{self.location} {change}")
            for pragma in pragmas:
                run_pragma(connection, pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    def _external_change(self) -> str:
        """What another program did to the open file, or an empty string."""
        if os.name == "nt":  # Windows lets nobody delete or replace an open file
            return ""
        try:
            stat = self._path.stat()
        except OSError:
            return "was moved or deleted while it was open: put it back or save a copy now"
        if (stat.st_dev, stat.st_ino) != self._identity:
            return "was replaced by another file while it was open: save a copy now"
        if stat.st_size < self._size:
            self._size = sys.maxsize  # for good: what the log holds may let it grow, with holes
            return "was truncated by another program while it was open: open a backup"
        self._size = stat.st_size
        return ""

    def _checkpoint(self, how: str, patience_s: float | None = None) -> bool:
        """Copy the WAL's content into the file; False if that failed."""
        try:
            with closing(self.writer.raw_connection()) as pooled:
                connection = _driver_connection(pooled)
                if patience_s is not None:
                    run_pragma(connection, f"busy_timeout = {round(patience_s * 1000)}")
                is_busy = run_pragma(connection, f"wal_checkpoint({how})")
        except (sqlite3.Error, SQLAlchemyError, SessionError):
            return False
        return not is_busy

    def _read_side_identities(self) -> list[Identity | None]:
        return [_identity(side_file(self._path, suffix)) for suffix in SIDE_SUFFIXES]


def _identity(path: Path) -> Identity | None:
    """What tells a file from others; None if there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _engine(connect: Any, begin: str, **pool: Any) -> Engine:
    engine = create_engine("sqlite://", creator=connect, **pool)
    error_messages.translate_driver_errors(engine)

    # The driver would begin transactions late and without a lock; begin explicitly instead.
    @event.listens_for(engine, "begin")
    def begin_at_once(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    # A result that is not read to its end would pin this connection to an old snapshot, also for
    # its later users. So close all cursors when the connection returns to the pool.
    @event.listens_for(engine, "after_cursor_execute")
    def note(connection: Connection, cursor: Any, *_: Any) -> None:
        connection.info.setdefault("cursors", WeakSet()).add(cursor)

    @event.listens_for(engine, "checkin")
    def end_all(_connection: Any, record: Any) -> None:
        for cursor in list(record.info.pop("cursors", ())):
            cursor.close()

    return engine


def _driver_connection(pooled: Any) -> sqlite3.Connection:
    connection = pooled.driver_connection
    assert isinstance(connection, sqlite3.Connection)
    return connection
