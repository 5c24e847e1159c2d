"""A session's database: a `*.speco3` file (SQLite), or a PostgreSQL URL for a team.

What is committed is on the disk: WAL with synchronous FULL. Every error of the database comes out
as a SessionError that says what to do.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from app.core.errors import ReadOnlyError, SessionError
from app.core.holder import Hold
from app.core.migrations import VERSION, migrate

SUFFIX = ".speco3"
APPLICATION_ID = 0x53334F33  # "S3O3"
BUSY_MS = 10_000
TEAM_LOCK = 0x53334F33
"""PostgreSQL's advisory lock while tables are made or changed."""

Mode = Literal["create", "write", "read"]


class Database:
    """One open session database. Any thread may use it; they take turns."""

    def __init__(self, place: Path | str, mode: Mode) -> None:
        self.place = place
        self.mode = mode
        self._turn = threading.RLock()
        self._hold: Hold | None = None
        self._inode: tuple[int, int] | None = None
        if isinstance(place, Path):
            self._engine = self._open_file(place, mode)
        else:
            self._engine = self._open_url(place)
        try:
            with _translated(place):
                self._connection = self._engine.connect()
                self._prepare()
        except BaseException:
            self._release()
            raise

    @property
    def is_read_only(self) -> bool:
        return self.mode == "read"

    @property
    def is_file(self) -> bool:
        return isinstance(self.place, Path)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A view of the database that does not change while the block runs."""
        with self._turn, _translated(self.place):
            if self._connection.in_transaction():
                yield self._connection
                return
            with self._connection.begin():
                yield self._connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """One unit of work: all of it is on the disk when the block ends, or none."""
        if self.is_read_only:
            raise ReadOnlyError(f"{self.place} is open read-only: nothing can be changed")
        with self._turn, _translated(self.place):
            self._refuse_replaced()
            with self._connection.begin():
                yield self._connection

    def close(self) -> None:
        with self._turn:
            with suppress(SQLAlchemyError):
                self._connection.close()
            self._release()

    def _release(self) -> None:
        self._engine.dispose()
        if self._hold is not None:
            self._hold.release()
            self._hold = None

    def _open_file(self, path: Path, mode: Mode) -> Engine:
        if mode == "create":
            if path.exists():
                raise SessionError(f"{path} is there already: open it, or choose another name")
            if not path.parent.is_dir():
                raise SessionError(f"{path.parent} is not a folder; make it first")
        elif not path.is_file():
            raise SessionError(f"{path} is not there, or is no file")
        else:
            _check_header(path)
        if mode != "read":
            self._hold = Hold(path)
        try:
            return _sqlite_engine(path, mode)
        except BaseException:
            if self._hold is not None:
                self._hold.release()
            raise

    def _open_url(self, url: str) -> Engine:
        try:
            parsed = make_url(url)
        except ArgumentError as error:
            raise SessionError("that is neither a session file nor a database URL") from error
        if parsed.get_backend_name() != "postgresql":
            raise SessionError("a shared session lives in PostgreSQL: postgresql://host/database")
        self.place = parsed.render_as_string(hide_password=True)
        try:
            return create_engine(parsed.set(drivername="postgresql+psycopg"), poolclass=StaticPool)
        except ModuleNotFoundError as error:
            raise SessionError(
                "sessions in PostgreSQL need a driver: pip install 'spec-o3-workbench[teams]'"
            ) from error

    def _prepare(self) -> None:
        """Make or upgrade the tables where we may."""
        with self._connection.begin():
            version = self._version()
            if version > VERSION:
                raise SessionError(
                    f"{self.place} was written by a newer program (tables {version}, this one "
                    f"knows {VERSION}): update Spec-o3 Workbench"
                )
            if version < VERSION:
                if self.is_read_only:
                    raise SessionError(
                        f"{self.place} is of an older program: open it once to write, so that it "
                        "is brought up to date"
                    )
                migrate(self._connection, version)
                self._set_version()
        if isinstance(self.place, Path):
            about = self.place.stat()
            self._inode = (about.st_dev, about.st_ino)

    def _version(self) -> int:
        if self.is_file:
            return int(self._connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        self._connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": TEAM_LOCK})
        has_facts = self._connection.execute(text("SELECT to_regclass('facts')")).scalar_one()
        if has_facts is None:
            return 0
        found = self._connection.execute(text("SELECT value FROM facts WHERE key = 'tables'"))
        return int(found.scalar_one())

    def _set_version(self) -> None:
        if self.is_file:
            self._connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
        insert = "INSERT INTO facts (key, value) VALUES ('tables', :version) "
        update = "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self._connection.execute(text(insert + update), {"version": str(VERSION)})

    def _refuse_replaced(self) -> None:
        """What we write would go to a file without a name."""
        if self._inode is None or not isinstance(self.place, Path) or os.name == "nt":
            return
        try:
            about = self.place.stat()
        except OSError as error:
            raise SessionError(
                f"{self.place} has been moved or deleted while it was open. Put it back and try "
                "again: nothing was written meanwhile"
            ) from error
        if (about.st_dev, about.st_ino) != self._inode:
            raise SessionError(
                f"{self.place} has been replaced by another file while it was open. Open it again: "
                "nothing was written meanwhile"
            )


def _sqlite_engine(path: Path, mode: Mode) -> Engine:
    def connect() -> sqlite3.Connection:
        if mode == "read":
            return _read_only(path)
        connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        if mode == "create":
            # Before there is a WAL: from there it would not reach the header for a while.
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        return _guarded(connection)

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)

    # The driver begins by itself only before some statements; we say when, and lock at once.
    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN" if mode == "read" else "BEGIN IMMEDIATE")

    return engine


def _read_only(path: Path) -> sqlite3.Connection:
    uri = path.absolute().as_uri()
    connection = sqlite3.connect(
        f"{uri}?mode=ro", uri=True, check_same_thread=False, isolation_level=None
    )
    try:
        connection.execute("PRAGMA schema_version")
    except sqlite3.OperationalError:
        # In a folder we may not write to there is no room for WAL's index. Without a WAL beside
        # it the file alone is complete.
        connection.close()
        if path.with_name(path.name + "-wal").exists():
            raise
        connection = sqlite3.connect(
            f"{uri}?immutable=1", uri=True, check_same_thread=False, isolation_level=None
        )
    return _guarded(connection)


def _guarded(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A session may come from a stranger: what its schema says is not to be trusted."""
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return connection


def _check_header(path: Path) -> None:
    """Refuse what is no session before SQLite makes anything of it."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except OSError as error:
        raise SessionError(f"{path} could not be read: {error.strerror}") from error
    if not header.startswith(b"SQLite format 3\0") or len(header) < 100:
        raise SessionError(f"{path} is not a session of Spec-o3 Workbench")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise SessionError(f"{path} is a database of another program, not a session")


@contextmanager
def _translated(place: Path | str) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise SessionError(f"{place}: {_advice(error)}") from error
    except sqlite3.Error as error:
        raise SessionError(f"{place}: {_advice(error)}") from error


def _advice(error: Any) -> str:
    words = str(getattr(error, "orig", error)).strip().split("\n")[0]
    low = words.lower()
    for sign, advice in (
        ("disk is full", "the disk is full. Nothing was lost: make room, then do it again"),
        ("readonly", "it can no longer be written. Nothing was lost: check its folder's rights"),
        ("is locked", "another program is writing to it. Try again"),
        ("malformed", "the file is damaged: open a copy of it, or a backup"),
        ("not a database", "the file is damaged: open a backup"),
        ("disk i/o", "the disk did not take it. Nothing was lost: check the disk, then try again"),
        ("connection", f"the database server does not answer ({words[:200]})"),
    ):
        if sign in low:
            return advice
    return f"the database says: {words[:200]}"
